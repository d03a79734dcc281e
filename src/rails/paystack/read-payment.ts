import type { BankSender } from '../../collections/ports.js'
import type { DriverPayment } from '../bank/driver.js'
import { koboOfText, readFeeInKobo } from '../bank/naira.js'
import { Unreadable } from '../bank/provider-client.js'
import {
  asFields,
  type Fields,
  needCurrency,
  needId,
  needNumericId,
  needText,
  needTime,
  readName,
  readText,
} from '../bank/read-fields.js'
import { referenceOfEmail } from './payer-email.js'

/** Channels by which money reaches our accounts. */
const channels = ['bank_transfer', 'dedicated_nuban']

/** Channels of other programs that use the same account at Paystack. */
const otherChannels = new Set(
  'card bank ussd qr mobile_money eft apple_pay payattitude capitec_pay'.split(' '),
)

export function isOfOtherChannels({ channel }: Fields): boolean {
  return otherChannels.has(readText(channel) ?? '')
}

/**
 * Only `success` may be credited. `reversed` was refunded: whether by us is decided by the caller.
 * Everything but `failed` may still change.
 */
export function stateOf(data: Fields): DriverPayment['state'] | 'refunded' {
  if (isOfOtherChannels(data)) return 'other'
  // An unknown word may mean a bank transfer: it is neither credited nor dropped.
  if (!channels.includes(readText(data.channel) ?? '')) return 'open'
  const status = readText(data.status)
  if (status === 'success') return 'paid'
  if (status === 'reversed') return readText(data.paid_at) === undefined ? 'other' : 'refunded'
  return status === 'failed' ? 'other' : 'open'
}

/** A transaction as a payment in the given state. */
export function readPayment(
  data: Fields,
  { state, payerEmail }: { state: DriverPayment['state']; payerEmail: string },
): DriverPayment {
  const authorization = asFields(data.authorization)
  const receivedAt = state === 'paid' ? data.paid_at : (readText(data.paid_at) ?? data.created_at)
  return {
    id: needNumericId(data.id, 'id'),
    account: accountOf(data, payerEmail),
    state,
    amount: amountOf(data),
    currency: needCurrency(data.currency, 'currency'),
    sender: senderOf(authorization),
    bankSessionId: null,
    narration: readName(authorization.narration) ?? null,
    receivedAt: needTime(receivedAt, 'paid_at'),
    providerFee: providerFeeOf(data),
  }
}

/**
 * What arrived. If the payer bears Paystack's fee, it is on top of what was requested, and only
 * the rest reaches us.
 */
function amountOf(data: Fields): bigint {
  const amount = needKobo(data.amount, 'amount')
  const fees = koboOfText(readText(data.fees) ?? '') ?? 0n
  const requested = koboOfText(readText(data.requested_amount) ?? '')
  return requested !== undefined && fees > 0n && amount === requested + fees ? requested : amount
}

/** Nothing, if the payer bears it. */
function providerFeeOf(data: Fields): bigint | null {
  const fees = readFeeInKobo(data.fees)
  const isOnTop = amountOf(data) !== needKobo(data.amount, 'amount')
  return fees !== null && isOnTop ? 0n : fees
}

export function needKobo(value: unknown, name: string): bigint {
  const kobo = koboOfText(needText(value, name))
  if (kobo === undefined) throw new Unreadable(`${name} is not in whole kobo`)
  return kobo
}

/** A charge has our reference, perhaps with a number; a dedicated account has its own customer. */
function accountOf(data: Fields, payerEmail: string): DriverPayment['account'] {
  if (data.channel !== 'dedicated_nuban')
    return { reference: needId(data.reference, 'reference').replace(/\.\d+$/, '') }
  const email = readName(asFields(data.customer).email) ?? ''
  const reference = referenceOfEmail(payerEmail, email)
  if (reference !== undefined) return { reference }
  // Without a number, the customer is not one of our accounts: the payment matches none.
  const number = readName(asFields(data.authorization).receiver_bank_account_number)
  return { number: number ?? `customer ${email}` }
}

/** The number is masked, and the bank is a name or missing. */
function senderOf(authorization: Fields): BankSender | null {
  const name = readName(authorization.sender_name)
  const accountNumber = readName(authorization.sender_bank_account_number)
  if (name === undefined && accountNumber === undefined) return null
  return {
    name: name ?? '',
    accountNumber: accountNumber ?? '',
    bankCode: '',
    bankName: readName(authorization.sender_bank) ?? readName(authorization.bank) ?? '',
  }
}
