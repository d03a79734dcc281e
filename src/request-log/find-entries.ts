import type { EnvironmentId } from '../base/environment.js'
import { firstIdAt, fromReference, prefixes } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { notFound } from '../base/refusal.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'

/** An entry as listed. */
export type RequestLogEntry = {
  /** A UUIDv7, so it holds the time. */
  id: string
  requestId: string
  keyName: string
  method: string
  path: string
  query: string | null
  status: number
  durationUs: number
  isReplayed: boolean
}

export type EntryWithBodies = RequestLogEntry & {
  requestBody: string | null
  isRequestCut: boolean
  responseBody: string | null
  isResponseCut: boolean
}

const columns = sql`
  id, request_id as "requestId", key_name as "keyName", method, path, query, status,
  duration_us as "durationUs", is_replayed as "isReplayed"`

export type EntryFilter = {
  /** Inclusive on both ends. */
  statuses: { from: number; to: number } | undefined
  method: string | undefined
  pathPrefix: string | undefined
  requestId: string | undefined
  from: Date | undefined
  to: Date | undefined
  /** Id of the last entry of the previous page. */
  before: string | undefined
  limit: number
}

export type EntryPage = {
  entries: RequestLogEntry[]
  /** Where the next page begins; undefined on the last page. */
  next: string | undefined
}

/**
 * Newest first. A filter that no index serves scans a bounded number of entries per page, so that
 * no call reads a month of them. Such a page may be short or empty and still have a next one.
 */
export async function listRequestLogEntries(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: EntryFilter,
): Promise<EntryPage> {
  const indexed = toIndexedConditions(environmentId, filter)
  const scanned = toScannedConditions(filter)
  const end = scanned.length > 0 ? await findScanEnd(db, indexed) : undefined
  const where = end ? [...indexed, ...scanned, sql`id >= ${end}`] : [...indexed, ...scanned]
  const found = await db.rows(sql<RequestLogEntry>`
    select ${columns} from request_logs where ${sql.join(where, sql` and `)}
    order by id desc limit ${filter.limit + 1}`)
  const entries = found.slice(0, filter.limit)
  return { entries, next: found.length > filter.limit ? entries.at(-1)!.id : end }
}

function toIndexedConditions(environmentId: EnvironmentId, filter: EntryFilter): Sql<unknown>[] {
  const { from, to, before, requestId, statuses } = filter
  return [
    sql`environment_id = ${environmentId}`,
    from && sql`id >= ${firstIdAt(from)}`,
    to && sql`id < ${firstIdAt(to)}`,
    before === undefined ? undefined : sql`id < ${before}`,
    requestId === undefined ? undefined : sql`request_id = ${requestId}`,
    statuses && statuses.from >= 400 ? sql`status >= 400` : undefined,
  ].filter((condition) => condition !== undefined)
}

function toScannedConditions({ statuses, method, pathPrefix }: EntryFilter): Sql<unknown>[] {
  return [
    statuses && sql`status between ${statuses.from} and ${statuses.to}`,
    method === undefined ? undefined : sql`method = ${method}`,
    pathPrefix === undefined ? undefined : sql`starts_with(path, ${pathPrefix})`,
  ].filter((condition) => condition !== undefined)
}

/** The last entry this page may scan; undefined when it may scan all of them. */
async function findScanEnd(db: Queryable, indexed: Sql<unknown>[]): Promise<string | undefined> {
  const [last] = await db.rows(sql<{ id: string }>`
    select id from request_logs where ${sql.join(indexed, sql` and `)}
    order by id desc offset ${limits.requestLogs.entriesScannedPerPageMax - 1} limit 1`)
  return last?.id
}

/** By its own id, or by a request id: then the newest entry with it. */
export async function getEntry(
  db: Queryable,
  { environmentId, name }: { environmentId: EnvironmentId; name: string },
): Promise<EntryWithBodies> {
  const id = fromReference(prefixes.requestLog, name)
  const [entry] = await db.rows(sql<EntryWithBodies>`
    select ${columns}, request_body as "requestBody", is_request_cut as "isRequestCut",
      response_body as "responseBody", is_response_cut as "isResponseCut"
    from request_logs
    where environment_id = ${environmentId} and ${id ? sql`id = ${id}` : sql`request_id = ${name}`}
    order by id desc limit 1`)
  if (!entry) throw notFound('request', name)
  return entry
}
