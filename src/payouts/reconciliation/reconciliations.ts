import { after, type RealTime } from '../../base/clock.js'
import { queueOperatorAlert } from '../../mail/team-mails.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { reconcileLimits } from '../limits.js'
import type { Difference } from './compare-books.js'
import { storeDifferences } from './reconciliation-differences.js'

/** Time and position up to which books and rail are known to agree. */
export type AgreedPosition = { agreedAt: Date | null; position: bigint }

/** Undefined: not due, or another worker has claimed it. */
export async function claimReconciliation(
  db: Queryable,
  now: RealTime,
  rail: string,
): Promise<AgreedPosition | undefined> {
  const leaseEnd = after(now, reconcileLimits.leaseMs)
  const [row] = await db.rows(sql<AgreedPosition>`
    insert into reconciliations as r (rail, due_at) values (${rail}, ${leaseEnd})
    on conflict (rail) do update set due_at = excluded.due_at where r.due_at <= ${now}
    returning agreed_at, position`)
  return row
}

/**
 * Keeps the old position if there are differences, so that they are found until they are fixed.
 * Each difference is kept as a row.
 */
export async function recordReconciliation(
  db: Database,
  now: RealTime,
  {
    rail,
    dueAt,
    differences,
    position,
  }: { rail: string; dueAt: Date; differences: Difference[]; position: bigint },
): Promise<void> {
  const agreed = differences.length === 0 ? { at: now, position } : { at: null, position: 0n }
  await db.transaction(async (tx) => {
    tx.write(sql`
      insert into reconciliations as r
        (rail, due_at, agreed_at, position, reconciled_at, differences)
      values (${rail}, ${dueAt}, ${agreed.at}, ${agreed.position}, ${now}, ${differences.length})
      on conflict (rail) do update set due_at = excluded.due_at,
        agreed_at = coalesce(excluded.agreed_at, r.agreed_at),
        position = greatest(excluded.position, r.position),
        reconciled_at = excluded.reconciled_at, differences = excluded.differences`)
    storeDifferences(tx, now, { rail, differences })
    if (differences.length > 0) await alertOfDifferences(tx, now, { rail, differences })
  })
}

const differencesMailedMax = 10

/** One mail in a day for the same differences, however often they are found. */
async function alertOfDifferences(
  tx: Tx,
  now: RealTime,
  { rail, differences }: { rail: string; differences: Difference[] },
): Promise<void> {
  const names = differences.map(({ kind, name }) => `${kind} ${name}`).sort()
  const today = now.toISOString().slice(0, 10)
  await queueOperatorAlert(tx, now, {
    cause: JSON.stringify([rail, names, today]),
    subject: `Books and ${rail} differ`,
    blocks: [
      {
        type: 'paragraph',
        text: `The comparison found ${differences.length} differences. None resolves itself.`,
      },
      {
        type: 'facts',
        facts: differences
          .slice(0, differencesMailedMax)
          .map(({ kind, name }): [string, string] => [kind.replaceAll('_', ' '), name]),
      },
      { type: 'page', label: 'See the differences', path: '/operator/reconciliation' },
    ],
  })
}

/** Makes the comparison of one rail, or of all, due now; a worker runs it. Returns their names. */
export async function requestReconciliation(
  db: Queryable,
  now: RealTime,
  rail: string | undefined,
): Promise<string[]> {
  const rows = await db.rows(sql<{ rail: string }>`
    update reconciliations set due_at = least(due_at, ${now})
    where ${rail === undefined ? sql`true` : sql`rail = ${rail}`} returning rail`)
  return rows.map((row) => row.rail).sort()
}

export type Reconciliation = { rail: string; reconciledAt: Date; differences: number }

export function listReconciliations(db: Queryable): Promise<Reconciliation[]> {
  return db.rows(sql<Reconciliation>`
    select rail, reconciled_at, differences from reconciliations
    where reconciled_at is not null order by rail`)
}
