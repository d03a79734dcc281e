import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { type IdRange, withinRange } from '../postgres/lists/filtered-ids.js'
import { rowsRead } from '../postgres/lists/newest-rows.js'
import { named } from '../postgres/named.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { installationChain } from './chain.js'
import { auditLimits } from './limits.js'

export type WrittenAuditLine = {
  id: string
  number: bigint
  hash: Buffer
  actor: string
  /** Of the person, if a person did it and still exists. */
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

export type LineFilter = {
  userId: string | undefined
  action: string | undefined
  range: IdRange
}

/**
 * The lines that a merchant sees in one mode, newest first: those of the environment and those of
 * none, such as changes of the team.
 */
export async function listMerchantLines(
  db: Queryable,
  { merchantId, environmentId }: { merchantId: string; environmentId: EnvironmentId },
  filter: LineFilter,
  limit: number,
): Promise<WrittenAuditLine[]> {
  const newestOf = (environment: EnvironmentId | null) =>
    selectNewest({ chain: merchantId, environment, limit }, filter)
  const rows = await db.rows(
    named(
      'audit_lines',
      sql<Row>`
        select ${columns}
        from (${newestOf(environmentId)} union all ${newestOf(null)}) newest
        join audit_lines l on l.id = newest.id
        left join users u on u.id = l.user_id
        order by l.id desc limit ${limit}`,
    ),
  )
  return rows.map(toLine)
}

type Place = { chain: string; environment: EnvironmentId | null; limit: number }

/**
 * Ids of the newest lines of a chain, with or without an environment. Filters are a range of rows,
 * not equalities, for the reason that `newestRows` names: the planner would read the lines of all
 * merchants in the order of their ids.
 */
function selectNewest({ chain, environment, limit }: Place, filter: LineFilter): Sql {
  const { userId, action, range } = filter
  const wanted = [
    ...(userId === undefined ? [] : [{ name: 'user_id', value: sql`${userId}::uuid` }]),
    ...(action === undefined ? [] : [{ name: 'action', value: sql`${action}::text` }]),
  ]
  const isByEnvironment = wanted.length === 0 && environment !== null
  if (isByEnvironment) wanted.push({ name: 'environment_id', value: sql`${environment}::integer` })
  const place = environment === null ? sql`is null` : sql`= ${environment}`
  const names = wanted.map(({ name }) => name)
  return sql`(
    select id from audit_lines where chain = ${chain}::uuid
      ${isByEnvironment ? sql`` : sql`and environment_id ${place}`}
      ${wanted.length === 0 ? withinRange(range) : withinRowRange(wanted, range)}
    order by ${sql.raw([...new Set(['environment_id', ...names, 'id'])].join(' desc, '))} desc
    limit ${rowsRead(limit)})`
}

type Wanted = { name: string; value: Sql }

function withinRowRange(wanted: Wanted[], { from, before }: IdRange): Sql {
  const tuple = (id?: string) =>
    sql.raw(`(${[...wanted.map(({ name }) => name), ...(id === undefined ? [] : ['id'])].join()})`)
  const bound = (id?: string) =>
    sql.join([...wanted.map(({ value }) => value), ...(id === undefined ? [] : [sql`${id}::uuid`])])
  return sql`
    and ${tuple(before)} ${sql.raw(before === undefined ? '<=' : '<')} (${bound(before)})
    and ${tuple(from)} >= (${bound(from)})`
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
