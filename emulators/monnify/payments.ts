import { accountNameOf, sessionIdOf, toNuban } from '../bank-accounts.js'
import { nigerianBanks } from '../banks.js'
import type { EmulatedPayment, PaymentResult } from '../emulator.js'
import type { PaymentSource, ReservedAccount, TemporaryAccount, Transaction } from './books.js'
import { paymentEvent, rejectionEvent, sendNotice } from './notices.js'
import type { MonnifyState } from './state.js'

const sendingBanks = nigerianBanks.filter(({ code }) => code.length === 3)

/** A payer sends money to an account number. Undefined: no account ever had it. */
export function receivePayment(
  state: MonnifyState,
  payment: EmulatedPayment,
): PaymentResult | undefined {
  const account = state.accountByNumber.get(payment.accountNumber)
  if (!account) return undefined
  const source = sourceOf(state, payment)
  return 'numbers' in account
    ? payReserved(state, account, payment, source)
    : payTemporary(state, account, payment, source)
}

function payReserved(
  state: MonnifyState,
  account: ReservedAccount,
  payment: EmulatedPayment,
  source: PaymentSource,
): PaymentResult {
  const reference = state.newTransactionReference()
  if (account.isDeleted) return { id: reference, result: 'rejected' }
  const nowMs = state.nowMs()
  const transaction: Transaction = {
    reference,
    paymentReference: reference,
    product: { type: 'RESERVED_ACCOUNT', reference: account.reference },
    receiver: account.numbers.find(({ accountNumber }) => accountNumber === payment.accountNumber),
    expected: payment.amount,
    paid: payment.amount,
    status: 'PAID',
    description: payment.narration ?? account.name.slice(0, 3),
    customer: account.customer,
    sources: [source],
    createdAtMs: nowMs,
    paidAtMs: nowMs,
  }
  state.addTransaction(transaction)
  announce(state, transaction, payment)
  return { id: reference, result: 'received' }
}

/** Late and second payments are bounced by the bank without a notice. */
function payTemporary(
  state: MonnifyState,
  account: TemporaryAccount,
  payment: EmulatedPayment,
  source: PaymentSource,
): PaymentResult {
  const transaction = state.transactionByReference.get(account.transactionReference)!
  const isOpen = transaction.status === 'PENDING' || transaction.status === 'PARTIALLY_PAID'
  const isLate = account.isCancelled || state.nowMs() >= account.expiresAtMs
  if (!isOpen || isLate) return { id: transaction.reference, result: 'rejected' }

  const total = transaction.paid + payment.amount
  if (total < transaction.expected && state.settings.rejectsUnderpayment) {
    const event = rejectionEvent(transaction, source, transaction.receiver!)
    if (!payment.isSilent)
      sendNotice(state, 'REJECTED_PAYMENT', event, { copies: payment.copies ?? 1 })
    return { id: transaction.reference, result: 'rejected' }
  }
  transaction.paid = total
  transaction.sources.push(source)
  transaction.paidAtMs = state.nowMs()
  transaction.status = statusOf(transaction)
  announce(state, transaction, payment)
  return { id: transaction.reference, result: 'received' }
}

function statusOf({ paid, expected }: Transaction): Transaction['status'] {
  if (paid < expected) return 'PARTIALLY_PAID'
  return paid > expected ? 'OVERPAID' : 'PAID'
}

function announce(state: MonnifyState, transaction: Transaction, payment: EmulatedPayment): void {
  state.changed()
  if (payment.isSilent) return
  const copies = payment.copies ?? 1
  sendNotice(state, 'SUCCESSFUL_TRANSACTION', paymentEvent(transaction), { copies })
}

/** Every third sender has no bank code; an empty account number makes the sender unknown. */
function sourceOf(state: MonnifyState, payment: EmulatedPayment): PaymentSource {
  const number = state.nextNumber()
  const bank = sendingBanks[number % sendingBanks.length]!
  const serial = String(number % 1_000_000_000).padStart(9, '0')
  const made = toNuban({ bankCode: bank.code, serial })
  const accountNumber = payment.senderAccountNumber ?? made
  return {
    bankCode: number % 3 === 0 ? '' : bank.code,
    accountName: payment.senderName ?? accountNameOf(accountNumber),
    accountNumber: accountNumber === '' ? undefined : accountNumber,
    sessionId: sessionIdOf(`monnify/${number}`, state.nowMs(), bank.code),
    amount: payment.amount,
  }
}
