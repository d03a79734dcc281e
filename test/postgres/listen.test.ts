import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { sql } from '../../src/postgres/sql.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { listen } from '../../src/postgres/wire/listen.js'
import { freshDatabase } from '../support/database.js'

const db = await freshDatabase()
const channel = 'test_channel'
const ignoring = { channel, onPayload() {}, onConnected() {} }

function openLog() {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line) => lines.push(line) })
  return { logger, said: () => lines.map((line) => JSON.parse(line)) }
}

test('a lost connection is logged once, and so is its return', async () => {
  const { logger, said } = openLog()
  let tries = 0
  const heard: string[] = []
  const line = listen({
    channel,
    logger,
    onPayload: (payload) => heard.push(payload),
    onConnected: () => heard.push('(connected)'),
    async connect() {
      tries += 1
      if (tries < 3) throw new Error('connection refused')
      return connect(db.url, 'test listener')
    },
  })
  await expect.poll(() => heard, { timeout: 20_000 }).toEqual(['(connected)'])
  expect(said()).toMatchObject([
    { level: 'warn', channel, err: { message: 'connection refused' } },
    { level: 'info', channel },
  ])
  await db.rows(sql`select pg_notify(${channel}, 'news')`)
  await expect.poll(() => heard).toEqual(['(connected)', 'news'])

  await db.rows(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'test listener' and datname = current_database()`)
  await expect
    .poll(() => heard, { timeout: 20_000 })
    .toEqual(['(connected)', 'news', '(connected)'])
  expect(said().map(({ level }) => level)).toEqual(['warn', 'info', 'warn', 'info'])
  await line.stop()
  expect(said()).toHaveLength(4)
})

test('a stop waits neither for a connection attempt nor for the next retry', async () => {
  const { logger, said } = openLog()
  const never = listen({ ...ignoring, logger, connect: () => new Promise(() => {}) })
  await never.stop()
  expect(said()).toEqual([])

  let tries = 0
  const refused = listen({
    ...ignoring,
    logger,
    async connect() {
      tries += 1
      throw new Error('connection refused')
    },
  })
  await expect.poll(() => said().length).toBe(1)
  await refused.stop()
  expect(tries).toBe(1)
})

test('a connection that opens after the stop is closed', async () => {
  const { logger } = openLog()
  const opening = connect(db.url, 'test late listener')
  const line = listen({ ...ignoring, logger, connect: () => opening })
  await line.stop()
  const client = await opening
  await once(client, 'end')
})
