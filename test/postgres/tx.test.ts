import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { moveAll } from '../../src/ledger/move.js'
import { Database } from '../../src/postgres/database.js'
import { postgresLimits } from '../../src/postgres/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction, Tx } from '../../src/postgres/transactions/tx.js'
import { freshDatabase } from '../support/database.js'
import { now } from '../support/movements.js'
import { backendOf, openSession, until } from '../support/sessions.js'

const db = await freshDatabase()
await db.rows(sql`
  create table remarks (id integer primary key constraint note_is_small check (id < 100))`)
await db.rows(sql`
  create table promises (id integer references remarks deferrable initially deferred)`)
beforeEach(async () => {
  await db.rows(sql`truncate remarks, promises`)
})

async function listNotes(): Promise<number[]> {
  const rows = await db.rows(sql<{ id: number }>`select id from remarks order by id`)
  return rows.map(({ id }) => id)
}

async function endBackend(pid: number): Promise<void> {
  await db.rows(sql`select pg_terminate_backend(${pid}::int)`)
  await until(async () => {
    const there = await db.rows(sql`select from pg_stat_activity where pid = ${pid}`)
    return there.length === 0
  })
}

// Writes are not awaited, so the work ends before the database refuses one. The commit must throw
// the error of the write that failed, and nothing may be written.
test('a failed write surfaces its own error at commit, and nothing is written', async () => {
  const outcome = db.transaction(async (tx) => {
    tx.write(sql`insert into remarks values (1)`)
    tx.write(sql`insert into remarks values (100)`)
    tx.write(sql`insert into remarks values (2)`)
    return 'the work believes that all is well'
  })
  await expect(outcome).rejects.toMatchObject({ code: '23514', constraint: 'note_is_small' })
  expect(await listNotes()).toEqual([])
})

// After a failure the server answers everything with "current transaction is aborted" (25P02).
// Later queries and the commit must report the first failure instead.
test('the first failure is reported, not those that follow from it', async () => {
  const heard: unknown[] = []
  const outcome = db.transaction(async (tx) => {
    tx.write(sql`insert into remarks values (1), (1)`)
    tx.write(sql`insert into remarks values (100)`)
    await tx.rows(sql`select 1`).catch((error: unknown) => heard.push(error))
    await tx.rows(sql`select no_such_column`).catch((error: unknown) => heard.push(error))
    return 'carried on regardless'
  })
  await expect(outcome).rejects.toMatchObject({ code: '23505', constraint: 'remarks_pkey' })
  expect(heard).toMatchObject([{ code: '23505' }, { code: '23505' }])
  expect(await listNotes()).toEqual([])
})

// A failed query that the work ignores has aborted the transaction all the same.
test('a failure that the work ignores still fails the commit', async () => {
  const outcome = db.transaction(async (tx) => {
    tx.write(sql`insert into remarks values (1)`)
    await tx.rows(sql`select 1 / 0`).catch(() => {})
  })
  await expect(outcome).rejects.toMatchObject({ code: '22012' })
  expect(await listNotes()).toEqual([])
})

// A statement fails outside of the Tx. COMMIT then answers ROLLBACK without an error, and only its
// tag shows that nothing was written.
test('a commit that answers ROLLBACK is detected', async () => {
  const session = await openSession(db)
  const outcome = inTransaction(session, async (tx) => {
    await tx.rows(sql`insert into remarks values (1)`)
    await session.query('select 1 / 0').catch(() => {})
  })
  await expect(outcome).rejects.toThrow('rolled back for an unknown reason')
  expect(await listNotes()).toEqual([])
})

// Some constraints are checked only at commit. Then the commit itself fails with their names.
test('a deferred constraint fails the commit by name', async () => {
  const outcome = db.transaction(async (tx) => {
    tx.write(sql`insert into promises values (7)`)
  })
  await expect(outcome).rejects.toMatchObject({ code: '23503', constraint: 'promises_id_fkey' })
})

// The connection returns to the pool however the transaction ends. The next user must find it
// clean, without an open transaction.
test('a connection is clean after work that threw, failed a write or could not be encoded', async () => {
  const session = await openSession(db)
  const troubles = [
    async (tx: Tx) => {
      tx.write(sql`insert into remarks values (1)`)
      throw new Error('a bug of ours')
    },
    async (tx: Tx) => tx.write(sql`insert into remarks values (100)`),
    async (tx: Tx) =>
      tx.write({ text: 'insert into remarks values ($1)', values: [{ toPostgres }] }),
    async (tx: Tx) => {
      await tx.rows(sql`insert into remarks values (1) returning id`)
      await tx.rows(sql`select 1 / 0`)
    },
  ]
  for (const trouble of troubles) {
    await expect(inTransaction(session, trouble)).rejects.toThrow()
    const { rows } = await session.query('select pg_current_xact_id_if_assigned() as open')
    expect(rows).toEqual([{ open: null }])
  }
  await inTransaction(session, async (tx) => tx.write(sql`insert into remarks values (5)`))
  expect(await listNotes()).toEqual([5])
})

function toPostgres(): never {
  throw new Error('cannot be written')
}

// One branch of the work fails and another goes on. After the rollback the server would run the
// statement of the other branch on its own, and keep what it wrote.
test('work that goes on after its transaction was rolled back writes nothing', async () => {
  const session = await openSession(db)
  let late: Promise<unknown> | undefined
  const outcome = inTransaction(session, async (tx) => {
    await tx.rows(sql`select 1`)
    late = goOn(tx).catch((error: unknown) => error)
    throw new Error('a bug of ours')
  })
  await expect(outcome).rejects.toThrow('a bug of ours')
  expect(await late).toMatchObject({ message: 'the transaction has ended' })
  expect(await listNotes()).toEqual([])
})

async function goOn(tx: Tx): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  tx.write(sql`insert into remarks values (1)`)
  await tx.rows(sql`select 1`)
}

test('a transaction that is rolled back at once sends nothing', async () => {
  const session = await openSession(db)
  const tx = new Tx(session, { waitsForLocks: true })
  void tx.rows(sql`insert into remarks values (1)`)
  await tx.rollback()
  await session.query('select 1')
  expect(await listNotes()).toEqual([])
})

// The server ends the connection between two queries: nothing can be committed, and the error says
// so, which lets a lane retry.
test('a connection lost before commit is reported as lost, not as unknown', async () => {
  const session = await openSession(db)
  const outcome = inTransaction(session, async (tx) => {
    tx.write(sql`insert into remarks values (1)`)
    const [me] = await tx.rows(sql<{ pid: number }>`select pg_backend_pid() as pid`)
    await endBackend(me!.pid)
    await tx.rows(sql`select 1`)
  })
  await expect(outcome).rejects.toMatchObject({ name: 'ConnectionLost' })
  expect(await listNotes()).toEqual([])
  // The pool replaces the lost connection; a later transaction runs normally.
  await db.transaction(async (tx) => tx.write(sql`insert into remarks values (2)`))
  expect(await listNotes()).toEqual([2])
})

// The connection is cut with the commit on the way: the error must say that the outcome is unknown.
test('a connection lost after commit was sent is unknown', async () => {
  const session = await openSession(db)
  const pid = await backendOf(session)
  const outcome = inTransaction(session, async (tx) => {
    tx.write(sql`insert into remarks values (3)`)
    setImmediate(() => {
      const { connection } = session as unknown as { connection: { stream: { destroy(): void } } }
      connection.stream.destroy()
    })
    tx.write(sql`select pg_sleep(30)`)
  })
  await expect(outcome).rejects.toMatchObject({ name: 'OutcomeUnknown' })
  // The server still runs the statement; the next test needs the table.
  await endBackend(pid)
})

// Nothing that moves money accepts a pool: each statement would be its own transaction. The types
// enforce it, so this test is for the compiler.
test('a transaction is required by the types', () => {
  // @ts-expect-error A Database is not a Tx.
  const forgotten = () => moveAll(db, now, [])
  // @ts-expect-error Neither is anything that only looks like one.
  const disguised = () => moveAll({ rows: db.rows, write() {} }, now, [])
  expect([forgotten, disguised]).toHaveLength(2)
  expect(db).not.toBeInstanceOf(Tx)
})

// Both sides limit a statement: the client cuts the connection a second after the server should
// have cancelled it. A proof over the whole ledger takes longer than either.
test('a transaction that lifts its timeouts is ended neither by the server nor by the client', async () => {
  const hasty = new Database(db.url, () => {}, { statementMs: 100 })
  onTestFinished(() => hasty.close())
  const pause = (postgresLimits.responseGraceMs + 400) / 1_000
  const rows = await hasty.transaction((tx) => {
    tx.liftTimeouts()
    return tx.rows(sql<{ isDone: boolean }>`select pg_sleep(${pause}) is not null as is_done`)
  })
  expect(rows).toEqual([{ isDone: true }])
  await expect(hasty.rows(sql`select pg_sleep(${pause})`)).rejects.toMatchObject({ code: '57014' })
})
