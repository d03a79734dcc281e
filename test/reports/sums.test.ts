import fc from 'fast-check'
import { expect, test } from 'vitest'
import { after, day, hour } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { type Asset, assetNames } from '../../src/money/assets.js'
import { sql } from '../../src/postgres/sql.js'
import type { Queryable } from '../../src/postgres/transactions/tx.js'
import { readArrived } from '../../src/reports/arrived.js'
import { readBalances } from '../../src/reports/balance.js'
import {
  type BucketSize,
  bucketSizes,
  listBuckets,
  type Period,
  startOf,
} from '../../src/reports/calendar.js'
import { readConversion } from '../../src/reports/conversion.js'
import { type EntrySum, readEntrySums } from '../../src/reports/entries.js'
import { type FeeKind, feeKinds, sumFees } from '../../src/reports/fees.js'
import { readPayoutTimes, reportedKinds } from '../../src/reports/payout-times.js'
import { sumUpReports } from '../../src/reports/sum-up.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { isLongRun } from '../support/long-run.js'

// Rows are written as the service writes them, in real time and, for a test clock that is ahead, in
// the future, and days that have long ended change. Workers run at any moment, with clocks that are
// late, and beside open transactions. After any such history, reports from sums, reports from rows
// alone and figures computed here from all rows must be the same.

const db = await freshDatabase()
const now = new Date()
const today = startOf('day', now)

type Payment = { at: Date; asset: Asset; amount: bigint }
type Session = { id: string; at: Date; isOpened: boolean; status: string }
type Payout = {
  id: string
  kind: (typeof reportedKinds)[number]
  at: Date
  endedAt?: Date
  isFailed?: boolean
}
/** A fee that an entry charges, gives back with a failed payout, or gives back with a returned one. */
type Fee = { change: 'charged' | 'released' | 'reversed'; kind: FeeKind; amount: bigint }
type Entry = { at: Date; asset: Asset; balance: bigint; fee?: Fee | undefined }
type Hold = { id: string; asset: Asset; kind: FeeKind; fee: bigint }
type World = {
  environmentId: EnvironmentId
  payments: Payment[]
  sessions: Session[]
  payouts: Payout[]
  entries: Entry[]
  holds: Hold[]
}

async function openWorld(): Promise<World> {
  const environmentId = await insertEnvironment(db)
  return { environmentId, payments: [], sessions: [], payouts: [], entries: [], holds: [] }
}

async function insertPayment(to: Queryable, world: World, { at, asset, amount }: Payment) {
  const id = newId(at)
  const source = asset === 'NGN' ? 'virtual_account' : 'crypto_wallet'
  await to.rows(sql`
    insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
      amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
      event_sequence, received_at, created_at)
    values (${world.environmentId}, ${id}, ${id}, ${source}, 'paper', ${id}, ${asset}, ${amount},
      ${amount}, 0, 0, 0, 0, 'NONE', '{}', 1, ${at}, ${at})`)
}

async function insertSession(to: Queryable, world: World, { id, at }: Session) {
  await to.rows(sql`
    insert into checkout_sessions (environment_id, id, reference, account_id, description,
      customer_name, customer_email, url, metadata, created_at)
    values (${world.environmentId}, ${id}, ${id.padEnd(42, '0')}, ${id}, 'Bread', 'Ada',
      'ada@example.com', 'https://x.example', '{}', ${at})`)
}

async function updateSession(to: Queryable, world: World, { id, isOpened, status }: Session) {
  await to.rows(sql`
    update checkout_sessions set status = ${status}, opened_at = ${isOpened ? now : null},
      event_sequence = ${status === 'pending' ? 0 : 1}
    where environment_id = ${world.environmentId} and id = ${id}`)
}

async function insertPayout(to: Queryable, world: World, { id, kind, at }: Payout) {
  const asset = kind === 'bank_transfer' ? 'NGN' : 'USDC'
  await to.rows(sql`
    insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
      destination, metadata, status, event_sequence, submitted_at, created_at)
    values (${world.environmentId}, ${id}, ${kind}, 'paper', ${asset}, 1, 0, '1', '{}', '{}',
      'SUBMITTED', 1, ${at}, ${at})`)
}

async function endPayout(to: Queryable, world: World, { id, endedAt, isFailed }: Payout) {
  await to.rows(sql`
    update payouts set status = ${isFailed ? 'FAILED' : 'COMPLETED'},
      failure_reason = ${isFailed ? 'refused' : null},
      completed_at = ${isFailed ? null : endedAt}, failed_at = ${isFailed ? endedAt : null}
    where environment_id = ${world.environmentId} and id = ${id}`)
}

async function insertEntry(to: Queryable, world: World, { at, asset, balance }: Entry) {
  const number = world.entries.filter((one) => one.asset === asset).length
  const [table, more, values] =
    number % 3 === 0
      ? ['ledger_resolutions', 'verb, debit', `'release', 'available'`]
      : ['ledger_transfers', 'debit, credit, is_hold', `'clearing', 'available', false`]
  await to.rows(sql`
    insert into ${sql.raw(table)} (environment_id, cause_id, purpose, asset, amount, entry_number,
      available_after, created_at, ${sql.raw(more)})
    values (${world.environmentId}, ${newId(at)}, 'test_funding', ${asset}, 1, ${number},
      ${balance}, ${at}, ${sql.raw(values)})`)
}

const feePurposes = {
  payment: 'payment_fee',
  bank_transfer: 'bank_payout_fee',
  crypto_transfer: 'crypto_payout_fee',
  conversion: 'conversion_fee',
} as const

/** An entry with a fee, as payments, payouts, failures of payouts and reversals write it. */
async function insertFee(to: Queryable, world: World, entry: Entry & { fee: Fee }) {
  const { at, asset, balance } = entry
  const { change, kind, amount } = entry.fee
  const number = world.entries.filter((one) => one.asset === asset).length
  if (change === 'released') {
    const index = world.holds.findIndex((hold) => hold.asset === asset && hold.kind === kind)
    const [hold] = world.holds.splice(index, 1)
    await to.rows(sql`
      insert into ledger_resolutions (environment_id, cause_id, purpose, asset, amount,
        entry_number, available_after, created_at, verb, debit)
      values (${world.environmentId}, ${hold!.id}, 'crypto_payout', ${asset}, ${amount + 100n},
        ${number}, ${balance}, ${at}, 'release', 'available')`)
    return
  }
  const id = newId(at)
  const isHold = change === 'charged' && kind.endsWith('_transfer')
  if (isHold) world.holds.push({ id, asset, kind, fee: amount })
  const isReversal = change === 'reversed'
  const purpose = isReversal ? 'bank_payout_fee_reversal' : feePurposes[kind]
  const [debit, credit] = isReversal ? ['fees', 'available'] : ['available', 'fees']
  await to.rows(sql`
    insert into ledger_transfers (environment_id, cause_id, purpose, asset, amount, entry_number,
      available_after, created_at, debit, credit, is_hold)
    values (${world.environmentId}, ${id}, ${purpose}, ${asset}, ${amount}, ${number}, ${balance},
      ${at}, ${debit}, ${credit}, ${isHold})`)
}

/** Mostly days that have ended; later ones are those of a test clock. */
const times = fc
  .record({ days: fc.integer({ min: -12, max: 3 }), ms: fc.integer({ min: 0, max: day - 1 }) })
  .map(({ days, ms }) => after(today, days * day + ms))
const edgeTimes = fc
  .record({ days: fc.integer({ min: -12, max: 2 }), ms: fc.constantFrom(-1, 0, 1, hour - 1, hour) })
  .map(({ days, ms }) => after(today, days * day + ms))
const anyTime = fc.oneof(times, edgeTimes)
const anyAsset = fc.constantFrom(...assetNames)
const anyIndex = fc.nat(1_000)

type Write = (world: World, to: Queryable) => Promise<void>

const writes: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ at: anyTime, asset: anyAsset, amount: fc.bigInt(1n, 10_000n) }).map(
    (payment): Write =>
      async (world, to) => {
        world.payments.push(payment)
        await insertPayment(to, world, payment)
      },
  ),
  anyTime.map(
    (at): Write =>
      async (world, to) => {
        const session = { id: newId(at), at, isOpened: false, status: 'pending' }
        world.sessions.push(session)
        await insertSession(to, world, session)
      },
  ),
  fc
    .record({
      index: anyIndex,
      isOpened: fc.boolean(),
      status: fc.constantFrom('pending', 'paid', 'expired', 'cancelled'),
    })
    .map(
      ({ index, ...change }): Write =>
        async (world, to) => {
          const session = world.sessions[index % world.sessions.length]
          if (!session) return
          Object.assign(session, change)
          await updateSession(to, world, session)
        },
    ),
  fc.record({ at: anyTime, kind: fc.constantFrom(...reportedKinds) }).map(
    ({ at, kind }): Write =>
      async (world, to) => {
        const payout = { id: newId(at), kind, at }
        world.payouts.push(payout)
        await insertPayout(to, world, payout)
      },
  ),
  fc
    .record({
      index: anyIndex,
      tookMs: fc.oneof(fc.nat(10_000), fc.nat(4 * day)),
      isFailed: fc.boolean(),
    })
    .map(
      ({ index, tookMs, isFailed }): Write =>
        async (world, to) => {
          const open = world.payouts.filter(({ endedAt }) => !endedAt)
          const payout = open[index % open.length]
          if (!payout) return
          Object.assign(payout, { endedAt: after(payout.at, tookMs), isFailed })
          await endPayout(to, world, payout)
        },
    ),
  fc.record({ asset: anyAsset, balance: fc.bigInt(0n, 1_000n), at: anyTime }).map(
    (entry): Write =>
      async (world, to) => {
        world.entries.push(entry)
        await insertEntry(to, world, entry)
      },
  ),
  fc
    .record({
      asset: anyAsset,
      balance: fc.bigInt(0n, 1_000n),
      at: anyTime,
      change: fc.constantFrom('charged' as const, 'released' as const, 'reversed' as const),
      kind: fc.constantFrom(...feeKinds),
      amount: fc.bigInt(1n, 1_000n),
    })
    .map(
      ({ asset, balance, at, ...wanted }): Write =>
        async (world, to) => {
          const hold = world.holds.find((one) => one.asset === asset)
          if (wanted.change === 'released' && !hold) return
          const fee: Fee =
            wanted.change === 'released'
              ? { ...wanted, kind: hold!.kind, amount: hold!.fee }
              : wanted.change === 'reversed'
                ? { ...wanted, kind: 'bank_transfer' }
                : wanted
          const entry = { asset, balance, at, fee }
          world.entries.push(entry)
          await insertFee(to, world, entry)
        },
    ),
)

/** A worker whose clock is late, or right. */
const work = fc.nat(14).map(
  (daysLate): Write =>
    (world) =>
      workAt(world, after(now, -daysLate * day)),
)

async function workAt({ environmentId }: World, at: Date) {
  await db.rows(sql`
    update report_progress set due_at = ${at} where environment_id = ${environmentId}`)
  await sumUpReports(db, at)
}

/** Writes in one transaction, and a worker that runs before it commits. */
const overlapped = fc
  .record({ all: fc.array(writes, { minLength: 1, maxLength: 3 }), worker: work })
  .map(
    ({ all, worker }): Write =>
      async (world) => {
        await db.transaction(async (tx) => {
          for (const write of all) await write(world, tx)
          await worker(world, db)
        })
      },
  )

const step: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 6,
    arbitrary: writes.map(
      (write): Write =>
        (world) =>
          write(world, db),
    ),
  },
  { weight: 2, arbitrary: work },
  { weight: 1, arbitrary: overlapped },
)

async function reportsOf(
  from: Queryable,
  { environmentId }: World,
  period: Period & { bucket: BucketSize },
) {
  const received = await Promise.all(
    assetNames.map((asset) => readArrived(from, { environmentId, asset }, period)),
  )
  const balances = await Promise.all(
    assetNames.map((asset) => readBalances(from, { environmentId, asset }, period)),
  )
  const times = await Promise.all(
    reportedKinds.map((kind) => readPayoutTimes(from, { environmentId, kind }, period)),
  )
  const conversion = await readConversion(from, environmentId, period)
  const fees = await Promise.all(
    assetNames.map(async (asset) =>
      feesOf(await readEntrySums(from, { environmentId, asset }, period)),
    ),
  )
  return { received, conversion, balances, times, fees }
}

/** By start and kind, as the report of fees shows them. */
function feesOf(entries: EntrySum[]) {
  const starts = [...new Set(entries.map(({ start }) => start.getTime()))]
  return starts.flatMap((start) =>
    feeKinds.toSorted().flatMap((kind) => {
      const own = entries.filter((entry) => entry.start.getTime() === start)
      const { kept, ...fees } = sumFees(own, kind)
      const isCharged = fees.charged + fees.released + fees.reversed > 0n
      expect(kept).toBe(fees.charged - fees.released - fees.reversed)
      return isCharged ? [{ start: new Date(start), kind, ...fees }] : []
    }),
  )
}

/** The same without any sums: what a worker did is undone for this reading. */
async function reportsFromRows(world: World, period: Period & { bucket: BucketSize }) {
  const undone = new Error('undone')
  let reports: Awaited<ReturnType<typeof reportsOf>> | undefined
  await db
    .transaction(async (tx) => {
      const sums = ['received', 'conversion', 'payout_times', 'balances', 'entries']
      for (const table of ['progress', 'entry_progress', ...sums])
        tx.write(sql`
          delete from ${sql.raw(`report_${table}`)} where environment_id = ${world.environmentId}`)
      reports = await reportsOf(tx, world, period)
      throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
  return reports
}

/** From the rows in memory, without any of the code under test but the list of buckets. */
function expectedReports(world: World, { bucket, from, to }: Period & { bucket: BucketSize }) {
  const starts = listBuckets(bucket, { from, to })
  const sizeMs = bucketSizes[bucket]
  const within = <Row>(rows: Row[], timeOf: (row: Row) => Date | undefined, start: Date): Row[] =>
    rows.filter((row) => {
      const at = timeOf(row)
      return at !== undefined && at >= start && at.getTime() < start.getTime() + sizeMs
    })
  const received = assetNames.map((asset) =>
    starts.flatMap((start) => {
      const own = within(world.payments, ({ at }) => at, start).filter((one) => one.asset === asset)
      const amount = own.reduce((sum, one) => sum + one.amount, 0n)
      return own.length === 0 ? [] : [{ start, amount, count: BigInt(own.length) }]
    }),
  )
  const conversion = starts.flatMap((start) => {
    const own = within(world.sessions, ({ at }) => at, start)
    const having = (status: string) => BigInt(own.filter((one) => one.status === status).length)
    const opened = BigInt(own.filter(({ isOpened }) => isOpened).length)
    const [paid, expired, cancelled] = [having('paid'), having('expired'), having('cancelled')]
    const created = BigInt(own.length)
    return own.length === 0 ? [] : [{ start, created, opened, paid, expired, cancelled }]
  })
  const times = reportedKinds.map((kind) =>
    starts.flatMap((start) => {
      const own = within(world.payouts, ({ endedAt }) => endedAt, start).filter(
        (one) => one.kind === kind,
      )
      const took = own
        .filter(({ isFailed }) => !isFailed)
        .map(({ at, endedAt }) => endedAt!.getTime() - at.getTime())
        .sort((one, other) => one - other)
      const share = (part: number) =>
        took.length === 0 ? null : BigInt(took[Math.ceil(part * took.length) - 1]!)
      const completed = BigInt(took.length)
      const failed = BigInt(own.length - took.length)
      const row = { start, completed, failed, medianMs: share(0.5), p95Ms: share(0.95) }
      return own.length === 0 ? [] : [row]
    }),
  )
  const balances = assetNames.map((asset) => {
    const own = world.entries.filter((one) => one.asset === asset)
    const balanceAt = (end: Date) => own.findLast(({ at }) => at < end)?.balance ?? 0n
    const buckets = starts.map((start) => {
      const seen = within(own, ({ at }) => at, start).map(({ balance }) => balance)
      const lowest = [balanceAt(start), ...seen].reduce((low, one) => (one < low ? one : low))
      return { start, closing: balanceAt(after(start, sizeMs)), lowest }
    })
    return { opening: balanceAt(from), buckets }
  })
  const fees = assetNames.map((asset) =>
    starts.flatMap((start) =>
      feeKinds.toSorted().flatMap((kind) => {
        const own = within(world.entries, ({ at }) => at, start).flatMap((one) =>
          one.asset === asset && one.fee?.kind === kind ? [one.fee] : [],
        )
        const sum = (change: Fee['change']) =>
          own.filter((fee) => fee.change === change).reduce((total, fee) => total + fee.amount, 0n)
        const [charged, released, reversed] = [sum('charged'), sum('released'), sum('reversed')]
        return own.length === 0 ? [] : [{ start, kind, charged, released, reversed, vat: 0n }]
      }),
    ),
  )
  return { received, conversion, balances, times, fees }
}

test('reports never depend on what workers have summed up, or when', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.record({
        bucket: fc.constantFrom('hour' as const, 'day' as const),
        first: fc.integer({ min: -14, max: 2 }),
        length: fc.integer({ min: 1, max: 16 }),
        shift: fc.nat(23),
      }),
      async (steps, { bucket, first, length, shift }) => {
        const world = await openWorld()
        for (const one of steps) await one(world, db)
        const shiftMs = bucket === 'hour' ? shift * hour : 0
        const from = after(today, first * day + shiftMs)
        const period = { bucket, from, to: after(from, length * day) }
        const expected = expectedReports(world, period)
        expect(await reportsOf(db, world, period)).toEqual(expected)
        expect(await reportsFromRows(world, period)).toEqual(expected)
        await workAt(world, now)
        expect(await reportsOf(db, world, period)).toEqual(expected)
      },
    ),
    { numRuns: isLongRun ? 30 : 12 },
  )
})

// The worker has summed up the payments of a day and waits for the sums of its sessions. A payment
// that commits now is neither in those sums nor among the changes that the worker may remove.
test('a change that commits while its day is summed up again is not lost', async () => {
  const world = await openWorld()
  const { environmentId } = world
  const at = after(today, -3 * day)
  const payment = { at, asset: 'NGN', amount: 5n } as const
  const session = { id: newId(at), at, isOpened: false, status: 'pending' }
  const period = { bucket: 'day', from: at, to: after(at, day) } as const
  const read = () => readArrived(db, { environmentId, asset: 'NGN' }, period)
  await insertPayment(db, world, payment)
  await insertSession(db, world, session)
  await workAt(world, now)
  await insertPayment(db, world, payment)
  await updateSession(db, world, { ...session, status: 'paid' })
  let worker: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await tx.rows(sql`
      select from report_conversion where environment_id = ${environmentId} for update`)
    worker = workAt(world, now)
    await expect.poll(countWaiting, { interval: 5, timeout: 5_000 }).toBe(1n)
    await insertPayment(db, world, payment)
  })
  await worker
  expect(await read()).toEqual([{ start: at, amount: 15n, count: 3n }])
  await workAt(world, now)
  expect(await read()).toEqual([{ start: at, amount: 15n, count: 3n }])
  const [left] = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from report_changes where environment_id = ${environmentId}`)
  expect(left!.count).toBe(0n)
})

async function countWaiting(): Promise<bigint> {
  const [row] = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return row!.count
}
