import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiParts } from '../../src/api/api-parts.js'
import { isList } from '../../src/api/edge/add-route.js'
import { createPageSources } from '../../src/api/edge/page-source.js'
import type { Route, RouteRequest } from '../../src/api/edge/route.js'
import { createRoutes } from '../../src/api/routes/routes.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { limits } from '../../src/base/limits.js'
import { createPublicSessionFinder } from '../../src/checkout/find-public-sessions.js'
import { newSessionReference } from '../../src/collections/session.js'
import { emitAll } from '../../src/events/emit.js'
import { getEvent } from '../../src/events/find-events.js'
import { listBalances } from '../../src/ledger/balances.js'
import { getPayout } from '../../src/payouts/find-payouts.js'
import { connect } from '../../src/postgres/connection.js'
import { inTransaction } from '../../src/postgres/tx.js'
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

/** The n-th id, in the order of n. */
const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const idSql = `('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
/** Half of all payments, events and payouts belong to these. */
const busy = { account: idOf(2), resource: idOf(3), session: newSessionReference(idOf(2)) }

beforeAll(async () => {
  const session = await connect(db.url, 'manilla test')
  // Rows are checked by constraints; only triggers and foreign keys are left out, for speed.
  await session.query('set session_replication_role = replica')
  const fill = (text: string) => session.query(text.replaceAll('$id', idSql))
  const series = (from = 1, to = count) => `generate_series(${from}, ${to}) n`
  await fill(`
    insert into events select ${ours}, $id, 'virtual_account.paid',
      case when n % 2 = 0 then '${busy.resource}' else $id end, $id, n, '{}',
      timestamptz '2026-01-01' + n * interval '1 second'
    from ${series()}`)
  await fill(`
    insert into events select ${others}, $id, 'payment.refund_failed', $id, $id, 1, '{}',
      timestamptz '2026-01-01' + n * interval '1 second'
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
      '${environmentId}' || n, 'paper', 100, 0, 0, 0, 'NONE', '{}', 1, now(), now(), ${rest}
    from ${series()}`
  await fill(paymentOf(ours, `'virtual_account', 'NGN', 100, 0`))
  await fill(paymentOf(others, `'crypto_wallet', 'USDC', 0, 100`))
  const payoutOf = (environmentId: EnvironmentId, offset: number, rest: string) => `
    insert into payouts (environment_id, id, merchant_reference, rail, amount, fee,
      requested_amount, destination, metadata, event_sequence, submitted_at, created_at, kind, asset,
      status, completed_at)
    select ${environmentId}, $id, 'order ' || n, 'paper', 1, 0, '1', '{}', '{}', 1, now(), now(),
      ${rest}
    from ${series(offset + 1, offset + count)}`
  await fill(payoutOf(ours, 0, `'bank_transfer', 'NGN', 'COMPLETED', now()`))
  await fill(payoutOf(others, count, `'crypto_transfer', 'USDC', 'SUBMITTED', null`))
  await fill(`
    insert into ledger_transfers select ${ours}, $id, 'test_funding', 'NGN', 'clearing',
      'available', 1, false, n, n, now() from ${series()}`)
  await fill(`
    insert into webhook_endpoints (environment_id, id, url, is_enabled, created_at, secret,
      signing_key, public_key, disabled_reason, deleted_at)
    select ${ours}, $id, 'https://x.example', false, now(), '', '', '', 'merchant', now()
    from ${series()}`)
  await fill(`
    insert into request_logs (environment_id, id, request_id, key_name, method, path, status,
      duration_us, is_replayed, is_request_cut, is_response_cut)
    select ${ours}, $id, 'r' || n, 'k', 'GET', '/v1/x', 200, 1, false, false, false
    from ${series()}`)
  await session.query('analyze')
  await session.end()
}, 300_000)

type Values = Record<string, string[]>

const accountFilters: Values = {
  merchantReference: ['same', 'unknown'],
  status: ['PAID', 'CANCELLED'],
}
const dedicatedFilters: Values = {
  externalReference: ['same'],
  status: ['ACTIVE', 'INACTIVE'],
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
  },
  listVirtualAccounts: accountFilters,
  listCryptoWallets: accountFilters,
  listDedicatedAccounts: dedicatedFilters,
  listDedicatedCryptoWallets: dedicatedFilters,
  listCheckoutSessions: { merchantReference: ['same', 'unknown'], status: ['paid', 'pending'] },
  listBankTransfers: { merchantReference: ['order 7', 'unknown'], status: ['COMPLETED', 'FAILED'] },
  listCryptoTransfers: { merchantReference: ['order 7'], status: ['SUBMITTED', 'CONFIRMED'] },
  listBalanceEntries: { asset: ['NGN', 'USDC'] },
  listEventDeliveries: {},
  listPaymentReturns: {},
  listWebhookEndpoints: {},
  listRequestLogs: {
    status: ['200', '4xx'],
    method: ['POST'],
    path: ['/v1/y'],
    requestId: ['r7', 'unknown'],
    ...time,
  },
}

const params = {
  id: toReference(prefixes.event, idOf(7)),
  reference: toReference(prefixes.payment, idOf(7)),
}

/** A page of 20 may read 21 rows of each event type; request logs search a window. */
const mostRows = (operation: string) =>
  operation === 'listRequestLogs' ? 2 * limits.requestLogs.entriesScannedPerPageMax + 100 : 1_000

const readerWork: Work = { rows: 0, buffers: 0, nodes: [] }
// With the planner settings of the API's pool.
const session = await connect(db.url, 'manilla test')
afterAll(() => session.end())
const reader = measuringReader(session, readerWork)
const openPage = createPageSources(reader, undefined)
const rooms = { db: reader, openPage, collections: {}, simulated: [] }
const lists = createRoutes(rooms as unknown as ApiParts).filter(isList)

async function workOf(route: Route, query: Record<string, string>) {
  Object.assign(readerWork, { rows: 0, buffers: 0, nodes: [] })
  const environment = { id: ours, mode: 'test' }
  const ask = { environment, query, params, wantsCsv: false, now: new Date() }
  const { body } = await route.handle(ask as unknown as RouteRequest<never, never, never>)
  const { data } = JSON.parse(body as string)
  return { ...readerWork, nextCursor: data.nextCursor as string | null }
}

/** Every combination of filters. */
function combinationsOf(values: Values): Record<string, string>[] {
  let all: Record<string, string>[] = [{}]
  for (const [name, list] of Object.entries(values))
    all = all.flatMap((one) => [one, ...list.map((value) => ({ ...one, [name]: value }))])
  return all
}

describe.each(lists.map((route) => [route.operation, route] as const))('%s', (operation, route) => {
  test('has a value for each of its filters in this test', () => {
    const { properties } = route.query as unknown as { properties: object }
    const names = Object.keys(properties).filter((name) => !['limit', 'cursor'].includes(name))
    expect(Object.keys(filters[operation]!).sort()).toEqual(names.sort())
  })

  // PostgreSQL may switch a prepared statement to a plan for any value.
  test.each(['force_custom_plan', 'force_generic_plan'])(
    'reads a bounded number of rows with any filter, with %s',
    async (mode) => {
      await session.query(`set plan_cache_mode = ${mode}`)
      const excessive: object[] = []
      for (const query of combinationsOf(filters[operation]!)) {
        let page = await workOf(route, query)
        const note = (which: string) => {
          const isTooMuch =
            page.rows > mostRows(operation) || page.buffers > 5 * mostRows(operation)
          if (isTooMuch) excessive.push({ query, which, ...page })
        }
        note('first page')
        if (page.nextCursor === null) continue
        page = await workOf(route, { ...query, cursor: page.nextCursor })
        note('second page')
      }
      expect(excessive).toEqual([])
    },
  )
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
  ]
  for (const route of routes.filter(({ operation }) => plannedOnce.includes(operation)))
    for (let turn = 0; turn < 12; turn += 1) {
      const environment = { id: ours, mode: 'test' }
      const ask = { environment, query: {}, params, wantsCsv: false, now: new Date() }
      await route.handle(ask as unknown as RouteRequest<never, never, never>)
    }
  const { rows } = await own.query<{ name: string; generic: bigint; custom: bigint }>(`
    select name, generic_plans as generic, custom_plans as custom from pg_prepared_statements
    where name ~ '^(list|find_sessions)_' order by name`)
  expect(rows).toHaveLength(plannedOnce.length)
  for (const { name, generic, custom } of rows)
    expect({ name, generic, custom }).toEqual({ name, generic: 7n, custom: 5n })
})

test('single resources and balances are read by primary key', async () => {
  const own = await openSession(db)
  const name = { environmentId: ours, reference: toReference(prefixes.event, idOf(7)) }
  await getEvent(readerOf(own), name)
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
    expect(scans).toEqual(['by ledger_accounts_pkey'])
})

test('the public page of a session with many payments compares a bounded number of them', async () => {
  const work: Work = { rows: 0, buffers: 0, nodes: [] }
  const find = createPublicSessionFinder(measuringReader(session, work))
  const [found] = await find([busy.session])
  expect(found!.payments).toHaveLength(limits.checkout.paymentsShownMax)
  expect(work.rows).toBeLessThan(2 * limits.checkout.paymentsComparedMax)
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
        data: '{}',
      },
    ])
  })
  const values = [`{${ours}}`, `{${newId(new Date())}}`, '{payment.held}', '{null}', 'now']
  for (const { scans } of await plansOf(session, 'insert_deliveries', values))
    expect(scans).toEqual([expect.stringMatching(/^by webhook_endpoints_in_use/)])
})
