import { minute } from '../clock.js'
import { takeFault } from '../faults.js'
import {
  json,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderRoutes,
} from '../http-server.js'
import { refuse, succeed } from './answers.js'
import type { PaystackBank } from './bank.js'
import { bankOfSlug } from './banks.js'
import type { Customer, Transaction } from './books.js'
import { identificationNotice } from './notices.js'
import { answerPage } from './pages.js'
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
export function collectionRoutes(
  bank: PaystackBank,
  { hidesPendingAccounts }: { hidesPendingAccounts: boolean },
): ProviderRoutes {
  const { books, faults } = bank

  function withBank(account: object): object {
    const name = faults.accountBank
    return name === null ? account : { ...account, bank: { name, id: 99_999, slug: 'unlisted' } }
  }

  function charge({ fields }: ProviderRequest): ProviderAnswer {
    const email = fields.text('email')
    if (email === undefined) return missing('Email Address is required')
    const amount = fields.kobo('amount')
    if (amount === undefined) return refuse(400, 'Invalid Amount Sent')
    if (amount < amountMin) return refuse(400, 'Amount is below the minimum of NGN 50')
    if (fields.raw('bank_transfer') === undefined) return refuse(400, 'Please pass in a channel')
    const reference = fields.text('reference') ?? ''
    if (!/^[A-Za-z0-9.=-]*$/.test(reference))
      return refuse(
        400,
        'Invalid reference. Only -, ., = and alphanumeric characters are allowed',
        { code: 'invalid_params' },
      )
    if (books.transactions.find('reference', reference))
      return refuse(400, 'Duplicate Transaction Reference', { code: 'duplicate_reference' })
    const requested = fields.inner('bank_transfer').text('account_expires_at')
    const expiresAt = requested === undefined ? undefined : Date.parse(requested)
    if (Number.isNaN(expiresAt))
      return refuse(400, 'account_expires_at must be a valid ISO 8601 date')
    const metadata = fields.raw('metadata')
    const opened = bank.openTemporary({ email, amount, reference, expiresAt, metadata })
    if (takeFault(faults, 'lostOpenings')) return 'lost'
    return succeed('Charge attempted', withBank(showPending(opened)))
  }

  function checkCharge({ segment }: ProviderRequest): ProviderAnswer {
    const row = books.transactions.find('reference', segment)
    if (row === undefined) return refuse(400, 'Transaction reference is invalid')
    const status = statusOf(row, bank.nowMs)
    if (status !== 'ongoing')
      return succeed('Reference check successful', showOne(row, { unset: null }))
    if (!hidesPendingAccounts) return succeed('Charge attempted', withBank(showPending(row)))
    return succeed('Reference check successful', { reference: row.reference, status: 'pending' })
  }

  function showOne(row: Transaction, { unset }: { unset: '' | null }): object {
    return showTransaction(books, row, { now: bank.nowMs, unset })
  }

  function verify({ segment }: ProviderRequest): ProviderAnswer {
    const row = books.transactions.find('reference', segment)
    if (row === undefined)
      return refuse(400, 'Transaction reference not found.', {
        code: 'transaction_not_found',
        nextStep: 'Ensure that you are passing the reference of a transaction that exists',
      })
    return succeed('Verification successful', showOne(row, { unset: '' }))
  }

  function fetchTransaction({ segment }: ProviderRequest): ProviderAnswer {
    const row = books.transactions.find('id', Number(segment))
    if (row === undefined)
      return refuse(404, 'Transaction ID or code specified is invalid', {
        code: 'transaction_not_found',
      })
    return succeed('Transaction retrieved', showOne(row, { unset: null }))
  }

  /** The period is that of creation: a charge is older than its payment. */
  function listTransactions({ query }: ProviderRequest): ProviderAnswer {
    const status = query.get('status')
    const channel = query.get('channel')
    const accountNumber = query.get('virtual_account_number')
    const customer = query.get('customer') ?? query.get('customer_code')
    return answerPage('Transactions retrieved', {
      oldestFirst: books.transactions.rows,
      query,
      isShown: (row) =>
        bank.isListed(row.paid?.at ?? row.createdAt) &&
        (status === null || statusOf(row, bank.nowMs) === status) &&
        (channel === null || row.channel === channel) &&
        (accountNumber === null || row.accountNumber === accountNumber) &&
        (customer === null || isCustomer(books.customers.find('id', row.customerId)!, customer)),
      show: (row) => showOne(row, { unset: null }),
    })
  }

  function createCustomer({ fields }: ProviderRequest): ProviderAnswer {
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
    return (
      books.customers.find('email', name) ??
      books.customers.rows.find((row) => isCustomer(row, name))
    )
  }

  function fetchCustomer({ segment }: ProviderRequest): ProviderAnswer {
    const customer = findCustomer(segment)
    if (customer === undefined) return unknownCustomer
    const account = books.dedicated.rows.find(
      (row) => row.customerId === customer.id && row.isAssigned,
    )
    return succeed('Customer retrieved', {
      ...showOwnCustomer(customer),
      dedicated_account: account === undefined ? null : showDedicated(books, account),
    })
  }

  function identify({ segment, fields }: ProviderRequest): ProviderAnswer {
    const customer = findCustomer(segment)
    if (customer === undefined) return unknownCustomer
    if (!/^\d{11}$/.test(fields.text('bvn') ?? '')) return missing('BVN is required')
    customer.isIdentified = true
    bank.notify(identificationNotice(customer))
    return json(202, { status: true, message: 'Customer Identification in progress' })
  }

  function createDedicated({ fields }: ProviderRequest): ProviderAnswer {
    const customer = findCustomer(fields.text('customer') ?? '')
    if (customer === undefined)
      return refuse(400, 'Customer specified is invalid', { code: 'customer_not_found' })
    if (customer.firstName === null || customer.lastName === null || customer.phone === null)
      return missing('Customer first name, last name and phone number are required')
    const slug = fields.text('preferred_bank') ?? 'wema-bank'
    if (!dedicatedBanks.includes(slug)) return refuse(400, 'Preferred bank is invalid')
    const account = bank.openDedicated(customer, slug)
    if (takeFault(faults, 'lostOpenings')) return 'lost'
    return succeed('NUBAN successfully created', withBank(showDedicated(books, account)))
  }

  function listDedicated({ query }: ProviderRequest): ProviderAnswer {
    const customer = query.get('customer')
    return answerPage('Managed accounts successfully retrieved', {
      oldestFirst: books.dedicated.rows,
      query,
      isShown: (row) =>
        row.isAssigned &&
        (customer === null || isCustomer(books.customers.find('id', row.customerId)!, customer)),
      show: (row) => withBank(showDedicated(books, row)),
    })
  }

  function fetchDedicated({ segment }: ProviderRequest): ProviderAnswer {
    const account = books.dedicated.find('id', Number(segment))
    if (account === undefined) return unknownAccount
    return succeed('Managed account successfully retrieved', showDedicated(books, account))
  }

  function closeDedicated({ segment }: ProviderRequest): ProviderAnswer {
    const account = books.dedicated.find('id', Number(segment))
    if (account === undefined) return unknownAccount
    bank.closeDedicated(account)
    return succeed('Managed Account Successfully Unassigned', showDedicated(books, account))
  }

  /** The result is a notice. Once in ten minutes for each account; the refusal is made up. */
  function requery({ query }: ProviderRequest): ProviderAnswer {
    const account = books.dedicated.find('accountNumber', query.get('account_number') ?? '')
    if (account === undefined) return unknownAccount
    const { requeriedAt } = account
    if (requeriedAt !== null && bank.nowMs < requeriedAt + requeryPauseMs)
      return refuse(429, 'Please try again in 10 minutes', { code: 'rate_limited' })
    bank.requery(account)
    return succeed(
      'We are checking the status of your transfer. ' +
        'We will send you a notification once it is confirmed',
    )
  }

  return {
    'POST /charge': charge,
    'GET /charge/:reference': checkCharge,
    'GET /transaction/verify/:reference': verify,
    'GET /transaction/:id': fetchTransaction,
    'GET /transaction': listTransactions,
    'POST /customer': createCustomer,
    'POST /customer/:name/identification': identify,
    'GET /customer/:name': fetchCustomer,
    'POST /dedicated_account': createDedicated,
    'GET /dedicated_account': listDedicated,
    'GET /dedicated_account/requery': requery,
    'GET /dedicated_account/available_providers': () =>
      succeed('Dedicated account providers retrieved', providers),
    'GET /dedicated_account/:id': fetchDedicated,
    'DELETE /dedicated_account/:id': closeDedicated,
  }
}

const unknownCustomer = refuse(404, 'Customer not found', { code: 'customer_not_found' })

const unknownAccount = refuse(404, 'Managed account not found', { code: 'account_not_found' })

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
  return refuse(400, message, { code: 'missing_params', nextStep: 'Provide all required params' })
}

function isCustomer({ id, code, email }: Customer, name: string): boolean {
  return code === name || email === name || String(id) === name
}
