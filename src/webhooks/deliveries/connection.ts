import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '../../base/clock.js'
import { webhookLimits } from '../limits.js'
import { CutOff, ResponseReader } from './response-reader.js'

/** Where to connect to. Targets with the same key share connections. */
export type ConnectionTarget = {
  key: string
  isSecure: boolean
  host: string
  port: number
}

/** Called once: with the response, or with why there is none. */
export type ExchangeCallbacks = {
  onResponse(response: ResponseReader): void
  /** `isStale`: the receiver closed a kept connection before it responded on it. */
  onFailure(error: Error, isStale: boolean): void
}

type PoolSettings = {
  clock: Clock
  /** Returns only addresses to which a connection to this target is allowed. */
  lookup: LookupFunction
  mayConnect: (address: string) => boolean
  /** Certificate authorities; by default those of Node. */
  ca?: string | undefined
}

/** The address was not allowed. */
export class NotPublic extends Error {}

/** The receiver closed the connection instead of responding. */
export class NoResponse extends Error {
  readonly code = 'ECONNRESET'
}

/**
 * Connections to receivers, kept open between requests. A kept connection carries one request at a
 * time, always for the target it was opened for, and is not used again when it is old: the hostname
 * may resolve to another address by then.
 */
export class ConnectionPool {
  readonly settings: PoolSettings
  readonly #open = new Set<Connection>()
  /** Unused connections by target, the latest last; it is taken first. */
  readonly #kept = new Map<string, Connection[]>()
  /** All of them, in the order in which they were kept. */
  readonly #keptInOrder = new Set<Connection>()
  /** TLS sessions by target: resuming one saves the receiver and us a full handshake. */
  readonly #sessions = new Map<string, Buffer>()
  readonly #timer: NodeJS.Timeout

  constructor(settings: PoolSettings) {
    this.settings = settings
    this.#timer = setInterval(() => this.#closeIdle(), webhookLimits.idleCheckIntervalMs)
    this.#timer.unref()
  }

  /** A kept connection, if there is one that is young enough. */
  take({ key }: ConnectionTarget): Connection | undefined {
    const oldestMs = this.settings.clock.elapsedMs() - webhookLimits.connectionAgeMaxMs
    for (;;) {
      const connection = this.#kept.get(key)?.at(-1)
      if (!connection) return undefined
      this.#remove(connection)
      if (connection.openedAtMs > oldestMs) return connection
      connection.destroy()
    }
  }

  /** Opens a connection; requests may be sent at once. */
  open(target: ConnectionTarget): Connection {
    const connection = new Connection(target, this)
    this.#open.add(connection)
    return connection
  }

  keep(connection: Connection): void {
    connection.keptAtMs = this.settings.clock.elapsedMs()
    const { key } = connection.target
    const kept = this.#kept.get(key)
    if (kept) kept.push(connection)
    else this.#kept.set(key, [connection])
    this.#keptInOrder.add(connection)
    if (this.#keptInOrder.size <= webhookLimits.inFlightMax) return
    const [oldest] = this.#keptInOrder
    oldest!.destroy()
  }

  forget(connection: Connection): void {
    this.#open.delete(connection)
    this.#remove(connection)
  }

  sessionOf({ key }: ConnectionTarget): Buffer | undefined {
    return this.#sessions.get(key)
  }

  /** Without a session, the next connection makes a full handshake. */
  setSession({ key }: ConnectionTarget, session: Buffer | undefined): void {
    this.#sessions.delete(key)
    if (!session) return
    this.#sessions.set(key, session)
    if (this.#sessions.size <= webhookLimits.tlsSessionsMax) return
    const [oldest] = this.#sessions.keys()
    this.#sessions.delete(oldest!)
  }

  /** Cuts off requests that are under way. */
  close(): void {
    clearInterval(this.#timer)
    for (const connection of this.#open) connection.destroy()
  }

  #closeIdle(): void {
    const idleSinceMs = this.settings.clock.elapsedMs() - webhookLimits.idleConnectionMs
    for (const connection of this.#keptInOrder) {
      if (connection.keptAtMs > idleSinceMs) return
      connection.destroy()
    }
  }

  #remove(connection: Connection): void {
    if (!this.#keptInOrder.delete(connection)) return
    const { key } = connection.target
    const kept = this.#kept.get(key)!
    if (kept.at(-1) === connection) kept.pop()
    else kept.splice(kept.indexOf(connection), 1)
    if (kept.length === 0) this.#kept.delete(key)
  }
}

export class Connection {
  readonly target: ConnectionTarget
  readonly openedAtMs: number
  keptAtMs = 0
  readonly #pool: ConnectionPool
  readonly #socket: Socket
  #exchange: ExchangeCallbacks | undefined
  #reader = new ResponseReader()
  #isReused = false

  constructor(target: ConnectionTarget, pool: ConnectionPool) {
    this.target = target
    this.openedAtMs = pool.settings.clock.elapsedMs()
    this.#pool = pool
    this.#socket = this.#connect()
    this.#socket.setNoDelay(true)
    this.#socket.on('data', (bytes) => this.#read(bytes))
    this.#socket.on('end', () => this.#end())
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#close())
  }

  /** Sends one request; the next one only after its response. */
  send(request: string, exchange: ExchangeCallbacks): void {
    this.#exchange = exchange
    this.#socket.write(request)
  }

  /** A request that is under way fails. */
  destroy(): void {
    this.#socket.destroy()
    this.#pool.forget(this)
  }

  #connect(): Socket {
    const { target } = this
    const { lookup, mayConnect, ca } = this.#pool.settings
    const { host, port } = target
    const address = { host, port, lookup }
    const socket = target.isSecure
      ? connectTls({
          ...address,
          servername: isIP(host) === 0 ? host : '',
          session: this.#pool.sessionOf(target),
          ALPNProtocols: ['http/1.1'],
          ca,
        })
      : connectTcp(address)
    // `lookup` has checked it. This also covers whatever would connect without a lookup.
    socket.on('connect', () => {
      if (!mayConnect(socket.remoteAddress ?? '')) this.#fail(new NotPublic())
    })
    socket.on('session', (session: Buffer) => this.#pool.setSession(target, session))
    return socket
  }

  #read(bytes: Buffer): void {
    // No request is under way: the next one must not take this for its response.
    if (!this.#exchange) {
      this.destroy()
      return
    }
    try {
      this.#reader.read(bytes)
    } catch (error) {
      this.#fail(error as Error)
      return
    }
    if (this.#reader.isComplete) this.#finish()
  }

  #end(): void {
    if (!this.#exchange) {
      this.destroy()
      return
    }
    try {
      this.#reader.end()
    } catch (error) {
      this.#fail(this.#reader.hasHead ? (error as Error) : new NoResponse())
      return
    }
    this.#finish()
  }

  #finish(): void {
    const response = this.#reader
    const exchange = this.#exchange!
    this.#exchange = undefined
    this.#reader = new ResponseReader()
    this.#isReused = true
    // Otherwise the receiver could take the unsent rest of this request for the next one.
    const isWhole = this.#socket.writableLength === 0 && !this.#socket.readableEnded
    if (response.isReusable && isWhole && !this.#socket.destroyed) this.#pool.keep(this)
    else this.destroy()
    exchange.onResponse(response)
  }

  #fail(error: Error): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    const isStale = this.#isReused && !this.#reader.hasStarted && isClosed(error)
    if (!this.#isReused) this.#pool.setSession(this.target, undefined)
    this.destroy()
    exchange?.onFailure(error, isStale)
  }

  #close(): void {
    this.#pool.forget(this)
    if (this.#exchange) this.#fail(this.#reader.hasHead ? new CutOff() : new NoResponse())
  }
}

function isClosed({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE'
}
