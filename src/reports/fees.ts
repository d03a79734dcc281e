import type { Purpose } from '../ledger/purposes.js'
import type { EntrySum } from './entries.js'

export const feeKinds = ['payment', 'bank_transfer', 'crypto_transfer', 'conversion'] as const

export type FeeKind = (typeof feeKinds)[number]

/** Every purpose of a ledger transfer to or from `fees`; a test compares them with the ledger. */
export const kindsOfFees: Partial<Record<Purpose, FeeKind>> = {
  payment_fee: 'payment',
  payment_accepted_fee: 'payment',
  bank_payout_fee: 'bank_transfer',
  bank_payout_fee_reversal: 'bank_transfer',
  crypto_payout_fee: 'crypto_transfer',
  conversion_fee: 'conversion',
}

/**
 * `charged` when the money is taken or held, `released` when a payout fails and its hold ends,
 * `reversed` when the bank returns a transfer. `kept` is the ledger account `fees`.
 */
export type Fees = {
  charged: bigint
  released: bigint
  reversed: bigint
  kept: bigint
  /** The part of `kept` that is VAT. */
  vat: bigint
}

/** The fees of all kinds, or of one. */
export function sumFees(entries: Omit<EntrySum, 'start'>[], kind?: FeeKind): Fees {
  const fees: Fees = { charged: 0n, released: 0n, reversed: 0n, kept: 0n, vat: 0n }
  for (const { purpose, effect, amount, vat } of entries) {
    const own = kindsOfFees[purpose]
    if (own === undefined || (kind !== undefined && own !== kind)) continue
    const change = effect === 'release' ? 'released' : isReversal(purpose) ? 'reversed' : 'charged'
    fees[change] += amount
    fees.kept += change === 'charged' ? amount : -amount
    fees.vat += change === 'charged' ? vat : -vat
  }
  return fees
}

function isReversal(purpose: Purpose): boolean {
  return purpose === 'bank_payout_fee_reversal'
}
