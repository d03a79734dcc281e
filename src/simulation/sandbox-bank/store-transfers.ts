import { sql } from '../../postgres/sql.js'
import { assigned, listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { type NewTransfer, type Plan, type SandboxTransfer, sandboxTransfers } from './transfer.js'

const named = sandboxTransfers.types('reference')
const whole = sandboxTransfers.typesWithout()
const plan = sandboxTransfers.types(
  'receivedAt',
  'isLost',
  'ending',
  'failureReason',
  'endsAt',
  'reversesAt',
)

const insert = listStatement<typeof whole, { reference: string }>({
  name: 'insert_sandbox_transfers',
  columns: whole,
  text: (list, _parameter, names) => `
    insert into sandbox_transfers (${names}) select ${names} from ${list}
    on conflict (reference) do nothing returning reference`,
})

const lock = listStatement<typeof named, SandboxTransfer>({
  name: 'lock_sandbox_transfers',
  columns: named,
  text: (list) => `
    select ${sandboxTransfers.of('t')}, t.reversal_number is not null as is_reversal_listed
    from sandbox_transfers t where t.reference in (select list.reference from ${list})
    order by t.reference for no key update`,
})

const replan = listStatement({
  name: 'replan_sandbox_transfers',
  columns: { ...named, ...plan },
  text: (list) => `
    update sandbox_transfers t
    set ${assigned(plan)}
    from ${list} where t.reference = list.reference`,
})

const report = listStatement({
  name: 'report_sandbox_endings',
  columns: named,
  text: (list) => `
    update sandbox_transfers t set is_reported = true
    from ${list} where t.reference = list.reference and not t.is_reported`,
})

export type Planned = Plan & { reference: string; receivedAt: Date }

/**
 * Returns the references that were new. Inserts in sorted order, so that batches cannot deadlock.
 */
export async function insertTransfers(
  db: Queryable,
  transfers: NewTransfer[],
): Promise<Set<string>> {
  if (transfers.length === 0) return new Set()
  const inserted = await db.rows(
    insert(transfers.toSorted((left, right) => (left.reference < right.reference ? -1 : 1))),
  )
  return new Set(inserted.map(({ reference }) => reference))
}

/** Locks in order of reference. Unknown transfers are left out. */
export async function lockTransfers(
  tx: Tx,
  references: string[],
): Promise<Map<string, SandboxTransfer>> {
  if (references.length === 0) return new Map()
  const rows = await tx.rows(lock(references.map((reference) => ({ reference }))))
  return new Map(rows.map((row) => [row.reference, row]))
}

/** The transfers must be locked. */
export function replanTransfers(tx: Tx, transfers: Planned[]): void {
  if (transfers.length > 0) tx.write(replan(transfers))
}

/** The transfers must be locked and have ended. */
export function markReported(tx: Tx, transfers: SandboxTransfer[]): void {
  if (transfers.length > 0) tx.write(report(transfers))
}

/** References received in the period (`to` excluded), in order of receipt. */
export async function listReceived(
  tx: Tx,
  page: { from: Date; to: Date; after: { receivedAt: Date; reference: string }; limit: number },
): Promise<string[]> {
  const rows = await tx.rows(sql<{ reference: string }>`
    select reference from sandbox_transfers
    where received_at >= ${page.from} and received_at < ${page.to}
      and (received_at, reference) > (${page.after.receivedAt}, ${page.after.reference})
    order by received_at, reference limit ${page.limit}`)
  return rows.map(({ reference }) => reference)
}
