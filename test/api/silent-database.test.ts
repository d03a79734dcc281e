import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/base/secret.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { openMuteProxy } from '../support/mute-proxy.js'
import { openManilla } from '../support/open-manilla.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const db = await freshDatabase()

async function openBehindProxy() {
  const proxy = await openMuteProxy(db.url)
  onTestFinished(() => proxy.close())
  const shared = { db, clock: manualClock(), secret: new Secret('0'.repeat(64)) }
  const service = await openManilla({ beside: shared, databaseUrl: proxy.url })
  const fund = (key: string) =>
    service.ask('POST', '/v1/test/balances/fund', {
      key: service.merchant.test.secret,
      body: { asset: 'NGN', amount: 100 },
      headers: { 'idempotency-key': key },
    })
  const ready = async () => (await service.ask('GET', '/readyz')).status
  return { proxy, service, fund, ready }
}

// A failover without a reset: connections stay open and nothing comes back on them. Writes must be
// answered with an honest "unknown" or "unavailable", not hang, and new connections must be made.
test('writes on connections that went silent are answered, and recover', async () => {
  const { proxy, service, fund, ready } = await openBehindProxy()
  expect((await fund('before')).status).toBe(201)
  expect(await ready()).toBe(200)

  proxy.mute()
  const [write, readiness] = await Promise.all([fund('during'), ready()])
  expect(write.status).toBe(503)
  expect(write.json.reason).toMatch(/^(outcome_unknown|unavailable)$/)
  expect(readiness).toBe(503)

  await until(async () => (await ready()) === 200)
  expect((await fund('during')).status).toBe(201)
  expect((await fund('before')).headers.get('idempotent-replayed')).toBe('true')
  const { json } = await service.ask('GET', '/v1/balances', { key: service.merchant.test.secret })
  expect(json.data.items.find(({ asset }: { asset: string }) => asset === 'NGN').available).toBe(
    200,
  )
  await expectAllProofs(db)
})

// A script that waits for 200 goes on to use the demo merchant.
test('a service that still creates its demo merchant is alive and not ready', async () => {
  let isSetUp = false
  const service = await openManilla({ isSetUp: () => isSetUp })
  const early = await service.ask('GET', '/readyz')
  expect([early.status, early.json.message]).toEqual([503, 'Starting'])
  expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await service.ask('GET', '/healthz')).status).toBe(200)
  isSetUp = true
  expect((await service.ask('GET', '/readyz')).status).toBe(200)
})

// No write comes while the connections are silent, so no batch meets its deadline. The checks of
// readiness must find the dead connection of the lane: the next write succeeds at the first try.
test('readiness checks replace the silent connection of an idle lane', async () => {
  const { proxy, service, fund, ready } = await openBehindProxy()
  expect((await fund('lane before')).status).toBe(201)
  proxy.mute()
  await until(async () => {
    const reply = await service.ask('GET', '/v1/balances', { key: service.merchant.test.secret })
    return reply.status === 200
  })
  await until(async () => (await ready()) === 200)
  expect((await fund('lane after')).status).toBe(201)
})

// The new primary is not there yet: connections are accepted and stay silent. Callers must not pile
// up behind each other; every one of them is answered.
test('a database that accepts connections and says nothing fails every write', async () => {
  const { proxy, fund, ready } = await openBehindProxy()
  expect((await fund('new before')).status).toBe(201)
  proxy.mute()
  proxy.muteNew()
  const replies = await Promise.all(Array.from({ length: 30 }, (_, index) => fund(`new ${index}`)))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]))
  expect(await ready()).toBe(503)

  proxy.unmute()
  await until(async () => (await ready()) === 200)
  for (const index of replies.keys()) expect((await fund(`new ${index}`)).status).toBe(201)
})
