import { type Clock, second } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { listDisputes } from '../../payouts/disputes.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { countTroubledWallets } from '../../wallets/troubled-wallets.js'
import { readWorkers } from '../worker-heartbeats.js'
import { type CheckResult, remark, well, wrong } from './finding.js'

type Tools = { db: Database; clock: Clock }

export async function examineService(url: string | undefined): Promise<CheckResult> {
  const start = 'npm start, or `manilla serve` and `manilla work`.'
  if (url === undefined) return remark('Service', 'has not been started here', start)
  try {
    const response = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(limits.doctor.answerMs),
    })
    if (response.ok) return well('Service', `is ready at ${url}`)
    return wrong('Service', `${url} answers ${response.status}`, 'Its log says why.')
  } catch {
    return wrong('Service', `does not answer at ${url}`, start)
  }
}

/** Missing within 15 seconds of the last heartbeat, long before any work is overdue. */
export async function examineWorkers(db: Database): Promise<CheckResult[]> {
  const { alive, missed, lastBeatAgeMs, lateJobs } = await readWorkers(db)
  const start = 'Start `manilla work` (or `npm start`), and let your process manager restart it.'
  if (alive === 0) {
    const since =
      lastBeatAgeMs === null
        ? 'none has reported within the last day'
        : `the last heartbeat was ${Math.round(lastBeatAgeMs / second)} s ago`
    return [wrong('Workers', `No worker is running: ${since}`, start)]
  }
  const count = alive === 1 ? '1 is running' : `${alive} are running`
  const running =
    missed === 0
      ? well('Workers', count)
      : remark('Workers', `${count}; ${missed} ended within the last hour without stopping`, start)
  if (lateJobs.length === 0) return [running]
  const mend = 'Search the log of the workers for "a job failed"; restart them if a job hangs.'
  return [running, wrong('Jobs', `late: ${lateJobs.join(', ')}`, mend)]
}

export async function examineWork({ db, clock }: Tools): Promise<CheckResult[]> {
  return [
    ...(await examineOverdue({ db, clock })),
    ...(await examineDecisions(db)),
    ...(await examineDisputes(db, clock)),
  ]
}

async function examineDisputes(db: Database, clock: Clock): Promise<CheckResult[]> {
  const disputes = await listDisputes(db, clock.now())
  return disputes.map(({ rail, subject, hosts, firstSeenAt }) =>
    wrong(
      'Endpoints',
      `${hosts} contradict each other about ${subject} of ${rail} since ${firstSeenAt.toISOString()}`,
      'docs/operating/running.md says how to find the wrong one.',
    ),
  )
}

async function examineOverdue({ db, clock }: Tools): Promise<CheckResult[]> {
  const before = new Date(clock.now().getTime() - limits.doctor.lateMs)
  const rows = await db.rows(sql<{ what: string; count: bigint }>`
    select 'webhooks' as what, count(*) as count from deliveries d
      join webhook_endpoints e on e.environment_id = d.environment_id and e.id = d.endpoint_id
      where d.state = 'PENDING' and d.due_at < ${before} and e.is_enabled
    union all
    select 'payouts', count(*) from payout_attempts where state = 'LIVE' and due_at < ${before}
    union all
    select 'returns', count(*) from payment_returns where state = 'WAITING' and due_at < ${before}
    union all
    select 'payments', count(*) from notices where state = 'WAITING' and due_at < ${before}`)
  const late = rows.filter(({ count }) => count > 0n)
  if (late.length === 0) return [well('Work', 'nothing is overdue')]
  const says = late.map(({ what, count }) => `${count} ${what}`).join(', ')
  return [wrong('Work', `overdue: ${says}`, 'Run `manilla work`, or `npm start`, and keep it up.')]
}

/** What only a person can decide. */
async function examineDecisions(db: Database): Promise<CheckResult[]> {
  const [review] = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from payouts where status = 'SUBMITTED' and is_review_required`)
  const [disabled] = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from webhook_endpoints
    where disabled_reason in ('gone', 'failing') and deleted_at is null`)
  const [homeless] = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from notices where state in ('UNMATCHED', 'REFUSED')`)
  const troubled = await countTroubledWallets(db)
  return [
    ...ifAny(review!.count, (count) => [
      ...(['Payouts', `${count} need somebody to ask the bank`] as const),
      'npx manilla payouts open, then payouts decide.',
    ]),
    ...ifAny(homeless!.count, (count) => [
      ...(['Notices', `${count} payments fit no account, or were refused`] as const),
      'npx manilla notices open.',
    ]),
    ...ifAny(disabled!.count, (count) => [
      ...(['Webhooks', `${count} endpoints were disabled because they failed`] as const),
      'Their merchants mend and enable them: webhook-endpoints update --enabled true.',
    ]),
    ...troubled.map(({ rail, count }) =>
      wrong('Wallets', `${count} of ${rail} cannot be read`, 'docs/operating/running.md says why.'),
    ),
  ]
}

function ifAny(count: bigint, say: (count: bigint) => readonly [string, string, string]) {
  return count === 0n ? [] : [remark(...say(count))]
}
