import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.js'
import { createLogger } from '../../src/log.js'
import { connect } from '../../src/postgres/connection.js'
import { createSeal } from '../../src/sealed.js'
import { Secret } from '../../src/secret.js'
import { createEndpoint } from '../../src/webhooks/change-endpoints.js'
import { Deliverer } from '../../src/webhooks/deliver.js'
import { sendTest } from '../../src/webhooks/redeliver.js'
import { createSender } from '../../src/webhooks/send.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'

const db = await freshDatabase()
const seal = createSeal(new Secret('s'.repeat(32)))

test('a test event reaches its endpoint and verifies', async () => {
  const got: { headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    got.push({ headers: request.headers, body })
    response.end('ok')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  afterAll(() => server.close())
  const id = await insertEnvironment(db)
  const now = new Date()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  const { secret } = await db.transaction(async (tx) => {
    const created = await createEndpoint(tx, now, {
      environment: { id },
      seal,
      url,
      eventTypes: null,
      description: '',
    })
    await sendTest(tx, now, created.endpoint)
    return created
  })
  const sender = createSender({ clock: systemClock, allowsLoopback: true })
  const deliverer = new Deliverer({
    db,
    connect: () => connect(db.url, 'test'),
    seal,
    clock: systemClock,
    logger: createLogger('warn'),
    sender,
  })
  deliverer.start()
  while (deliverer.stats.delivered + deliverer.stats.failed === 0)
    await new Promise((resolve) => setTimeout(resolve, 10))
  await deliverer.stop()
  sender.close()
  const rows = await db.rows(sql`select * from delivery_attempts`)
  expect(rows).toMatchObject([{ status: 200, response: 'ok', number: 1 }])
  const verified = new Webhook(secret.reveal()).verify(
    got[0]!.body,
    got[0]!.headers as Record<string, string>,
  )
  expect(verified).toMatchObject({ type: 'webhook_endpoint.test', sequence: 1 })
})
