import { second } from './clock.js'

type MagicAccount = {
  /** Why the account does not resolve; undefined: it resolves. */
  refusedAs?: 'account_not_found' | 'rail_unavailable'
  /** When a transfer ends. Null: never by itself. */
  endsAfterMs: number | null
  /** Null: it succeeds. */
  failureReason: string | null
  /** After success. Null: never. */
  reversesAfterMs: number | null
}

const ordinary: MagicAccount = {
  endsAfterMs: second,
  failureReason: null,
  reversesAfterMs: null,
}

/** Serials of the sandbox bank's magic account numbers, with what they do there. */
export const magicAccounts: Record<string, MagicAccount> = {
  '990000001': { ...ordinary, failureReason: 'insufficient_liquidity' },
  '990000002': { ...ordinary, failureReason: 'account_closed' },
  '990000003': { ...ordinary, reversesAfterMs: 5 * second },
  '990000004': { ...ordinary, endsAfterMs: 30 * second },
  '990000005': { ...ordinary, endsAfterMs: 30 * second, failureReason: 'bank_declined' },
  '990000006': { ...ordinary, endsAfterMs: null },
  '990000007': ordinary,
  '990000008': {
    ...ordinary,
    failureReason: 'account_not_found',
    refusedAs: 'account_not_found',
  },
  '990000009': { ...ordinary, failureReason: 'bank_declined', refusedAs: 'rail_unavailable' },
}

export function findMagicAccount(accountNumber: string): MagicAccount | undefined {
  return magicAccounts[accountNumber.slice(0, 9)]
}
