import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { TimeRange } from '../postgres/lists/key-range.js'
import { type List, type ListIndex, wantedColumns } from '../postgres/lists/list.js'
import { newestIds } from '../postgres/lists/newest-ids.js'
import { named } from '../postgres/named.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { installationChain } from './chain.js'
import { auditLimits } from './limits.js'

export type WrittenAuditLine = {
  id: string
  number: bigint
  hash: Buffer
  actor: string
  /** Name of the user; null if the actor is no user, or the user no longer exists. */
  actorName: string | null
  action: string
  merchantId: string | null
  environmentId: EnvironmentId | null
  details: Record<string, unknown>
  userId: string | null
  sessionId: string | null
  address: string | null
  requestId: string | null
  createdAt: Date
}

type Row = Omit<WrittenAuditLine, 'details'> & { details: string }

const columns = sql`
  l.id, l.number, l.hash, l.actor, u.name as actor_name, l.action, l.merchant_id, l.environment_id,
  l.details::text as details, l.user_id, l.session_id, l.address, l.request_id, l.created_at`

function toLine(row: Row): WrittenAuditLine {
  return { ...row, details: JSON.parse(row.details) }
}

/** The newest lines of every chain. */
export async function listAuditLines(
  db: Queryable,
  count: number = limits.operator.rowsListedDefault,
): Promise<WrittenAuditLine[]> {
  const rows = await db.rows(sql<Row>`
    select ${columns} from audit_lines l left join users u on u.id = l.user_id
    order by l.id desc limit ${Math.min(count, limits.operator.rowsListedMax)}`)
  return rows.map(toLine)
}

export type LineFilter = TimeRange & {
  userId?: string | undefined
  action?: string | undefined
}

type Owner = { merchantId: string; environmentId: EnvironmentId }

const filterColumns = { user_id: { type: 'uuid' }, action: { type: 'text' } } as const

/** What a merchant sees in one mode: lines of the environment, and of none, such as invitations. */
export function lineListOf({
  merchantId,
  environmentId,
}: Owner): List<LineFilter, WrittenAuditLine> {
  const toIndex = (index: string, ...serves: string[]): ListIndex => ({
    index,
    serves,
    read(wanted, { from, before }, limit) {
      const columns = wantedColumns({ columns: filterColumns }, wanted, serves)
      const range = {
        table: 'audit_lines',
        order: [{ name: 'id', type: 'uuid' } as const],
        before: before === undefined ? undefined : [before],
        from,
        limit,
      }
      const ofChain = sql`chain = ${merchantId}::uuid`
      const environment = { name: 'environment_id', type: 'int4', values: [environmentId] } as const
      const own = newestIds({ ...range, where: ofChain, columns: [environment, ...columns] })
      const ofNone = sql`${ofChain} and environment_id is null`
      const shared = newestIds({ ...range, where: ofNone, columns })
      return sql`(select id from ${own} own union all select id from ${shared} shared)`
    },
  })
  return {
    name: 'audit_lines',
    table: 'audit_lines',
    select: columns,
    rowsOf: () => sql`
      cross join lateral (select * from audit_lines where id = found.id limit 1) l
      left join users u on u.id = l.user_id`,
    toRows: (_db, rows: Row[]) => rows.map(toLine),
    keyOf: ({ id }) => id,
    columns: filterColumns,
    filters: { userId: 'user_id', action: 'action' },
    indexes: [
      toIndex('audit_lines_by_user_and_action', 'user_id', 'action'),
      toIndex('audit_lines_by_user', 'user_id'),
      toIndex('audit_lines_by_action', 'action'),
      toIndex('audit_lines_of_chain'),
    ],
  }
}

type InstallationFilter = {
  actor: string | undefined
  action: string | undefined
  from: Date | undefined
  to: Date | undefined
}

/**
 * The lines of the installation before a number, newest first. Reads a bounded number of lines:
 * where few pass the filter, a page may be short and still have a next one.
 */
export async function listInstallationLines(
  db: Queryable,
  { actor, action, from, to }: InstallationFilter,
  { before, limit }: { before: bigint | undefined; limit: number },
): Promise<{ lines: WrittenAuditLine[]; next: bigint | undefined }> {
  const { linesScannedMax } = auditLimits
  const rows = await db.rows(
    named(
      'installation_lines',
      sql<Row & { passes: boolean }>`
        with scanned as materialized (
          select id, number, actor, action, created_at from audit_lines
          where chain = ${installationChain}::uuid
            ${before === undefined ? sql`` : sql`and number < ${before}`}
          order by number desc limit ${linesScannedMax}),
        passed as (
          select id from scanned where true
            ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
            ${action === undefined ? sql`` : sql`and action = ${action}`}
            ${from === undefined ? sql`` : sql`and created_at >= ${from}`}
            ${to === undefined ? sql`` : sql`and created_at < ${to}`}
          order by number desc limit ${limit + 1})
        select ${columns}, p.id is not null as passes
        from (select id from passed union (select id from scanned order by number limit 1)) shown
        join audit_lines l on l.id = shown.id
        left join passed p on p.id = shown.id
        left join users u on u.id = l.user_id
        order by l.number desc`,
    ),
  )
  const passed = rows.filter(({ passes }) => passes)
  const lines = passed.slice(0, limit).map(({ passes: _, ...row }) => toLine(row))
  if (passed.length > limit) return { lines, next: lines.at(-1)!.number }
  const scanEnd = rows.at(-1)?.number
  return { lines, next: scanEnd === undefined || scanEnd === 1n ? undefined : scanEnd }
}
