import { after, type RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { collectionLimits } from '../limits.js'
import type { CollectionRail, ReportedPayment } from '../ports.js'
import { type BankPage, readBankPages } from './read-bank.js'
import { insertNotices } from './store-notices.js'

type FetchDependencies = { db: Database; rail: CollectionRail; mode: Mode; logger: Logger }

/**
 * Lists a bank's payments and stores notices for those it never sent one for: the recent ones at
 * every run, and, page by page over several runs, those since the last clean reconciliation. If a
 * notice arrives later, it is ignored as a duplicate. Returns how many payments were missed.
 */
export async function fetchMissedPayments(
  dependencies: FetchDependencies,
  now: Date,
): Promise<number> {
  const { missedPaymentsLookbackMs, missedPaymentsAgeMinMs } = collectionLimits
  const recentFrom = after(now, -missedPaymentsLookbackMs)
  const recent = await fetchRecent(dependencies, now, {
    from: recentFrom,
    to: after(now, -missedPaymentsAgeMinMs),
  })
  return recent + (await searchFurther(dependencies, now, recentFrom))
}

type Period = { from: Date; to: Date }

async function fetchRecent(
  dependencies: FetchDependencies,
  now: Date,
  period: Period,
): Promise<number> {
  const { db, rail, mode, logger } = dependencies
  const missed: ReportedPayment[] = []
  let isComplete = false
  for await (const page of readBankPages(db, { rail, mode, ...period })) {
    missed.push(...findMissed(page, period.to))
    isComplete = page.next === null
  }
  if (!isComplete)
    logger.warn({ rail: rail.name, ...period }, 'bank has more payments than the page limit')
  await db.transaction(async (tx) => storeMissed(dependencies, tx, now, missed))
  return missed.length
}

/**
 * Banks may list more than the period. Payments after it are left to their notices, which may still
 * arrive and know more: some banks list payments without the sender, to whom the money goes back.
 */
function findMissed({ payments }: BankPage, to: Date): ReportedPayment[] {
  return payments
    .filter(({ payment, recorded }) => !recorded && payment.receivedAt < to)
    .map(({ payment }) => payment)
}

type Search = Period & { nextPage: string | null }

/**
 * The next pages of the search between the last clean reconciliation and the recent payments. The
 * place is committed with what was found, so a worker that is killed loses neither.
 */
async function searchFurther(
  dependencies: FetchDependencies,
  now: Date,
  to: Date,
): Promise<number> {
  const { db, rail, mode } = dependencies
  const search = await claimSearch(dependencies, now, to)
  if (!search) return 0
  const missed: ReportedPayment[] = []
  let { nextPage } = search
  const pages = readBankPages(db, {
    rail,
    mode,
    from: search.from,
    to: search.to,
    first: nextPage ?? undefined,
    pagesMax: collectionLimits.missedPagesPerRunMax,
  })
  for await (const page of pages) {
    missed.push(...findMissed(page, search.to))
    nextPage = page.next
  }
  await db.transaction(async (tx) => {
    storeMissed(dependencies, tx, now, missed)
    const isDone = nextPage === null
    const dueAt = isDone ? after(now, collectionLimits.missedSearchIntervalMs) : now
    tx.write(sql`
      update payment_searches set next_page = ${nextPage}, due_at = ${dueAt}
      where rail = ${rail.name} and period_from = ${search.from} and period_to = ${search.to}`)
  })
  return missed.length
}

/**
 * Continues a search, or begins the next one. Undefined: it is not due, another worker has it, or
 * the recent payments are all since the last clean reconciliation.
 */
async function claimSearch(
  { db, rail }: FetchDependencies,
  now: Date,
  to: Date,
): Promise<Search | undefined> {
  const from = await findStart(db, rail.name)
  const leaseEnd = after(now, collectionLimits.missedSearchLeaseMs)
  const hasPeriod = from !== null && from < to
  const [row] = await db.rows(sql<Search>`
    ${
      hasPeriod
        ? sql`
          insert into payment_searches as s (rail, period_from, period_to, due_at)
          values (${rail.name}, ${from}, ${to}, ${leaseEnd})
          on conflict (rail) do update set due_at = excluded.due_at,
            period_from = case when s.next_page is null
              then excluded.period_from else s.period_from end,
            period_to = case when s.next_page is null then excluded.period_to else s.period_to end
          where s.due_at <= ${now}`
        : sql`
          update payment_searches s set due_at = ${leaseEnd}
          where rail = ${rail.name} and next_page is not null and due_at <= ${now}`
    }
    returning period_from as "from", period_to as "to", next_page`)
  return row
}

/** The last clean reconciliation; before the first, when the first merchant was created. */
async function findStart(db: Database, rail: string): Promise<Date | null> {
  const [row] = await db.rows(sql<{ start: Date | null }>`
    select coalesce(
      (select agreed_at from reconciliations where rail = ${rail}),
      (select min(created_at) from merchants)) as start`)
  return row!.start
}

function storeMissed(
  { rail, mode, logger }: FetchDependencies,
  tx: Tx,
  now: RealTime,
  missed: ReportedPayment[],
): void {
  if (missed.length === 0) return
  logger.warn({ rail: rail.name, count: missed.length }, 'bank sent no notice for some payments')
  const notices = missed.map((payment) => ({
    rail: rail.name,
    mode,
    id: payment.id,
    reported: payment,
    body: null,
  }))
  insertNotices(tx, { now, dueAt: now }, notices)
}
