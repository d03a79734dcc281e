import { expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.js'
import { deleteOldMails } from '../../../src/mail/send-mails.js'
import { findDue } from '../../../src/operations/personal-data/apply-retention.js'
import type { Database } from '../../../src/postgres/database.js'
import { sql } from '../../../src/postgres/sql.js'
import { toStatement } from '../../../src/postgres/statement.js'
import type { Source } from '../../../src/postgres/transactions/tx.js'
import { deleteOldEntries } from '../../../src/request-log/delete-old-entries.js'
import { freshDatabase } from '../../support/database.js'
import { insertEnvironment } from '../../support/environments.js'

// What is deleted or replaced is found by an index, also among many rows and with a legal hold.

const db = await freshDatabase()
const now = new Date('2026-01-05T09:00:00.000Z')
const environmentId = await insertEnvironment(db)
const idOf = sql`(lpad(to_hex(1700000000000 + n * 1000::bigint), 12, '0') || '7000'
  || substr(md5(n::text), 17))::uuid`
// About as long as a real one.
const body = sql`repeat(md5(n::text), 20)`
const rows = sql`generate_series(1, 100000) n`
await db.rows(sql`
  insert into request_logs (environment_id, id, request_id, key_name, method, path, status,
    duration_us, is_replayed, is_request_cut, is_response_cut, request_body, response_body,
    resource_ids)
  select ${environmentId}, ${idOf}, 'r' || n, 'k', 'GET', '/v1/x', 200, 1, false, false, false,
    ${body}, ${body}, array[${idOf}]
  from ${rows}`)
await db.rows(sql`
  insert into request_log_resources select environment_id, id, id from request_logs`)
await db.rows(sql`
  insert into mails (id, environment_id, mode, kind, cause_id, recipient, sealed_content, state,
    due_at, created_at, ended_at)
  select ${idOf}, ${environmentId}, 'test', 'receipt', ${idOf}, 'a@example.com', ${body}, 'SENT',
    ${now}, ${now}, '2023-12-01' from ${rows}`)
await db.rows(sql`
  insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
    amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
    event_sequence, received_at, created_at)
  select ${environmentId}, ${idOf}, ${idOf}, 'virtual_account', 'a bank', n::text, 'NGN', 1, 1, 0, 0,
    0, 0, 'NONE', '{"name": "A Payer"}', 1, ${now}, ${now} from ${rows}`)
await db.rows(sql`
  insert into legal_holds (id, kind, subject, reason, placed_by, placed_at)
  values (${newId(now)}, 'email', 'held@example.com', 'court', 'ada', ${now})`)
await db.rows(sql`analyze`)

type Node = { 'Node Type': string; 'Relation Name'?: string; Plans?: Node[] }

/** Tables that a statement reads from the first row to the last. */
async function scannedBy(source: Source<unknown>): Promise<string[]> {
  const { text, values } = toStatement(source)
  const [row] = await db.rows<{ 'QUERY PLAN': [{ Plan: Node }] | string }>({
    text: `explain (format json) ${text}`,
    values,
  })
  const plan = row!['QUERY PLAN']
  const [{ Plan }] = typeof plan === 'string' ? JSON.parse(plan) : plan
  const list = (node: Node): string[] => [
    ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name']!] : []),
    ...(node.Plans ?? []).flatMap(list),
  ]
  return list(Plan)
}

/** Explains statements instead of running them. */
function explaining(scans: string[]): Database {
  const rows = async (source: Source<unknown>) => {
    scans.push(...(await scannedBy(source)))
    return []
  }
  return { rows } as unknown as Database
}

const small = ['mail_days', 'environments', 'legal_holds', 'retention_progress', 'retention_skips']
/**
 * Not shown by this test: PostgreSQL expects ten names of each deleted request, a fifth of this
 * table, and reads it whole.
 */
const notShown = ['request_log_resources']

test.each<[string, (reader: Database) => Promise<unknown>]>([
  ['request logs', (reader) => deleteOldEntries(reader, now, 30)],
  ['mails', (reader) => deleteOldMails(reader, now)],
  ['payments', (reader) => reader.rows(findDue({ name: 'payments', mode: 'test', before: now }))],
])('old %s are found by an index', async (_name, run) => {
  const scans: string[] = []
  await run(explaining(scans))
  expect(scans.filter((table) => ![...small, ...notShown].includes(table))).toEqual([])
})

test('a search without an index is noticed', async () => {
  const source = sql`select from mails where sealed_content = 'x'`
  expect(await scannedBy(source)).toEqual(['mails'])
})
