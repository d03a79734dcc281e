import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { requestRateLimits } from '../../src/api/limits.js'
import type { ApiParts } from '../../src/api/pipeline/api-parts.js'
import { createRoutes } from '../../src/api/routes/routes.js'
import { isList } from '../../src/api/server/add-route.js'
import { createListReads } from '../../src/api/server/list-reads.js'
import { toEnvironmentId } from '../../src/base/environment.js'
import { sql } from '../../src/postgres/sql.js'
import { openManilla, type Reply } from '../support/open-manilla.js'
import { openSession, until } from '../support/sessions.js'

const { listsRunning, listsWaiting } = requestRateLimits

// The lock keeps every list of events waiting. One merchant asks for more lists than the pool has
// connections; another merchant must not notice.
test('slow lists of one environment do not exhaust the pool', async () => {
  const service = await openManilla()
  const neighbour = await service.addMerchant('Bola Foods')
  const blocker = await openSession(service.db)
  await blocker.query('begin; lock table events in access exclusive mode')

  const readEvents = () => service.ask('GET', '/v1/events', { key: service.merchant.test.secret })
  const answered: Reply[] = []
  const flood = Array.from({ length: listsRunning + listsWaiting + 1 }, () =>
    readEvents().then((reply) => answered.push(reply)),
  )
  // One more than may run and wait: one of them is refused at once.
  await until(() => answered.length > 0)
  const [refused] = answered
  expect([refused!.status, refused!.headers.get('retry-after')]).toEqual([429, '1'])
  expect(refused!.json.code).toBe('rate_limited')

  const balances = await service.ask('GET', '/v1/balances', { key: neighbour.test.secret })
  const payments = await service.ask('GET', '/v1/collections/payments', {
    key: neighbour.test.secret,
  })
  expect([balances.status, payments.status]).toEqual([200, 200])
  // The same merchant's single reads and its other environment are not lists of this environment.
  const own = await service.ask('GET', '/v1/balances', { key: service.merchant.test.secret })
  const live = await service.ask('GET', '/v1/collections/payments', {
    key: service.merchant.live.secret,
  })
  expect([own.status, live.status]).toEqual([200, 200])
  expect(answered).toHaveLength(1)
  expect(await countBlocked(service.db)).toBe(listsRunning)

  await blocker.query('rollback')
  await Promise.all(flood)
  expect((await readEvents()).status).toBe(200)
})

// While the first lists are blocked, more of the same wait, and one of another page. What commits
// meanwhile must be on every page that is read afterwards.
test('lists that wait for the same page share a read that is newer than all of them', async () => {
  const reads = createListReads()
  const environmentId = toEnvironmentId(1)
  let state = 0
  let count = 0
  const release: (() => void)[] = []
  const read = async () => {
    count += 1
    const seen = state
    await new Promise<void>((resolve) => release.push(resolve))
    return seen
  }
  const first = Array.from({ length: listsRunning }, () => reads.run(environmentId, '/a', read))
  const same = [reads.run(environmentId, '/a', read), reads.run(environmentId, '/a', read)]
  const other = reads.run(environmentId, '/b', read)
  const alone = [1, 2].map(() => reads.run(environmentId, undefined, read))
  const elsewhere = reads.run(toEnvironmentId(2), '/a', read)
  state = 1
  expect(count).toBe(listsRunning + 1)
  const last = reads.run(environmentId, '/a', read)
  for (let turn = 0; turn < 9; turn += 1) {
    for (const one of release.splice(0)) one()
    await setImmediate()
  }
  expect(await Promise.all(first)).toEqual(first.map(() => 0))
  expect(await Promise.all([...same, last, other, ...alone])).toEqual([1, 1, 1, 1, 1, 1])
  expect(await elsewhere).toBe(0)
  // Three for /a share one.
  expect(count).toBe(listsRunning + 1 + 1 + 1 + 2)
})

test('a shared read that fails fails for all, and the next lists run', async () => {
  const reads = createListReads()
  const id = toEnvironmentId(1)
  const fail = async () => {
    await setImmediate()
    throw new Error('no connection')
  }
  const all = Array.from({ length: listsRunning + 5 }, () => reads.run(id, '/a', fail))
  const outcomes = await Promise.allSettled(all)
  expect(outcomes.map(({ status }) => status)).toEqual(all.map(() => 'rejected'))
  expect(await reads.run(id, '/a', async () => 'read')).toBe('read')
})

async function countBlocked(db: Parameters<typeof openSession>[0]): Promise<number> {
  const [row] = await db.rows(sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return row!.count
}

test('every list of a merchant is counted, and nothing else is', () => {
  const rooms = { collections: {}, simulated: [] } as unknown as ApiParts
  const counted = createRoutes(rooms).filter(isList)
  expect(counted.map(({ operation }) => operation).sort()).toEqual([
    'listApiKeys',
    'listAuditLines',
    'listBalanceEntries',
    'listBankAccounts',
    'listBankTransfers',
    'listBanks',
    'listCases',
    'listCheckoutSessions',
    'listClaims',
    'listConversions',
    'listCryptoTransfers',
    'listCryptoWallets',
    'listCustomerEntries',
    'listCustomers',
    'listDedicatedAccounts',
    'listDedicatedCryptoWallets',
    'listDisbursements',
    'listEndpointDeliveries',
    'listEventDeliveries',
    'listEvents',
    'listInstallationLines',
    'listInvoiceSchedules',
    'listInvoices',
    'listMailSuppressions',
    'listMails',
    'listPaymentLinks',
    'listPaymentReturns',
    'listPayments',
    'listPayoutBatchItems',
    'listPayoutBatches',
    'listRates',
    'listRecipients',
    'listRequestLogs',
    'listSettlementEntries',
    'listSettlements',
    'listSplitRules',
    'listSubaccounts',
    'listVirtualAccounts',
    'listWebhookEndpoints',
  ])
})
