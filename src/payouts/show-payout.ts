import { formatDecimal, toWire } from '../money/amounts.js'
import { type Payout, type PayoutAttempt, referenceOf } from './payout.js'

/** The payout as the API and its events show it. JSON text: metadata is the merchant's own text. */
export function showPayout(payout: Payout, attempts: PayoutAttempt[]): string {
  const show = payout.asset === 'NGN' ? showBankTransfer : showCryptoTransfer
  return `${JSON.stringify(show(payout, attempts)).slice(0, -1)},"metadata":${payout.metadata}}`
}

function showCryptoTransfer(payout: Payout, attempts: PayoutAttempt[]) {
  const { asset, amount, fee, destination } = payout
  return {
    reference: referenceOf(payout),
    merchantReference: payout.merchantReference ?? undefined,
    asset,
    network: 'SOLANA',
    amount: payout.requestedAmount,
    fee: formatDecimal(fee, asset),
    totalDebit: formatDecimal(amount + fee, asset),
    destinationAddress: destination.kind === 'wallet' ? destination.address : '',
    status: payout.status === 'COMPLETED' ? 'CONFIRMED' : payout.status,
    transactionSignature: attempts.at(-1)!.token,
    failureReason: payout.failureReason,
    submittedAt: payout.submittedAt.toISOString(),
    confirmedAt: payout.completedAt?.toISOString() ?? null,
    failedAt: payout.failedAt?.toISOString() ?? null,
    createdAt: payout.createdAt.toISOString(),
    attempts: attempts.map(({ token, createdAt, state }) => ({
      signature: token,
      submittedAt: createdAt.toISOString(),
      state,
    })),
  }
}

function showBankTransfer(payout: Payout) {
  const { amount, fee, destination } = payout
  const account = destination.kind === 'bank_account' ? destination : undefined
  const hasArrived = payout.completedAt !== null
  return {
    reference: referenceOf(payout),
    merchantReference: payout.merchantReference ?? undefined,
    amount: toWire(amount, 'NGN'),
    fee: toWire(fee, 'NGN'),
    totalDebit: toWire(amount + fee, 'NGN'),
    currency: 'NGN',
    bankCode: account?.bankCode,
    bankName: account?.bankName,
    accountNumber: account?.accountNumber,
    accountName: account?.accountName,
    narration: account?.narration ?? null,
    status: payout.status,
    sessionId: hasArrived ? sessionOf(payout) : null,
    failureReason: payout.failureReason,
    reviewRequired: payout.isReviewRequired,
    submittedAt: payout.submittedAt.toISOString(),
    completedAt: payout.completedAt?.toISOString() ?? null,
    failedAt: payout.failedAt?.toISOString() ?? null,
    reversedAt: payout.reversedAt?.toISOString() ?? null,
    createdAt: payout.createdAt.toISOString(),
  }
}

/** The name of the transfer at the bank. */
function sessionOf(payout: Payout): string {
  return referenceOf(payout).replace('_', '-')
}
