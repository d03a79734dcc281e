import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../base/limits.js'
import { explainError, type Logger } from '../../base/log.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { gather } from '../../postgres/transactions/gather.js'
import type { OpenedLane } from '../../postgres/transactions/lane.js'
import { isDiskFull } from '../../postgres/wire/failures.js'

export type Readiness = {
  /** Whether requests that write can be answered now. */
  isReady(): Promise<boolean>
  /** Reports a failed request, whose cause later checks must test. */
  noteFailure(error: unknown): void
}

type ReadinessDependencies = {
  /** Has connections that no request uses. */
  db: Database
  lanes: Pick<OpenedLane<unknown, unknown>, 'ping'>[]
  logger: Logger
}

/**
 * Ready when the database answers, also on the connection of every lane, and its disk is not full.
 * Concurrent checks share one round of statements.
 */
export function createReadiness({ db, lanes, logger }: ReadinessDependencies): Readiness {
  let isDiskInDoubt = false

  async function check(): Promise<boolean> {
    try {
      await withinTime([db.rows(sql`select`), ...lanes.map((lane) => lane.ping())])
      if (isDiskInDoubt) await writeSome(db)
      isDiskInDoubt = false
      return true
    } catch (error) {
      logger.warn(
        { why: explainError(error) },
        'not ready: the database does not answer or cannot write',
      )
      return false
    }
  }

  const shared = gather(async (checks: undefined[]) => {
    const isReady = await check()
    return checks.map(() => isReady)
  })
  return {
    isReady: () => shared(undefined),
    noteFailure(error) {
      isDiskInDoubt ||= isDiskFull(error)
    },
  }
}

async function withinTime(checks: Promise<unknown>[]): Promise<void> {
  const isLate = sleep(limits.http.readinessTimeoutMs, 'late' as const, { ref: false })
  if ((await Promise.race([Promise.all(checks), isLate])) === 'late')
    throw new Error('the database did not answer in time')
}

/** Allocates new disk blocks, which a small update would not, and releases them. */
async function writeSome(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    tx.write(sql`
      create temporary table disk_check on commit drop as
      select repeat(md5(number::text), 32) as text from generate_series(1, 1000) number`)
  })
}
