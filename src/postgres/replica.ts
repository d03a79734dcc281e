import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { Database } from './database.js'
import { postgresLimits } from './limits.js'
import { sql } from './sql.js'
import type { Queryable, Source } from './transactions/tx.js'
import { ConnectionLost, isServerTrouble } from './wire/failures.js'

/** A position in the primary's write-ahead log, and a time at which it had not passed it. */
type Sample = { position: bigint; at: number }

type ReplicaDependencies = {
  url: string
  /** For reads that the replica does not answer. */
  primary: Queryable
  /** For asking the primary for its position: must not queue behind slow reads. */
  quickPrimary: Queryable
  maxDelayMs: number
  logger: Logger
  clock?: Clock
}

/**
 * A streaming replica for reads that may be a little old. The delay is measured about once a second
 * by position, not by time: the primary's position is noted, and once the replica has replayed it,
 * the replica has everything that was committed before. This needs no clock that two machines
 * share and no writes. It is right for an idle primary, where the last replayed commit is old, and
 * for a replica that lost its primary, which looks idle to itself.
 */
export class Replica {
  /** Statements by who answered them; `repeated` ones failed here and ran on the primary. */
  readonly reads = { replica: 0, primary: 0, repeated: 0 }
  readonly #db: Database
  readonly #checkDb: Database
  readonly #dependencies: ReplicaDependencies
  readonly #clock: Clock
  readonly #closing = new AbortController()
  readonly #checking: Promise<void>
  #samples: Sample[] = []
  /** The replica has everything that was committed before this time. */
  #currentAt: number | undefined
  /** Why the last check or read found the replica unusable. */
  #trouble: string | undefined = 'not checked yet'
  #isSlowUntil = 0
  #wasUsable: boolean | undefined

  constructor(dependencies: ReplicaDependencies) {
    const { url, logger } = dependencies
    const onIdleError = () => {} // reported by the next check
    const { statementMs, connectMs } = limits.replica
    this.#dependencies = dependencies
    this.#clock = dependencies.clock ?? systemClock
    this.#db = new Database(url, onIdleError, {
      statementMs,
      connectMs,
      applicationName: 'manilla lists',
      readsByKey: true,
    })
    this.#checkDb = new Database(url, onIdleError, {
      statementMs: postgresLimits.quickStatementMs,
      connectMs,
      size: 1,
      applicationName: 'manilla replica check',
    })
    this.#checking = this.#keepChecking().catch((error: unknown) =>
      logger.error({ err: error }, 'the replica is no longer checked; lists use the primary'),
    )
  }

  /** How old reads on the replica may be; undefined if that was never established. */
  get delayMs(): number | undefined {
    return this.#currentAt === undefined ? undefined : this.#clock.elapsedMs() - this.#currentAt
  }

  get isUsable(): boolean {
    if (this.#trouble !== undefined || this.#clock.elapsedMs() < this.#isSlowUntil) return false
    return (this.delayMs ?? Number.POSITIVE_INFINITY) <= this.#dependencies.maxDelayMs
  }

  /** For the statements of one request. */
  startReading(): ReplicaReader {
    return new ReplicaReader(this, this.#dependencies.primary)
  }

  /** Returns undefined if the replica is not usable or did not answer. */
  async tryRows<Row>(source: Source<Row>): Promise<Row[] | undefined> {
    if (!this.isUsable) {
      this.reads.primary += 1
      return undefined
    }
    try {
      const rows = await this.#db.rows(source)
      this.reads.replica += 1
      return rows
    } catch (error) {
      // Whatever it was, the primary decides: a conflict with replay, a lost connection, a table
      // that a migration has not reached yet.
      this.reads.repeated += 1
      this.#noteFailure(error)
      return undefined
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#checking
    await Promise.all([this.#db.close(), this.#checkDb.close()])
  }

  #noteFailure(error: unknown): void {
    this.#dependencies.logger.debug(
      { err: error },
      'a read failed on the replica; the primary repeats it',
    )
    // The next check that succeeds clears this.
    if (error instanceof ConnectionLost) this.#trouble = describe(error)
    // A check may still be fast, so that every read would wait here first.
    else if (isServerTrouble(error))
      this.#isSlowUntil = this.#clock.elapsedMs() + limits.replica.slowPauseMs
  }

  async #keepChecking(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await this.#samplePrimary()
      await this.#checkReplica()
      this.#logChange()
      await sleep(limits.replica.checkIntervalMs, undefined, { signal }).catch(() => {})
    }
  }

  async #samplePrimary(): Promise<void> {
    // Before the query: whatever was committed by then is before the position.
    const at = this.#clock.elapsedMs()
    const position = await readPosition(this.#dependencies.quickPrimary).catch(() => undefined)
    // Without a sample the delay grows until the replica is no longer used.
    if (position === undefined) return
    const last = this.#samples.at(-1)
    if (last && position < last.position) {
      // Another primary took over, without the end of the old one's log.
      this.#samples = []
      this.#currentAt = undefined
    }
    if (last?.position === position) last.at = at
    else this.#samples.push({ position, at })
    if (this.#samples.length > limits.replica.samplesMax) this.#samples.shift()
  }

  async #checkReplica(): Promise<void> {
    try {
      const state = await readReplicaState(this.#checkDb)
      this.#trouble = findTrouble(state)
      const reached = this.#samples.findLastIndex(({ position }) => position <= state.position)
      if (reached < 0) {
        // Never caught up, or restarted before what it had replayed.
        this.#trouble ??= 'behind the primary'
        return
      }
      this.#currentAt = this.#samples[reached]!.at
      this.#samples = this.#samples.slice(reached)
    } catch (error) {
      this.#trouble = describe(error)
    }
  }

  #logChange(): void {
    const { isUsable, delayMs } = this
    if (isUsable === this.#wasUsable) return
    this.#wasUsable = isUsable
    const { logger } = this.#dependencies
    if (isUsable) logger.info({ delayMs }, 'lists are read from the replica')
    else
      logger.warn(
        { delayMs, reason: this.#trouble ?? 'late or slow' },
        'lists are read from the primary',
      )
  }
}

/** Reads from the replica until one statement cannot, then from the primary. */
export class ReplicaReader implements Queryable {
  readonly #replica: Replica
  readonly #primary: Queryable
  /** Whether every statement so far was answered by the replica. */
  isOnReplica = true

  constructor(replica: Replica, primary: Queryable) {
    this.#replica = replica
    this.#primary = primary
  }

  async rows<Row>(source: Source<Row>): Promise<Row[]> {
    const rows = this.isOnReplica ? await this.#replica.tryRows(source) : undefined
    if (rows) return rows
    this.isOnReplica = false
    return this.#primary.rows(source)
  }
}

/** The end of the primary's log, in bytes. Fails on a replica. */
export async function readPosition(primary: Queryable): Promise<bigint> {
  const [row] = await primary.rows(sql<{ position: bigint }>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as position`)
  return row!.position
}

export type ReplicaState = {
  isReplica: boolean
  isStreaming: boolean
  isPaused: boolean
  /** How much of the primary's log it has replayed. */
  position: bigint
}

export async function readReplicaState(replica: Queryable): Promise<ReplicaState> {
  const [row] = await replica.rows(sql<ReplicaState>`
    select pg_is_in_recovery() as is_replica, exists (select from pg_stat_wal_receiver) as
      is_streaming, case when pg_is_in_recovery() then pg_is_wal_replay_paused() else false end as
      is_paused,
      coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint as position`)
  return row!
}

/**
 * A replica that does not stream is not used even if its position looks current: after a failover
 * it may hold the end of the old primary's log, which the new one does not have.
 */
function findTrouble({ isReplica, isStreaming }: ReplicaState): string | undefined {
  if (!isReplica) return 'not a replica'
  return isStreaming ? undefined : 'not streaming from a primary'
}

function describe(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
