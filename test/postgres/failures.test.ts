import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { isConnectionLost, isLockTimeout, isTransient } from '../../src/postgres/wire/failures.js'
import { freshDatabase } from '../support/database.js'
import { openSession } from '../support/sessions.js'

// What a failure means depends on recognizing it. These are failures as pg, Node.js and the server
// really produce them.

const db = await freshDatabase()

/** Accepts connections and never answers. */
async function silentServer(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    onTestFinished(() => {
      socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => new Error('it did not fail'),
    (error: Error) => error,
  )
}

function connectTo(config: pg.ClientConfig): Promise<unknown> {
  const client = new pg.Client({ user: 'manilla', ...config })
  client.on('error', () => {})
  return client.connect()
}

test('a silent server and a missing server both count as a lost connection', async () => {
  const port = await silentServer()
  const failures = [
    failureOf(connectTo({ host: '127.0.0.1', port, connectionTimeoutMillis: 50 })),
    failureOf(connectTo({ host: '127.0.0.1', port: 1 })),
    failureOf(connectTo({ host: '/no/such/directory' })),
  ]
  for (const failure of await Promise.all(failures)) {
    expect(failure.message).not.toBe('it did not fail')
    expect([failure.message, isConnectionLost(failure)]).toEqual([failure.message, true])
  }
})

test('a pool that cannot connect or is exhausted counts as a lost connection', async () => {
  const port = await silentServer()
  const away = new pg.Pool({ host: '127.0.0.1', port, connectionTimeoutMillis: 50 })
  expect(isConnectionLost(await failureOf(away.query('select 1')))).toBe(true)

  const busy = new pg.Pool({ connectionString: db.url, max: 1 })
  const taken = await busy.connect()
  // Only now: the first connection must not time out.
  busy.options.connectionTimeoutMillis = 20
  expect(isConnectionLost(await failureOf(busy.query('select 1')))).toBe(true)
  taken.release()
  await busy.end()
})

test('a connection ended by the server or the network is lost', async () => {
  const [ended, cut, idle] = await Promise.all([openSession(db), openSession(db), openSession(db)])
  const sleeping = failureOf(ended.query('select pg_sleep(30), pg_backend_pid()'))
  const { processID } = ended as unknown as { processID: number }
  await db.rows(sql`select pg_terminate_backend(${processID}::int)`)
  expect(isConnectionLost(await sleeping)).toBe(true)
  expect(isConnectionLost(await failureOf(ended.query('select 1')))).toBe(true)

  const waiting = failureOf(cut.query('select pg_sleep(30)'))
  ;(cut as unknown as { connection: pg.Connection }).connection.stream.destroy()
  expect(isConnectionLost(await waiting)).toBe(true)

  await idle.end()
  expect(isConnectionLost(await failureOf(idle.query('select 1')))).toBe(true)
})

// An error about the statement or its rows is not about the connection: its sender must get it.
test('failures of statements do not count as lost connections', async () => {
  const session = await openSession(db)
  await session.query(`set statement_timeout = '20ms'`)
  const failures = [
    'select pg_sleep(5)',
    'select 1 / 0',
    'select no_such_column',
    'this is not sql',
    `select 'x'::uuid`,
    'insert into ledger_accounts values (0)',
  ]
  for (const text of failures) {
    const failure = await failureOf(session.query(text))
    expect([text, isConnectionLost(failure), isTransient(failure)]).toEqual([text, false, false])
  }
})

test('a lock timeout is recognized', async () => {
  const [holder, waiter] = await Promise.all([openSession(db), openSession(db)])
  await holder.query('begin')
  await holder.query('lock table merchants')
  await waiter.query(`set lock_timeout = '10ms'`)
  const failure = await failureOf(waiter.query('select from merchants'))
  expect(isLockTimeout(failure)).toBe(true)
  expect(isConnectionLost(failure)).toBe(false)
})
