import type { BankSender } from '../../collections/ports.js'
import type { DriverPayment } from '../bank/driver.js'
import { koboOfText } from '../bank/naira.js'
import { Unknown } from '../bank/provider-client.js'
import { asFields, type Fields, needText, needTime, readText } from '../bank/read-fields.js'
import { referenceOfEmail } from './payer-email.js'

/** Channels by which money reaches our accounts. */
const channels = ['bank_transfer', 'dedicated_nuban']

/** False for a transaction of another channel, such as a card. */
export function isOfOurChannels({ channel }: Fields): boolean {
  return channels.includes(readText(channel) ?? '')
}

/**
 * Only `success` may be credited. `reversed` was refunded: whether by us is decided by the caller.
 * Everything but `failed` may still change.
 */
export function stateOf(data: Fields): DriverPayment['state'] | 'refunded' {
  if (!isOfOurChannels(data)) return 'other'
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
    id: needText(data.id, 'id'),
    account: accountOf(data, payerEmail),
    state,
    amount: amountOf(data),
    currency: needText(data.currency, 'currency'),
    sender: senderOf(authorization),
    bankSessionId: null,
    narration: readText(authorization.narration) ?? null,
    receivedAt: needTime(receivedAt, 'paid_at'),
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

export function needKobo(value: unknown, name: string): bigint {
  const kobo = koboOfText(needText(value, name))
  if (kobo === undefined) throw new Unknown(`${name} is not in whole kobo`)
  return kobo
}

/** A charge has our reference, perhaps with a number; a dedicated account has its own customer. */
function accountOf(data: Fields, payerEmail: string): DriverPayment['account'] {
  if (data.channel !== 'dedicated_nuban')
    return { reference: needText(data.reference, 'reference').replace(/\.\d+$/, '') }
  const email = readText(asFields(data.customer).email) ?? ''
  const reference = referenceOfEmail(payerEmail, email)
  if (reference !== undefined) return { reference }
  // Without a number, the customer is not one of our accounts: the payment matches none.
  const number = readText(asFields(data.authorization).receiver_bank_account_number)
  return { number: number ?? `customer ${email}` }
}

/** The number is masked, and the bank is a name or missing. */
function senderOf(authorization: Fields): BankSender | null {
  const name = readText(authorization.sender_name)
  const accountNumber = readText(authorization.sender_bank_account_number)
  if (name === undefined && accountNumber === undefined) return null
  return {
    name: name ?? '',
    accountNumber: accountNumber ?? '',
    bankCode: '',
    bankName: readText(authorization.sender_bank) ?? readText(authorization.bank) ?? '',
  }
}
