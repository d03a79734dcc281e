import { prefixes, toReference } from '../base/ids.js'
import type { AccountKind, CollectionAccount } from '../collections/accounts/account.js'
import { accountKinds, accountReference, isWallet } from '../collections/accounts/account.js'
import { type Payment, paymentReference } from '../collections/payments/payment.js'
import type { listReturnsOfPayments } from '../collections/returns/find-returns.js'
import type { RefundReason } from '../collections/returns/store-returns.js'
import type { LedgerRow } from './ledger-items.js'
import type { TimelineItem } from './resource.js'
import { sayAmount } from './say-amount.js'

export type AccountRow = Pick<CollectionAccount, 'id' | 'number' | 'bankName' | 'createdAt'> & {
  kind: AccountKind
  sessionId: string | null
}

export type SessionRow = {
  id: string
  reference: string
  /** Null: it can only be paid in coins. */
  accountId: string | null
  walletId: string | null
  createdAt: Date
  openedAt: Date | null
}

const inEnvironmentTime = { isInEnvironmentTime: true, money: null, details: {} }

export function toSessionItems({ reference, createdAt, openedAt }: SessionRow): TimelineItem[] {
  const created: TimelineItem = {
    ...inEnvironmentTime,
    at: createdAt,
    kind: 'session_created',
    title: 'Checkout session created',
    reference,
  }
  if (openedAt === null) return [created]
  const opened: TimelineItem = {
    ...inEnvironmentTime,
    at: openedAt,
    kind: 'session_opened',
    title: 'Checkout page opened',
    reference,
  }
  return [created, opened]
}

export function toAccountItem(account: AccountRow): TimelineItem {
  const words = accountKinds[account.kind].words
  const name = words[0]!.toUpperCase() + words.slice(1)
  const place = isWallet(account) ? account.number : `${account.number} at ${account.bankName}`
  return {
    ...inEnvironmentTime,
    at: account.createdAt,
    kind: 'account_opened',
    title: `${name} ${place} opened`,
    reference: accountReference(account),
  }
}

const variances: Record<Payment['variance'], string> = {
  NONE: '',
  UNDERPAID: 'Underpaid: ',
  OVERPAID: 'Overpaid: ',
  LATE: 'Late: ',
  DUPLICATE: 'Paid twice: ',
}

/** `ledger` has the entries of the payment: its amounts may have changed since the verdict. */
export function toPaymentItems(
  payment: Payment,
  noticedAt: Date | null,
  ledger: LedgerRow[],
): TimelineItem[] {
  const { amount, asset, variance } = payment
  const sender = senderOf(payment)
  const base = { reference: paymentReference(payment), money: { amount, asset } }
  const from = sender === '' ? '' : ` from ${sender}`
  const items: TimelineItem[] = [
    {
      ...base,
      isInEnvironmentTime: true,
      at: payment.receivedAt,
      kind: 'payment_received',
      title: `${sayAmount(amount, asset)} received${from}`,
      details: sender === '' ? {} : { sender },
    },
  ]
  if (noticedAt)
    items.push({
      ...base,
      isInEnvironmentTime: false,
      at: noticedAt,
      kind: 'notice_received',
      title: asset === 'NGN' ? 'The bank reported the payment' : 'The deposit was found',
      details: {},
    })
  items.push({
    ...base,
    isInEnvironmentTime: true,
    at: payment.createdAt,
    kind: 'payment_judged',
    title: variances[variance] + sayVerdict(payment, ledger),
    details: { variance },
  })
  return items
}

function senderOf({ sender }: Payment): string {
  if ('address' in sender) return sender.address ?? ''
  return sender.name || sender.accountNumber
}

function sayVerdict({ id, asset }: Payment, ledger: LedgerRow[]): string {
  const amountOf = (purpose: LedgerRow['purpose']) =>
    ledger.find((row) => row.causeId === id && row.purpose === purpose)?.amount ?? 0n
  const accepted = amountOf('payment')
  const held = amountOf('payment_held')
  const parts = [
    accepted > 0n ? `${sayAmount(accepted, asset)} accepted` : '',
    held > 0n ? `${sayAmount(held, asset)} held` : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

const reasons: Record<RefundReason, string> = {
  duplicate: ': paid twice',
  requested_by_customer: ': the customer asked for it',
  fraudulent: ': fraud',
  other: '',
}

export type FoundReturn = Awaited<ReturnType<typeof listReturnsOfPayments>>[number]

export function toReturnItems(paymentReturn: FoundReturn): TimelineItem[] {
  const { amount, asset, state, failureReason, endedAt } = paymentReturn
  const said = sayAmount(amount, asset)
  const words = paymentReturn.takesFrom === 'available' ? 'Refund' : 'Return'
  const base = {
    isInEnvironmentTime: true,
    reference: toReference(prefixes.paymentReturn, paymentReturn.id),
    money: { amount, asset },
  }
  const items: TimelineItem[] = [
    {
      ...base,
      at: paymentReturn.createdAt,
      kind: 'return_created',
      title: `${words} of ${said} decided${paymentReturn.reason ? reasons[paymentReturn.reason] : ''}`,
      details: {
        ...(paymentReturn.reason !== null && { reason: paymentReturn.reason }),
        ...(paymentReturn.note !== null && { note: paymentReturn.note }),
      },
    },
  ]
  if (endedAt === null) return items
  const endings = {
    RETURNED: `${words} of ${said} reached the payer`,
    FAILED: `${words} of ${said} failed`,
    REVERSED: `${words} of ${said} came back`,
    WAITING: `${words} of ${said} waits`,
    SENT: `${words} of ${said} is on the way`,
  }
  items.push({
    ...base,
    at: endedAt,
    kind: 'return_ended',
    title: endings[state],
    details: { status: state, ...(failureReason !== null && { reason: failureReason }) },
  })
  return items
}
