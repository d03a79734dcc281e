import type { BankDisbursement, BankTransfer, CryptoTransfer } from '../../../../sdk/src/types'
import { type ReadOptions, useRead } from '../../api/reads'
import { formatAccountNumber, formatWallet } from '../../parts/identifiers'
import type { Amount, Asset } from '../../parts/money-format'
import type { Approver } from './approvers'

type Shared = {
  kind: 'bank_transfer' | 'crypto_transfer' | 'bank_return' | 'crypto_return'
  createdBy: BankDisbursement['createdBy']
  /** Of a refund. */
  payment?: string | null
  refundReason?: string | null
  refundNote?: string | null
  /** Of a payout to the merchant's own account or wallet. */
  settlement?: string | null
  /** The conversion that paid for it. */
  conversion?: string | null
  /** Of an item of a batch. */
  batch?: string | null
  mayApprove?: boolean
  approvers?: Approver[]
}

/** A bank or crypto transfer, or a refund that is one. */
export type Transfer = Shared & (BankTransfer | CryptoTransfer)

export const isBank = (transfer: Transfer): transfer is Shared & BankTransfer =>
  'accountNumber' in transfer

export const assetOf = (transfer: Transfer): Asset =>
  (isBank(transfer) ? 'NGN' : transfer.asset) as Asset

/** Whether members decide about it; otherwise only the callback of the merchant does. */
export const isForMembers = ({ approval }: Transfer): boolean => (approval?.needed ?? 0) > 0

/** A payout that approvers or the callback refused, or let expire, did not fail. */
export function statusOf({ status, failureReason }: Transfer): string {
  if (failureReason === 'approval_rejected' || failureReason === 'callback_rejected')
    return 'REJECTED'
  return failureReason === 'approval_expired' ? 'APPROVAL_EXPIRED' : status
}

export const amountOf = (transfer: Transfer): Amount => transfer.amount

/** Who gets the money: a name, or a wallet. */
export const nameOf = (transfer: Transfer): string =>
  isBank(transfer) ? transfer.accountName : formatWallet(transfer.destinationAddress)

/** `GTBank 012 345 6789`; empty for a wallet. */
export const placeOf = (transfer: Transfer): string =>
  isBank(transfer) ? `${transfer.bankName} ${formatAccountNumber(transfer.accountNumber)}` : ''

export const recipientQuery = (transfer: Transfer) =>
  isBank(transfer)
    ? { bankCode: transfer.bankCode, accountNumber: transfer.accountNumber }
    : { address: transfer.destinationAddress }

export const path = '/v1/disbursements'

export const useTransfer = (reference: string, options: ReadOptions = {}) =>
  useRead<Transfer>('payout', `${path}/${reference}`, undefined, options)

/** The address that opens the form with the same recipient and amount. */
export function copyPath(transfer: Transfer): string {
  const given: Record<string, string> = isBank(transfer)
    ? {
        bankCode: transfer.bankCode,
        accountNumber: transfer.accountNumber,
        amount: String(transfer.amount),
        narration: transfer.narration ?? '',
      }
    : {
        address: transfer.destinationAddress,
        coin: transfer.asset,
        amount: String(transfer.amount),
      }
  return `/payouts/new?${new URLSearchParams(given)}`
}
