import { prefixes } from '../base/ids.js'
import { composeExample } from '../resources/compose-example.js'
import { payment as paymentSchema } from '../resources/payment.js'
import { referenceSample } from '../resources/shapes.js'
import { bodySchema, type EventType } from './catalogue.js'

/** What a merchant would be sent: the example of the shape, as it is when this has happened. */
export function exampleOfEvent(type: EventType): { data: object } {
  const body = composeExample(bodySchema(type)) as { data: object }
  return { ...body, data: { ...body.data, ...(particulars as Particulars)[type] } }
}

type Particulars = Partial<Record<EventType, object>>

const paidAt = '2026-01-05T09:00:00.000Z'
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

/** Whose one payment was judged so: all of it is where the account says. */
function afterOne(of: Record<string, unknown>, status: string, change: object = {}) {
  const latest = { ...of, ...change } as Record<string, unknown>
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

const small = { amount: 1_000_000, amountAccepted: 0, fee: 0, variance: 'UNDERPAID' }
const late = { amountAccepted: 0, amountHeld: 1_250_000, fee: 0, status: 'HELD', variance: 'LATE' }
const twice = { reference: 'pay_06dst4m7b0y65fr4bb9bwrf1e0' }
const again = { ...payment, ...twice, amountAccepted: 0, amountReturning: 1_250_000, fee: 0 }
const returning = { status: 'RETURNING', amountReturning: 1_000_000 }
const large = { amount: 1_500_000, amountReturning: 250_000, status: 'RETURNING' }

const heldCoins = { amountAccepted: '0', amountHeld: '25.5', fee: '0', status: 'HELD' }
const fewCoins = { ...heldCoins, amount: '20', amountHeld: '20', variance: 'UNDERPAID' }
const manyCoins = { amount: '30', amountHeld: '4.5', status: 'HELD', variance: 'OVERPAID' }
const coinsAgain = { ...deposit, ...twice, ...heldCoins, variance: 'DUPLICATE' }

const particulars = {
  'virtual_account.paid': afterOne(payment, 'PAID'),
  'virtual_account.underpaid': afterOne(payment, 'ACTIVE', { ...small, ...returning }),
  'virtual_account.overpaid': afterOne(payment, 'PAID', { ...large, variance: 'OVERPAID' }),
  'virtual_account.late_payment': afterOne(payment, 'EXPIRED', late),
  'virtual_account.duplicate_payment': {
    ...afterOne(payment, 'PAID'),
    variance: 'DUPLICATE',
    amountReceived: 2_500_000,
    amountReturning: 1_250_000,
    payments: [{ ...again, status: 'RETURNING', variance: 'DUPLICATE' }, payment],
  },
  'virtual_account.expired': { status: 'EXPIRED' },
  'virtual_account.cancelled': { status: 'CANCELLED' },
  'dedicated_account.credited': { payment: { ...payment, source: 'dedicated_account' } },
  'dedicated_account.deactivated': { status: 'INACTIVE' },
  'checkout.session.paid': { status: 'paid' },
  'checkout.session.expired': { status: 'expired' },
  'checkout.session.cancelled': { status: 'cancelled' },
  'crypto_wallet.paid': afterOne(deposit, 'PAID'),
  'crypto_wallet.underpaid': afterOne(deposit, 'ACTIVE', fewCoins),
  'crypto_wallet.overpaid': afterOne(deposit, 'PAID', manyCoins),
  'crypto_wallet.late_payment': afterOne(deposit, 'EXPIRED', { ...heldCoins, variance: 'LATE' }),
  'crypto_wallet.duplicate_payment': {
    ...afterOne(deposit, 'PAID'),
    variance: 'DUPLICATE',
    amountReceived: '51',
    amountHeld: '25.5',
    payments: [coinsAgain, deposit],
  },
  'crypto_wallet.expired': { status: 'EXPIRED' },
  'crypto_wallet.cancelled': { status: 'CANCELLED' },
  'dedicated_crypto_wallet.credited': {
    payment: { ...deposit, source: 'dedicated_crypto_wallet' },
  },
  'payment.held': late,
  'payment.returning': { ...small, ...returning },
  'payment.returned': { ...small, amountReturned: 1_000_000, status: 'RETURNED' },
  'payment.refunded': { amountAccepted: 0, amountReturned: 1_250_000, status: 'RETURNED' },
  'crypto_transfer.confirmed': { status: 'CONFIRMED', confirmedAt: paidAt },
  'crypto_transfer.failed': { status: 'FAILED', failureReason: 'expired', failedAt: paidAt },
  'bank_transfer.completed': { status: 'COMPLETED', completedAt: paidAt },
  'bank_transfer.failed': {
    status: 'FAILED',
    failureReason: 'account_closed',
    failedAt: paidAt,
  },
  'bank_transfer.reversed': { status: 'REVERSED', completedAt: paidAt, reversedAt: paidAt },
  'webhook_endpoint.disabled': {
    enabled: false,
    disabledReason: 'failing',
    failingSince: '2025-12-31T09:00:00.000Z',
  },
} satisfies Particulars
