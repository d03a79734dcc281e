import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Registry } from 'prom-client'
import { onTestFinished } from 'vitest'
import type { StreamLimits } from '../../src/api/streams/streams.js'
import type { Clock } from '../../src/base/clock.js'
import type { Config } from '../../src/base/config.js'
import type { Environment, Mode } from '../../src/base/environment.js'
import { limits } from '../../src/base/limits.js'
import { createLogger } from '../../src/base/log.js'
import { createSeal, type OtherSecrets, type Seal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import type { BankRail, LocalnetPayers, SandboxPayers } from '../../src/collections/ports.js'
import { Rails } from '../../src/collections/rails.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import type { KeyKind } from '../../src/merchants/keys/key-format.js'
import type { WatchedRails } from '../../src/operations/definitions/definition.js'
import type { BankDirectory, PayoutRail, SimulatedRail } from '../../src/payouts/ports.js'
import type { Database } from '../../src/postgres/database.js'
import { compose } from '../../src/processes/compose.js'
import type { Screening } from '../../src/screening/ports.js'
import type { CoinMint } from '../../src/simulation/test-funding.js'
import { afterFile } from './after-file.js'
import { manualClock } from './clock.js'
import { getConformance } from './conformance.js'
import { freshDatabase } from './database.js'

type Question = {
  key?: string
  /** Serialized as JSON, unless a string or bytes. */
  body?: unknown
  headers?: Record<string, string>
}

export type Reply = {
  status: number
  headers: Headers
  text: string
  /** The parsed body, unchecked; undefined if not JSON. */
  json: ReturnType<typeof JSON.parse>
}

export type TestService = Awaited<ReturnType<typeof openManilla>>
const noSolana = {
  urls: [],
  keyFile: undefined,
  secretKey: undefined,
  seedFile: undefined,
  signer: undefined,
  floors: {},
  mints: {},
}

/** For configurations that need no chain. */
export const noChains = { test: noSolana, live: noSolana }

const noBank = { collect: 'none', payout: 'none', floatMin: 0n } as const

/** For configurations with the sandbox bank in test mode, and no other bank. */
export const onlySandbox = {
  bank: { test: { ...noBank, collect: 'sandbox', payout: 'sandbox' }, live: noBank },
  providers: { test: {}, live: {} },
  payerEmail: 'payments@example.com',
} as const satisfies Partial<Config>

/** For comparisons and services without a bank. */
export const noRails = new Rails()

/** Banks of test mode only. */
export function inTestMode(...banks: BankRail[]): Rails {
  return new Rails({ test: { banks } })
}

/** For tests that look up accounts and pay nothing. */
export function withDirectory(directory: BankDirectory): Rails {
  const payoutBank = directory as PayoutRail & BankDirectory
  return new Rails({ test: { payoutBank }, live: { payoutBank } })
}

/** For services without a chain: balance tests need no real coins. */
const paperMint: CoinMint = { mintAll: async () => {} }

const most = 1_000_000_000n

/** The default fees. */
export const standardNaira: Config['naira'] = {
  test: { min: 1n, max: most },
  live: { min: 10_000n, max: most },
}

/** The default periods. */
export const standardRetention: Config['retention'] = {
  PERSONAL_DATA_DAYS: limits.retention.personalDataDays,
  AML_RECORD_DAYS: limits.retention.amlRecordDaysMin,
  EVENT_DAYS: limits.retention.eventDays,
  REQUEST_LOG_DAYS: limits.retention.requestLogDaysMax,
}

export type Keys = Record<KeyKind, string>
export type Merchant = {
  reference: string
  environments: Record<Mode, Environment>
  test: Keys
  live: Keys
}

export type ManillaOptions = {
  /** Another service on the same database. */
  beside?: { db: Database; secret: Secret; clock: ReturnType<typeof manualClock> }
  /** During a rotation of the secret. */
  otherSecrets?: OtherSecrets
  /** The database URL if the service must not connect directly. */
  databaseUrl?: string
  databaseRead?: Config['databaseRead']
  rateLimitPerSecond?: number
  publicRateLimitPerSecond?: number
  requestLogDays?: number
  trustProxy?: boolean
  rails?: Rails
  simulatedRails?: SimulatedRail[]
  sandboxPayers?: SandboxPayers
  localnetPayers?: LocalnetPayers
  /** Absent: operators see no rail. */
  watched?: WatchedRails
  naira?: Config['naira']
  /** Sources of rates; absent: none. */
  rates?: Config['rates']
  /** Undefined: no mint, as on an external chain. Absent: minting only changes the ledger. */
  mint?: CoinMint | undefined
  streamLimits?: Partial<StreamLimits>
  demoKey?: string
  isSetUp?: () => boolean
  /** Whether the service ends the payouts that it sends; absent: the test runs the workers. */
  followsPayouts?: boolean
  /** Otherwise it closes after the test, and stays in memory until then. */
  isClosedByCaller?: boolean
  hasConsole?: boolean
  consoleUrl?: string
  /** Absent: nothing is screened. */
  screening?: Screening
  /** Absent: bounces are not accepted. */
  mailBounceSecret?: Secret
}

/**
 * The real service on its own port and database, with a merchant that has all four kinds of keys. The
 * clock stands still until advanced, and no rate limit applies by default. `ask` validates every
 * answer against openapi.json. Closed after the test or file that opened it.
 */
export async function openManilla(options: ManillaOptions = {}) {
  const db = options.beside?.db ?? (await freshDatabase())
  const clock = options.beside?.clock ?? manualClock()
  const secret = options.beside?.secret ?? new Secret(randomBytes(32).toString('hex'))
  const seal = createSeal(secret, options.otherSecrets)
  const log: string[] = []
  const config = {
    host: '127.0.0.1',
    port: 0,
    apiProcesses: 1,
    metricsPort: 0,
    workPort: 0,
    home: '/nowhere',
    databaseUrl: new Secret(db.url),
    databaseRead: options.databaseRead,
    secret,
    otherSecrets: options.otherSecrets,
    publicUrl: undefined,
    consoleUrl: options.consoleUrl,
    hasConsole: options.hasConsole ?? true,
    trustProxy: options.trustProxy ?? false,
    logLevel: 'trace',
    rateLimitPerSecond: options.rateLimitPerSecond ?? 0,
    publicRateLimitPerSecond: options.publicRateLimitPerSecond ?? 0,
    requestLogDays: options.requestLogDays ?? limits.retention.requestLogDaysMax,
    eventDays: limits.retention.eventDays,
    retention: standardRetention,
    naira: options.naira ?? standardNaira,
    rates: options.rates,
    mail: { relay: undefined, bounceSecret: options.mailBounceSecret },
    allowsLoopbackWebhooks: true,
    ...onlySandbox,
    solana: noChains,
  }
  const logger = createLogger(config.logLevel, { write: (line) => log.push(line) })
  const mint = 'mint' in options ? options.mint : paperMint
  const { rails, simulatedRails, sandboxPayers, localnetPayers, screening } = options
  const service = await compose({
    config,
    databaseUrl: options.databaseUrl ?? db.url,
    logger,
    clock,
    ...(rails && { rails }),
    screening,
    ...(simulatedRails && { simulatedRails }),
    ...(sandboxPayers && { sandboxPayers }),
    watched: options.watched,
    mint,
    localnetPayers,
    streamLimits: options.streamLimits,
    findDemoKey: () => options.demoKey,
    isSetUp: options.isSetUp,
    followsPayouts: options.followsPayouts ?? false,
    passwordCost: { cost: 2 ** 10, blockSize: 8, parallelism: 1 },
  })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= service.close().finally(() => {
      connections.destroy()
      forgetRegistry(service.metrics.registry)
    })
    return closing
  }
  if (!options.isClosedByCaller) whenDone(close)

  const url = await service.app.listen({ host: config.host, port: config.port })
  const { port } = service.app.server.address() as AddressInfo
  const conform = getConformance()
  const connections = new Agent({ keepAlive: true })
  const addMerchant = (name: string) => createHiredMerchant({ db, clock, seal }, name)

  async function ask(method: string, path: string, question: Question = {}): Promise<Reply> {
    const reply = await exchange(connections, url + path, { method, ...toRequest(question) })
    if (method !== 'HEAD') conform(method, path, reply)
    return reply
  }

  return {
    app: service.app,
    routes: service.routes,
    passwords: service.passwords,
    metrics: service.metrics,
    db,
    clock,
    seal,
    secret,
    logger,
    log,
    url,
    port,
    ask,
    addMerchant,
    close,
    merchant: await addMerchant('Ada Stores'),
    wire: (...parts: (string | Buffer)[]) => sendBytes(port, parts),
  }
}

/**
 * The observer of garbage collection, which prom-client never ends, would keep the registry, and so
 * the whole service, in memory.
 */
function forgetRegistry(registry: Registry): void {
  const metrics = registry.getMetricsAsArray() as unknown as { registers: Registry[] }[]
  for (const metric of metrics) metric.registers = []
  registry.clear()
}

/** After the test that runs, or after the file. */
export function whenDone(work: () => unknown): void {
  try {
    onTestFinished(async () => {
      await work()
    })
  } catch {
    afterFile(work)
  }
}

/** Sends raw bytes that no client library would; reads until the server closes. */
async function sendBytes(port: number, parts: (string | Buffer)[]): Promise<Reply> {
  const socket = connect({ port, host: '127.0.0.1' })
  const chunks: Buffer[] = []
  for (const part of parts) socket.write(part)
  await new Promise((resolve, reject) => {
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject).on('close', resolve)
  })
  return readReply(Buffer.concat(chunks).toString())
}

export function readReply(bytes: string): Reply {
  const [head = '', ...rest] = bytes.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((line) => line.split(/: ?(.*)/).slice(0, 2) as [string, string]),
  )
  return toReply(Number(statusLine.split(' ')[1]), headers, rest.join('\r\n\r\n'))
}

function toReply(status: number, headers: Headers, text: string): Reply {
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return { status, headers, text, json: isJson && text !== '' ? JSON.parse(text) : undefined }
}

type Sent = { method: string; headers: Record<string, string>; body?: Buffer }

/** With `http` and not `fetch`, which takes three times as long. */
async function exchange(
  agent: Agent,
  url: string,
  { method, headers, body }: Sent,
): Promise<Reply> {
  const sent = request(url, { agent, method, headers })
  // A server that refuses a body closes the connection before it has read all of it.
  sent.on('error', () => {}).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return toReply(
    response.statusCode!,
    new Headers(pairsOf(response.rawHeaders)),
    await text(response),
  )
}

/** The raw list alternates names and values. */
function pairsOf(raw: string[]): [string, string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!]] : []))
}

function toRequest({ key, body, headers }: Question) {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const all: Record<string, string> = { accept: '*/*' }
  for (const [name, value] of Object.entries(headers ?? {})) all[name.toLowerCase()] = value
  if (key !== undefined) all.authorization = `Bearer ${key}`
  if (body === undefined) return { headers: all }
  const bytes = Buffer.from(isRaw ? body : JSON.stringify(body))
  all['content-type'] ??= 'application/json'
  all['content-length'] = String(bytes.length)
  return { headers: all, body: bytes }
}

type Tools = { db: Database; clock: Clock; seal: Seal }

async function createHiredMerchant({ db, clock, seal }: Tools, name: string): Promise<Merchant> {
  return db.transaction(async (tx) => {
    const { reference, environments } = await createMerchant(tx, clock.now(), name)
    const keysOf = async (mode: Mode): Promise<Keys> => {
      const issue = async (kind: KeyKind) => {
        const order = {
          seal,
          kind,
          environment: environments[mode],
          name: `${name} ${mode} ${kind}`,
        }
        const issued = await issueKey(tx, clock.now(), {
          ...order,
          expiresAt: null,
          allowedAddresses: [],
        })
        return issued.key.reveal()
      }
      return { secret: await issue('secret'), public: await issue('public') }
    }
    return { reference, environments, test: await keysOf('test'), live: await keysOf('live') }
  })
}
