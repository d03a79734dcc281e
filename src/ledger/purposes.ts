import type { Prefix } from '../base/ids.js'
import { prefixes } from '../base/ids.js'

/**
 * Why money moves. The primary key lets a cause move money once per purpose. `causePrefix` is the
 * prefix of the cause's public reference.
 */
export const purposes = {
  test_funding: { causePrefix: prefixes.funding },
  operator_credit: { causePrefix: prefixes.credit },
  crypto_payout: { causePrefix: prefixes.cryptoTransfer },
  crypto_payout_fee: { causePrefix: prefixes.cryptoTransfer },
  bank_payout: { causePrefix: prefixes.bankTransfer },
  bank_payout_fee: { causePrefix: prefixes.bankTransfer },
  bank_payout_levy: { causePrefix: prefixes.bankTransfer },
  bank_payout_reversal: { causePrefix: prefixes.bankTransfer },
  bank_payout_fee_reversal: { causePrefix: prefixes.bankTransfer },
  bank_payout_levy_reversal: { causePrefix: prefixes.bankTransfer },
  /** Set aside until the recipient claims it. */
  claim: { causePrefix: prefixes.claimHold },
  payment: { causePrefix: prefixes.payment },
  payment_fee: { causePrefix: prefixes.payment },
  /** Into suspense: held for the merchant to decide, or about to be returned. */
  payment_held: { causePrefix: prefixes.payment },
  payment_accepted: { causePrefix: prefixes.payment },
  payment_accepted_fee: { causePrefix: prefixes.payment },
  payment_return: { causePrefix: prefixes.paymentReturn },
  payment_refund: { causePrefix: prefixes.paymentReturn },
  payment_return_reversal: { causePrefix: prefixes.paymentReturn },
  payment_refund_reversal: { causePrefix: prefixes.paymentReturn },
  sweep: { causePrefix: prefixes.sweep },
  conversion: { causePrefix: prefixes.conversion },
  conversion_fee: { causePrefix: prefixes.conversion },
  /** Into the balance of the other asset. */
  conversion_credit: { causePrefix: prefixes.conversion },
  /** To a sub-account, and from it. Between two the money passes by the merchant. */
  subaccount_transfer: { causePrefix: prefixes.subaccountTransfer },
  subaccount_transfer_back: { causePrefix: prefixes.subaccountTransfer },
  /** A share of a payment, to a sub-account. */
  split: { causePrefix: prefixes.share },
  split_release: { causePrefix: prefixes.share },
  /** What a refund takes back from a sub-account. */
  split_refund: { causePrefix: prefixes.takeBack },
  split_refund_reversal: { causePrefix: prefixes.takeBack },
  /** The same, of money that was not released yet. */
  split_refund_pending: { causePrefix: prefixes.takeBack },
  split_refund_pending_reversal: { causePrefix: prefixes.takeBack },
  /** What a sub-account could not give back, and owes the merchant. */
  receivable: { causePrefix: prefixes.takeBack },
  receivable_reversal: { causePrefix: prefixes.takeBack },
  /** What a credit to a sub-account pays of what it owes: the money, and the debt that ends. */
  split_recovered: { causePrefix: prefixes.share },
  split_receivable_ended: { causePrefix: prefixes.share },
  transfer_recovered: { causePrefix: prefixes.subaccountTransfer },
  transfer_receivable_ended: { causePrefix: prefixes.subaccountTransfer },
  take_back_recovered: { causePrefix: prefixes.takeBack },
  take_back_receivable_ended: { causePrefix: prefixes.takeBack },
  payout_recovered: { causePrefix: prefixes.bankTransfer },
  payout_receivable_ended: { causePrefix: prefixes.bankTransfer },
} as const satisfies Record<string, { causePrefix: Prefix }>

export type Purpose = keyof typeof purposes

/** Whether a share of a payment, or what a refund took back of one, is the cause. */
export function isOfSplit(purpose: Purpose): boolean {
  const { causePrefix } = purposes[purpose]
  return causePrefix === prefixes.share || causePrefix === prefixes.takeBack
}
