import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { notFound } from '../base/refusal.js'
import { findRows } from '../postgres/lists/find-rows.js'
import type { TimeRange } from '../postgres/lists/key-range.js'
import type { ListTable, Page, RowPage } from '../postgres/lists/list.js'
import { sql } from '../postgres/sql.js'
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
  /** Null unless the request was refused. */
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

export type LogEntryFilter = TimeRange & {
  /** Inclusive on both ends. */
  statuses?: { from: number; to: number } | undefined
  method?: string | undefined
  pathPrefix?: string | undefined
  requestId?: string | undefined
  keyId?: string | undefined
  /** Only requests whose path or answer names this resource. */
  resourceId?: string | undefined
}

const entryList: ListTable<LogEntryFilter> = {
  name: 'list_requests',
  table: 'request_logs',
  rowsScannedMax: requestLogLimits.entriesScannedPerPageMax,
  columns: {
    method: { type: 'text' },
    request_id: { type: 'text' },
    key_id: { type: 'uuid' },
    resource_id: { type: 'uuid' },
  },
  filters: {
    statuses: ({ from, to }) => [{ column: 'status', min: BigInt(from), max: BigInt(to) }],
    method: 'method',
    pathPrefix: (prefix) => [{ condition: sql`starts_with(t.path, ${prefix})` }],
    requestId: 'request_id',
    keyId: 'key_id',
    resourceId: 'resource_id',
  },
  indexes: [
    {
      index: 'request_log_resources_pkey',
      serves: ['resource_id'],
      of: {
        table: 'request_log_resources',
        key: 'log_id',
        rowsScannedMax: requestLogLimits.namesScannedPerPageMax,
      },
    },
    { index: 'request_logs_by_request_id', serves: ['request_id'] },
    { index: 'request_logs_by_key', serves: ['key_id'] },
    {
      index: 'request_logs_of_failures',
      serves: [],
      where: sql`status >= 400`,
      isSuitable: ({ ranges }) => (ranges.get('status')?.min ?? 0n) >= 400n,
    },
    { index: 'request_logs_pkey', serves: [] },
  ],
}

/** Newest first. */
export function listRequestLogEntries(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: LogEntryFilter,
  page: Page,
): Promise<RowPage<RequestLogEntry>> {
  return findRows(db, entryList, { environmentId, filter }, page, {
    columns,
    keyOf: ({ id }) => id,
  })
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
