import type pg from 'pg'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { after, day, minute, second } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { claimDue, type DueTable, keepLease, type TurnShares } from '../../src/postgres/due.js'
import { leaseLimits } from '../../src/postgres/limits.js'
import { sql } from '../../src/postgres/sql.js'
import type { Queryable } from '../../src/postgres/transactions/tx.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { plansOf } from '../support/plans.js'
import { openSession, readerOf } from '../support/sessions.js'

const db = await freshDatabase()
await db.rows(sql`
  create table jobs (id uuid primary key, owner text not null, state text not null, due_at timestamptz not null,
    attempts integer not null default 0)`)
await db.rows(sql`create index jobs_due on jobs (owner, due_at) where state = 'OPEN'`)
const jobsDue: DueTable = {
  table: 'jobs',
  keyColumns: ['id'],
  openCondition: "state = 'OPEN'",
  returning: 'job.id, job.attempts',
  ownerColumn: 'owner',
  counterColumn: 'attempts',
}
const now = new Date('2026-01-05T09:00:00.000Z')
const { leaseMs, renewIntervalMs, holdsMs } = leaseLimits
const limitMax = 50

type Job = { id: string; attempts: number }

beforeEach(async () => {
  await db.rows(sql`truncate jobs`)
})

async function insertJobs(count: number, { dueAt = now, state = 'OPEN', owner = 'ours' } = {}) {
  await db.rows(sql`
    insert into jobs select gen_random_uuid(), ${owner}, ${state}, ${dueAt}::timestamptz
    from generate_series(1, ${count}::int)`)
}

function claim(at: Date, reader: Queryable = db, limit = limitMax): Promise<Job[]> {
  return claimDue<Job>(reader, jobsDue, { owner: 'ours', now: at, limit })
}

/** Finishes a row, naming the attempt with which the worker claimed it. */
async function finish(job: Job): Promise<boolean> {
  const done = await db.rows(sql`
    update jobs set state = 'DONE'
    where id = ${job.id} and state = 'OPEN' and attempts = ${job.attempts}
    returning 1`)
  return done.length === 1
}

// Eight workers on separate connections claim the same two thousand rows as fast as they can. Every
// row must be handed out, and to one worker only.
test('workers that claim at the same time never get the same row', async () => {
  await insertJobs(2_000)
  const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(db)))
  const work = async (session: pg.Client) => {
    const reader = readerOf(session)
    const claimed: Job[] = []
    for (;;) {
      const jobs = await claim(now, reader)
      if (jobs.length === 0) return claimed
      expect(jobs.length).toBeLessThanOrEqual(limitMax)
      claimed.push(...jobs)
    }
  }
  const workers = await Promise.all(sessions.map(work))
  const claimed = workers.flat()

  expect(claimed).toHaveLength(2_000)
  expect(new Set(claimed.map(({ id }) => id)).size).toBe(2_000)
  expect(claimed.every(({ attempts }) => attempts === 1)).toBe(true)
  expect(workers.filter((jobs) => jobs.length > 0).length).toBeGreaterThan(1)
})

// A worker that has locked rows and not committed must not block the others: they skip its rows.
test('a claim does not wait for another claim', async () => {
  await insertJobs(10)
  const slow = await openSession(db)
  await slow.query('begin')
  await slow.query('select from jobs order by due_at limit 4 for update')
  expect(await claim(now)).toHaveLength(6)
  await slow.query('rollback')
  expect(await claim(now)).toHaveLength(4)
})

// A worker dies with its rows. When the lease ends they are due again, and the counter has counted
// both attempts.
test('a row whose lease is over goes to another worker and counts the attempt', async () => {
  await insertJobs(3)
  const first = await claim(now)
  expect(await claim(now)).toEqual([])
  expect(await claim(after(now, leaseMs - 1))).toEqual([])

  const second = await claim(after(now, leaseMs))
  expect(new Set(second.map(({ id }) => id))).toEqual(new Set(first.map(({ id }) => id)))
  expect(second.map(({ attempts }) => attempts)).toEqual([2, 2, 2])
})

// The first worker was slow, not dead, and finishes after its successor has claimed the row. It
// names an old attempt, so it changes nothing and the successor's result stands.
test('a worker that outlived its lease cannot finish for its successor', async () => {
  await insertJobs(1)
  const [slow] = await claim(now)
  const [successor] = await claim(after(now, 2 * leaseMs))

  expect(await finish(slow!)).toBe(false)
  expect(await finish(successor!)).toBe(true)
  expect(await finish(successor!)).toBe(false)
})

function startLease(reader: Queryable = db) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const clock = manualClock(now)
  const dependencies = { db: reader, clock, logger: createLogger('silent') }
  const lease = keepLease(dependencies, jobsDue, { owner: 'ours', now })
  onTestFinished(async () => {
    await lease.end()
    vi.useRealTimers()
  })
  const pass = (durationMs: number) => {
    clock.advance(durationMs)
    vi.advanceTimersByTime(durationMs)
  }
  return { lease, clock, pass }
}

const countDueAt = async (at: Date) => {
  const [row] = await db.rows(sql<{ count: number }>`
    select count(*)::int as count from jobs where due_at = ${at}`)
  return row!.count
}

// One row is finished and one has been postponed while the worker goes on with the third.
test('a lease is renewed for what is still claimed, as often as needed', async () => {
  await insertJobs(3)
  const [done, postponed] = await claim(now)
  const { lease, clock, pass } = startLease()
  await finish(done!)
  const later = after(now, minute)
  await db.rows(sql`update jobs set due_at = ${later} where id = ${postponed!.id}`)
  for (let passedMs = 0; passedMs < 2 * leaseMs; passedMs += renewIntervalMs) {
    pass(renewIntervalMs)
    await expect.poll(() => countDueAt(after(clock.now(), leaseMs))).toBe(1)
    await expect.poll(() => lease.holds()).toBe(true)
    expect(await claim(clock.now())).toEqual([])
  }
  expect(await countDueAt(later)).toBe(1)
  await lease.end()
  pass(leaseMs)
  expect(await claim(clock.now())).toHaveLength(1)
})

// A transaction holds the row during one renewal; the next one finds it all the same.
test('a renewal does not wait for a locked row, and renews it later', async () => {
  await insertJobs(1)
  await claim(now)
  const { clock, pass } = startLease()
  const holder = await openSession(db)
  await holder.query('begin')
  await holder.query('select from jobs for update')
  pass(renewIntervalMs)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await holder.query('rollback')
  expect(await countDueAt(after(now, leaseMs))).toBe(1)
  pass(renewIntervalMs)
  await expect.poll(() => countDueAt(after(clock.now(), leaseMs))).toBe(1)
})

// A worker is cut off from the database. It must stop before another one starts.
test('a lease that cannot be renewed stops to hold before it ends', async () => {
  const away = { rows: () => Promise.reject(new Error('the database is away')) }
  const { lease, clock, pass } = startLease(away)
  pass(holdsMs - 1)
  await new Promise((resolve) => setImmediate(resolve))
  expect(lease.holds()).toBe(true)
  pass(1)
  expect(lease.holds()).toBe(false)
  expect(clock.now() < after(now, leaseMs)).toBe(true)
})

// The database is back after another worker may have claimed the rows.
test('a lost lease stays lost', async () => {
  await insertJobs(1)
  await claim(now)
  const { lease, clock, pass } = startLease()
  clock.advance(holdsMs)
  expect(lease.holds()).toBe(false)
  pass(renewIntervalMs)
  await lease.end()
  expect(lease.holds()).toBe(false)
  expect(await countDueAt(after(now, leaseMs))).toBe(1)
})

// A row is never claimed before its due time, and finished rows are never claimed.
test('a row that is not due yet, not open, or of another worker is never claimed', async () => {
  await insertJobs(5, { dueAt: after(now, 1) })
  await insertJobs(5, { state: 'DONE' })
  await insertJobs(5, { owner: 'theirs' })
  expect(await claim(now)).toEqual([])
  expect(await claim(after(now, 1))).toHaveLength(5)
})

// When more rows are due than one claim may take, the oldest go first.
test('the oldest due rows are claimed first', async () => {
  await insertJobs(5, { dueAt: after(now, -second) })
  await insertJobs(5, { dueAt: after(now, -minute) })
  await insertJobs(5, { dueAt: after(now, -2 * second) })
  const claimed = await claim(now, db, 5)
  const [row] = await db.rows(sql<{ left: number }>`
    select count(*)::int as left from jobs where due_at = ${after(now, -minute)}`)
  expect(claimed).toHaveLength(5)
  expect(row!.left).toBe(0)
})

// Finished rows accumulate. A claim must find the few open ones by the index of open rows and never
// scan the table, whatever the planner knows about the values.
test('a claim finds open rows by their index, however many are finished', async () => {
  await insertJobs(20_000, { state: 'DONE' })
  await insertJobs(40)
  await db.rows(sql`analyze jobs`)
  const session = await openSession(db)
  expect(await claim(now, readerOf(session), 10)).toHaveLength(10)

  const open = "(state = 'OPEN'::text)"
  const values = [now.toISOString(), after(now, minute).toISOString(), '10', 'ours']
  for (const { scans } of await plansOf(session, 'claim_due_jobs', values))
    expect(scans).toEqual([`by jobs_due keeping ${open}`, 'by jobs_pkey'])
  // The index holds open rows only, so this filter drops nothing: it checks that a row is still
  // open once it is locked.
  const [index] = await db.rows(sql<{ rows: string }>`
    select pg_get_expr(indpred, indrelid) as rows from pg_index
    where indexrelid = 'jobs_due'::regclass`)
  expect(index!.rows).toBe(open)
})

describe('rows whose shops take turns', () => {
  const returning = 'job.shop'
  const turnsDue: DueTable = { ...jobsDue, table: 'shop_jobs', turnColumn: 'shop', returning }

  const claimTurns = (limit: number, reader: Queryable = db) =>
    claimDue<{ shop: number }>(reader, turnsDue, { owner: 'ours', now, limit })
  const countByShop = async (limit: number, reader?: Queryable) => {
    const counts: Record<number, number> = {}
    for (const { shop } of await claimTurns(limit, reader)) counts[shop] = (counts[shop] ?? 0) + 1
    return counts
  }
  const insertTurns = (shop: number, count: number, dueAt = now, state = 'OPEN') =>
    db.rows(sql`
      insert into shop_jobs select gen_random_uuid(), 'ours', ${shop}, ${state},
        ${dueAt}::timestamptz - number * interval '1 second'
      from generate_series(0, ${count - 1}::int) number`)

  beforeAll(async () => {
    await db.rows(sql`
      create table shop_jobs (id uuid primary key, owner text not null, shop integer not null,
        state text not null, due_at timestamptz not null, attempts integer not null default 0)`)
    await db.rows(
      sql`create index shop_jobs_due on shop_jobs (owner, shop, due_at) where state = 'OPEN'`,
    )
  })

  beforeEach(async () => {
    await db.rows(sql`truncate shop_jobs`)
  })

  // Two shops have many rows that have long been due. Others have few, and still get a share.
  test('are claimed one of each shop, then a second of each, and so on', async () => {
    await insertTurns(1, 500)
    await insertTurns(2, 3)
    await insertTurns(3, 500)
    await insertTurns(4, 5, after(now, minute))
    await insertTurns(5, 1)
    expect(await countByShop(21)).toEqual({ 1: 9, 2: 3, 3: 8, 5: 1 })
    expect(await countByShop(20)).toEqual({ 1: 10, 3: 10 })
  })

  test('are claimed up to the share of each shop', async () => {
    for (const shop of [1, 2, 3, 4]) await insertTurns(shop, 50)
    const claimShares = async (limit: number, shares: TurnShares) => {
      const claimed = await claimDue<{ shop: number }>(db, turnsDue, {
        owner: 'ours',
        now,
        limit,
        shares,
      })
      return [1, 2, 3, 4].map((shop) => claimed.filter((row) => row.shop === shop).length)
    }
    const shares = { turns: [1, 2], limits: [0, 7], otherwise: 3 }
    expect(await claimShares(100, shares)).toEqual([0, 7, 3, 3])
    // Two of two shops, and one of a third: all are due at the same time.
    const fewer = await claimShares(5, shares)
    expect([fewer[0], fewer.slice(1).toSorted()]).toEqual([0, [1, 2, 2]])
    expect(await claimShares(100, { turns: [4], limits: [2], otherwise: 0 })).toEqual([0, 0, 0, 2])
  })

  test('are claimed once, by workers that claim at the same time', async () => {
    await insertTurns(1, 300)
    await insertTurns(2, 300)
    const sessions = await Promise.all(Array.from({ length: 4 }, () => openSession(db)))
    const work = async (session: pg.Client): Promise<number> => {
      let claimed = 0
      for (;;) {
        const [open] = await db.rows(sql`select from shop_jobs where due_at <= ${now} limit 1`)
        if (!open) return claimed
        claimed += (await claimTurns(20, readerOf(session))).length
      }
    }
    const claimed = await Promise.all(sessions.map(work))
    expect(claimed.reduce((sum, count) => sum + count, 0)).toBe(600)
  })

  test('are found by their index, however many are finished or not due', async () => {
    await insertTurns(1, 20_000, now, 'DONE')
    await insertTurns(1, 2_000, after(now, day))
    await insertTurns(2, 40)
    await db.rows(sql`analyze shop_jobs`)
    const session = await openSession(db)
    expect(await countByShop(10, readerOf(session))).toEqual({ 2: 10 })
    const times = [now.toISOString(), after(now, minute).toISOString()]
    const values = [...times, '10', 'ours', '{2,3}', '{5,0}', '10']
    for (const { scans } of await plansOf(session, 'claim_due_shop_jobs', values))
      expect(scans.filter((scan) => scan.startsWith('Seq Scan'))).toEqual([])
  })
})
