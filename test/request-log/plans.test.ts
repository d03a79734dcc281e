import { expect, test } from 'vitest'
import { toEnvironmentId } from '../../src/base/environment.js'
import { sql } from '../../src/postgres/sql.js'
import { toStatement } from '../../src/postgres/statement.js'
import type { Queryable, Source } from '../../src/postgres/transactions/tx.js'
import {
  getEntry,
  type LogEntryFilter,
  listRequestLogEntries,
} from '../../src/request-log/find-entries.js'
import { freshDatabase } from '../support/database.js'

// A month of requests is a large table. These tests check the plans of the statements that the code
// sends, on a table large enough to matter.

const db = await freshDatabase()
const environmentId = toEnvironmentId(7)
const keyId = '00000000-0000-7000-8000-000000000001'
const resourceId = '00000000-0000-7000-8000-000000000002'
await db.rows(sql`
  insert into request_logs (environment_id, id, request_id, key_id, key_name, method, path, status,
    duration_us, is_replayed, is_request_cut, is_response_cut)
  select case when n % 5 = 0 then n % 20 else 7 end,
    (lpad(to_hex(1767600000000 + n), 12, '0') || '7000' || substr(md5(n::text), 17))::uuid, 'r' || n,
    case when n % 2 = 0 then ${keyId}::uuid else md5((n % 50)::text)::uuid end, 'k', 'GET', '/v1/x',
    case when n % 50 = 7 then 404 else 200 end, 1, false, false, false
  from generate_series(1, 60000) n`)
// Every other request names the same resource.
await db.rows(sql`
  insert into request_log_resources
  select environment_id, case when get_byte(uuid_send(id), 15) % 2 = 0 then ${resourceId}::uuid
    else id end, id from request_logs`)
await db.rows(sql`analyze request_logs, request_log_resources`)

type Node = { 'Index Name'?: string; 'Node Type': string; Plans?: Node[] }

/** Runs statements and records what they read. */
function noting(notes: string[]): Queryable {
  return {
    async rows<Row>(source: Source<Row>) {
      const { text, values } = toStatement(source)
      const [row] = await db.rows<{ 'QUERY PLAN': [{ Plan: Node }] | string }>({
        text: `explain (format json) ${text}`,
        values,
      })
      const plan = row!['QUERY PLAN']
      const [{ Plan }] = typeof plan === 'string' ? JSON.parse(plan) : plan
      notes.push(...typesOf(Plan))
      return db.rows(source)
    },
  }
}

/** Sorting is bounded, because a page scans a bounded number of rows. */
function typesOf(node: Node): string[] {
  const own = node['Index Name'] ?? node['Node Type']
  const isHarmless = ['Limit', 'Sort', 'Bitmap Heap Scan'].includes(own)
  return [...(isHarmless ? [] : [own]), ...(node.Plans ?? []).flatMap(typesOf)]
}

async function plansFor(filter: LogEntryFilter): Promise<Set<string>> {
  const notes: string[] = []
  const page = { before: undefined, limit: 20 }
  await listRequestLogEntries(noting(notes), environmentId, filter, page)
  return new Set(notes)
}

test.each<[string, string, LogEntryFilter]>([
  ['everything', 'request_logs_pkey', {}],
  ['a path', 'request_logs_pkey', { pathPrefix: '/v1/y' }],
  ['a time', 'request_logs_pkey', { from: new Date(0), to: new Date() }],
  ['failures', 'request_logs_of_failures', { statuses: { from: 500, to: 599 } }],
  ['one kind of failure', 'request_logs_of_failures', { statuses: { from: 404, to: 404 } }],
  ['a request', 'request_logs_by_request_id', { requestId: 'r7' }],
  ['a key', 'request_logs_by_key', { keyId }],
  ['failures of a key', 'request_logs_by_key', { keyId, statuses: { from: 400, to: 499 } }],
  ['an hour of a key', 'request_logs_by_key', { keyId, from: new Date(0), to: new Date() }],
  ['a request with a key', 'request_logs_by_request_id', { requestId: 'r7', keyId }],
])('a page of %s reads %s and nothing else', async (_name, index, filter) => {
  expect(await plansFor(filter)).toEqual(new Set([index]))
})

test.each<LogEntryFilter>([
  {},
  { keyId },
  { statuses: { from: 400, to: 499 }, from: new Date(0), to: new Date() },
])('requests that name a resource are read by primary key, with %j', async (filter) => {
  const plans = await plansFor({ resourceId, ...filter })
  const indexes = ['request_log_resources_pkey', 'request_logs_pkey']
  const scans = [...plans].filter((one) => !['Nested Loop', 'Subquery Scan'].includes(one))
  expect(scans.sort()).toEqual(indexes)
})

test('one request is read by its id', async () => {
  const notes: string[] = []
  await getEntry(noting(notes), { environmentId, name: 'r7' })
  expect(notes).toEqual(['request_logs_by_request_id'])
})
