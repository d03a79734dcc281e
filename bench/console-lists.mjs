/**
 * node bench/console-lists.mjs [table …]: PostgreSQL time of the pages that the console's lists
 * read, with a million rows in each table. See README.md.
 */
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { requireFreeSpace } from './disk.mjs'
import { describeMachine, median, printCells } from './report.mjs'

const count = Math.round(Number(process.env.LISTS_MILLIONS ?? 1) * 1e6)
const rounds = 5
const rowsAtOnce = 100_000
const deepPage = 1_000
const bytesPerRow = 3_000
const days = 365

await buildOrExit()
const { createPageSources } = await import('../dist/api/server/page-source.js')
const { createRoutes } = await import('../dist/api/routes/routes.js')
const { prefixes, toReference } = await import('../dist/base/ids.js')
const { connect } = await import('../dist/postgres/wire/connection.js')
const { ListColumn } = await import('../dist/postgres/wire/messages.js')
const { toStatement } = await import('../dist/postgres/statement.js')
const { openBooks, withWorkbench } = await import('./workbench.mjs')

/** Ids hold the time of the row. */
const idSql = `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' ||
  lpad(to_hex(n), 12, '0'))::uuid`
const nameSql = `case when n % 20000 = 7 then 'ZAINAB BELLO' when n % 50 = 0 then 'CHUKA OBI'
  else 'PAYER' || n % 3000 || ' NAME' || n % 70 end`
const amountSql = `n % 90000 + 10000`

const tables = {
  payments: {
    filled: ['collection_accounts', 'payments', 'search_terms'],
    fill: (environmentId) => [
      `insert into collection_accounts (environment_id, id, kind, rail, rail_account, number,
        account_name, bank_code, bank_name, asset, amount, merchant_reference, metadata, status,
        amount_received, amount_accepted, expires_at, paid_at, created_at)
      select ${environmentId}, ${idSql}, 'virtual_account', 'sandbox-bank', n::text,
        lpad(n::text, 10, '0'), 'Ada', '999', 'Sandbox', 'NGN', ${amountSql}, 'order-' || n, '{}',
        'PAID', ${amountSql}, ${amountSql}, at, at, at from rows`,
      `insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
        amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
        session_id, narration, event_sequence, received_at, created_at)
      select ${environmentId}, ${idSql}, ${idSql}, 'virtual_account', 'sandbox-bank', 'sbp_' || n,
        'NGN', ${amountSql}, case when n % 5000 = 9 then 0 else ${amountSql} end,
        case when n % 5000 = 9 then ${amountSql} else 0 end, 0, 0, 100,
        case when n % 5000 = 9 then 'LATE' else 'NONE' end,
        json_build_object('name', ${nameSql}, 'accountNumber', '0123456789', 'bankCode', '058',
          'bankName', 'GTB'), n::text, 'order ' || n, 1, at, at from rows`,
      `insert into search_terms select ${environmentId}, 'payment', term, ${idSql}
      from rows, regexp_split_to_table(lower(${nameSql}), ' ') term`,
    ],
    reads: {
      'first page': ['listPayments'],
      [`page ${deepPage}`]: ['listPayments', {}, deepPage],
      'status ACCEPTED (most)': ['listPayments', { status: 'ACCEPTED' }],
      'status HELD (one in 5,000)': ['listPayments', { status: 'HELD' }],
      'amounts, common': ['listPayments', { minAmount: '10000', maxAmount: '50000' }],
      'amount, rare': ['listPayments', { minAmount: '99999', maxAmount: '99999' }],
      'payer, common': ['listPayments', { sender: 'chuka' }],
      'payer, rare': ['listPayments', { sender: 'zainab' }],
      'payer, unknown': ['listPayments', { sender: 'nobody' }],
      counts: ['countPayments'],
      'search by name': ['search', { q: 'zainab' }],
    },
  },
  payouts: {
    filled: ['payouts', 'search_terms'],
    fill: (environmentId) => [
      `insert into payouts (environment_id, id, merchant_reference, rail, amount, fee,
        requested_amount, destination, metadata, event_sequence, submitted_at, created_at, kind,
        asset, status, completed_at)
      select ${environmentId}, ${idSql}, 'order-' || n, 'sandbox-bank', ${amountSql}, 0, '1',
        json_build_object('accountName', ${nameSql}, 'accountNumber', '0123456789', 'bankCode',
          '058', 'bankName', 'GTB'), '{}', 1, at, at, 'bank_transfer', 'NGN',
        case when n % 5000 = 9 then 'SUBMITTED' else 'COMPLETED' end,
        case when n % 5000 = 9 then null else at end from rows`,
      `insert into search_terms select ${environmentId}, 'payout', term, ${idSql}
      from rows, regexp_split_to_table(lower(${nameSql}), ' ') term`,
    ],
    reads: {
      'first page': ['listDisbursements'],
      [`page ${deepPage}`]: ['listDisbursements', {}, deepPage],
      'status COMPLETED (most)': ['listDisbursements', { status: 'COMPLETED' }],
      'status SUBMITTED (one in 5,000)': ['listDisbursements', { status: 'SUBMITTED' }],
      'amounts, common': ['listDisbursements', { minAmount: '10000', maxAmount: '50000' }],
      'amount, rare': ['listDisbursements', { minAmount: '99999', maxAmount: '99999' }],
      'recipient, common': ['listDisbursements', { recipient: 'chuka' }],
      'recipient, rare': ['listDisbursements', { recipient: 'zainab' }],
      counts: ['countDisbursements'],
    },
  },
  entries: {
    filled: ['ledger_transfers'],
    fill: (environmentId) => [
      `insert into ledger_transfers select ${environmentId}, ${idSql}, 'test_funding', 'NGN',
        'clearing', 'available', 1, false, n, n, at from rows`,
    ],
    reads: {
      'first page': ['listBalanceEntries', { asset: 'NGN' }],
      [`page ${deepPage}`]: ['listBalanceEntries', { asset: 'NGN' }, deepPage],
      'type, all': ['listBalanceEntries', { asset: 'NGN', type: 'test_funding' }],
      'type, none': ['listBalanceEntries', { asset: 'NGN', type: 'payment' }],
    },
  },
  events: {
    filled: ['events'],
    fill: (environmentId) => [
      `insert into events select ${environmentId}, ${idSql},
        case when n % 5000 = 9 then 'payment.held' else 'virtual_account.paid' end, ${idSql},
        ${idSql}, 1, '{}', at from rows`,
    ],
    reads: {
      'first page': ['listEvents'],
      [`page ${deepPage}`]: ['listEvents', {}, deepPage],
      'type, one in 5,000': ['listEvents', { type: 'payment.held' }],
      'type payment.*': ['listEvents', { type: 'payment.*' }],
    },
  },
  requests: {
    filled: ['request_logs'],
    fill: (environmentId) => [
      `insert into request_logs (environment_id, id, request_id, key_id, key_name, method, path,
        status, duration_us, is_replayed, is_request_cut, is_response_cut)
      select ${environmentId}, ${idSql}, 'r' || n, '00000000-0000-7000-8000-000000000001', 'k',
        case when n % 10 = 0 then 'POST' else 'GET' end, '/v1/balances',
        case when n % 5000 = 9 then 500 else 200 end, 900, false, false, false from rows`,
    ],
    reads: {
      'first page': ['listRequestLogs'],
      [`page ${deepPage}`]: ['listRequestLogs', {}, deepPage],
      'status 5xx (one in 5,000)': ['listRequestLogs', { status: '5xx' }],
      'method POST': ['listRequestLogs', { method: 'POST' }],
      'path that was not called': ['listRequestLogs', { path: '/v1/nowhere' }],
      'request id': ['listRequestLogs', { requestId: `r${count >> 1}` }],
    },
  },
  audit: {
    filled: ['audit_lines'],
    fill: (environmentId, merchantId) => [
      `insert into audit_lines (id, actor, action, merchant_id, environment_id, details, created_at,
        chain, number, previous_hash, hash)
      select ${idSql}, 'ada@example.com',
        case when n % 5000 = 9 then 'key.revoke' else 'payout.create' end, '${merchantId}',
        ${environmentId}, '{}', at, '${merchantId}', n + 1000000000, sha256('a'), sha256('b')
      from rows`,
    ],
    reads: {
      'first page': ['listAuditLines'],
      [`page ${deepPage}`]: ['listAuditLines', {}, deepPage],
      'action, one in 5,000': ['listAuditLines', { action: 'key.revoke' }],
      'action that never happened': ['listAuditLines', { action: 'user.invite' }],
      'person who did nothing': [
        'listAuditLines',
        { actor: toReference(prefixes.user, '00000000-0000-7000-8000-000000000001') },
      ],
    },
  },
}

const chosen = process.argv.slice(2)
const names = chosen.length > 0 ? chosen : Object.keys(tables)
requireFreeSpace(tmpdir(), 4e9 + names.length * count * bytesPerRow, 'This run')
const settings = { fsync: 'off', full_page_writes: 'off', max_wal_size: '8GB' }
await withWorkbench(settings, measureAll)

async function measureAll({ serverUrl, folder }) {
  const books = await openBooks({ folder: path.join(folder, 'books'), databaseUrl: serverUrl })
  const session = await connect(serverUrl, 'manilla bench')
  const { rows } = await session.query(
    `select id, merchant_id as "merchantId", mode from environments where mode = 'live'`,
  )
  const environment = { ...rows[0], clockOffsetMs: 0 }
  const measured = []
  for (const name of names) {
    await fill(session, tables[name], environment)
    for (const [what, read] of Object.entries(tables[name].reads))
      measured.push({ name, what, ...(await measure(session, environment, read)) })
  }
  await session.end()
  await books.db.close()
  const { cpu, cores } = describeMachine()
  console.log(`\n${count.toLocaleString('en')} rows in each table; ${cores} × ${cpu}`)
  printCells(
    [
      ['list', ({ name }) => name],
      ['page', ({ what }) => what],
      ['items', ({ items }) => String(items)],
      ['statements', ({ statements }) => String(statements)],
      ['ms', ({ ms }) => ms.toFixed(2)],
      ['first ms', ({ firstMs }) => firstMs.toFixed(2)],
    ],
    measured,
  )
}

/** Without triggers, and with indexes that are built at the end; constraints hold. */
async function fill(session, { filled, fill: toStatements }, { id, merchantId }) {
  const startedAt = performance.now()
  await session.query('set session_replication_role = replica')
  await session.query('set statement_timeout = 0')
  const start = Date.now() - days * 86_400_000
  const stepMs = Math.floor((days * 86_400_000) / count)
  const { rows: indexes } = await session.query(
    `select indexname as name, indexdef as definition from pg_indexes
    where tablename = any($1) and indexname not in (select conname from pg_constraint)`,
    [filled],
  )
  for (const { name } of indexes) await session.query(`drop index ${name}`)
  for (let done = 0; done < count; done += rowsAtOnce) {
    const rows = `rows as (
      select n, 'epoch'::timestamptz + (${start} + n * ${stepMs}) * interval '1 millisecond' as at
      from generate_series(${done}::bigint, ${Math.min(done + rowsAtOnce, count) - 1}::bigint) n)`
    for (const statement of toStatements(id, merchantId))
      await session.query({ text: `with ${rows} ${statement}`, query_timeout: 0 })
  }
  await session.query(`set maintenance_work_mem = '256MB'`)
  for (const { definition } of indexes) await session.query({ text: definition, query_timeout: 0 })
  for (const table of filled)
    await session.query({ text: `vacuum analyze ${table}`, query_timeout: 0 })
  await session.query('set session_replication_role = origin')
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  console.log(`${filled.join(', ')}: written in ${seconds} s`)
}

/** Median time that PostgreSQL reports for all statements of a page. */
async function measure(session, environment, [operation, query = {}, pages = 1]) {
  const work = { isMeasured: false, ms: 0, statements: 0 }
  const reader = { rows: (source) => readRows(session, source, work) }
  const openPage = createPageSources(reader, undefined)
  const parts = { db: reader, openPage, collections: {}, simulated: [] }
  const route = createRoutes(parts).find((one) => one.operation === operation)
  if (!route) throw new Error(`there is no operation ${operation}`)
  const actor = { kind: 'user', permissions: new Set(['audit.see', 'payers.see']) }
  const read = async (cursor) => {
    const asked = cursor ? { ...query, cursor } : query
    const request = { environment, query: asked, params: {}, wantsCsv: false, actor }
    const answer = await route.handle({ ...request, now: new Date() })
    return JSON.parse(answer.body).data
  }
  let cursor
  for (let page = 1; page < pages; page += 1) cursor = (await read(cursor)).nextCursor
  const times = []
  let data
  for (let round = 0; round < rounds; round += 1) {
    Object.assign(work, { isMeasured: true, ms: 0, statements: 0 })
    data = await read(cursor)
    times.push(work.ms)
  }
  const items = data.items?.length ?? ''
  return { items, statements: work.statements, ms: median(times), firstMs: times[0] }
}

async function readRows(session, source, work) {
  const statement = toStatement(source)
  const { name, text, values } = statement
  if (work.isMeasured) {
    const explain = 'explain (analyze, timing off, format json)'
    const isNamed = name !== undefined && !values.some((value) => value instanceof ListColumn)
    if (isNamed) await session.query(statement)
    const explained = isNamed
      ? await session.query(`${explain} execute ${name}(${values.map(toLiteral).join(', ')})`)
      : await session.query({ text: `${explain} ${text}`, values })
    const [plan] = JSON.parse(explained.rows[0]['QUERY PLAN'])
    work.ms += plan['Planning Time'] + plan['Execution Time']
    work.statements += 1
  }
  return (await session.query(statement)).rows
}

function toLiteral(value) {
  if (Array.isArray(value)) return toLiteral(`{${value.join(',')}}`)
  const text = value instanceof Date ? value.toISOString() : String(value)
  return `'${text.replaceAll("'", "''")}'`
}
