import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../src/base/limits.js'
import { moveAll } from '../../src/ledger/move.js'
import { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction, Tx } from '../../src/postgres/tx.js'
import { freshDatabase } from '../support/database.js'
import { now } from '../support/movements.js'
import { backendOf, openSession, until } from '../support/sessions.js'

const db = await freshDatabase()
await db.rows(sql`
  create table notes (id integer primary key constraint note_is_small check (id < 100))`)
await db.rows(sql`
  create table promises (id integer references notes deferrable initially deferred)`)
beforeEach(async () => {
  await db.rows(sql`truncate notes, promises`)
})

async function listNotes(): Promise<number[]> {
  const rows = await db.rows(sql<{ id: number }>`select id from notes order by id`)
  return rows.map(({ id }) => id)
}

async function endBackend(pid: number): Promise<void> {
  await db.rows(sql`select pg_terminate_backend(${pid}::int)`)
  await until(async () => {
    const there = await db.rows(sql`select from pg_stat_activity where pid = ${pid}`)
    return there.length === 0
  })
}

// Writes are not awaited, so the work is over before the database has said no. The commit must say it
// in the words of the write that failed, and nothing of the transaction may be there.
test('a failed write surfaces its own error at commit, and nothing is written', async () => {
  const outcome = db.transaction(async (tx) => {
    tx.write(sql`insert into notes values (1)`)
    tx.write(sql`insert into notes values (100)`)
    tx.write(sql`insert into notes values (2)`)
    return 'the work believes that all is well'
  })
  await expect(outcome).rejects.toMatchObject({ code: '23514', constraint: 'note_is_small' })
  expect(await listNotes()).toEqual([])
})

// After a failure the server answers everything with "current transaction is aborted" (25P02). That
// is noise: whoever asks next, and the commit, must hear of the first failure.
test('the first failure is told, not the failures that follow from it', async () => {
  const heard: unknown[] = []
  const outcome = db.transaction(async (tx) => {
    tx.write(sql`insert into notes values (1), (1)`)
    tx.write(sql`insert into notes values (100)`)
    await tx.rows(sql`select 1`).catch((error: unknown) => heard.push(error))
    await tx.rows(sql`select no_such_column`).catch((error: unknown) => heard.push(error))
    return 'carried on regardless'
  })
  await expect(outcome).rejects.toMatchObject({ code: '23505', constraint: 'notes_pkey' })
  expect(heard).toMatchObject([{ code: '23505' }, { code: '23505' }])
  expect(await listNotes()).toEqual([])
})

// A question that failed and was swallowed has lost the transaction all the same.
test('a failure that the work swallows still fails the commit', async () => {
  const outcome = db.transaction(async (tx) => {
    tx.write(sql`insert into notes values (1)`)
    await tx.rows(sql`select 1 / 0`).catch(() => {})
  })
  await expect(outcome).rejects.toMatchObject({ code: '22012' })
  expect(await listNotes()).toEqual([])
})

// A statement fails behind the transaction's back. COMMIT then answers ROLLBACK without any error,
// and only its tag tells: believing the answer would be believing in money that is not there.
test('a commit that answers rollback is caught', async () => {
  const session = await openSession(db)
  const outcome = inTransaction(session, async (tx) => {
    tx.write(sql`insert into notes values (1)`)
    await session.query('select 1 / 0').catch(() => {})
  })
  await expect(outcome).rejects.toThrow('rolled back for an unknown reason')
  expect(await listNotes()).toEqual([])
})

// Some rules are checked only at commit. Then the commit itself fails, and says why.
test('a rule that is checked at commit fails the commit by name', async () => {
  const outcome = db.transaction(async (tx) => {
    tx.write(sql`insert into promises values (7)`)
  })
  await expect(outcome).rejects.toMatchObject({ code: '23503', constraint: 'promises_id_fkey' })
})

// The connection goes back to the pool after every kind of end. Whoever gets it next must find it
// clean: no open transaction, nothing left over.
test('a connection is clean after work that threw, wrote wrongly or could not be encoded', async () => {
  const session = await openSession(db)
  const troubles = [
    async (tx: Tx) => {
      tx.write(sql`insert into notes values (1)`)
      throw new Error('a bug of ours')
    },
    async (tx: Tx) => tx.write(sql`insert into notes values (100)`),
    async (tx: Tx) => tx.write({ text: 'insert into notes values ($1)', values: [{ toPostgres }] }),
    async (tx: Tx) => {
      await tx.rows(sql`insert into notes values (1) returning id`)
      await tx.rows(sql`select 1 / 0`)
    },
  ]
  for (const trouble of troubles) {
    await expect(inTransaction(session, trouble)).rejects.toThrow()
    const { rows } = await session.query('select pg_current_xact_id_if_assigned() as open')
    expect(rows).toEqual([{ open: null }])
  }
  await inTransaction(session, async (tx) => tx.write(sql`insert into notes values (5)`))
  expect(await listNotes()).toEqual([5])
})

function toPostgres(): never {
  throw new Error('cannot be written')
}

// The server ends the connection between two questions: nothing can have been committed, and the
// error says so, which is what lets a lane try again.
test('a connection lost before commit is told as lost, not as unknown', async () => {
  const session = await openSession(db)
  const outcome = inTransaction(session, async (tx) => {
    tx.write(sql`insert into notes values (1)`)
    const [me] = await tx.rows(sql<{ pid: number }>`select pg_backend_pid() as pid`)
    await endBackend(me!.pid)
    await tx.rows(sql`select 1`)
  })
  await expect(outcome).rejects.toMatchObject({ name: 'ConnectionLost' })
  expect(await listNotes()).toEqual([])
  // The pool replaces what it lost; a later transaction runs as if nothing had been.
  await db.transaction(async (tx) => tx.write(sql`insert into notes values (2)`))
  expect(await listNotes()).toEqual([2])
})

// The line is cut with the commit on it. Nobody can know, and the error must not pretend to.
test('a connection lost after commit was sent is unknown', async () => {
  const session = await openSession(db)
  const pid = await backendOf(session)
  const outcome = inTransaction(session, async (tx) => {
    tx.write(sql`insert into notes values (3)`)
    setImmediate(() => {
      const { connection } = session as unknown as { connection: { stream: { destroy(): void } } }
      connection.stream.destroy()
    })
    tx.write(sql`select pg_sleep(30)`)
  })
  await expect(outcome).rejects.toMatchObject({ name: 'OutcomeUnknown' })
  // The server sleeps on and does not know; the next test needs the table.
  await endBackend(pid)
})

// Nothing that moves money takes a pool: each statement would be a transaction of its own. That is
// held by the types, so this test is for the compiler; without the error below it would not compile.
test('a transaction is required by the types', () => {
  // @ts-expect-error A Database is not a Tx.
  const forgotten = () => moveAll(db, now, [])
  // @ts-expect-error Neither is anything that only looks like one.
  const disguised = () => moveAll({ rows: db.rows, write() {} }, now, [])
  expect([forgotten, disguised]).toHaveLength(2)
  expect(db).not.toBeInstanceOf(Tx)
})

// Both sides limit a statement, and the client cuts the connection a second after the server should
// have cancelled it. A proof over all of the books takes longer than either.
test('a transaction that lifts its timeouts is cut neither by the server nor by the client', async () => {
  const hasty = new Database(db.url, () => {}, { statementMs: 100 })
  onTestFinished(() => hasty.close())
  const pause = (limits.postgres.silenceMs + 400) / 1_000
  const rows = await hasty.transaction((tx) => {
    tx.liftTimeouts()
    return tx.rows(sql<{ isDone: boolean }>`select pg_sleep(${pause}) is not null as "isDone"`)
  })
  expect(rows).toEqual([{ isDone: true }])
  await expect(hasty.rows(sql`select pg_sleep(${pause})`)).rejects.toMatchObject({ code: '57014' })
})
