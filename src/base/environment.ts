export type Mode = 'test' | 'live'

export const modes: Mode[] = ['test', 'live']

export type EnvironmentId = number & { readonly environmentId: unique symbol }

/** One merchant in one mode. No data or money crosses from one environment to another. */
export type Environment = {
  id: EnvironmentId
  mode: Mode
  merchantId: string
  merchantName: string
  /** How far the test clock was moved ahead of real time; always 0 in live mode. */
  clockOffsetMs: number
  /** Providers that the operator chose for this merchant; null: the configured one. */
  collectBank: string | null
  payoutBank: string | null
  /** A suspended merchant creates nothing and pays nothing out, in both modes. */
  isSuspended: boolean
  /** Whether it has saved any recipient. Absent: not known. */
  hasRecipients?: boolean
  /**
   * Whether payouts of the API key may wait or be refused: by a rule, a control, a freeze, or the
   * key itself. Only known of callers with a key.
   */
  keysMayWait?: boolean
}

export function toEnvironmentId(value: number): EnvironmentId {
  return value as EnvironmentId
}
