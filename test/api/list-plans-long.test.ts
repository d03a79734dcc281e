import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiParts } from '../../src/api/pipeline/api-parts.js'
import { createRoutes } from '../../src/api/routes/routes.js'
import { isList } from '../../src/api/server/add-route.js'
import { createPageSources } from '../../src/api/server/page-source.js'
import type { Route, RouteRequest } from '../../src/api/server/route.js'
import { installationChain } from '../../src/audit/chain.js'
import { second } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId, type Prefix, prefixes, toReference } from '../../src/base/ids.js'
import { toJson } from '../../src/base/json-text.js'
import { limits } from '../../src/base/limits.js'
import { createPublicSessionFinder } from '../../src/checkout/find-public-sessions.js'
import { newSessionReference } from '../../src/collections/sessions/session.js'
import { emitAll } from '../../src/events/emit.js'
import { getEvent } from '../../src/events/find-events.js'
import type { Answer } from '../../src/idempotency/answer.js'
import { listBalances } from '../../src/ledger/balances.js'
import { getPayout } from '../../src/payouts/records/find-payouts.js'
import { listLimits } from '../../src/postgres/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction } from '../../src/postgres/transactions/tx.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { requestLogLimits } from '../../src/request-log/limits.js'
import { allPermissions } from '../../src/team/permissions.js'
import { everyPermission } from '../../src/team/seen-with.js'
import { findTimeline } from '../../src/timeline/find-timeline.js'
import { webhookLimits } from '../../src/webhooks/limits.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { measuringReader, plansOf, type Work } from '../support/plans.js'
import { openSession, readerOf } from '../support/sessions.js'

// One environment has many rows that are all alike. Every value that its lists can be filtered by is
// rare or absent there, and common in another environment, so that the statistics of the planner,
// which know no environments, say the opposite. Each list is then read with every combination of its
// filters, and the server counts the rows that it read for it.

// More than any list may read: a scan of the whole table exceeds every bound below.
const count = 30_000
const db = await freshDatabase()
const ours = await insertEnvironment(db)
const others = await insertEnvironment(db)
const [first, last] = await db.rows(sql<{ id: string }>`
  select merchant_id as id from environments where id in (${ours}, ${others}) order by id`)
const merchants = { ours: first!.id, others: last!.id }

/** The n-th id, in the order of n. */
const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const idSql = `('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
/** Ids of events start with their time, as lists of deliveries expect it. */
const eventIdOf = (n: number) => {
  const time = (Date.parse('2026-01-01T00:00:00Z') + n * second).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${idOf(n).slice(13)}`
}
const eventIdSql = `(lpad(to_hex((extract(epoch from timestamptz '2026-01-01Z') + n)::bigint * 1000),
  12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`
const endpointId = idOf(count + 1)
/** Half of all payments, events and payouts belong to these. */
const busy = { account: idOf(2), resource: idOf(3), session: newSessionReference(idOf(2)) }

beforeAll(async () => {
  const session = await connect(db.url, 'manilla test')
  // Rows are checked by constraints; only triggers and foreign keys are left out, for speed.
  await session.query('set session_replication_role = replica')
  const fill = (text: string) =>
    session.query(text.replaceAll('$id', idSql).replaceAll('$event', eventIdSql))
  const series = (from = 1, to = count) => `generate_series(${from}, ${to}) n`
  await fill(`
    insert into events select ${ours}, $event, 'virtual_account.paid',
      case when n % 2 = 0 then '${busy.resource}' else $id end, $id, n, '{}',
      timestamptz '2026-01-01Z' + n * interval '1 second'
    from ${series()}`)
  await fill(`
    insert into events select ${others}, $event, 'payment.refund_failed', $id, $id, 1, '{}',
      timestamptz '2026-01-01Z' + n * interval '1 second'
    from ${series()}`)
  const accountOf = (environmentId: EnvironmentId, offset: number, rest: string) => `
    insert into collection_accounts (environment_id, id, rail_account, number, kind, rail, account_name,
      bank_code, bank_name, asset, amount, requested_amount, amount_received, amount_accepted,
      merchant_reference, metadata, status, expires_at, paid_at, due_at, created_at)
    select ${environmentId}, $id, n::text, n::text, ${rest}
    from ${series(offset + 1, offset + count)}`
  const paid = `'paper', 'Ada', '999', 'Paper', 'NGN', 100, null, 100, 100,
    case when n % 2 = 0 then 'same' else 'order ' || n end, '{}', 'PAID', now(), now(), null, now()`
  await fill(accountOf(ours, 0, `'virtual_account', ${paid}`))
  const open = `'chain', '', '', '', 'USDC', 100, '1', 0, 0, 'other ' || n, '{}', 'ACTIVE', now(),
    null, now(), now()`
  await fill(accountOf(others, count, `'crypto_wallet', ${open}`))
  await fill(`
    insert into checkout_sessions (environment_id, id, reference, account_id, description,
      customer_name, customer_email, merchant_reference, url, metadata, event_sequence, status,
      created_at)
    select environment_id, id, case when id = '${busy.account}' then '${busy.session}'
        else lpad(number, 42, '0') end, id, 'Bread', 'Ada', 'ada@example.com',
      case when merchant_reference = 'same' then 'same' end, 'https://x.example', '{}',
      case kind when 'virtual_account' then 1 else 0 end,
      case kind when 'virtual_account' then 'paid' else 'pending' end, now()
    from collection_accounts`)
  const paymentOf = (environmentId: EnvironmentId, rest: string) => `
    insert into payments (environment_id, id, account_id, rail_id, rail, amount, amount_returning,
      amount_returned, fee, variance, sender, event_sequence, received_at, created_at, source, asset,
      amount_accepted, amount_held)
    select ${environmentId}, $id, case when n % 2 = 0 then '${busy.account}' else $id end,
      '${environmentId}' || n, 'paper', 100, 0, 0, 0, 'NONE', '{"name": "Ada Obi"}', 1, now(),
      now(), ${rest}
    from ${series()}`
  await fill(paymentOf(ours, `'virtual_account', 'NGN', 100, 0`))
  await fill(paymentOf(others, `'crypto_wallet', 'USDC', 0, 100`))
  const payoutOf = (environmentId: EnvironmentId, offset: number, rest: string) => `
    insert into payouts (environment_id, id, merchant_reference, rail, amount, fee,
      requested_amount, destination, metadata, event_sequence, submitted_at, created_at, kind, asset,
      status, completed_at)
    select ${environmentId}, $id, 'order ' || n, 'paper', 1, 0, '1', '{"accountName": "Ada Obi"}',
      '{}', 1, now(), now(),
      ${rest}
    from ${series(offset + 1, offset + count)}`
  await fill(payoutOf(ours, 0, `'bank_transfer', 'NGN', 'COMPLETED', now()`))
  await fill(payoutOf(others, count, `'crypto_transfer', 'USDC', 'SUBMITTED', null`))
  await fill(`
    insert into ledger_transfers select ${ours}, $id, 'test_funding', 'NGN', 'clearing',
      'available', 1, false, n, n, now() from ${series()}`)
  await fill(`
    insert into settlements (environment_id, id, payout_id, part, reserve, first_entry, last_entry,
      opening, closing, lines, created_at)
    select ${ours}, $id, $id, 1, 0, n, n + ${count}, 0, 0, '[]', now() from ${series()}`)
  const conversionOf = (environmentId: EnvironmentId) => `
    insert into conversions (environment_id, id, source_asset, target_asset, source_amount, fee,
      target_amount, rate, created_at)
    select ${environmentId}, $id, 'NGN', 'USDC', 160000, 0, 1000000, 1600000000, now()
    from ${series()}`
  await fill(conversionOf(ours))
  await fill(conversionOf(others))
  const batchOf = (environmentId: EnvironmentId, rest: string) => `
    insert into payout_batches (environment_id, id, mode, kind, asset, item_count, amount,
      created_at, warned_count, due_at, state, ended_at)
    select ${environmentId}, $id, 'test', 'bank_transfer', 'NGN', 1, 1, now(), 0, now(), ${rest}
    from ${series()}`
  await fill(batchOf(ours, `'CANCELLED', now()`))
  await fill(batchOf(others, `'READY', null`))
  const itemOf = (environmentId: EnvironmentId, rest: string) => `
    insert into payout_batch_items (environment_id, batch_id, number, amount, requested_amount,
      destination, state, warnings, problem, ended_at)
    select ${environmentId}, '${idOf(7)}', n, 1, '1', '{"kind": "wallet", "address": "a"}', ${rest}
    from ${series()}`
  await fill(itemOf(ours, `'VALID', null, null, null`))
  await fill(itemOf(others, `'FAILED', '[]', '{}', now()`))
  const caseOf = (environmentId: EnvironmentId, member: string, rest: string) => `
    insert into cases (environment_id, id, mode, title, created_by_key, created_at,
      external_reference, assignee_id, kind, status, outcome, closed_at, deadline)
    select ${environmentId}, $id, 'test', 'Not delivered', $id, now(),
      case when n % 2 = 0 then 'same' else 'case ' || n end, '${member}', ${rest}
    from ${series()}`
  await fill(caseOf(ours, idOf(1), `'COMPLAINT', 'CLOSED', 'UPHELD', now(), null`))
  await fill(caseOf(others, idOf(2), `'FRAUD', 'OPEN', null, null, now()`))
  await fill(`
    insert into case_items (environment_id, id, case_id, payment_id, added_at)
    select environment_id, id, id,
      case when right(external_reference, 1) = 'e' then '${busy.account}' else id end, now()
    from cases`)
  await fill(`
    insert into webhook_endpoints (environment_id, id, url, is_enabled, created_at, secret,
      signing_key, public_key, disabled_reason, deleted_at)
    select ${ours}, $id, 'https://x.example', false, now(), '', '', '', 'merchant', now()
    from ${series()}`)
  await fill(`
    insert into webhook_endpoints (environment_id, id, url, is_enabled, created_at, secret,
      signing_key, public_key)
    select ${ours}, $id, 'https://x.example', true, now(), '', '', ''
    from ${series(count + 1, count + 1)}`)
  const deliveryOf = (environmentId: EnvironmentId, state: string, finishedAt: string) => `
    insert into deliveries (environment_id, event_id, endpoint_id, state, attempts, due_at,
      created_at, finished_at)
    select ${environmentId}, $event, '${endpointId}', ${state}, 1, now(), now(), ${finishedAt}
    from ${series()}`
  await fill(deliveryOf(ours, `'DELIVERED'`, 'now()'))
  const isPending = 'n % 2 = 0'
  await fill(
    deliveryOf(
      others,
      `case when ${isPending} then 'PENDING' else 'GIVEN_UP' end`,
      `case when ${isPending} then null else now() end`,
    ),
  )
  await fill(`
    insert into delivery_attempts (environment_id, event_id, endpoint_id, number, url, started_at,
      duration_ms, status)
    select ${ours}, $event, '${endpointId}', 1, 'https://x.example', now(), 84, 200
    from ${series()}`)
  await fill(`
    insert into audit_lines (id, actor, action, merchant_id, environment_id, details, created_at,
      chain, number, previous_hash, hash)
    select $id, 'root', 'payout.decide', null, ${ours},
      json_build_object('reference', case when n % 2 = 0 then '${busy.session}' else 'bt' || n end),
      now(), '${installationChain}', n, sha256('a'), sha256('b')
    from ${series()}`)
  const linesOf = (environmentId: EnvironmentId, chain: string, rest: string, from: number) => `
    insert into audit_lines (id, actor, user_id, action, merchant_id, environment_id, details,
      created_at, chain, number, previous_hash, hash)
    select $id, 'ada@example.com', ${rest}, '${chain}', ${environmentId}, '{}', now(), '${chain}',
      n, sha256('a'), sha256('b')
    from ${series(from + 1, from + count)}`
  await fill(linesOf(ours, merchants.ours, `'${idOf(1)}', 'team.change'`, count))
  await fill(linesOf(others, merchants.others, `'${idOf(2)}', 'api_key.create'`, 2 * count))
  await fill(`
    insert into api_keys (id, environment_id, kind, name, hash, hint, created_at, revoked_at)
    select $id, ${others}, 'secret', 'k', sha256(n::text::bytea), '', now(), now()
    from ${series()}`)
  await fill(`
    insert into merchant_bank_accounts (environment_id, id, bank_code, account_number,
      account_name, is_active, is_primary, created_at)
    select ${others}, $id, '058', lpad(n::text, 10, '0'), 'Ada', false, false, now()
    from ${series()}`)
  await fill(`
    insert into request_logs (environment_id, id, request_id, key_id, key_name, method, path,
      status, duration_us, is_replayed, is_request_cut, is_response_cut)
    select ${ours}, $id, 'r' || n, '${idOf(1)}', 'k', 'GET', '/v1/x', 200, 1, false, false, false
    from ${series()}`)
  await fill(`
    insert into request_logs (environment_id, id, request_id, key_id, key_name, method, path,
      status, duration_us, is_replayed, is_request_cut, is_response_cut)
    select ${others}, $id, 'r' || n, '${idOf(2)}', 'k', 'GET', '/v1/x', 200, 1, false, false, false
    from ${series()}`)
  await fill(`
    insert into request_log_resources
    select ${ours}, case when n % 2 = 0 then '${busy.resource}' else $id end, $id from ${series()}`)
  // As writeTerms would.
  for (const [kind, table] of Object.entries({ payment: 'payments', payout: 'payouts' }))
    await session.query(`
      insert into search_terms
      select environment_id, '${kind}', term, id from ${table}, unnest(array['ada', 'obi']) term`)
  // As autovacuum would: the planner then prefers to read an index alone.
  await session.query('vacuum analyze')
  await session.end()
}, 300_000)

type Values = Record<string, string[]>

/** Ids of this test hold the time zero. */
const idTime = { from: ['1970-01-01'], to: ['1970-01-02'] }

const accountFilters: Values = {
  q: ['same', 'unknown'],
  ...idTime,
  merchantReference: ['same', 'unknown'],
  status: ['PAID', 'CANCELLED'],
}
const dedicatedFilters: Values = {
  q: ['same', 'unknown'],
  ...idTime,
  externalReference: ['same'],
  status: ['ACTIVE', 'INACTIVE'],
}
const transferFilters: Values = {
  merchantReference: ['order 7', 'unknown'],
  minAmount: ['1', '1000'],
  maxAmount: ['1000', '1'],
  recipient: ['ada', 'unknown'],
  createdBy: [toReference(prefixes.apiKey, idOf(7))],
  q: ['order 7', 'obi', 'unknown'],
  ...idTime,
}
const time = { from: ['2026-01-01T00:10:00Z'], to: ['2026-01-01T05:00:00Z'] }

/** Values of every filter of every list: common in the environment, and rare there. */
const filters: Record<string, Values> = {
  listEvents: {
    type: ['virtual_account.paid', 'payment.refund_failed', 'payment.*', '*'],
    resource: [toReference(prefixes.virtualAccount, busy.resource)],
    ...time,
  },
  listPayments: {
    source: ['virtual_account', 'crypto_wallet'],
    accountReference: [toReference(prefixes.virtualAccount, busy.account)],
    status: ['ACCEPTED', 'HELD'],
    variance: ['NONE', 'LATE'],
    currency: ['NGN', 'USDC'],
    minAmount: ['1', '1000'],
    maxAmount: ['1000', '1'],
    sender: ['ada', 'obi ada', 'unknown'],
    merchantReference: ['same', 'unknown'],
    q: ['same', 'obi', 'unknown'],
    ...idTime,
  },
  listVirtualAccounts: accountFilters,
  listCryptoWallets: accountFilters,
  listDedicatedAccounts: dedicatedFilters,
  listDedicatedCryptoWallets: dedicatedFilters,
  listCheckoutSessions: {
    merchantReference: ['same', 'unknown'],
    status: ['paid', 'pending'],
    q: ['same', 'unknown'],
    ...idTime,
  },
  listBankTransfers: { ...transferFilters, status: ['COMPLETED', 'FAILED'] },
  listCryptoTransfers: {
    ...transferFilters,
    currency: ['USDC'],
    status: ['SUBMITTED', 'CONFIRMED'],
  },
  listDisbursements: {
    ...transferFilters,
    kind: ['bank_transfer', 'crypto_transfer'],
    currency: ['NGN', 'USDC'],
    status: ['COMPLETED', 'FAILED'],
  },
  listBalanceEntries: {
    asset: ['NGN', 'USDC'],
    type: ['test_funding', 'payment'],
    reference: [toReference(prefixes.funding, idOf(7))],
    ...time,
  },
  listAuditLines: {
    actor: [toReference(prefixes.user, idOf(1)), toReference(prefixes.user, idOf(2))],
    action: ['team.change', 'api_key.create'],
    ...idTime,
  },
  listApiKeys: {},
  listBankAccounts: {},
  listPayoutBatches: { status: ['CANCELLED', 'READY'], ...idTime },
  listPayoutBatchItems: { status: ['VALID', 'FAILED'], hasWarnings: ['true'] },
  listCases: {
    status: ['CLOSED', 'OPEN', 'OVERDUE'],
    kind: ['COMPLAINT', 'FRAUD'],
    item: [toReference(prefixes.payment, busy.account), toReference(prefixes.payment, idOf(7))],
    assignee: [toReference(prefixes.user, idOf(1)), toReference(prefixes.user, idOf(2))],
    externalReference: ['same', 'unknown'],
    ...idTime,
  },
  listConversions: { ...idTime },
  listSettlements: { status: ['PAID', 'FAILED'], ...idTime },
  listSettlementEntries: {},
  listEventDeliveries: {},
  listPaymentReturns: {},
  listWebhookEndpoints: {},
  listRequestLogs: {
    status: ['200', '4xx'],
    method: ['POST'],
    path: ['/v1/y'],
    requestId: ['r7', 'unknown'],
    keyId: [toReference(prefixes.apiKey, idOf(1)), toReference(prefixes.apiKey, idOf(2))],
    resource: [toReference(prefixes.virtualAccount, busy.resource), 'unknown'],
    ...time,
  },
  listEndpointDeliveries: {
    status: ['DELIVERED', 'GIVEN_UP', 'PENDING'],
    type: ['virtual_account.paid', 'payment.refund_failed', 'virtual_account.*', '*'],
    ...time,
  },
}

/** What has the lists that are not of a payment. */
const ownerOf: Record<string, Prefix> = {
  listSettlementEntries: prefixes.settlement,
  listPayoutBatchItems: prefixes.payoutBatch,
}

const paramsOf = (operation: string) => ({
  id:
    operation === 'listEndpointDeliveries'
      ? toReference(prefixes.webhookEndpoint, endpointId)
      : toReference(prefixes.event, eventIdOf(7)),
  reference: toReference(ownerOf[operation] ?? prefixes.payment, idOf(7)),
})

const { rowsPerScan, scansPerPageMax, rowsSortedMax } = listLimits
/** Lists whose filters combine check those that no index serves row by row. */
const searching = [
  'listPayments',
  'listBankTransfers',
  'listCryptoTransfers',
  'listDisbursements',
  'listCases',
]

/**
 * A page of 20 may read 21 rows of each event type. Request logs search a window, and deliveries by
 * type search the newest events of each type.
 */
function mostRows(operation: string, query: Record<string, string>): number {
  if (operation === 'listRequestLogs') return 2 * requestLogLimits.entriesScannedPerPageMax + 100
  if (operation === 'listEndpointDeliveries') return 4 * webhookLimits.eventsScannedPerPageMax
  if (operation === 'listBalanceEntries' && query.type) return rowsPerScan * scansPerPageMax + 100
  // The status is that of the payout, so no index of settlements serves it.
  if (operation === 'listSettlements' && query.status)
    return 2 * rowsPerScan * scansPerPageMax + 1_000
  const isExact = query.minAmount !== undefined && query.minAmount === query.maxAmount
  const hasAmount = !isExact && (query.minAmount !== undefined || query.maxAmount !== undefined)
  // Terms do not tell the two kinds of transfers apart.
  const isShared = operation === 'listCryptoTransfers' && (query.recipient ?? query.q)
  const filterCount = Object.keys(query).length - (isExact ? 1 : 0)
  const isServed = filterCount < 2 && !hasAmount && !isShared
  if (!searching.includes(operation) || isServed) return 1_000
  return 2 * rowsPerScan * scansPerPageMax + (hasAmount ? 2 * rowsSortedMax : 0) + 1_000
}

const readerWork: Work = { rows: 0, buffers: 0, nodes: [] }
// With the planner settings of the API's pool.
const session = await connect(db.url, 'manilla test')
afterAll(() => session.end())
const reader = measuringReader(session, readerWork)
const openPage = createPageSources(reader, undefined)
const rooms = { db: reader, openPage, collections: {}, simulated: [] }
// Banks come from the directory of the rail; rates are two.
const lists = createRoutes(rooms as unknown as ApiParts)
  .filter((one) => isList(one) && one.access !== 'operator')
  .filter(({ operation }) => operation !== 'listBanks' && operation !== 'listRates')

/** A person who may see everything. */
const actor = { kind: 'user', userId: idOf(1), permissions: new Set(allPermissions) }

async function workOf(route: Route, query: Record<string, string>) {
  Object.assign(readerWork, { rows: 0, buffers: 0, nodes: [] })
  const params = paramsOf(route.operation)
  const environment = { id: ours, merchantId: merchants.ours, mode: 'test', clockOffsetMs: 0 }
  const ask = {
    environment,
    actor,
    permissions: everyPermission,
    query,
    params,
    wantsCsv: false,
    now: new Date(),
  }
  const answer = await route.handle(ask as unknown as RouteRequest<never, never, never>)
  const { data } = JSON.parse((answer as Answer).body)
  return { ...readerWork, nextCursor: data.nextCursor as string | null }
}

/** These run the statements of another list, with another kind. */
const sameAs: Record<string, string> = {
  listCryptoWallets: 'listVirtualAccounts',
  listDedicatedCryptoWallets: 'listDedicatedAccounts',
  listBankTransfers: 'listDisbursements',
  listCryptoTransfers: 'listDisbursements',
}

const modes = ['force_custom_plan', 'force_generic_plan']

/**
 * Lists of few filters with every combination; others with each value alone and every pair of
 * filters, the pairs once for lists that share their statements.
 */
function combinationsOf(operation: string): Record<string, string>[] {
  const values = filters[operation]!
  const all = Object.entries(values)
  if (all.length <= 6) return everyCombinationOf(values)
  const alone = all.flatMap(([name, list]) => list.map((value) => ({ [name]: value })))
  const pairs = all.flatMap(([name, [value]], index) =>
    all.slice(index + 1).map(([other, list]) => ({ [name]: value!, [other]: list.at(-1)! })),
  )
  if (sameAs[operation]) return [{}, ...alone]
  // A plan for any amounts expects few rows between them; here all rows are.
  const amounts = values.minAmount
    ? [
        { minAmount: '1', maxAmount: '1000' },
        { minAmount: '100', maxAmount: '100' },
      ]
    : []
  return [{}, ...alone, ...amounts, ...pairs]
}

function everyCombinationOf(values: Values): Record<string, string>[] {
  let all: Record<string, string>[] = [{}]
  for (const [name, list] of Object.entries(values))
    all = all.flatMap((one) => [one, ...list.map((value) => ({ ...one, [name]: value }))])
  return all
}

describe.each(lists.map((route) => [route.operation, route] as const))('%s', (operation, route) => {
  test('has a value for each of its filters in this test', () => {
    const { properties } = route.query as unknown as { properties: object }
    const others = ['limit', 'cursor', 'excel']
    const names = Object.keys(properties).filter((name) => !others.includes(name))
    expect(Object.keys(filters[operation]!).sort()).toEqual(names.sort())
  })

  // PostgreSQL may switch a prepared statement to a plan for any value.
  test.each(modes)('reads a bounded number of rows with any filter, with %s', async (mode) => {
    await session.query(`set plan_cache_mode = ${mode}`)
    const excessive: object[] = []
    for (const query of combinationsOf(operation)) {
      let page = await workOf(route, query)
      const note = (which: string) => {
        const isTooMuch =
          page.rows > mostRows(operation, query) || page.buffers > 5 * mostRows(operation, query)
        if (isTooMuch) excessive.push({ query, which, ...page })
      }
      note('first page')
      if (page.nextCursor === null) continue
      page = await workOf(route, { ...query, cursor: page.nextCursor })
      note('second page')
    }
    expect(excessive).toEqual([])
  })
})

// A plan that is made again for every request costs more than the page.
test('prepared lists soon use one plan for all values', async () => {
  const own = await openSession(db)
  const pages = createPageSources(readerOf(own), undefined)
  const parts = { ...rooms, db: readerOf(own), openPage: pages }
  const routes = createRoutes(parts as unknown as ApiParts).filter(isList)
  const plannedOnce = [
    'listBankTransfers',
    'listVirtualAccounts',
    'listPayments',
    'listEvents',
    'listCheckoutSessions',
    'listEndpointDeliveries',
  ]
  for (const route of routes.filter(({ operation }) => plannedOnce.includes(operation)))
    for (let turn = 0; turn < 12; turn += 1) {
      const params = paramsOf(route.operation)
      const environment = { id: ours, mode: 'test' }
      const ask = {
        environment,
        actor,
        permissions: everyPermission,
        query: {},
        params,
        wantsCsv: false,
        now: new Date(),
      }
      await route.handle(ask as unknown as RouteRequest<never, never, never>)
    }
  const { rows } = await own.query<{ name: string; generic: bigint; custom: bigint }>(`
    select name, generic_plans as generic, custom_plans as custom from pg_prepared_statements
    where name ~ '^list_' order by name`)
  expect(rows).toHaveLength(plannedOnce.length)
  for (const { name, generic, custom } of rows)
    expect({ name, generic, custom }).toEqual({ name, generic: 7n, custom: 5n })
})

// The worker has summed up the statement, and none of the days: reports read the rows of the period.
test('a report reads no rows of other times', async () => {
  await session.query(`
    insert into report_balances select ${ours}, 'NGN', bucket, '2026-01-01T23:00Z', ${count}, 1, 1
    from unnest(array['hour', 'day']) bucket on conflict do nothing`)
  const query = { from: '2026-01-03', to: '2026-01-04' }
  const reports = createRoutes(rooms as unknown as ApiParts).filter(({ tag }) => tag === 'Reports')
  expect(reports).toHaveLength(4)
  for (const mode of ['force_custom_plan', 'force_generic_plan'])
    for (const route of reports) {
      await session.query(`set plan_cache_mode = ${mode}`)
      const { operation } = route
      const { rows, buffers } = await workOf(route, query)
      expect({ operation, isMuch: rows > 100 || buffers > 200 }).toEqual({
        operation,
        isMuch: false,
      })
    }
})

test('single resources and balances are read by primary key', async () => {
  const own = await openSession(db)
  const name = { environmentId: ours, reference: toReference(prefixes.event, eventIdOf(7)) }
  await getEvent(readerOf(own), { ...name, permissions: everyPermission })
  const transfer = { ...name, reference: toReference(prefixes.bankTransfer, idOf(7)) }
  await getPayout(readerOf(own), transfer)
  await listBalances(readerOf(own), ours)
  const keys = [`{${ours},${others}}`, `{${idOf(7)},${idOf(8)}}`]
  for (const { scans } of await plansOf(own, 'read_events', keys))
    expect(scans).toEqual(['by events_pkey'])
  for (const { scans } of await plansOf(own, 'read_payouts', keys))
    expect(scans).toEqual([
      'by payout_attempts_pkey',
      expect.stringMatching(/^by (payouts_pkey|reference_is_one_payout)/),
    ])
  for (const { scans } of await plansOf(own, 'list_balances', keys.slice(0, 1)))
    expect(scans).toEqual(['by ledger_accounts_pkey', 'by payment_returns_waiting'])
})

test('the public page of a session with many payments compares a bounded number of them', async () => {
  const work: Work = { rows: 0, buffers: 0, nodes: [] }
  const find = createPublicSessionFinder(measuringReader(session, work))
  const [found] = await find([busy.session])
  expect(found!.payments).toHaveLength(limits.checkout.paymentsShownMax)
  expect(work.rows).toBeLessThan(2 * limits.checkout.paymentsComparedMax)
})

// Half of all payments and events of the environment belong to what is read here.
test.each([
  ['a payment', toReference(prefixes.payment, idOf(8))],
  ['a payout', toReference(prefixes.bankTransfer, idOf(3))],
  ['a session', busy.session],
  ['an account', toReference(prefixes.virtualAccount, busy.account)],
])('the timeline of %s reads a bounded number of rows', async (_name, reference) => {
  const work: Work = { rows: 0, buffers: 0, nodes: [] }
  const environment = { id: ours, mode: 'test', clockOffsetMs: 0 } as const
  const reader = measuringReader(session, work)
  const { items } = await findTimeline(reader, {
    environment,
    reference,
    permissions: everyPermission,
  })
  expect(items.length).toBeGreaterThan(1)
  expect(work.nodes.filter((node) => node.startsWith('Seq Scan'))).toEqual([])
  expect(work.rows).toBeLessThan(1_000)
})

test('an event does not read the endpoints that were deleted', async () => {
  const session = await openSession(db)
  await inTransaction(session, async (tx) => {
    emitAll(tx, new Date(), [
      {
        environmentId: ours,
        type: 'virtual_account.paid',
        resourceId: newId(new Date()),
        causeId: newId(new Date()),
        sequence: 1,
        data: toJson({}),
      },
    ])
  })
  const values = [`{${ours}}`, `{${newId(new Date())}}`, '{payment.held}', '{null}', 'now']
  for (const { scans } of await plansOf(session, 'insert_deliveries', values))
    expect(scans).toEqual([expect.stringMatching(/^by webhook_endpoints_in_use/)])
})
