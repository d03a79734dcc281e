import { day, hour, second } from '../clock.js'
import { takeFault } from '../faults.js'
import type { Fields } from '../fields.js'
import {
  json,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderRoutes,
} from '../http-server.js'
import { fail, listedRows, listPage, succeed } from './answers.js'
import type { FlutterwaveBank, Opening } from './bank.js'
import type { FlutterwaveTransaction } from './books.js'
import {
  writeChargeAuthorization,
  writeListed,
  writeVerified,
  writeVirtualAccount,
} from './shapes.js'

const referenceLengthMax = 100
const notFound = 'No transaction was found for this id'

/** Accounts to pay into, and the payments they received. */
export function collectionRoutes(bank: FlutterwaveBank): ProviderRoutes {
  const { books, faults } = bank

  function answerOpened(answer: ProviderAnswer): ProviderAnswer {
    return takeFault(faults, 'lostOpenings') ? 'lost' : answer
  }

  function createVirtualAccount({ fields }: ProviderRequest): ProviderAnswer {
    const email = fields.text('email')
    const txRef = fields.text('tx_ref') ?? ''
    if (!email) return fail('email is required')
    if (txRef.length > referenceLengthMax) return fail('tx_ref is too long')
    const holder = holderOf(fields)
    if (fields.raw('is_permanent') === true) {
      const refusal = refuseIdentity(fields)
      if (refusal) return fail(refusal)
      return answerAccount({ txRef, email, holder, amount: null, lifetimeMs: null })
    }
    const amount = fields.naira('amount')
    if (!amount) return fail('amount should be greater than zero')
    return answerAccount({ txRef, email, holder, amount, lifetimeMs: hour })
  }

  function answerAccount(opening: Opening): ProviderAnswer {
    const account = bank.openAccount(opening)
    return answerOpened(succeed('Virtual account created', writeVirtualAccount(account)))
  }

  function createCharge({ query, fields }: ProviderRequest): ProviderAnswer {
    if (query.get('type') !== 'bank_transfer') return fail('Invalid charge type')
    const email = fields.text('email')
    const txRef = fields.text('tx_ref')
    const amount = fields.naira('amount')
    if (!txRef) return fail('tx_ref is required')
    if (txRef.length > referenceLengthMax) return fail('tx_ref is too long')
    if (!email) return fail('email is required')
    if (!amount) return fail('amount is required')
    const seconds = Number(fields.text('expires') ?? 3_600)
    if (!Number.isInteger(seconds) || seconds <= 0) return fail('expires must be a positive number')
    // Clamped silently: the answer has the actual time.
    const lifetimeMs = Math.min(seconds * second, day)
    const account = bank.openAccount({ txRef, email, holder: holderOf(fields), amount, lifetimeMs })
    const meta = writeChargeAuthorization(account)
    return answerOpened(json(200, { status: 'success', message: 'Charge initiated', meta }))
  }

  function fetchAccount({ segment }: ProviderRequest): ProviderAnswer {
    const account = books.accounts.find('orderRef', segment)
    if (!account) return fail('Virtual account not found')
    return succeed('Virtual nuban fetched', writeVirtualAccount(account))
  }

  function changeStatus({ segment, fields }: ProviderRequest): ProviderAnswer {
    const account = books.accounts.find('orderRef', segment)
    const status = fields.raw('status')
    if (account?.expiresMs !== null) return fail('Virtual account not found')
    if (status !== 'active' && status !== 'inactive') return fail('status is required')
    account.isActive = status === 'active'
    bank.changed()
    const done = account.isActive ? 'Activated successfully' : 'Deactivated successfully'
    return succeed('Virtual account updated', { status: '00', status_desc: done })
  }

  function list({ query }: ProviderRequest): ProviderAnswer {
    const txRef = query.get('tx_ref')
    const status = query.get('status') || 'successful'
    const rows = listedRows(bank, books.transactions, query).filter(
      (row) => (!txRef || row.txRef === txRef) && status === 'successful',
    )
    return listPage('Transactions fetched', query, { rows, write: writeListed })
  }

  function verify(transaction: FlutterwaveTransaction | undefined): ProviderAnswer {
    if (!transaction) return fail(notFound)
    return succeed('Transaction fetched successfully', writeVerified(transaction))
  }

  function resend({ segment }: ProviderRequest): ProviderAnswer {
    const transaction = books.transactions.find('id', Number(segment))
    if (!transaction) return fail(notFound)
    bank.sendChargeNotice(transaction)
    return succeed('hook sent successfully', 'hook sent')
  }

  return {
    'POST /v3/virtual-account-numbers': createVirtualAccount,
    'GET /v3/virtual-account-numbers/:order': fetchAccount,
    'POST /v3/virtual-account-numbers/:order': changeStatus,
    'POST /v3/charges': createCharge,
    'GET /v3/transactions': list,
    'GET /v3/transactions/verify_by_reference': ({ query }) =>
      verify(books.transactions.find('txRef', query.get('tx_ref') ?? '')),
    'GET /v3/transactions/:id/verify': ({ segment }) =>
      verify(books.transactions.find('id', Number(segment))),
    'POST /v3/transactions/:id/resend-hook': resend,
  }
}

function holderOf(fields: Fields): string {
  return fields.text('narration') ?? 'Flutterwave Customer'
}

/** Why a static account is refused; undefined if the holder is identified. */
function refuseIdentity(fields: Fields): string | undefined {
  const identity = fields.text('bvn') ?? fields.text('nin')
  if (!identity) return 'BVN or NIN is required for static account number'
  return /^\d{11}$/.test(identity) ? undefined : 'Invalid bvn passed'
}
