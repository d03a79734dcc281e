import type { EnvironmentId } from '../base/environment.js'
import { firstIdAt, fromReference, prefixes } from '../base/ids.js'
import { notFound } from '../base/refusal.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { requestLogLimits } from './limits.js'

/** An entry as listed. */
export type RequestLogEntry = {
  /** A UUIDv7, so it holds the time. */
  id: string
  requestId: string
  /** Null in entries that were written before keys were. */
  keyId: string | null
  keyName: string
  method: string
  path: string
  query: string | null
  status: number
  durationUs: number
  isReplayed: boolean
  /** Of a refused request. */
  code: string | null
  reason: string | null
}

export type EntryWithBodies = RequestLogEntry & {
  requestBody: string | null
  isRequestCut: boolean
  responseBody: string | null
  isResponseCut: boolean
}

const columns = sql`
  id, request_id, key_id, key_name, method, path, query, status, duration_us, is_replayed, code,
  reason`

export type EntryFilter = {
  /** Inclusive on both ends. */
  statuses: { from: number; to: number } | undefined
  method: string | undefined
  pathPrefix: string | undefined
  requestId: string | undefined
  keyId: string | undefined
  /** Only requests whose path or answer names this resource. */
  resourceId: string | undefined
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
 * Newest first. One filter chooses the index; the others are checked on a bounded number of its
 * entries per page, so that no call reads a month of them. Such a page may be short or empty and
 * still have a next one.
 */
export async function listRequestLogEntries(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: EntryFilter,
): Promise<EntryPage> {
  const range = toRange(environmentId, filter)
  const end = range.others.length > 0 ? await findScanEnd(db, range) : undefined
  const where = [range.where, ...range.others, ...(end ? [sql`${range.id} >= ${end}`] : [])]
  const found = await db.rows(sql<RequestLogEntry>`
    select ${columns} from ${range.entries} where ${sql.join(where, sql` and `)}
    order by ${range.order} limit ${filter.limit + 1}`)
  const entries = found.slice(0, filter.limit)
  return { entries, next: found.length > filter.limit ? entries.at(-1)!.id : end }
}

/** Entries in the order of one index, and the filters that it does not serve. */
type EntryRange = {
  /** What to count them in, and what to read them from. */
  index: Sql<unknown>
  entries: Sql<unknown>
  where: Sql<unknown>
  order: Sql<unknown>
  id: Sql<unknown>
  others: Sql<unknown>[]
  /** Entries that a page may check. */
  scannedMax: number
}

function toRange(environmentId: EnvironmentId, filter: EntryFilter): EntryRange {
  const { requestId, resourceId, keyId, statuses } = filter
  const isOfFailures = statuses !== undefined && statuses.from >= 400
  if (resourceId !== undefined) return toRangeOfResource(environmentId, resourceId, filter)
  const table = sql`request_logs`
  const within = toBounds(sql`id`, filter)
  const inEnvironment = sql`environment_id = ${environmentId}`
  const plain = {
    index: table,
    entries: table,
    id: sql`id`,
    order: sql`id desc`,
    scannedMax: requestLogLimits.entriesScannedPerPageMax,
  }
  if (requestId !== undefined)
    return {
      ...plain,
      where: all([inEnvironment, sql`request_id = ${requestId}`, ...within]),
      others: toOthers({ ...filter, requestId: undefined }),
    }
  if (keyId !== undefined)
    return {
      ...plain,
      where: all([inEnvironment, ...toBoundsOfKey(keyId, filter)]),
      order: sql`environment_id desc, key_id desc, id desc`,
      others: toOthers({ ...filter, keyId: undefined }),
    }
  const ofFailures = isOfFailures ? [sql`status >= 400`] : []
  return {
    ...plain,
    where: all([inEnvironment, ...ofFailures, ...within]),
    others: toOthers(filter),
  }
}

function toRangeOfResource(
  environmentId: EnvironmentId,
  resourceId: string,
  filter: EntryFilter,
): EntryRange {
  const ofResource = sql`n.environment_id = ${environmentId} and n.resource_id = ${resourceId}`
  return {
    index: sql`request_log_resources n`,
    // One entry per name, always by primary key.
    entries: sql`request_log_resources n cross join lateral (
      select * from request_logs r
      where r.environment_id = n.environment_id and r.id = n.log_id limit 1) r`,
    where: all([ofResource, ...toBounds(sql`n.log_id`, filter)]),
    order: sql`n.log_id desc`,
    id: sql`n.log_id`,
    others: toOthers(filter),
    scannedMax: requestLogLimits.namesScannedPerPageMax,
  }
}

function all(conditions: Sql<unknown>[]): Sql<unknown> {
  return sql.join(conditions, sql` and `)
}

function toBounds(id: Sql<unknown>, { from, to, before }: EntryFilter): Sql<unknown>[] {
  return [
    from && sql`${id} >= ${firstIdAt(from)}`,
    to && sql`${id} < ${firstIdAt(to)}`,
    before === undefined ? undefined : sql`${id} < ${before}`,
  ].filter((condition) => condition !== undefined)
}

/** Ranges of rows, which only the index on keys sorts; see newest-rows.ts. */
function toBoundsOfKey(keyId: string, { from, to, before }: EntryFilter): Sql<unknown>[] {
  const lower = from ? firstIdAt(from) : lowestId
  const upper = [to && firstIdAt(to), before].filter((id) => id !== undefined).sort()[0]
  return [
    sql`(key_id, id) >= (${keyId}, ${lower})`,
    sql`(key_id, id) ${upper === undefined ? sql`<=` : sql`<`} (${keyId}, ${upper ?? highestId})`,
  ]
}

const lowestId = '00000000-0000-0000-0000-000000000000'
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The filters to check entry by entry. */
function toOthers(filter: EntryFilter): Sql<unknown>[] {
  const { statuses, method, pathPrefix, requestId, keyId } = filter
  return [
    statuses && sql`status between ${statuses.from} and ${statuses.to}`,
    method === undefined ? undefined : sql`method = ${method}`,
    pathPrefix === undefined ? undefined : sql`starts_with(path, ${pathPrefix})`,
    requestId === undefined ? undefined : sql`request_id = ${requestId}`,
    keyId === undefined ? undefined : sql`key_id = ${keyId}`,
  ].filter((condition) => condition !== undefined)
}

/** The last entry this page may scan; undefined when it may scan all of them. */
async function findScanEnd(db: Queryable, range: EntryRange): Promise<string | undefined> {
  const [last] = await db.rows(sql<{ id: string }>`
    select ${range.id} as id from ${range.index} where ${range.where}
    order by ${range.order} offset ${range.scannedMax - 1} limit 1`)
  return last?.id
}

/** By its own id, or by a request id: then the newest entry with it. */
export async function getEntry(
  db: Queryable,
  { environmentId, name }: { environmentId: EnvironmentId; name: string },
): Promise<EntryWithBodies> {
  const id = fromReference(prefixes.requestLog, name)
  const [entry] = await db.rows(sql<EntryWithBodies>`
    select ${columns}, request_body, is_request_cut, response_body, is_response_cut
    from request_logs
    where environment_id = ${environmentId} and ${id ? sql`id = ${id}` : sql`request_id = ${name}`}
    order by id desc limit 1`)
  if (!entry) throw notFound('request', name)
  return entry
}
