import { after, type Clock } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import type { AccountCustomer, AccountOpening } from '../../collections/ports.js'
import type { DriverAccount, Refused, StoredAccount } from '../bank/driver.js'
import { Unknown } from '../bank/provider-client.js'
import {
  asFields,
  type Fields,
  needAccountNumber,
  needId,
  needName,
  readName,
  readText,
  readTime,
} from '../bank/read-fields.js'
import type { PaystackBanks } from './banks.js'
import type { PaystackAnswer, PaystackCalls } from './calls.js'
import { paystackLimits } from './limits.js'
import { customerEmail } from './payer-email.js'

export type OpeningDependencies = {
  calls: PaystackCalls
  banks: PaystackBanks
  clock: Clock
  mode: Mode
  payerEmail: string
}

const chargesMax = 5

/**
 * A charge by bank transfer. If the charge exists and Paystack does not show its account, another
 * one is made, `reference.2`: the account of the first was never shown to a payer.
 */
export async function openTemporary(
  dependencies: OpeningDependencies,
  { reference, name, expected }: AccountOpening,
): Promise<DriverAccount | Refused> {
  const { calls, clock, payerEmail } = dependencies
  const lifetimeMs = Math.max(expected!.lifetimeMs, paystackLimits.expiryMinMs)
  const account_expires_at = after(clock.now(), lifetimeMs).toISOString()
  for (let number = 1; number <= chargesMax; number += 1) {
    const charge = number === 1 ? reference : `${reference}.${number}`
    const answer = await calls.ask({
      method: 'POST',
      path: '/charge',
      body: {
        email: payerEmail,
        amount: Number(expected!.amount),
        currency: 'NGN',
        reference: charge,
        bank_transfer: { account_expires_at },
      },
      isEarly: true,
    })
    if (!isDuplicate(answer)) return toTemporary(dependencies, { charge, name }, answer)
    const open = await findCharge(calls, charge)
    if (open) return readTemporary(dependencies, { charge, name }, open)
  }
  throw new Unknown(`paystack: ${reference} has too many charges`)
}

function isDuplicate({ isOk, message }: PaystackAnswer): boolean {
  return !isOk && /duplicate/i.test(message)
}

/** The account of a charge that waits for its payment, if Paystack shows it. */
async function findCharge(calls: PaystackCalls, charge: string): Promise<Fields | undefined> {
  const { isOk, data } = await calls.ask({
    method: 'GET',
    path: `/charge/${encodeURIComponent(charge)}`,
    isEarly: true,
  })
  const fields = asFields(data)
  const isShown = isOk && fields.status === 'pending_bank_transfer' && fields.account_number
  return isShown ? fields : undefined
}

/** `name` is shown if Paystack does not report the name of the account. */
type Charged = { charge: string; name: string }

async function toTemporary(
  dependencies: OpeningDependencies,
  charged: Charged,
  answer: PaystackAnswer,
): Promise<DriverAccount | Refused> {
  if (!answer.isOk) return refuse(answer, 'Ask Paystack to switch on Pay with Transfer.')
  return readTemporary(dependencies, charged, asFields(answer.data))
}

/** Paystack moves the expiry into its bounds: what it answers counts. */
async function readTemporary(
  { banks }: OpeningDependencies,
  { charge, name }: Charged,
  data: Fields,
): Promise<DriverAccount> {
  return {
    ...(await readAccount(banks, data, name)),
    expiresAt: readTime(data.account_expires_at) ?? null,
    details: { charge },
  }
}

/**
 * An account for a customer of its own: a customer has one account per bank, and two merchants may
 * have the same customer.
 */
export async function openDedicated(
  dependencies: OpeningDependencies,
  { reference, name, customer }: AccountOpening,
): Promise<DriverAccount | Refused> {
  const { calls, mode, payerEmail } = dependencies
  const created = await calls.ask({
    method: 'POST',
    path: '/customer',
    body: { email: customerEmail(payerEmail, reference), ...namesOf(customer!) },
    isEarly: true,
  })
  if (!created.isOk) return refuse(created, 'Check the name and the phone number.')
  const code = needId(asFields(created.data).customer_code, 'customer_code')
  const known = await findDedicated(calls, code)
  if (known) return readDedicated(dependencies, known, name)
  const opened = await calls.ask({
    method: 'POST',
    path: '/dedicated_account',
    body: { customer: code, preferred_bank: dedicatedBanks[mode] },
    isEarly: true,
  })
  if (!opened.isOk) return refuse(opened, 'Ask Paystack to switch on dedicated accounts.')
  return readDedicated(dependencies, asFields(opened.data), name)
}

/** Both answer at once with the number; other banks send it later. */
export const dedicatedBanks: Record<Mode, string> = { test: 'test-bank', live: 'titan-paystack' }

async function findDedicated(calls: PaystackCalls, customer: string): Promise<Fields | undefined> {
  const { rows } = await calls.list({
    path: '/dedicated_account',
    query: { customer, active: 'true' },
    after: undefined,
    isEarly: true,
  })
  // Checked here too: an ignored filter must not give away another customer's account.
  return rows.find(
    (row) => row.assigned === true && asFields(row.customer).customer_code === customer,
  )
}

async function readDedicated(
  { banks }: OpeningDependencies,
  data: Fields,
  name: string,
): Promise<DriverAccount> {
  const dedicatedId = readText(data.id)
  return {
    ...(await readAccount(banks, data, name)),
    expiresAt: null,
    details: {
      // Without it the account cannot be closed; it can be paid into all the same.
      ...(dedicatedId !== undefined && { dedicatedId }),
      bankSlug: readText(asFields(data.bank).slug) ?? '',
    },
  }
}

/** What answers about temporary and dedicated accounts share. */
async function readAccount(banks: PaystackBanks, data: Fields, name: string) {
  const bank = asFields(data.bank)
  const number = needAccountNumber(data.account_number, 'account_number')
  const bankName = needName(bank.name, 'bank.name')
  return {
    number,
    accountName: readName(data.account_name) ?? name,
    bankCode: await banks.codeOf(bank),
    bankName,
    amount: null,
  }
}

/** A name of one word is both. */
function namesOf({ name, phone }: AccountCustomer) {
  const [first = '', ...rest] = name.trim().split(/\s+/)
  return { first_name: first, last_name: rest.join(' ') || first, phone: phone ?? '' }
}

/** A temporary account cannot be closed. */
export async function closeAccount(
  calls: PaystackCalls,
  { details }: StoredAccount,
): Promise<void> {
  const id = readText(details.dedicatedId)
  if (id === undefined) return
  const path = `/dedicated_account/${encodeURIComponent(id)}`
  await calls.find({ method: 'DELETE', path }, /not found|unassigned|not assigned/i)
}

/** Missing permissions of ours are not the caller's fault: those are unknown. */
function refuse({ status, message }: PaystackAnswer, fix: string): Refused {
  if (status === 401 || status === 403 || /invalid key/i.test(message))
    throw new Unknown(`paystack: ${status} ${message}`)
  return { refused: `Paystack refused: ${message.replace(/\.?$/, '.')} ${fix}` }
}
