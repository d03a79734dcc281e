import { strict as assert } from 'node:assert'
import { after, day } from '../../../../src/base/clock.js'
import { definePath, type Path } from '../run-path.js'
import type { World, WorldSettings } from '../world.js'
import {
  type Account,
  type Collector,
  collectionPath,
  expected,
  failingAccount,
  feeOfExpected,
  funded as fundedCollector,
} from './collecting.js'
import { merchantOf } from './merchant.js'
import { firstPayment, openPaid } from './returns.js'
import { accountNumber, listPaid, untilReceived } from './sandbox-transfers.js'

const settings: WorldSettings = { bank: 'sandbox' }
const [funded, amount] = [5_000_000, 1_000_000]
const account = { bankCode: '058', accountNumber: accountNumber(1) }
const closedAccount = { bankCode: '999', accountNumber: failingAccount }

type Claimer = { merchant: ReturnType<typeof merchantOf>; reference: string }

async function prepare(world: World): Promise<Claimer> {
  const merchant = merchantOf(world)
  await merchant.fund('NGN', funded)
  return { merchant, reference: '' }
}

async function create(world: World, claimer: Claimer): Promise<void> {
  const expiresAt = after(world.clock.now(), 30 * day).toISOString()
  const body = { amount, description: 'Refund', email: 'ada@example.com', expiresAt }
  claimer.reference = (await claimer.merchant.post('/v1/claims', body)).reference
}

const claim = ({ merchant, reference }: Claimer, to: object) =>
  merchant.post(`/v1/test/claims/${reference}/claim`, to)

/** No row is open for a claim that expires: after a crash, the job runs again at its interval. */
async function untilExpired(world: World, { merchant, reference }: Claimer): Promise<void> {
  world.clock.advance(31 * day)
  await world.untilQuiet(
    async () => (await merchant.get(`/v1/claims/${reference}`)).status === 'EXPIRED',
  )
}

async function check(
  world: World,
  { merchant, reference }: Claimer,
  { status, paid, events }: { status: string; paid: number[]; events: string[] },
): Promise<void> {
  const found = await merchant.get(`/v1/claims/${reference}`)
  assert.equal(found.status, status)
  assert.deepEqual(await listPaid(world), paid)
  const spent = paid.length * (amount + found.feeMax)
  assert.deepEqual(await merchant.balance(), { available: funded - spent, held: 0, pending: 0 })
  assert.deepEqual(
    await merchant.eventTypes(reference),
    events.map((event) => `claim.${event}`),
  )
}

const tooLittle = 300_000
const [returning, returned] = ['payment.returning', 'payment.returned']

/** A payment that is too small and held, before the faults. */
async function openHeld(collector: Collector): Promise<Account> {
  const held = await collector.openVirtual()
  await collector.pay(held, { amount: tooLittle })
  return held
}

async function refundByClaim(collector: Collector, paid: Account): Promise<Claimer> {
  const { reference } = await firstPayment(collector, paid)
  const { claim: made } = await collector.refund(reference, {
    by: 'claim',
    claim: { email: 'ada@example.com' },
  })
  return { merchant: collector, reference: made.reference }
}

async function returnByClaim(collector: Collector, held: Account): Promise<Claimer> {
  const { reference } = await firstPayment(collector, held)
  const { claim: made } = await collector.resolve(reference, { action: 'return', by: 'claim' })
  return { merchant: collector, reference: made.reference }
}

const paidAccount = { account: 'PAID', accountEvents: ['virtual_account.paid'] }
const underpaidAccount = { account: 'ACTIVE', accountEvents: ['virtual_account.underpaid'] }

/** Money of payments that goes back to where the payer says. */
const returnsByClaim: Path[] = [
  collectionPath({
    name: 'refund by claim is claimed twice and paid once',
    open: openPaid,
    async run(collector, paid, world) {
      const claimer = await refundByClaim(collector, paid)
      await claim(claimer, account)
      await claim(claimer, account)
      await untilReceived(world, 1)
    },
    ends: {
      ...paidAccount,
      payments: [
        {
          status: 'RETURNED',
          returned: expected,
          fee: feeOfExpected,
          events: [returning!, 'payment.refunded'],
        },
      ],
      balance: { available: fundedCollector - feeOfExpected },
      sentByBank: [expected],
    },
  }),
  collectionPath({
    name: 'payout of held money by claim fails, and it is claimed again',
    policy: { underpayment: 'hold' },
    open: openHeld,
    async run(collector, held, world) {
      const claimer = await returnByClaim(collector, held)
      await claim(claimer, closedAccount)
      await untilReceived(world, 1)
      await world.untilQuiet()
      await claim(claimer, account)
      await untilReceived(world, 2)
    },
    ends: {
      ...underpaidAccount,
      payments: [
        {
          status: 'RETURNED',
          returned: tooLittle,
          events: ['payment.held', returning!, returned!],
        },
      ],
      balance: { available: fundedCollector },
      sentByBank: [tooLittle, tooLittle],
    },
  }),
  collectionPath({
    name: 'refund by claim is cancelled, and the money is accepted again',
    open: openPaid,
    async run(collector, paid) {
      const { reference } = await refundByClaim(collector, paid)
      await collector.post(`/v1/claims/${reference}/cancel`)
    },
    ends: {
      ...paidAccount,
      payments: [
        {
          status: 'ACCEPTED',
          accepted: expected,
          fee: feeOfExpected,
          events: [returning!, 'payment.refund_failed'],
        },
      ],
      balance: { available: fundedCollector + expected - feeOfExpected },
    },
  }),
  collectionPath({
    name: 'claim of held money expires, and it is held again',
    policy: { underpayment: 'hold' },
    open: openHeld,
    async run(collector, held, world) {
      await untilExpired(world, await returnByClaim(collector, held))
    },
    ends: {
      account: 'EXPIRED',
      accountEvents: ['virtual_account.underpaid', 'virtual_account.expired'],
      payments: [
        { status: 'HELD', held: tooLittle, events: ['payment.held', returning!, 'payment.held'] },
      ],
      balance: { available: fundedCollector, pending: tooLittle },
    },
  }),
]

export const claimPaths: Path[] = [
  definePath<Claimer>({
    name: 'claim is claimed twice and paid once',
    settings,
    prepare,
    async run(world, claimer) {
      await create(world, claimer)
      await claim(claimer, account)
      await claim(claimer, account)
      await untilReceived(world, 1)
    },
    check: (world, claimer) =>
      check(world, claimer, { status: 'CLAIMED', paid: [amount], events: ['created', 'claimed'] }),
  }),
  definePath<Claimer>({
    name: 'payout of a claim fails, and it is claimed again',
    settings,
    prepare,
    async run(world, claimer) {
      await create(world, claimer)
      await claim(claimer, closedAccount)
      await untilReceived(world, 1)
      await world.untilQuiet()
      await claim(claimer, account)
      await untilReceived(world, 2)
    },
    check: (world, claimer) =>
      check(world, claimer, {
        status: 'CLAIMED',
        paid: [amount],
        events: ['created', 'claimed', 'reopened', 'claimed'],
      }),
  }),
  definePath<Claimer>({
    name: 'claim is cancelled',
    settings,
    prepare,
    async run(world, claimer) {
      await create(world, claimer)
      await claimer.merchant.post(`/v1/claims/${claimer.reference}/cancel`)
    },
    check: (world, claimer) =>
      check(world, claimer, { status: 'CANCELLED', paid: [], events: ['created', 'cancelled'] }),
  }),
  definePath<Claimer>({
    name: 'claim expires',
    settings,
    prepare,
    async run(world, claimer) {
      await create(world, claimer)
      await untilExpired(world, claimer)
    },
    check: (world, claimer) =>
      check(world, claimer, { status: 'EXPIRED', paid: [], events: ['created', 'expired'] }),
  }),
  ...returnsByClaim,
]
