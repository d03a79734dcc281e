import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../base/config.js'
import { limits } from '../../base/limits.js'
import { Database } from '../../postgres/database.js'
import { postgresLimits } from '../../postgres/limits.js'
import { readPosition, readReplicaState } from '../../postgres/replica.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { doctorLimits } from '../limits.js'
import { type CheckResult, ok, warning } from './check-result.js'

const check = 'Replica'
const pollIntervalMs = doctorLimits.replicaPollIntervalMs

/** Warns at most: without the replica, lists are read from the primary. */
export async function examineReplica(
  primary: Queryable,
  read: Config['databaseRead'],
): Promise<CheckResult[]> {
  if (!read) return []
  const { connectMs } = limits.replica
  const statementMs = postgresLimits.quickStatementMs
  const replica = new Database(read.url.reveal(), () => {}, { size: 1, connectMs, statementMs })
  try {
    return [await compare(primary, replica, read.maxDelayMs)]
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? ` (${cause.message})` : ''
    const fix = 'Check DATABASE_READ_URL, and that the replica accepts connections from here.'
    return [warning(check, `not usable, lists use the primary: ${message}${reason}`, fix)]
  } finally {
    await replica.close()
  }
}

/** Notes where the primary is and waits until the replica is there. */
async function compare(
  primary: Queryable,
  replica: Queryable,
  maxDelayMs: number,
): Promise<CheckResult> {
  const waitMs = Math.min(maxDelayMs, doctorLimits.responseTimeoutMs)
  const wanted = await readPosition(primary)
  for (let waitedMs = 0; ; waitedMs += pollIntervalMs) {
    const { isReplica, isStreaming, isPaused, position } = await readReplicaState(replica)
    if (!isReplica)
      return warning(
        check,
        'not a replica, lists use the primary',
        'Set DATABASE_READ_URL to a streaming replica of DATABASE_URL.',
      )
    if (!isStreaming)
      return warning(
        check,
        'does not stream from a primary, lists use the primary',
        "Check the replica's log and its primary_conninfo.",
      )
    if (position >= wanted) return ok(check, `streaming, caught up after ${waitedMs} ms`)
    if (waitedMs >= waitMs)
      return warning(
        check,
        `${wanted - position} bytes behind after ${waitedMs} ms${isPaused ? ', replay is paused' : ''}`,
        isPaused
          ? 'Run `select pg_wal_replay_resume()` on the replica.'
          : 'Check its load and its network. Lists use the primary until it has caught up.',
      )
    await sleep(pollIntervalMs)
  }
}
