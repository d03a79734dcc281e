import { after } from '../../base/clock.js'
import type { AccountOpening } from '../../collections/ports.js'
import type { DriverAccount, Refused, StoredAccount } from '../bank/driver.js'
import {
  asFields,
  asList,
  needAccountNumber,
  needId,
  needName,
  readName,
  readText,
} from '../bank/read-fields.js'
import { needKobo, toNairaNumber } from './amounts.js'
import { type MonnifyAnswer, type MonnifyCalls, type MonnifyConfig, unexpected } from './calls.js'
import type { DriverDependencies } from './driver-dependencies.js'
import { readTime, writeTime } from './read-time.js'

type AccountDependencies = DriverDependencies & { calls: MonnifyCalls; config: MonnifyConfig }

export function openAccount(
  dependencies: AccountDependencies,
  opening: AccountOpening,
): Promise<DriverAccount | Refused> {
  return opening.expected
    ? openInvoice(dependencies, opening, opening.expected)
    : reserveAccount(dependencies, opening)
}

/** A temporary account is that of an invoice, whose expiry is ours to choose. */
async function openInvoice(
  { calls, config, clock, payerEmail, limits }: AccountDependencies,
  opening: AccountOpening,
  expected: NonNullable<AccountOpening['expected']>,
): Promise<DriverAccount | Refused> {
  const { reference, name, customer } = opening
  const lifetimeMs = Math.max(expected.lifetimeMs, limits.expiryMinMs)
  const call = {
    method: 'POST',
    path: '/api/v1/invoice/create',
    isEarly: true,
    body: {
      amount: toNairaNumber(expected.amount),
      currencyCode: 'NGN',
      invoiceReference: reference,
      customerName: customer?.name || name,
      customerEmail: customer?.email || payerEmail,
      contractCode: config.contractCode,
      // Payers see it as the name of the account.
      description: name,
      expiryDate: writeTime(after(clock.now(), lifetimeMs)),
      paymentMethods: ['ACCOUNT_TRANSFER'],
    },
  } as const
  const answer = await calls.call(call)
  const path = `/api/v1/invoice/${encodeURIComponent(reference)}/details`
  const body = await readOrFetch(calls, call, { answer, path })
  const invoice = asFields(body)
  if (needKobo(invoice.amount, 'amount') !== expected.amount)
    return {
      refused:
        'Monnify charges the payer another amount than requested. ' +
        "Switch off fees for payers in Monnify's dashboard.",
    }
  const transactionReference = readText(invoice.transactionReference)
  return {
    number: needAccountNumber(invoice.accountNumber, 'accountNumber'),
    accountName: readName(invoice.accountName) ?? name,
    bankCode: readName(invoice.bankCode) ?? '',
    bankName: needName(invoice.bankName, 'bankName'),
    amount: expected.amount,
    expiresAt: readTime(invoice.expiryDate) ?? null,
    details: transactionReference === undefined ? {} : { transactionReference },
  }
}

/** Several banks give a number; payments into any of them name our reference. */
async function reserveAccount(
  { calls, config, payerEmail }: AccountDependencies,
  { reference, name, customer }: AccountOpening,
): Promise<DriverAccount | Refused> {
  const call = {
    method: 'POST',
    path: '/api/v2/bank-transfer/reserved-accounts',
    isEarly: true,
    body: {
      accountReference: reference,
      accountName: name,
      currencyCode: 'NGN',
      contractCode: config.contractCode,
      customerEmail: customer?.email || payerEmail,
      customerName: customer?.name || name,
      getAllAvailableBanks: true,
      bvn: customer?.bvn?.reveal(),
      nin: customer?.nin?.reveal(),
    },
  } as const
  const answer = await calls.call(call)
  if (/\b(bvn|nin)\b/i.test(answer.message) && answer.code !== '0')
    return { refused: 'Monnify does not accept this BVN or NIN. Check the eleven digits.' }
  const path = `${call.path}/${encodeURIComponent(reference)}`
  const reserved = asFields(await readOrFetch(calls, call, { answer, path }))
  const account = asFields(asList(reserved.accounts)[0])
  return {
    number: needAccountNumber(account.accountNumber, 'accountNumber'),
    accountName: readName(account.accountName) ?? readName(reserved.accountName) ?? name,
    bankCode: readName(account.bankCode) ?? '',
    bankName: needName(account.bankName, 'bankName'),
    amount: null,
    expiresAt: null,
    details: {},
  }
}

/** A reference that was used before belongs to an account that exists: it is fetched. */
async function readOrFetch(
  calls: MonnifyCalls,
  call: { method: 'POST'; path: string },
  { answer, path }: { answer: MonnifyAnswer; path: string },
): Promise<unknown> {
  if (answer.code === '0') return answer.body
  if (!/already exists|two accounts with the same reference/i.test(answer.message))
    throw unexpected(call, answer)
  return calls.need({ method: 'GET', path, isEarly: true })
}

/** A paid invoice cannot be cancelled, and a deleted account is unknown: both are closed. */
export async function closeAccount(calls: MonnifyCalls, account: StoredAccount): Promise<void> {
  const reference = encodeURIComponent(account.reference)
  const path = isTemporaryAccount(account)
    ? `/api/v1/invoice/${reference}/cancel`
    : `/api/v1/bank-transfer/reserved-accounts/reference/${reference}`
  await calls.call({ method: 'DELETE', path })
}

/** Monnify's reference of an invoice, if the answer to its opening did not have it. */
export async function fetchTransactionReference(
  calls: MonnifyCalls,
  { reference }: StoredAccount,
): Promise<string> {
  const path = `/api/v1/invoice/${encodeURIComponent(reference)}/details`
  const { transactionReference } = asFields(await calls.need({ method: 'GET', path }))
  return needId(transactionReference, 'transactionReference')
}

export function isTemporaryAccount({ amount }: StoredAccount): boolean {
  return amount !== null
}
