import { type Clock, type RealTime, second } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { type PayoutKind, payoutKinds } from '../../payouts/payout.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { listExpiredAttempts } from '../../wallets/expired-attempts.js'

export type DueLag = { work: string; lagSeconds: number }

/** Deliveries that are not sent yet, counted up to a limit. */
export type WebhookBacklog = {
  due: number
  /** Failed before; the next attempt is not due yet. */
  waiting: number
  failingEndpoints: number
  /** How long the endpoint that fails longest has been failing. */
  failingSeconds: number
}

export type OpenPayouts = {
  kind: PayoutKind
  state: 'submitted' | 'review'
  /** Up to a limit, oldest first. */
  count: number
  /** Age of the oldest. */
  ageSeconds: number
}

/** Transactions that expired and have no outcome, by rail. */
export type ExpiredAttempts = { rail: string; count: number; ageSeconds: number }

export type WorkFigures = {
  expired: ExpiredAttempts[]
  dueLag: DueLag[]
  webhooks: WebhookBacklog
  payouts: OpenPayouts[]
  databaseBytes: number
}

/**
 * State of all open work. Every query reads index ranges of open rows, up to a limit, so it costs
 * the same however many rows have ended. Scrapes within some seconds share one result.
 */
export function createWorkFigures({
  db,
  clock,
}: {
  db: Queryable
  clock: Clock
}): () => Promise<WorkFigures> {
  let latest: { at: number; figures: Promise<WorkFigures> } | undefined
  return () => {
    const at = clock.elapsedMs()
    if (latest && at - latest.at < limits.metrics.cacheMs) return latest.figures
    const figures = readWorkFigures(db, clock.now())
    latest = { at, figures }
    // A failure is not kept: the next scrape reads again.
    figures.catch(() => {
      latest = undefined
    })
    return figures
  }
}

async function readWorkFigures(db: Queryable, now: RealTime): Promise<WorkFigures> {
  // One after the other: a scrape takes one connection from the work.
  const dueLag = await readDueLag(db, now)
  const webhooks = await readBacklog(db, now)
  const payouts = await readOpenPayouts(db, now)
  const expired = await readExpired(db, now)
  const [size] = await db.rows(sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`)
  return { dueLag, webhooks, payouts, expired, databaseBytes: size!.bytes }
}

async function readExpired(db: Queryable, now: RealTime): Promise<ExpiredAttempts[]> {
  const attempts = await listExpiredAttempts(db, now, limits.metrics.rowsCountedMax)
  const rails = [...new Set(attempts.map(({ rail }) => rail))]
  return rails.map((rail) => {
    const own = attempts.filter((attempt) => attempt.rail === rail)
    const ageSeconds = (now.getTime() - own[0]!.signedAt.getTime()) / second
    return { rail, count: own.length, ageSeconds }
  })
}

/** Deliveries are read per endpoint, one index probe each, because there may be very many. */
async function readDueLag(db: Queryable, now: RealTime): Promise<DueLag[]> {
  return db.rows(sql<DueLag>`
    select work,
      coalesce(greatest(extract(epoch from ${now}::timestamptz - due_at), 0), 0)::float8
        as lag_seconds
    from (
      select 'webhooks' as work, min(d.due_at) as due_at from webhook_endpoints e
        cross join lateral (
          select due_at from deliveries
          where environment_id = e.environment_id and endpoint_id = e.id and state = 'PENDING'
          order by due_at limit 1) as d
        where e.is_enabled
      union all
      select 'expiries', (
        select due_at from collection_accounts where status = 'ACTIVE' and due_at is not null
        order by due_at limit 1)
      union all
      select 'settlements', least(
        (select min(due_at) from settlement_schedules where mode = 'test'),
        (select min(due_at) from settlement_schedules where mode = 'live'))
      union all ${oldestByRail('payouts', 'payout_attempts', sql`state = 'LIVE'`)}
      union all ${oldestByRail('returns', 'payment_returns', sql`state = 'WAITING'`)}
      union all ${oldestByRail('payments', 'notices', waitingNotice, sql`state = 'WAITING'`)}
      union all ${oldestByRail('hints', 'notice_hints', sql`state = 'OPEN'`)}
      union all ${oldestByRail('wallets', 'token_accounts', sql`true`)}
      union all ${oldestByRail('sweeps', 'sweeps', sql`state = 'LIVE'`)}) as oldest`)
}

/** The condition of the index, which covers unmatched notices too. */
const waitingNotice = sql`state in ('WAITING', 'UNMATCHED')`

/**
 * One probe per rail of an index on (rail, due_at). A plain minimum would read all open rows, and
 * those of wallets are never closed.
 */
function oldestByRail(work: string, table: string, condition: Sql, counted: Sql = sql`true`): Sql {
  const from = sql.identifier(table)
  return sql`
    select ${sql.raw(`'${work}'`)}, min(due_at) from (
      with recursive rails as (
        (select rail from ${from} where ${condition} order by rail limit 1)
        union all
        select (select rail from ${from} where ${condition} and rail > rails.rail
          order by rail limit 1)
        from rails where rails.rail is not null)
      select due_at from rails cross join lateral (
        select due_at from ${from}
        where ${condition} and ${counted} and rail = rails.rail order by due_at limit 1) as first
      where rails.rail is not null) as firsts`
}

async function readBacklog(db: Queryable, now: RealTime): Promise<WebhookBacklog> {
  const { rowsCountedMax } = limits.metrics
  const count = (condition: Sql) => sql`(
    select count(*) from (
      select from webhook_endpoints e cross join lateral (
        select from deliveries d
        where d.environment_id = e.environment_id and d.endpoint_id = e.id
          and d.state = 'PENDING' and ${condition}
        limit ${rowsCountedMax}) as pending
      where e.is_enabled limit ${rowsCountedMax}) as counted)::int`
  const [row] = await db.rows(sql<WebhookBacklog>`
    select ${count(sql`d.due_at <= ${now}`)} as due, ${count(sql`d.due_at > ${now}`)} as waiting,
      count(*)::int as failing_endpoints,
      coalesce(greatest(extract(epoch from ${now}::timestamptz - min(failing_since)), 0), 0)::float8
        as failing_seconds
    from webhook_endpoints where is_enabled and failing_since is not null`)
  return row!
}

/** Every kind and state has a figure, so that a count of 0 is reported as such. */
async function readOpenPayouts(db: Queryable, now: RealTime): Promise<OpenPayouts[]> {
  const rows = await db.rows(sql<OpenPayouts>`
    select kind, case when is_review_required then 'review' else 'submitted' end as state,
      count(*)::int as count,
      greatest(extract(epoch from ${now}::timestamptz - min(submitted_at)), 0)::float8
        as age_seconds
    from (
      select kind, is_review_required, submitted_at from payouts
      where status = 'SUBMITTED' order by submitted_at limit ${limits.metrics.rowsCountedMax}
    ) as open
    group by 1, 2`)
  const kinds = Object.keys(payoutKinds) as PayoutKind[]
  return kinds.flatMap((kind) =>
    (['submitted', 'review'] as const).map((state) => {
      const found = rows.find((row) => row.kind === kind && row.state === state)
      return found ?? { kind, state, count: 0, ageSeconds: 0 }
    }),
  )
}
