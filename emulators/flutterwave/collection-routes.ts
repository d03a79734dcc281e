import { day, hour, second } from '../clock.js'
import { type Faults, takeFault } from '../faults.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../http-server.js'
import { readNaira } from '../naira.js'
import { fail, listPage, ofDays, readFields, readText, succeed } from './answers.js'
import type { FlutterwaveBooks } from './books.js'
import type { FlutterwaveAccount, FlutterwaveTransaction } from './records.js'
import {
  writeChargeAuthorization,
  writeListed,
  writeVerified,
  writeVirtualAccount,
} from './shapes.js'

const referenceLengthMax = 100
const notFound = 'No transaction was found for this id'

type Tools = {
  books: FlutterwaveBooks
  faults: Faults
  changed(): void
  sendChargeNotice(transaction: FlutterwaveTransaction): void
}

/** Accounts to pay into, and the payments they received. */
export function collectionRoutes({
  books,
  faults,
  changed,
  sendChargeNotice,
}: Tools): ProviderRoute[] {
  function open(
    opening: Parameters<FlutterwaveBooks['openAccount']>[0],
    answer: (account: FlutterwaveAccount) => ProviderAnswer,
  ): ProviderAnswer {
    const { accountBank } = faults
    const account = books.openAccount({
      ...opening,
      ...(accountBank !== null && { bankName: accountBank }),
    })
    changed()
    return takeFault(faults, 'lostOpenings') ? 'lost' : answer(account)
  }

  function createVirtualAccount({ body }: ProviderRequest): ProviderAnswer {
    const fields = readFields(body)
    const email = readText(fields.email)
    const txRef = readText(fields.tx_ref) ?? ''
    if (!email) return fail('email is required')
    if (txRef.length > referenceLengthMax) return fail('tx_ref is too long')
    const holder = readText(fields.narration) ?? 'Flutterwave Customer'
    const answer = (account: FlutterwaveAccount) =>
      succeed('Virtual account created', writeVirtualAccount(account))
    if (fields.is_permanent === true) {
      const refusal = refuseIdentity(fields)
      if (refusal) return fail(refusal)
      return open({ txRef, email, holder, amount: null, lifetimeMs: null }, answer)
    }
    const amount = readNaira(fields.amount)
    if (!amount) return fail('amount should be greater than zero')
    return open({ txRef, email, holder, amount, lifetimeMs: hour }, answer)
  }

  function createCharge({ query, body }: ProviderRequest): ProviderAnswer {
    if (query.get('type') !== 'bank_transfer') return fail('Invalid charge type')
    const fields = readFields(body)
    const email = readText(fields.email)
    const txRef = readText(fields.tx_ref)
    const amount = readNaira(fields.amount)
    if (!txRef) return fail('tx_ref is required')
    if (txRef.length > referenceLengthMax) return fail('tx_ref is too long')
    if (!email) return fail('email is required')
    if (!amount) return fail('amount is required')
    const seconds = Number(readText(fields.expires) ?? 3_600)
    if (!Number.isInteger(seconds) || seconds <= 0) return fail('expires must be a positive number')
    // Clamped silently: the answer has the actual time.
    const lifetimeMs = Math.min(seconds * second, day)
    const holder = readText(fields.narration) ?? 'Flutterwave Customer'
    return open({ txRef, email, holder, amount, lifetimeMs }, (account) => {
      const meta = writeChargeAuthorization(account)
      const answer = { status: 'success', message: 'Charge initiated', meta }
      return { status: 200, body: JSON.stringify(answer) }
    })
  }

  function changeStatus({ params, body }: ProviderRequest): ProviderAnswer {
    const account = books.findAccount(params[0]!)
    const { status } = readFields(body)
    if (account?.expiresMs !== null) return fail('Virtual account not found')
    if (status !== 'active' && status !== 'inactive') return fail('status is required')
    account.isActive = status === 'active'
    changed()
    const done = account.isActive ? 'Activated successfully' : 'Deactivated successfully'
    return succeed('Virtual account updated', { status: '00', status_desc: done })
  }

  function list({ query }: ProviderRequest): ProviderAnswer {
    const txRef = query.get('tx_ref')
    const status = query.get('status')
    const visible = books.records.transactions.filter(
      (row) =>
        row.createdMs + faults.listDelayMs <= books.nowMs &&
        (!txRef || row.txRef === txRef) &&
        (!status || status === 'successful'),
    )
    return listPage('Transactions fetched', query, {
      rows: ofDays(visible, query),
      write: writeListed,
    })
  }

  function verify(transaction: FlutterwaveTransaction | undefined): ProviderAnswer {
    if (!transaction) return fail(notFound)
    return succeed('Transaction fetched successfully', writeVerified(transaction))
  }

  function resend({ params }: ProviderRequest): ProviderAnswer {
    const transaction = books.findTransaction(Number(params[0]))
    if (!transaction) return fail(notFound)
    sendChargeNotice(transaction)
    return succeed('hook sent successfully', 'hook sent')
  }

  return [
    {
      method: 'POST',
      pattern: /^\/v3\/virtual-account-numbers$/,
      handle: createVirtualAccount,
    },
    {
      method: 'GET',
      pattern: /^\/v3\/virtual-account-numbers\/([^/]+)$/,
      handle({ params }) {
        const account = books.findAccount(params[0]!)
        if (!account) return fail('Virtual account not found')
        return succeed('Virtual nuban fetched', writeVirtualAccount(account))
      },
    },
    {
      method: 'POST',
      pattern: /^\/v3\/virtual-account-numbers\/([^/]+)$/,
      handle: changeStatus,
    },
    { method: 'POST', pattern: /^\/v3\/charges$/, handle: createCharge },
    { method: 'GET', pattern: /^\/v3\/transactions$/, handle: list },
    {
      method: 'GET',
      pattern: /^\/v3\/transactions\/verify_by_reference$/,
      handle: ({ query }) => verify(books.findNewestOf(query.get('tx_ref') ?? '')),
    },
    {
      method: 'GET',
      pattern: /^\/v3\/transactions\/(\d+)\/verify$/,
      handle: ({ params }) => verify(books.findTransaction(Number(params[0]))),
    },
    { method: 'POST', pattern: /^\/v3\/transactions\/(\d+)\/resend-hook$/, handle: resend },
  ]
}

/** Why a static account is refused; undefined if the holder is identified. */
function refuseIdentity({ bvn, nin }: Record<string, unknown>): string | undefined {
  const identity = readText(bvn) ?? readText(nin)
  if (!identity) return 'BVN or NIN is required for static account number'
  return /^\d{11}$/.test(identity) ? undefined : 'Invalid bvn passed'
}
