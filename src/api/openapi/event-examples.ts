import { prefixes } from '../../base/ids.js'
import { sampleTime as paidAt, referenceSample, sampleHash } from '../../base/shapes.js'
import { payment as paymentSchema } from '../../collections/payments/resource.js'
import type { EventType } from '../../events/catalogue.js'
import { composeExample } from './compose-example.js'
import { bodySchema } from './event-schemas.js'

/** The example of the schema, changed to the state the resource has when the event is sent. */
export function exampleOfEvent(type: EventType): { data: object } {
  const body = composeExample(bodySchema(type)) as { data: object }
  return { ...body, data: { ...body.data, ...(changes as Changes)[type] } }
}

type Changes = Partial<Record<EventType, object>>

/** The interbank session of a transfer that has ended. */
const sessionId = '090405260105090000000000014572'
const payment = composeExample(paymentSchema) as Record<string, unknown>
const deposit = {
  ...payment,
  source: 'crypto_wallet',
  accountReference: referenceSample(prefixes.cryptoWallet),
  amount: '25.5',
  amountAccepted: '25.5',
  amountHeld: '0',
  amountReturning: '0',
  amountReturned: '0',
  fee: '0.1275',
  currency: 'USDC',
  sessionId: null,
  narration: null,
  sender: { address: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk' },
}

/** An account with exactly one payment, so that the amounts of both are the same. */
function accountWith(payment: Record<string, unknown>, status: string, change: object = {}) {
  const latest: Record<string, unknown> = { ...payment, ...change }
  const { amount, amountAccepted, amountHeld, amountReturning, amountReturned, variance } = latest
  return {
    status,
    variance,
    amountReceived: amount,
    amountAccepted,
    amountHeld,
    amountReturning,
    amountReturned,
    payments: [latest],
    paidAt: status === 'PAID' ? paidAt : null,
  }
}

const underpaid = { amount: 1_000_000, amountAccepted: 0, fee: 0, variance: 'UNDERPAID' }
const late = { amountAccepted: 0, amountHeld: 1_250_000, fee: 0, status: 'HELD', variance: 'LATE' }
const secondReference = { reference: 'pay_06dst4m7b0y65fr4bb9bwrf1e0' }
const secondPayment = {
  ...payment,
  ...secondReference,
  amountAccepted: 0,
  amountReturning: 1_250_000,
  fee: 0,
}
const returning = { status: 'RETURNING', amountReturning: 1_000_000 }
const overpaid = { amount: 1_500_000, amountReturning: 250_000, status: 'RETURNING' }

const heldDeposit = { amountAccepted: '0', amountHeld: '25.5', fee: '0', status: 'HELD' }
const underpaidDeposit = { ...heldDeposit, amount: '20', amountHeld: '20', variance: 'UNDERPAID' }
const overpaidDeposit = { amount: '30', amountHeld: '4.5', status: 'HELD', variance: 'OVERPAID' }
const secondDeposit = { ...deposit, ...secondReference, ...heldDeposit, variance: 'DUPLICATE' }

const pending = {
  status: 'PENDING',
  submittedAt: null,
  approval: {
    needed: 1,
    reasons: ['amount'],
    callback: null,
    screening: null,
    round: 1,
    givenBy: [],
    rejectedBy: null,
    reason: null,
    expiresAt: '2036-01-08T09:00:00.000Z',
  },
  orderHash: sampleHash,
}

const changes = {
  'virtual_account.paid': accountWith(payment, 'PAID'),
  'virtual_account.underpaid': accountWith(payment, 'ACTIVE', { ...underpaid, ...returning }),
  'virtual_account.overpaid': accountWith(payment, 'PAID', { ...overpaid, variance: 'OVERPAID' }),
  'virtual_account.late_payment': accountWith(payment, 'EXPIRED', late),
  'virtual_account.duplicate_payment': {
    ...accountWith(payment, 'PAID'),
    variance: 'DUPLICATE',
    amountReceived: 2_500_000,
    amountReturning: 1_250_000,
    payments: [{ ...secondPayment, status: 'RETURNING', variance: 'DUPLICATE' }, payment],
  },
  'virtual_account.expired': { status: 'EXPIRED' },
  'virtual_account.cancelled': { status: 'CANCELLED' },
  'dedicated_account.credited': { payment: { ...payment, source: 'dedicated_account' } },
  'dedicated_account.deactivated': { status: 'INACTIVE' },
  'checkout.session.paid': { status: 'paid' },
  'checkout.session.expired': { status: 'expired' },
  'checkout.session.cancelled': { status: 'cancelled' },
  'crypto_wallet.paid': accountWith(deposit, 'PAID'),
  'crypto_wallet.underpaid': accountWith(deposit, 'ACTIVE', underpaidDeposit),
  'crypto_wallet.overpaid': accountWith(deposit, 'PAID', overpaidDeposit),
  'crypto_wallet.late_payment': accountWith(deposit, 'EXPIRED', {
    ...heldDeposit,
    variance: 'LATE',
  }),
  'crypto_wallet.duplicate_payment': {
    ...accountWith(deposit, 'PAID'),
    variance: 'DUPLICATE',
    amountReceived: '51',
    amountHeld: '25.5',
    payments: [secondDeposit, deposit],
  },
  'crypto_wallet.expired': { status: 'EXPIRED' },
  'crypto_wallet.cancelled': { status: 'CANCELLED' },
  'dedicated_crypto_wallet.credited': {
    payment: { ...deposit, source: 'dedicated_crypto_wallet' },
  },
  'payment.held': late,
  'payment.returning': { ...underpaid, ...returning },
  'payment.returned': { ...underpaid, amountReturned: 1_000_000, status: 'RETURNED' },
  'payment.refunded': { amountAccepted: 0, amountReturned: 1_250_000, status: 'RETURNED' },
  'crypto_transfer.pending': { ...pending, transactionSignature: null, attempts: [] },
  'crypto_transfer.confirmed': { status: 'CONFIRMED', confirmedAt: paidAt },
  'crypto_transfer.failed': { status: 'FAILED', failureReason: 'expired', failedAt: paidAt },
  'bank_transfer.pending': pending,
  'bank_transfer.completed': { status: 'COMPLETED', completedAt: paidAt, sessionId },
  'bank_transfer.failed': {
    status: 'FAILED',
    failureReason: 'account_closed',
    failedAt: paidAt,
  },
  'bank_transfer.reversed': {
    status: 'REVERSED',
    completedAt: paidAt,
    reversedAt: paidAt,
    sessionId,
  },
  'settlement.paid': { status: 'PAID', paidAt },
  'settlement.failed': { status: 'FAILED', failureReason: 'account_closed', failedAt: paidAt },
  'settlement.reversed': { status: 'REVERSED', paidAt, reversedAt: paidAt },
  'subaccount_settlement.paid': { status: 'PAID', paidAt },
  'subaccount_settlement.failed': {
    status: 'FAILED',
    failureReason: 'account_closed',
    failedAt: paidAt,
  },
  'subaccount_settlement.reversed': { status: 'REVERSED', paidAt, reversedAt: paidAt },
  'subaccount.closed': { status: 'CLOSED', closedAt: paidAt },
  'subaccount.closing_failed': { status: 'PAUSED' },
  'webhook_endpoint.disabled': {
    enabled: false,
    disabledReason: 'failing',
    failingSince: '2035-12-31T09:00:00.000Z',
  },
} satisfies Changes
