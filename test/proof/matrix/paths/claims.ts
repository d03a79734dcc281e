import { strict as assert } from 'node:assert'
import { after, day } from '../../../../src/base/clock.js'
import { definePath, type Path } from '../run-path.js'
import type { World, WorldSettings } from '../world.js'
import { failingAccount } from './collecting.js'
import { merchantOf } from './merchant.js'
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
      world.clock.advance(31 * day)
      await world.untilQuiet()
    },
    check: (world, claimer) =>
      check(world, claimer, { status: 'EXPIRED', paid: [], events: ['created', 'expired'] }),
  }),
]
