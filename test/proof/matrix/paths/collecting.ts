import { strict as assert } from 'node:assert'
import type { Provider } from '../../../../emulators/emulator.js'
import { after, hour, minute } from '../../../../src/base/clock.js'
import { collectionLimits } from '../../../../src/collections/limits.js'
import { sql } from '../../../../src/postgres/sql.js'
import { magicAccounts } from '../../../../src/simulation/sandbox-bank/magic-accounts.js'
import type { PaymentIn } from '../outside.js'
import { definePath, type Path } from '../run-path.js'
import type { World } from '../world.js'
import { merchantOf } from './merchant.js'

/** In kobo: what accounts expect, and the fee of 1 % for it. */
export const expected = 500_000
export const feeOfExpected = 5_000
/** Close to the longest that the bank offers, because lost notices are found within an hour. */
const expiriesMs = {
  sandbox: 23 * hour,
  monnify: 23 * hour,
  paystack: 7 * hour,
  flutterwave: 59 * minute,
}
/** So that refunds can be paid although a fee was charged. */
export const funded = 100_000

/** At the Sandbox Bank, so that a payment from it cannot be returned. */
export const failingAccount = numberOf('990000002')
export const reversingAccount = numberOf('990000003')
export const elsewhere = { bankCode: '058', accountNumber: '0123456789' }

function numberOf(serial: string): string {
  return magicAccounts.find((account) => account.serial === serial)!.number
}

/** `session`: reference of the checkout session that it belongs to. */
export type Account = { reference: string; accountNumber: string; session?: string }
type Payment = { reference: string; status: string; amountHeld: number }

export type Collector = ReturnType<typeof collectorOf>

/** A merchant with an account at the bank, and its payers. */
export function collectorOf(world: World) {
  const merchant = merchantOf(world)
  const expiresInMs = expiriesMs[world.outside.emulator?.provider ?? 'sandbox']
  const paymentsInto = async (reference: string): Promise<Payment[]> => {
    const { items } = await merchant.get(
      `/v1/collections/payments?accountReference=${reference}&limit=100`,
    )
    return items.toReversed()
  }
  return {
    ...merchant,
    openVirtual: (change: object = {}): Promise<Account> =>
      merchant.post('/v1/collections/virtual-accounts', {
        merchantReference: 'order-1',
        amount: expected,
        expiresAt: after(world.clock.now(), expiresInMs).toISOString(),
        ...change,
      }),
    async openDedicated(): Promise<Account> {
      const { accountReference, accountNumber } = await merchant.post(
        '/v1/collections/dedicated-accounts',
        {
          externalReference: 'customer-1',
          customer: { name: 'Ada Obi', email: 'ada@example.com', phone: '+2348012345678' },
        },
      )
      return { reference: accountReference, accountNumber }
    },
    async openSession(change: object = {}): Promise<Account> {
      const { reference, virtualAccount, bankTransfer } = await merchant.post(
        '/v1/checkout/sessions',
        {
          amount: expected,
          description: 'Two loaves of agege bread',
          customer: { name: 'Ada Obi', email: 'ada@example.com' },
          expiresAt: after(world.clock.now(), expiresInMs).toISOString(),
          ...change,
        },
      )
      const { accountNumber } = bankTransfer
      return { reference: virtualAccount, accountNumber, session: reference }
    },
    /** Waits until the payment is known, which takes a while if its notice was lost. */
    async pay(account: Account, payment: Partial<PaymentIn> = {}): Promise<void> {
      const known = (await paymentsInto(account.reference)).length
      // Payments of one millisecond are listed in any order.
      world.clock.advance(1)
      await world.pay({ accountNumber: account.accountNumber, amount: expected, ...payment })
      await world.untilQuiet(async () => (await paymentsInto(account.reference)).length > known)
    },
    /** Oldest first. */
    paymentsInto,
    /** Of an account with the expiry that is set if the merchant names none. */
    async untilExpired(account: Account): Promise<void> {
      world.clock.advance(collectionLimits.expiryDefaultMs)
      await world.untilQuiet(async () => (await statusOf(merchant, account)) === 'EXPIRED')
    },
    async setPolicy(bank: object): Promise<void> {
      const { status } = await merchant.ask('PATCH', '/v1/settings', { policies: { bank } })
      assert.equal(status, 200)
    },
    resolve: (reference: string, body: object) =>
      merchant.post(`/v1/collections/payments/${reference}/resolve`, body),
    refund: (reference: string, body: object = {}) =>
      merchant.post(`/v1/collections/payments/${reference}/refund`, body),
    async expectNoRefund(reference: string, body: object): Promise<void> {
      const path = `/v1/collections/payments/${reference}/refund`
      const { json } = await merchant.ask('POST', path, body)
      assert.equal(json.reason, 'amount_too_large')
    },
  }
}

async function statusOf(
  { get }: Pick<ReturnType<typeof merchantOf>, 'get'>,
  { reference }: Pick<Account, 'reference'>,
): Promise<string> {
  const kind = reference.startsWith('va_') ? 'virtual-accounts' : 'dedicated-accounts'
  return (await get(`/v1/collections/${kind}/${reference}`)).status
}

type Amounts = { accepted?: number; held?: number; returned?: number; fee?: number }

type Ending = {
  account: string
  accountEvents: string[]
  /** Of each payment, oldest first: its amounts, and the events of the payment itself. */
  payments: (Amounts & { status: string; events?: string[] })[]
  session?: { status: string; events: string[] }
  balance: { available: number; pending?: number }
  /** What the bank was asked to send, in kobo, whatever became of it. */
  sentByBank?: number[]
}

/** A way of money into an account at the bank, and perhaps back. */
export type CollectionPath = {
  name: string
  bank?: 'sandbox' | Provider
  policy?: object
  /** By default, a virtual account that expects `expected`. */
  open?(collector: Collector): Promise<Account>
  /** Whether faults strike already while the account is opened. */
  opensInRun?: boolean
  run(collector: Collector, account: Account, world: World): Promise<void>
  ends: Ending
}

export function collectionPath(path: CollectionPath): Path {
  const { ends, opensInRun = false, open = (collector) => collector.openVirtual() } = path
  return definePath({
    name: path.name,
    settings: { bank: path.bank ?? 'sandbox' },
    async prepare(world) {
      const collector = collectorOf(world)
      await collector.fund('NGN', funded)
      if (path.policy) await collector.setPolicy(path.policy)
      const account = opensInRun ? undefined : await open(collector)
      return { collector, account }
    },
    async run(world, prepared) {
      const { collector } = prepared
      prepared.account ??= await open(collector)
      await path.run(collector, prepared.account, world)
    },
    async check(world, { collector, account }) {
      assert(account)
      await checkAccount(collector, account, ends)
      await checkPayments(collector, account, ends)
      const { available, pending = 0 } = ends.balance
      assert.deepEqual(await collector.balance(), { available, held: 0, pending })
      assert.deepEqual(await findSent(world), ends.sentByBank ?? [])
    },
  })
}

async function checkAccount(collector: Collector, { reference, session }: Account, ends: Ending) {
  assert.equal(await statusOf(collector, { reference }), ends.account)
  assert.deepEqual(await collector.eventTypes(reference), ends.accountEvents)
  if (!session) return
  const { status } = await collector.get(`/v1/checkout/sessions/${session}`)
  const events = await collector.eventTypes(session)
  assert.deepEqual({ status, events }, ends.session)
}

async function checkPayments(collector: Collector, { reference }: Account, { payments }: Ending) {
  const found = await collector.paymentsInto(reference)
  assert.deepEqual(
    found.map(toAmounts),
    payments.map(({ status, accepted = 0, held = 0, returned = 0, fee = 0 }) => ({
      status,
      accepted,
      held,
      returned,
      fee,
      returning: 0,
    })),
  )
  for (const [index, payment] of found.entries())
    assert.deepEqual(await collector.eventTypes(payment.reference), payments[index]!.events ?? [])
}

// biome-ignore lint/suspicious/noExplicitAny: a payment as the API shows it
export function toAmounts(payment: any) {
  return {
    status: payment.status,
    accepted: payment.amountAccepted,
    held: payment.amountHeld,
    returned: payment.amountReturned,
    fee: payment.fee,
    returning: payment.amountReturning,
  }
}

/** What the bank's own books say that it was asked to send. */
async function findSent({ db, outside }: World): Promise<number[]> {
  if (outside.emulator) {
    const { payouts, refunds } = outside.emulator.books()
    return [...payouts, ...refunds].map(({ amount }) => Number(amount))
  }
  const rows = await db.rows(sql<{ amount: bigint }>`
    select amount from sandbox_transfers order by received_at`)
  return rows.map(({ amount }) => Number(amount))
}
