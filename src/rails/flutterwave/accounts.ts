import { after, type Clock, minute, second } from '../../base/clock.js'
import type { AccountOpening } from '../../collections/ports.js'
import type { BankNames } from '../bank/bank-names.js'
import type { DriverAccount, Refused, StoredAccount } from '../bank/driver.js'
import { koboOfNaira, nairaOfKobo } from '../bank/naira.js'
import { Unknown } from '../bank/provider-client.js'
import {
  asFields,
  believable,
  needAccountNumber,
  needName,
  needText,
  readName,
  readText,
} from '../bank/read-fields.js'
import type { FlutterwaveApi, FlutterwaveReply } from './api.js'

/** Not documented; the shortest time of version 4. */
export const expiryMinMs = minute

const narrationLengthMax = 100

type AccountDependencies = {
  api: FlutterwaveApi
  banks: BankNames
  clock: Clock
  /** Flutterwave requires an address for every payer; theirs are unknown. */
  payerEmail: string
}

/**
 * A repeated reference opens another account at Flutterwave. Payments into either name our
 * reference.
 */
export function openFlutterwaveAccount(
  dependencies: AccountDependencies,
  opening: AccountOpening,
): Promise<DriverAccount | Refused> {
  const { expected } = opening
  return expected
    ? openTemporary(dependencies, opening, expected)
    : openStatic(dependencies, opening)
}

async function openTemporary(
  { api, banks, clock, payerEmail }: AccountDependencies,
  { reference, name }: AccountOpening,
  { amount, lifetimeMs }: NonNullable<AccountOpening['expected']>,
): Promise<DriverAccount | Refused> {
  const requestedAt = after(clock.now(), lifetimeMs)
  const reply = await api.call({
    method: 'POST',
    path: '/charges',
    query: { type: 'bank_transfer' },
    body: {
      tx_ref: reference,
      amount: nairaOfKobo(amount),
      currency: 'NGN',
      email: payerEmail,
      narration: name.slice(0, narrationLengthMax),
      is_permanent: false,
      expires: Math.ceil(Math.max(lifetimeMs, expiryMinMs) / second),
    },
    isEarly: true,
  })
  if (!reply.isDone) return refuse(reply)
  const account = asFields(reply.meta.authorization)
  const payable = koboOfNaira(needText(account.transfer_amount, 'transfer_amount'))
  if (payable === undefined) throw new Unknown('flutterwave: transfer_amount is not an amount')
  if (payable !== amount)
    return {
      refused:
        'Flutterwave adds its fee to the amount. In its dashboard, under Settings, let the merchant bear the fees.',
    }
  const bankName = needName(account.transfer_bank, 'transfer_bank')
  const number = needAccountNumber(account.transfer_account, 'transfer_account')
  await banks.refresh()
  return {
    number,
    accountName: readHolder(account.transfer_note) ?? name,
    bankCode: banks.codeOf(bankName),
    bankName,
    amount,
    expiresAt: readEpoch(account.account_expiration) ?? requestedAt,
    details: {},
  }
}

async function openStatic(
  { api, banks }: AccountDependencies,
  { reference, name, customer }: AccountOpening,
): Promise<DriverAccount | Refused> {
  if (!customer) return { refused: 'The bank needs the customer of a dedicated account.' }
  const { bvn, nin, phone, email } = customer
  const [firstName = '', ...otherNames] = customer.name.trim().split(/\s+/)
  const reply = await api.call({
    method: 'POST',
    path: '/virtual-account-numbers',
    body: {
      tx_ref: reference,
      email,
      currency: 'NGN',
      is_permanent: true,
      firstname: firstName,
      lastname: otherNames.join(' ') || firstName,
      narration: name.slice(0, narrationLengthMax),
      ...(phone && { phonenumber: phone }),
      ...(bvn ? { bvn: bvn.reveal() } : { nin: nin?.reveal() }),
    },
    isEarly: true,
  })
  if (!reply.isDone) return refuse(reply)
  const account = asFields(reply.data)
  const bankName = needName(account.bank_name, 'bank_name')
  const number = needAccountNumber(account.account_number, 'account_number')
  const orderRef = readText(account.order_ref)
  await banks.refresh()
  return {
    number,
    accountName: readHolder(account.note) ?? name,
    bankCode: banks.codeOf(bankName),
    bankName,
    amount: null,
    expiresAt: null,
    // Without it the account cannot be closed; it can be paid into all the same.
    details: orderRef === undefined ? {} : { orderRef },
  }
}

/** Only static accounts can be closed. Flutterwave refuses one that is already closed. */
export async function closeFlutterwaveAccount(
  api: FlutterwaveApi,
  { details }: StoredAccount,
): Promise<void> {
  const { orderRef } = details
  if (orderRef === undefined) return
  await api.call({
    method: 'POST',
    path: `/virtual-account-numbers/${encodeURIComponent(orderRef)}`,
    body: { status: 'inactive' },
  })
}

function refuse({ message }: FlutterwaveReply): Refused {
  if (/\b(bvn|nin)\b/i.test(message))
    return { refused: 'The bank does not accept this BVN or NIN. Check it with the customer.' }
  return { refused: `The bank refused the account: ${message}` }
}

/** From a note such as "Please make a bank transfer to Ada Stores". */
function readHolder(note: unknown): string | undefined {
  return /^Please make a bank transfer to (\S.*)$/i.exec(readName(note) ?? '')?.[1]
}

/** Milliseconds since 1970, as a text of digits. */
function readEpoch(value: unknown): Date | undefined {
  const text = readText(value) ?? ''
  return /^\d{13}$/.test(text) ? believable(new Date(Number(text))) : undefined
}
