import type { WebhookEvent } from '../../../../sdk/src/types'

/** The reference of what an event is about; undefined for balances, which have none. */
export function resourceOf({ data }: WebhookEvent): string | undefined {
  const { reference, accountReference, id } = data as Record<string, unknown>
  const found = [reference, accountReference, id].find((one) => typeof one === 'string')
  return found as string | undefined
}
