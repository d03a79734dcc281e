import { expect, test } from 'vitest'
import type { ApiParts } from '../../src/api/api-parts.js'
import { isList } from '../../src/api/edge/add-route.js'
import { createRoutes } from '../../src/api/routes/routes.js'
import { limits } from '../../src/base/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { openManilla, type Reply } from '../support/open-manilla.js'
import { openSession, until } from '../support/sessions.js'

const { listsRunning, listsWaiting } = limits.rateLimit

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
    'listBalanceEntries',
    'listBankTransfers',
    'listCheckoutSessions',
    'listCryptoTransfers',
    'listCryptoWallets',
    'listDedicatedAccounts',
    'listDedicatedCryptoWallets',
    'listEventDeliveries',
    'listEvents',
    'listPaymentReturns',
    'listPayments',
    'listRequestLogs',
    'listVirtualAccounts',
    'listWebhookEndpoints',
  ])
})
