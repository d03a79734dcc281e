import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import type { Keeper, Passage } from './passage.js'
import { MessageReader, StatementReader, typeOf } from './statements.js'

/**
 * Tables about requests, not about money: what they hold is lost with a process on purpose. And the
 * notices that the sandbox bank has to send: it claims them by a timer, in real time.
 */
export const unguardedTables: ReadonlySet<string> = new Set([
  'api_keys',
  'delivery_hours',
  'request_log_resources',
  'request_logs',
  'sandbox_notices',
  'treasury_shortfalls',
  'user_sessions',
  'worker_heartbeats',
])

export type PostgresGate = {
  /** The database, as the instance reaches it. */
  url: string
  /** Whether PostgreSQL owes an answer to anything that was sent. */
  isBusy(): boolean
  /** Cuts all connections and refuses new ones, as when the process died. */
  kill(): void
  close(): Promise<void>
}

/**
 * A proxy between an instance and PostgreSQL. It knows which messages commit what, and has the
 * keeper decide about each commit below the transaction: a lost acknowledgement is lost before the
 * client's driver sees it.
 */
export async function openPostgresGate(databaseUrl: string, keeper: Keeper): Promise<PostgresGate> {
  const sockets = new Set<Socket>()
  const relays = new Set<Relay>()
  const server = createServer((client) => {
    const upstream = connectTo(databaseUrl)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}) // the close that follows is what counts
      socket.on('close', () => {
        sockets.delete(socket)
        relays.delete(started)
        client.destroy()
        upstream.destroy()
      })
    }
    const started = relay(client, upstream, keeper)
    relays.add(started)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { user, database } = new pg.Client(databaseUrl)
  let closing: Promise<unknown> | undefined
  const kill = () => {
    closing ??= new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    isBusy: () => [...relays].some(({ unanswered }) => unanswered > 0),
    kill,
    async close() {
      kill()
      await closing
    },
  }
}

function connectTo(databaseUrl: string): Socket {
  const { host, port } = new pg.Client(databaseUrl)
  return host.startsWith('/')
    ? connect({ path: `${host}/.s.PGSQL.${port}` })
    : connect({ host, port, noDelay: true })
}

/** How many answers PostgreSQL owes on one connection. */
type Relay = { unanswered: number }

function relay(client: Socket, upstream: Socket, keeper: Keeper): Relay {
  const statements = new StatementReader()
  const [fromClient, fromServer] = [new MessageReader(), new MessageReader()]
  // It ends its answer to the startup message as every other one.
  const started: Relay = { unanswered: 1 }
  let hasStarted = false
  /** Messages of the client since the server was last made to answer. */
  let group: Buffer[] = []
  /** The answer to a commit is kept until it is whole, and the keeper lets it leave. */
  let held: { passage: Passage; answer: Buffer[] } | undefined

  client.setNoDelay(true)
  client.on('data', (chunk: Buffer) => {
    // The first message has no type; pg waits for the server's answer to it.
    if (!hasStarted) {
      hasStarted = true
      upstream.write(chunk)
      return
    }
    for (const message of fromClient.read(chunk)) {
      group.push(message)
      const tables = statements.read(message)
      if (tables !== undefined) started.unanswered += 1
      else if (typeOf(message) !== 'p' && typeOf(message) !== 'X') continue
      const sent = Buffer.concat(group)
      group = []
      const name = (tables ?? []).filter((table) => !unguardedTables.has(table)).join(' ')
      if (name === '') upstream.write(sent)
      else void enter({ kind: 'commit', name }, sent)
    }
  })

  async function enter(passage: Passage, sent: Buffer): Promise<void> {
    if ((await keeper.enter(passage)) === 'fail') {
      client.destroy()
      return
    }
    held = { passage, answer: [] }
    upstream.write(sent)
  }

  upstream.on('data', (chunk: Buffer) => {
    const passing: Buffer[] = []
    for (const message of fromServer.read(chunk)) {
      if (typeOf(message) === 'Z') started.unanswered -= 1
      if (!held) {
        passing.push(message)
        continue
      }
      held.answer.push(message)
      if (typeOf(message) === 'Z') void leave(held)
    }
    // One write for all: a write for each row of a result would take most of the time.
    if (passing.length > 0) client.write(Buffer.concat(passing))
  })

  async function leave({ passage, answer }: NonNullable<typeof held>): Promise<void> {
    const isLost = (await keeper.leave(passage)) === 'lose'
    held = undefined
    if (isLost) client.destroy()
    else client.write(Buffer.concat(answer))
  }

  return started
}
