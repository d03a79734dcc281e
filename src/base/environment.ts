/** An environment is one merchant in one mode. Nothing crosses from one to another. */
export type Mode = 'test' | 'live'

export const modes: Mode[] = ['test', 'live']

export type EnvironmentId = number & { readonly environmentId: unique symbol }

export type Environment = {
  id: EnvironmentId
  mode: Mode
  merchantId: string
  merchantName: string
  /** How far its clock has been moved ahead of the world; 0 in live mode, always. */
  clockOffsetMs: number
}

export function toEnvironmentId(value: number): EnvironmentId {
  return value as EnvironmentId
}
