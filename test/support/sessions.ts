import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { onTestFinished } from 'vitest'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { toStatement } from '../../src/postgres/statement.js'
import { runAlone } from '../../src/postgres/transactions/flush.js'
import type { Queryable, Source } from '../../src/postgres/transactions/tx.js'
import { connect } from '../../src/postgres/wire/connection.js'

/**
 * A separate connection without a lock timeout: tests block others by locks, and a slow machine must
 * not turn that into a timeout.
 */
export async function openSession(db: Database): Promise<pg.Client> {
  const session = await connect(db.url, 'manilla test')
  await session.query(`set lock_timeout = '30s'`)
  onTestFinished(() => session.end())
  return session
}

export function readerOf(session: pg.Client): Queryable {
  return {
    async rows<Row>(source: Source<Row>) {
      const { rows } = await runAlone(session, toStatement(source))
      return rows as Row[]
    },
  }
}

export async function backendOf(session: pg.Client): Promise<number> {
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]!.pid
}

const longestPauseMs = 20

/**
 * Waits for a condition; the test's timeout is the limit. Polls less and less often, to leave the
 * processor to the code under test.
 */
export async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  let pauseMs = 2
  while (!(await isTrue())) {
    await sleep(pauseMs)
    pauseMs = Math.min(pauseMs + 1, longestPauseMs)
  }
}

/** Waits until this many connections wait for a lock. */
export async function untilBlocked(db: Queryable, count = 1): Promise<void> {
  await until(async () => {
    const [row] = await db.rows(sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    return row!.waiting >= count
  })
}

/** Waits until another session waits for a lock of this one. */
export async function untilInTheWay(db: Queryable, session: pg.Client): Promise<void> {
  const pid = (session as unknown as { processID: number }).processID
  await until(async () => {
    const waiting = await db.rows(sql`
      select from pg_stat_activity
      where datname = current_database() and ${pid}::int = any (pg_blocking_pids(pid))`)
    return waiting.length > 0
  })
}

/** Deadlocks so far. Connections report theirs when they close. */
export async function countDeadlocks(db: Queryable): Promise<bigint> {
  await until(async () => {
    const [row] = await db.rows(sql<{ others: number }>`
      select count(*)::int as others from pg_stat_activity
      where datname = current_database() and application_name like 'lane %'`)
    return row!.others === 0
  })
  const [row] = await db.rows(sql<{ deadlocks: bigint }>`
    select deadlocks from pg_stat_database where datname = current_database()`)
  return row!.deadlocks
}
