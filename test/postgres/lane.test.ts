import type pg from 'pg'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { Refusal } from '../../src/base/refusal.js'
import { laneLimits } from '../../src/postgres/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { Busy } from '../../src/postgres/transactions/busy.js'
import { Lane, type LaneWork } from '../../src/postgres/transactions/lane.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { freshDatabase } from '../support/database.js'
import { openSession, until, untilBlocked } from '../support/sessions.js'

const db = await freshDatabase()
await db.rows(sql`
  create table remarks (
    place bigint generated always as identity,
    id integer primary key,
    text text not null constraint note_is_not_poison check (text <> 'poison'))`)
beforeEach(async () => {
  await db.rows(sql`truncate remarks restart identity`)
})

type Note = { id: number; text: string }

/** Writes remarks and answers each with its text. */
const writeNotes: LaneWork<Note, string> = async (tx, remarks) => {
  const accepted = remarks.filter(({ text }) => text !== 'refused')
  for (const { id, text } of accepted)
    tx.write(sql`insert into remarks (id, text) values (${id}, ${text})`)
  return remarks.map(({ text }) =>
    text === 'refused' ? new Refusal('forbidden', { message: 'Not this one.' }) : `kept ${text}`,
  )
}

function openLane(work = writeNotes): { lane: Lane<Note, string>; connections: pg.Client[] } {
  const connections: pg.Client[] = []
  const lane = new Lane<Note, string>({
    connect: async () => {
      const client = await connect(db.url, 'lane test')
      await client.query(`set lock_timeout = '30s'`)
      connections.push(client)
      return client
    },
    work,
  })
  onTestFinished(() => lane.close())
  return { lane, connections }
}

async function listNotes(): Promise<number[]> {
  const rows = await db.rows(sql<{ id: number }>`select id from remarks order by place`)
  return rows.map(({ id }) => id)
}

function countUpTo(length: number): number[] {
  return Array.from({ length }, (_, id) => id)
}

function toNotes(ids: number[], texts: Record<number, string> = {}): Note[] {
  return ids.map((id) => ({ id, text: texts[id] ?? `note ${id}` }))
}

/** Blocks the note of this id until the returned function is called. */
async function holdUp(id: number): Promise<() => Promise<void>> {
  const blocker = await openSession(db)
  await blocker.query('begin')
  await blocker.query(`insert into remarks (id, text) values (${id}, 'in the way')`)
  return async () => {
    await blocker.query('rollback')
  }
}

// One call in 64 makes the whole batch fail in the database, wherever it stands. It alone must
// fail, with its own error; the other 63 must be written and answered.
test.each([0, 37, 63])('a poison call at place %i never fails its neighbours', async (guilty) => {
  const { lane } = openLane()
  const remarks = toNotes(countUpTo(64), { [guilty]: 'poison' })
  const outcomes = await Promise.allSettled(remarks.map((note) => lane.run(note)))

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(63)
  expect(outcomes[guilty]).toMatchObject({
    status: 'rejected',
    reason: { code: '23514', constraint: 'note_is_not_poison' },
  })
  expect(await listNotes()).toEqual(countUpTo(64).filter((id) => id !== guilty))
  // Six halvings find one among 64; more would mean that innocent halves were halved too.
  expect(lane.stats).toMatchObject({ calls: 64, batches: 1, halved: 6, retried: 0, unknown: 0 })
})

// Here the work itself throws, before the database. The other calls must not notice.
test('a call that makes the work throw is isolated too', async () => {
  const { lane } = openLane(async (tx, remarks) => {
    if (remarks.some(({ text }) => text === 'bug')) throw new TypeError('a bug of ours')
    return writeNotes(tx, remarks)
  })
  const remarks = toNotes(countUpTo(32), { 5: 'bug', 6: 'poison', 31: 'bug' })
  const outcomes = await Promise.allSettled(remarks.map((note) => lane.run(note)))

  const failed = outcomes.flatMap(({ status }, id) => (status === 'rejected' ? [id] : []))
  expect(failed).toEqual([5, 6, 31])
  expect(outcomes[5]).toMatchObject({ reason: { message: 'a bug of ours' } })
  expect(outcomes[6]).toMatchObject({ reason: { code: '23514' } })
  expect(await listNotes()).toEqual(countUpTo(32).filter((id) => !failed.includes(id)))
})

// A refusal is an answer, not a failure: it halves nothing and affects no other call.
test('a refused call is refused alone', async () => {
  const { lane } = openLane()
  const remarks = toNotes(countUpTo(10), { 3: 'refused', 7: 'refused' })
  const outcomes = await Promise.allSettled(remarks.map((note) => lane.run(note)))

  for (const [id, outcome] of outcomes.entries()) {
    if (id === 3 || id === 7) expect(outcome).toMatchObject({ reason: { code: 'forbidden' } })
    else expect(outcome).toEqual({ status: 'fulfilled', value: `kept note ${id}` })
  }
  expect(await listNotes()).toEqual([0, 1, 2, 4, 5, 6, 8, 9])
  expect(lane.stats).toMatchObject({ batches: 1, halved: 0 })
})

// Six hundred calls in one turn fill more than two batches, and poison halves one of them. Rows
// must still be in order of arrival, and every caller must get its own answer.
test('batches keep the order of arrival and callers get their own answers', async () => {
  const sizes: number[] = []
  const { lane } = openLane((tx, remarks) => {
    sizes.push(remarks.length)
    return writeNotes(tx, remarks)
  })
  const ids = countUpTo(600)
  const outcomes = await Promise.allSettled(
    toNotes(ids, { 300: 'poison' }).map((note) => lane.run(note)),
  )
  const kept = ids.filter((id) => id !== 300)
  for (const id of kept)
    expect(outcomes[id]).toEqual({ status: 'fulfilled', value: `kept note ${id}` })
  expect(await listNotes()).toEqual(kept)
  expect(Math.max(...sizes)).toBe(laneLimits.callsPerBatchMax)
  expect(lane.stats).toMatchObject({ calls: 600, batches: 3 })
})

// Another session's lock holds the first commit open. The hundred calls that arrive meanwhile, in
// many turns of the event loop, must form one batch.
test('calls that arrive during a commit share a batch', async () => {
  const { lane } = openLane()
  const letGo = await holdUp(0)
  const first = lane.run({ id: 0, text: 'first' })
  await untilBlocked(db)

  const others: Promise<string>[] = []
  for (const note of toNotes(countUpTo(101).slice(1))) {
    others.push(lane.run(note))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(lane.stats).toMatchObject({ batches: 1, calls: 1 })
  await letGo()

  expect(await first).toBe('kept first')
  expect(await Promise.all(others)).toHaveLength(100)
  expect(lane.stats).toMatchObject({ batches: 2, calls: 101, halved: 0 })
  expect(await listNotes()).toHaveLength(101)
})

// A queue without a limit turns an outage into a crash. A call beyond the limit is refused
// immediately and nothing is done; those within it are all answered.
test('the queue has a limit, and beyond it nothing is done', async () => {
  const { lane } = openLane(async (tx, remarks) => {
    if (remarks[0]!.id === 0) await writeNotes(tx, remarks)
    return remarks.map(({ text }) => text)
  })
  const letGo = await holdUp(0)
  const first = lane.run({ id: 0, text: 'first' })
  await untilBlocked(db)
  const waiting = countUpTo(laneLimits.callsWaitingMax).map((id) =>
    lane.run({ id: id + 1, text: 'x' }),
  )
  await expect(lane.run({ id: -1, text: 'too many' })).rejects.toMatchObject({
    code: 'internal_error',
    reason: 'unavailable',
    status: 503,
  })
  await letGo()
  await Promise.all([first, ...waiting])
  expect(lane.stats.calls).toBe(laneLimits.callsWaitingMax + 1)
})

test('calls that wait for a lock count towards the limit of the queue', async () => {
  const lane = new Lane<Note, string>({
    connect: () => connect(db.url, 'lane test'),
    sideLanes: { nameOf: ({ text }) => text },
    async work(tx, remarks) {
      if (!tx.waitsForLocks) throw new Busy(new Map([['held', 'held']]))
      if (remarks[0]!.id === 0) await writeNotes(tx, remarks)
      return remarks.map(({ text }) => text)
    },
  })
  onTestFinished(() => lane.close())
  const letGo = await holdUp(0)
  const first = lane.run({ id: 0, text: 'held' })
  await untilBlocked(db)
  const waiting = countUpTo(laneLimits.callsWaitingMax).map((id) =>
    lane.run({ id: id + 1, text: 'held' }),
  )
  const refused = { reason: 'unavailable', status: 503 }
  await expect(lane.run({ id: -1, text: 'held' })).rejects.toMatchObject(refused)
  await letGo()
  await Promise.all([first, ...waiting])
})

// One batch is running and a second one waits. Every caller must get an answer, and the connection
// must be closed afterwards.
test('close answers all waiting calls, then closes the connection', async () => {
  const { lane, connections } = openLane()
  const letGo = await holdUp(0)
  const first = lane.run({ id: 0, text: 'first' })
  await untilBlocked(db)
  const others = toNotes(countUpTo(300).slice(1)).map((note) => lane.run(note))
  const closed = lane.close()
  await letGo()
  await closed

  // All are answered by now: a pending promise would lose each race.
  const answers = await Promise.all(
    [first, ...others].map((answer) => Promise.race([answer, Promise.resolve('no answer')])),
  )
  expect(answers).not.toContain('no answer')
  expect(await listNotes()).toHaveLength(300)
  await expect(connections[0]!.query('select 1')).rejects.toThrow('not queryable')
  await expect(lane.run({ id: 999, text: 'late' })).rejects.toThrow('Nothing was done')
  expect(connections).toHaveLength(1)
})

// The lane completes a deadlock and detects it first, so it is the victim. The server has rolled
// back and asks for a retry; the caller must not notice.
test('a batch that the server asks to retry is retried', async () => {
  await db.rows(sql`insert into remarks (id, text) values (1, 'one'), (2, 'two')`)
  const opponent = await openSession(db)
  await opponent.query(`set deadlock_timeout = '30s'`)
  await opponent.query('begin')
  await opponent.query('select from remarks where id = 2 for update')
  let ended: Promise<unknown> | undefined
  const { lane, connections } = openLane(async (tx) => {
    tx.write(sql`set local deadlock_timeout = '10ms'`)
    // The second time the opponent comes first, or the two could deadlock again.
    await ended
    await tx.rows(sql`select from remarks where id = 1 for update`)
    if (!ended) {
      ended = opponent.query('select from remarks where id = 1 for update; commit')
      await untilBlocked(db)
    }
    await tx.rows(sql`select from remarks where id = 2 for update`)
    return ['done']
  })

  expect(await lane.run({ id: 0, text: '' })).toBe('done')
  expect(lane.stats.retried).toBe(1)
  expect(connections).toHaveLength(1)
})

// The database cannot be reached. Halving cannot help: with 200 calls it would mean 400 waits for a
// connection. Every caller is refused after a few attempts, and the lane works again afterwards.
test.each([
  ['refused', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  ['too slow', new Error('timeout expired')],
  ['not found', Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' })],
])('an unreachable database (%s) does not halve the batch', async (_, failure) => {
  let tries = 0
  let isDown = true
  const lane = new Lane<Note, string>({
    connect: () => {
      tries += 1
      return isDown ? Promise.reject(failure) : connect(db.url, 'lane test')
    },
    work: writeNotes,
  })
  const outcomes = await Promise.allSettled(toNotes(countUpTo(200)).map((note) => lane.run(note)))
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'ConnectionLost' } })
  expect(tries).toBeGreaterThan(1)
  expect(tries).toBeLessThan(50)
  expect(lane.stats.halved).toBe(0)

  isDown = false
  expect(await lane.run({ id: 1, text: 'again' })).toBe('kept again')
  await lane.close()
})

// The server went away while the lane was idle. The next batch only writes, so it learns of the
// loss when it commits; but that commit was never sent, and "unknown" would be a false alarm.
test('a connection that died while idle causes no unknown outcome', async () => {
  const { lane, connections } = openLane()
  await lane.run({ id: 1, text: 'before' })
  let isNoticed = false
  connections[0]!.on('end', () => {
    isNoticed = true
  })
  await db.rows(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'lane test' and state = 'idle'`)
  await until(() => isNoticed)

  expect(await lane.run({ id: 2, text: 'after' })).toBe('kept after')
  expect(lane.stats).toMatchObject({ unknown: 0, retried: 1 })
  expect(await listNotes()).toEqual([1, 2])
})
