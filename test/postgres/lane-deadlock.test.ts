import { expect, test } from 'vitest'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import type { KeyedAnswer } from '../../src/idempotency/answer.js'
import { atMostOnce, type KeyedCall, whileInProgress } from '../../src/idempotency/at-most-once.js'
import { toIdempotencyKey } from '../../src/idempotency/key.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement } from '../../src/ledger/movement.js'
import { type Resolution, resolveAll } from '../../src/ledger/resolve.js'
import { assetNames } from '../../src/money/assets.js'
import { sql } from '../../src/postgres/sql.js'
import { Lane, type LaneWork } from '../../src/postgres/transactions/lane.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, holdOf, now } from '../support/movements.js'
import { type Random, seededRandom } from '../support/seed.js'
import { countDeadlocks, openSession, untilBlocked, untilInTheWay } from '../support/sessions.js'
import { expectLowerProofs } from '../support/sound-books.js'

const db = await freshDatabase()
const seal = createSeal(new Secret('a secret of the tests'))

type Call = KeyedCall<Movement>

const moveOnce: LaneWork<Call, KeyedAnswer> = (tx, calls) =>
  atMostOnce({ tx, now, seal }, calls, async (movements) => {
    const outcomes = await moveAll(tx, now, movements)
    return outcomes.map(({ isMoved }) => ({ status: isMoved ? 201 : 402, body: `${isMoved}` }))
  })

function openLanes<Call, Answer>(work: LaneWork<Call, Answer>): Lane<Call, Answer>[] {
  return ['a', 'b', 'c', 'd'].map(
    (name) =>
      new Lane({
        connect: async () => {
          const client = await connect(db.url, `lane ${name}`)
          await client.query(`set lock_timeout = '30s'`)
          return client
        },
        work,
      }),
  )
}

function toCall(movement: Movement, text: string): Call {
  const request = { method: 'POST', path: '/', body: movement.causeId, callerId: 'a key' }
  const key = toIdempotencyKey(text, request)
  return { environmentId: movement.environmentId, key, input: movement, expiresAt: null }
}

/** The same calls for every lane, in orders that differ as much as possible. */
function opposing<Item>(random: Random, items: Item[]): Item[][] {
  return [items, items.toReversed(), random.shuffle(items), random.shuffle(items)]
}

async function runOpposed<Call, Answer>(lanes: Lane<Call, Answer>[], orders: Call[][]) {
  return Promise.all(
    lanes.map((lane, index) =>
      Promise.all(orders[index]!.map((call) => whileInProgress(() => lane.run(call)))),
    ),
  )
}

type AnyLane = Pick<Lane<unknown, unknown>, 'stats' | 'close'>

async function expectNoDeadlock(lanes: AnyLane[], before: bigint): Promise<void> {
  await Promise.all(lanes.map((lane) => lane.close()))
  for (const { stats } of lanes) expect(stats).toMatchObject({ retried: 0, halved: 0 })
  expect(await countDeadlocks(db)).toBe(before)
}

// If the counter could not see a deadlock, the tests below would prove nothing. Two transactions
// lock two accounts by hand, each in its own order: the server must count one.
test('the counter sees the deadlock of two transactions that lock in their own order', async () => {
  const environmentId = await insertEnvironment(db)
  await db.transaction((tx) => moveAll(tx, now, [fundingOf({ environmentId, asset: 'USDC' }, 1n)]))
  const before = await countDeadlocks(db)
  const lock = (name: string) => ({
    text: `select from ledger_accounts where environment_id = $1 and name = $2 for update`,
    values: [environmentId, name],
  })
  const [left, right] = [await connect(db.url, 'lane left'), await openSession(db)]
  await left.query(`set deadlock_timeout = '10ms'`)
  await left.query('begin')
  await right.query('begin')
  await left.query(lock('available'))
  await right.query(lock('treasury'))
  const last = right.query(lock('available'))
  await untilBlocked(db)
  await expect(left.query(lock('treasury'))).rejects.toMatchObject({ code: '40P01' })
  await left.end()
  await last
  await right.query('rollback')

  expect(await countDeadlocks(db)).toBe(before + 1n)
})

// Four lanes get the same keys and accounts over many environments and assets, each in another
// order; in half of the rounds the accounts do not exist yet. There must be no deadlock, and every
// key must run once.
test('lanes with opposing batches never deadlock', async () => {
  const random = seededRandom('opposing lanes')
  const before = await countDeadlocks(db)
  const lanes = openLanes(moveOnce)
  const places: { environmentId: Movement['environmentId']; asset: Movement['asset'] }[] = []
  let executed = 0

  for (let round = 0; round < 8; round += 1) {
    if (round % 2 === 0)
      for (let count = 0; count < 4; count += 1) {
        const environmentId = await insertEnvironment(db)
        places.push(...assetNames.map((asset) => ({ environmentId, asset })))
      }
    const shared = Array.from({ length: 120 }, (_, index) => {
      const place = random.pick(places)
      const movement = index % 3 ? fundingOf(place, 100n) : holdOf(place, 7n, 1n)
      return toCall(movement, `round ${round} call ${index}`)
    })
    // Calls of its own make the batches of each lane differ, so that lanes meet in the middle of
    // others.
    const orders = opposing(random, shared).map((calls, lane) => {
      const own = Array.from({ length: 40 }, (_, index) =>
        toCall(fundingOf(random.pick(places), 5n), `round ${round} lane ${lane} call ${index}`),
      )
      return [...own.slice(0, 20), ...calls, ...own.slice(20)]
    })
    const answered = (await runOpposed(lanes, orders)).flat()
    executed += answered.filter(({ isReplayed }) => !isReplayed).length
  }

  expect(executed).toBe(8 * (120 + 4 * 40))
  await expectNoDeadlock(lanes, before)
  await expectLowerProofs(db)
})

// The same without keys, which would make lanes take turns before they reach the accounts. Another
// session holds one account in the middle, so that every lane stops halfway with the locks it has;
// when it is released, the lanes must finish.
test('lanes that move money of the same accounts in opposing orders never deadlock', async () => {
  const random = seededRandom('opposing movements')
  const environmentIds = await Promise.all(Array.from({ length: 40 }, () => insertEnvironment(db)))
  const places = environmentIds.flatMap((environmentId) =>
    assetNames.map((asset) => ({ environmentId, asset })),
  )
  await db.transaction((tx) =>
    moveAll(
      tx,
      now,
      random.shuffle(places).map((place) => fundingOf(place, 10_000n)),
    ),
  )
  // Enough accounts that each is looked up by itself: a single scan would return them to every lane
  // in table order, and they would agree by chance.
  await db.rows(sql`
    insert into merchants select gen_random_uuid(), 'Ada', now() from generate_series(1, 3000)`)
  await db.rows(sql`
    insert into environments (merchant_id, mode, created_at)
    select id, 'live', now() from merchants on conflict do nothing`)
  await db.rows(sql`
    insert into ledger_accounts (environment_id, asset, name)
    select id, 'USDC', unnest(array['available', 'fees']) from environments where mode = 'live'`)
  await db.rows(sql`analyze ledger_accounts`)
  const before = await countDeadlocks(db)
  const lanes = openLanes<Movement, boolean>(async (tx, movements) => {
    const outcomes = await moveAll(tx, now, movements)
    return outcomes.map(({ isMoved }) => isMoved)
  })
  const blocker = await openSession(db)
  for (let round = 0; round < 10; round += 1) {
    const some = random.shuffle(places).slice(0, 31)
    const orders = opposing(random, some).map((list) => list.map((place) => holdOf(place, 1n)))
    await blocker.query('begin')
    await blocker.query({
      text: 'select from ledger_accounts where environment_id = $1 and asset = $2 for update',
      values: [some[15]!.environmentId, some[15]!.asset],
    })
    const running = runOpposed(lanes, orders)
    await untilBlocked(db, lanes.length)
    await blocker.query('commit')
    const moved = (await running).flat()
    expect(moved.every((isMoved) => isMoved)).toBe(true)
  }
  await expectNoDeadlock(lanes, before)
  await expectLowerProofs(db)
})

// The same for held money: four lanes settle and release the same payouts in opposing orders. One
// action wins each payout, without a deadlock.
test('lanes that resolve the same holds in opposing orders never deadlock', async () => {
  const random = seededRandom('opposing resolutions')
  const environmentIds = await Promise.all(Array.from({ length: 6 }, () => insertEnvironment(db)))
  const places = environmentIds.flatMap((environmentId) =>
    assetNames.map((asset) => ({ environmentId, asset })),
  )
  const holds = Array.from({ length: 200 }, (_, index) =>
    holdOf(places[index % places.length]!, 7n, index % 2 ? 1n : 0n),
  )
  await db.transaction((tx) =>
    moveAll(tx, now, [...places.map((place) => fundingOf(place, 1_000n)), ...holds]),
  )
  const before = await countDeadlocks(db)
  const lanes = openLanes<Resolution, boolean>((tx, calls) => resolveAll(tx, now, calls))
  const orders = opposing(random, holds).map((list, lane) =>
    list.map(({ environmentId, causeId }) => ({
      environmentId,
      causeId,
      verb: lane % 2 ? ('settle' as const) : ('release' as const),
    })),
  )
  const resolved = (await runOpposed(lanes, orders)).flat()

  expect(resolved.filter((isFirst) => isFirst)).toHaveLength(200)
  await expectNoDeadlock(lanes, before)
  await expectLowerProofs(db)
})

// Opening accounts is where the order is easiest to lose. The second batch opens `available` and
// then has to wait; meanwhile the first one finds `fees` and wants `available`. If it kept `fees`
// locked while it waits, the second, which locks it next, would complete a deadlock.
test('a batch that opens accounts holds no lock while it waits for another that does', async () => {
  const environmentId = await insertEnvironment(db)
  const before = await countDeadlocks(db)
  const opener = await openSession(db)
  const other = await openSession(db)
  const open = (name: string) => ({
    text: 'insert into ledger_accounts (environment_id, asset, name) values ($1, $2, $3)',
    values: [environmentId, 'USDC', name],
  })
  const lanes = openLanes<Movement, string>(async (tx, movements) => {
    const outcomes = await moveAll(tx, now, movements)
    return outcomes.map(({ isMoved }) => `${isMoved}`)
  })
  await opener.query('begin')
  await opener.query(open('fees'))
  await other.query('begin')
  await other.query(open('treasury'))

  const second = lanes[1]!.run(holdOf({ environmentId, asset: 'USDC' }, 1n, 1n))
  await untilInTheWay(db, opener) // at `fees`, with `available` opened
  await opener.query('commit')
  await untilInTheWay(db, other) // at `treasury`
  const first = lanes[0]!.run({
    ...fundingOf({ environmentId, asset: 'USDC' }, 1n),
    lines: [{ debit: 'fees', credit: 'available', amount: 1n, purpose: 'operator_credit' }],
  })
  await untilBlocked(db, 2)
  await other.query('commit')

  expect(await second).toBe('false')
  expect(await first).toBe('true')
  await expectNoDeadlock(lanes, before)
})
