import { type Clock, minute, second } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { listDisputes } from '../../payouts/reconciliation/disputes.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { listExpiredAttempts } from '../../wallets/expired-attempts.js'
import { countTroubledWallets } from '../../wallets/troubled-wallets.js'
import { doctorLimits } from '../limits.js'
import { readWorkers } from '../metrics/worker-heartbeats.js'
import { type CheckResult, failure, ok, warning } from './check-result.js'

type WorkDependencies = { db: Database; clock: Clock }

export async function examineService(url: string | undefined): Promise<CheckResult> {
  const start = 'Run `npm start`, or `manilla serve` and `manilla work`.'
  if (url === undefined) return warning('Service', 'not started yet', start)
  try {
    const response = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(doctorLimits.responseTimeoutMs),
    })
    if (response.ok) return ok('Service', `ready at ${url}`)
    return failure('Service', `${url} responds with ${response.status}`, 'See the service log.')
  } catch {
    return failure('Service', `no response from ${url}`, start)
  }
}

/** Reports a missing worker after 10 seconds, long before any work is overdue. */
export async function examineWorkers(db: Database): Promise<CheckResult[]> {
  const { alive, missed, lastBeatAgeMs, lateJobs } = await readWorkers(db)
  const start = 'Start `manilla work` (or `npm start`), and let your process manager restart it.'
  if (alive === 0) {
    const since =
      lastBeatAgeMs === null
        ? 'no heartbeat within the last day'
        : `the last heartbeat was ${Math.round(lastBeatAgeMs / second)} s ago`
    return [failure('Workers', `no worker is running: ${since}`, start)]
  }
  const count = `${alive} running`
  const running =
    missed === 0
      ? ok('Workers', count)
      : warning('Workers', `${count}; ${missed} crashed within the last hour`, start)
  if (lateJobs.length === 0) return [running]
  const fix = 'Search the worker logs for "job failed". Restart the workers if a job hangs.'
  return [running, failure('Jobs', `late: ${lateJobs.join(', ')}`, fix)]
}

export async function examineWork({ db, clock }: WorkDependencies): Promise<CheckResult[]> {
  return [
    ...(await examineOverdue({ db, clock })),
    ...(await examineReceivers({ db, clock })),
    ...(await examineDecisions(db)),
    ...(await examineDisputes(db, clock)),
    ...(await examineExpired(db, clock)),
  ]
}

async function examineExpired(db: Database, clock: Clock): Promise<CheckResult[]> {
  const now = clock.now()
  const expired = await listExpiredAttempts(db, now, doctorLimits.expiredListedMax)
  return expired.map(({ rail, reference, token, signedAt }) => {
    const minutes = Math.floor((now.getTime() - signedAt.getTime()) / minute)
    return failure(
      'Transactions',
      `${reference} on ${rail} is open ${minutes} minutes after ${token} was signed and expired`,
      'docs/operating/running.md explains which RPC node to fix.',
    )
  })
}

async function examineDisputes(db: Database, clock: Clock): Promise<CheckResult[]> {
  const disputes = await listDisputes(db, clock.now())
  return disputes.map(({ rail, subject, hosts, firstSeenAt }) =>
    failure(
      'Endpoints',
      `${hosts} disagree about ${subject} of ${rail} since ${firstSeenAt.toISOString()}`,
      'docs/operating/running.md explains how to find the wrong one.',
    ),
  )
}

/**
 * Due rows that no worker has done in minutes, by kind of work. Webhooks to endpoints that fail are
 * not counted: each holds a worker until it times out, and others must not wait for it.
 */
export async function countOverdue({
  db,
  clock,
}: WorkDependencies): Promise<{ what: string; count: bigint }[]> {
  const before = new Date(clock.now().getTime() - doctorLimits.overdueAfterMs)
  return db.rows(sql<{ what: string; count: bigint }>`
    select 'webhooks' as what, count(*) as count from deliveries d
      join webhook_endpoints e on e.environment_id = d.environment_id and e.id = d.endpoint_id
      where d.state = 'PENDING' and d.due_at < ${before} and e.is_enabled
        and e.failing_since is null
    union all
    select 'payouts', count(*) from payout_attempts where state = 'LIVE' and due_at < ${before}
    union all
    select 'returns', count(*) from payment_returns where state = 'WAITING' and due_at < ${before}
    union all
    select 'payments', count(*) from notices where state = 'WAITING' and due_at < ${before}
    union all
    select 'settlements', count(*) from settlement_schedules where due_at < ${before}`)
}

async function examineOverdue(dependencies: WorkDependencies): Promise<CheckResult[]> {
  const rows = await countOverdue(dependencies)
  const late = rows.filter(({ count }) => count > 0n)
  if (late.length === 0) return [ok('Work', 'nothing overdue')]
  const message = late.map(({ what, count }) => `${count} ${what}`).join(', ')
  return [failure('Work', `overdue: ${message}`, 'Keep `manilla work` or `npm start` running.')]
}

type FailingEndpoint = { id: string; since: Date; waiting: number }

/** Merchants' endpoints that fail. More workers would not help. */
async function examineReceivers({ db, clock }: WorkDependencies): Promise<CheckResult[]> {
  const before = new Date(clock.now().getTime() - doctorLimits.overdueAfterMs)
  const { rowsCountedMax } = limits.metrics
  const failing = await db.rows(sql<FailingEndpoint>`
    select e.id, e.failing_since as since, (
      select count(*) from (
        select from deliveries d
        where d.environment_id = e.environment_id and d.endpoint_id = e.id
          and d.state = 'PENDING' limit ${rowsCountedMax}) as pending)::int as waiting
    from webhook_endpoints e
    where e.is_enabled and e.deleted_at is null and e.failing_since < ${before}
    order by e.failing_since limit ${rowsCountedMax}`)
  const [longest] = failing
  if (!longest) return []
  const waiting = failing.reduce((sum, endpoint) => sum + endpoint.waiting, 0)
  const named = failing
    .slice(0, doctorLimits.endpointsNamedMax)
    .map(({ id }) => toReference(prefixes.webhookEndpoint, id))
  const more = failing.length > named.length ? ` and ${failing.length - named.length} more` : ''
  return [
    warning(
      'Receivers',
      `${failing.length} webhook endpoints fail, the longest since ${longest.since.toISOString()}: ` +
        `${named.join(', ')}${more}; ${waiting} webhooks wait for them`,
      'Their merchants fix them. Workers keep trying and are not behind because of them.',
    ),
  ]
}

/** Work that needs an operator. */
async function examineDecisions(db: Database): Promise<CheckResult[]> {
  const [review] = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from payouts where status = 'SUBMITTED' and is_review_required`)
  const [disabled] = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from webhook_endpoints
    where disabled_reason in ('gone', 'failing') and deleted_at is null`)
  const [unmatched] = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from notices where state in ('UNMATCHED', 'REFUSED')`)
  const troubled = await countTroubledWallets(db)
  return [
    ...warnIfAny(
      review!.count,
      'Payouts',
      'need review: ask the bank for their outcome',
      'Run `npx manilla payouts open`, then `payouts decide`.',
    ),
    ...warnIfAny(
      unmatched!.count,
      'Notices',
      'unmatched or refused bank payments',
      'Run `npx manilla notices open`.',
    ),
    ...warnIfAny(
      disabled!.count,
      'Webhooks',
      'endpoints disabled after failures',
      'Their merchants fix them, then run `webhook-endpoints update --enabled true`.',
    ),
    ...troubled.map(({ rail, count }) =>
      failure(
        'Wallets',
        `${count} wallets of ${rail} cannot be read`,
        'docs/operating/running.md explains why.',
      ),
    ),
  ]
}

function warnIfAny(count: bigint, check: string, message: string, fix: string): CheckResult[] {
  return count === 0n ? [] : [warning(check, `${count} ${message}`, fix)]
}
