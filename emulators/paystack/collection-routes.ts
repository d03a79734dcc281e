import { minute } from '../clock.js'
import { type Faults, takeFault } from '../faults.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../http-server.js'
import { refuse, succeed } from './answers.js'
import { bankOfSlug } from './banks.js'
import type { Customer, Transaction } from './books.js'
import type { EmulatedBank } from './emulated-bank.js'
import { identificationNotice } from './notices.js'
import { pageOf } from './pages.js'
import { readBody } from './read-body.js'
import {
  showBankName,
  showDedicated,
  showOwnCustomer,
  showTransaction,
  statusOf,
  timeText,
} from './shapes.js'

const amountMin = 5_000n
const dedicatedBanks = ['wema-bank', 'titan-paystack', 'test-bank']
const requeryPauseMs = 10 * minute

/** Charges, transactions, customers and dedicated accounts. */
export function collectionRoutes(given: {
  bank: EmulatedBank
  faults: Faults
  hidesPendingAccounts: boolean
}): ProviderRoute[] {
  const { bank, faults } = given
  const { books } = bank

  function withBank(account: object): object {
    const name = faults.accountBank
    return name === null ? account : { ...account, bank: { name, id: 99_999, slug: 'unlisted' } }
  }

  function charge({ body }: ProviderRequest): ProviderAnswer {
    const fields = readBody(body)
    const email = fields.text('email')
    if (email === undefined) return missing('Email Address is required')
    const amount = fields.kobo('amount')
    if (amount === undefined) return refuse(400, { message: 'Invalid Amount Sent' })
    if (amount < amountMin) return refuse(400, { message: 'Amount is below the minimum of NGN 50' })
    if (!fields.has('bank_transfer')) return refuse(400, { message: 'Please pass in a channel' })
    const reference = fields.text('reference') ?? ''
    if (!/^[A-Za-z0-9.=-]*$/.test(reference))
      return refuse(400, {
        message: 'Invalid reference. Only -, ., = and alphanumeric characters are allowed',
        code: 'invalid_params',
      })
    if (books.transactions.byKey(reference) !== undefined)
      return refuse(400, {
        message: 'Duplicate Transaction Reference',
        code: 'duplicate_reference',
      })
    const requested = fields.inner('bank_transfer').text('account_expires_at')
    const expiresAt = requested === undefined ? undefined : Date.parse(requested)
    if (Number.isNaN(expiresAt))
      return refuse(400, { message: 'account_expires_at must be a valid ISO 8601 date' })
    const metadata = fields.raw('metadata')
    const opened = bank.openTemporary({ email, amount, reference, expiresAt, metadata })
    if (takeFault(faults, 'lostOpenings')) return 'lost'
    return succeed('Charge attempted', withBank(showPending(opened)))
  }

  function checkCharge({ params }: ProviderRequest): ProviderAnswer {
    const row = books.transactions.byKey(params[0]!)
    if (row === undefined) return refuse(400, { message: 'Transaction reference is invalid' })
    const status = statusOf(row, bank.now())
    if (status !== 'ongoing')
      return succeed('Reference check successful', showOne(row, { unset: null }))
    if (!given.hidesPendingAccounts) return succeed('Charge attempted', withBank(showPending(row)))
    return succeed('Reference check successful', { reference: row.reference, status: 'pending' })
  }

  function showOne(row: Transaction, { unset }: { unset: '' | null }): object {
    return showTransaction(books, row, { now: bank.now(), unset })
  }

  function verify({ params }: ProviderRequest): ProviderAnswer {
    const row = books.transactions.byKey(params[0]!)
    if (row === undefined)
      return refuse(400, {
        message: 'Transaction reference not found.',
        code: 'transaction_not_found',
        nextStep: 'Ensure that you are passing the reference of a transaction that exists',
      })
    return succeed('Verification successful', showOne(row, { unset: '' }))
  }

  function fetchTransaction({ params }: ProviderRequest): ProviderAnswer {
    const row = books.transactions.byId(Number(params[0]))
    if (row === undefined)
      return refuse(404, {
        message: 'Transaction ID or code specified is invalid',
        code: 'transaction_not_found',
      })
    return succeed('Transaction retrieved', showOne(row, { unset: null }))
  }

  /** The period is that of creation: a charge is older than its payment. */
  function listTransactions({ query }: ProviderRequest): ProviderAnswer {
    const now = bank.now()
    const isInPeriod = periodOf(query)
    const status = query.get('status')
    const channel = query.get('channel')
    const accountNumber = query.get('virtual_account_number')
    const customer = query.get('customer') ?? query.get('customer_code')
    const isShown = (row: Transaction) =>
      (row.paid?.at ?? row.createdAt) + faults.listDelayMs <= now &&
      isInPeriod(row.createdAt) &&
      (status === null || statusOf(row, now) === status) &&
      (channel === null || row.channel === channel) &&
      (accountNumber === null || row.accountNumber === accountNumber) &&
      (customer === null || isCustomer(books.customers.byId(row.customerId)!, customer))
    const { rows, meta } = pageOf({ oldestFirst: books.transactions.rows, query, isShown })
    const shown = rows.map((row) => showOne(row, { unset: null }))
    return succeed('Transactions retrieved', shown, meta)
  }

  function createCustomer({ body }: ProviderRequest): ProviderAnswer {
    const fields = readBody(body)
    const email = fields.text('email')
    if (email === undefined) return missing('Email is required')
    const customer = bank.findOrCreateCustomer({
      email,
      firstName: fields.text('first_name') ?? null,
      lastName: fields.text('last_name') ?? null,
      phone: fields.text('phone') ?? null,
    })
    return succeed('Customer created', showOwnCustomer(customer))
  }

  function findCustomer(name: string): Customer | undefined {
    return books.customers.byKey(name) ?? books.customers.rows.find((row) => isCustomer(row, name))
  }

  function fetchCustomer({ params }: ProviderRequest): ProviderAnswer {
    const customer = findCustomer(params[0]!)
    if (customer === undefined)
      return refuse(404, { message: 'Customer not found', code: 'customer_not_found' })
    const account = books.dedicated.rows.find(
      (row) => row.customerId === customer.id && row.isAssigned,
    )
    return succeed('Customer retrieved', {
      ...showOwnCustomer(customer),
      dedicated_account: account === undefined ? null : showDedicated(books, account),
    })
  }

  function identify({ params, body }: ProviderRequest): ProviderAnswer {
    const customer = findCustomer(params[0]!)
    if (customer === undefined)
      return refuse(404, { message: 'Customer not found', code: 'customer_not_found' })
    if (!/^\d{11}$/.test(readBody(body).text('bvn') ?? '')) return missing('BVN is required')
    customer.isIdentified = true
    bank.notify(identificationNotice(customer))
    const answer = { status: true, message: 'Customer Identification in progress' }
    return { status: 202, body: JSON.stringify(answer) }
  }

  function createDedicated({ body }: ProviderRequest): ProviderAnswer {
    const fields = readBody(body)
    const customer = findCustomer(fields.text('customer') ?? '')
    if (customer === undefined)
      return refuse(400, { message: 'Customer specified is invalid', code: 'customer_not_found' })
    if (customer.firstName === null || customer.lastName === null || customer.phone === null)
      return missing('Customer first name, last name and phone number are required')
    const slug = fields.text('preferred_bank') ?? 'wema-bank'
    if (!dedicatedBanks.includes(slug)) return refuse(400, { message: 'Preferred bank is invalid' })
    const account = bank.openDedicated(customer, slug)
    if (takeFault(faults, 'lostOpenings')) return 'lost'
    return succeed('NUBAN successfully created', withBank(showDedicated(books, account)))
  }

  function listDedicated({ query }: ProviderRequest): ProviderAnswer {
    const customer = query.get('customer')
    const { rows, meta } = pageOf({
      oldestFirst: books.dedicated.rows,
      query,
      isShown: (row) =>
        row.isAssigned &&
        (customer === null || isCustomer(books.customers.byId(row.customerId)!, customer)),
    })
    const shown = rows.map((row) => withBank(showDedicated(books, row)))
    return succeed('Managed accounts successfully retrieved', shown, meta)
  }

  function fetchDedicated({ params }: ProviderRequest): ProviderAnswer {
    const account = books.dedicated.byId(Number(params[0]))
    if (account === undefined) return unknownAccount
    return succeed('Managed account successfully retrieved', showDedicated(books, account))
  }

  function closeDedicated({ params }: ProviderRequest): ProviderAnswer {
    const account = books.dedicated.byId(Number(params[0]))
    if (account === undefined) return unknownAccount
    bank.closeDedicated(account)
    return succeed('Managed Account Successfully Unassigned', showDedicated(books, account))
  }

  /** The result is a notice. Once in ten minutes for each account; the refusal is made up. */
  function requery({ query }: ProviderRequest): ProviderAnswer {
    const account = books.dedicated.byKey(query.get('account_number') ?? '')
    if (account === undefined) return unknownAccount
    const { requeriedAt } = account
    if (requeriedAt !== null && bank.now() < requeriedAt + requeryPauseMs)
      return refuse(429, { message: 'Please try again in 10 minutes', code: 'rate_limited' })
    bank.requery(account)
    return succeed(
      'We are checking the status of your transfer. ' +
        'We will send you a notification once it is confirmed',
    )
  }

  return [
    { method: 'POST', pattern: /^\/charge$/, handle: charge },
    { method: 'GET', pattern: /^\/charge\/([^/]+)$/, handle: checkCharge },
    { method: 'GET', pattern: /^\/transaction\/verify\/([^/]+)$/, handle: verify },
    { method: 'GET', pattern: /^\/transaction\/(\d+)$/, handle: fetchTransaction },
    { method: 'GET', pattern: /^\/transaction$/, handle: listTransactions },
    { method: 'POST', pattern: /^\/customer$/, handle: createCustomer },
    { method: 'POST', pattern: /^\/customer\/([^/]+)\/identification$/, handle: identify },
    { method: 'GET', pattern: /^\/customer\/([^/]+)$/, handle: fetchCustomer },
    { method: 'POST', pattern: /^\/dedicated_account$/, handle: createDedicated },
    { method: 'GET', pattern: /^\/dedicated_account$/, handle: listDedicated },
    { method: 'GET', pattern: /^\/dedicated_account\/requery$/, handle: requery },
    {
      method: 'GET',
      pattern: /^\/dedicated_account\/available_providers$/,
      handle: () => succeed('Dedicated account providers retrieved', providers),
    },
    { method: 'GET', pattern: /^\/dedicated_account\/(\d+)$/, handle: fetchDedicated },
    { method: 'DELETE', pattern: /^\/dedicated_account\/(\d+)$/, handle: closeDedicated },
  ]
}

const unknownAccount = refuse(404, {
  message: 'Managed account not found',
  code: 'account_not_found',
})

const providers = dedicatedBanks.map((slug) => {
  const bank = bankOfSlug(slug)!
  return { provider_slug: slug, bank_id: bank.id, bank_name: bank.name, id: bank.id }
})

function showPending({ reference, accountNumber, expiresAt }: Transaction): object {
  return {
    reference,
    status: 'pending_bank_transfer',
    display_text: 'Please make a transfer to the account specified',
    account_name: 'TEST-MANAGED-ACCOUNT',
    account_number: accountNumber,
    bank: showBankName(bankOfSlug('test-bank')!),
    account_expires_at: timeText(expiresAt!),
  }
}

function missing(message: string): ProviderAnswer {
  return refuse(400, { message, code: 'missing_params', nextStep: 'Provide all required params' })
}

function isCustomer({ id, code, email }: Customer, name: string): boolean {
  return code === name || email === name || String(id) === name
}

/** Both ends are included. */
export function periodOf(query: URLSearchParams): (ms: number) => boolean {
  const from = Date.parse(query.get('from') ?? '') || 0
  const to = Date.parse(query.get('to') ?? '') || Number.POSITIVE_INFINITY
  return (ms) => ms >= from && ms <= to
}
