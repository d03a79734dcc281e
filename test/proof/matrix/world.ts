import { strict as assert } from 'node:assert'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { prefixes, toReference } from '../../../src/base/ids.js'
import { Secret } from '../../../src/base/secret.js'
import { noticesDue } from '../../../src/collections/notices/judge-due-notices.js'
import { hintsDue } from '../../../src/collections/notices/store-hints.js'
import { returnsDue } from '../../../src/collections/returns/send-returns.js'
import { mailsDue } from '../../../src/mail/send-mails.js'
import { verifyLedger } from '../../../src/operations/proofs/verify-ledger.js'
import { reconcile } from '../../../src/operations/reconcile/reconcile.js'
import { attemptsDue } from '../../../src/payouts/attempts/live-attempts.js'
import { batchesDue } from '../../../src/payouts/batches/run-batches.js'
import { checksDue } from '../../../src/payouts/controls/payout-checks.js'
import { sql } from '../../../src/postgres/sql.js'
import { createSmtpRelay } from '../../../src/rails/mail/smtp-relay.js'
import { takeBacksDue } from '../../../src/subaccounts/shares/give-back.js'
import { sweepsDue } from '../../../src/wallets/store-sweeps.js'
import { manualClock } from '../../support/clock.js'
import { openScratchDatabase } from '../../support/database.js'
import type { Merchant, Reply } from '../../support/open-manilla.js'
import { show } from '../../support/show.js'
import { openSmtpServer } from '../../support/smtp-server.js'
import { type HttpGate, openHttpGate } from '../gates/http-gate.js'
import { type Instance, openInstance } from '../gates/instance.js'
import { openMailGate } from '../gates/mail-gate.js'
import { type Crash, FaultKeeper, isDelivery } from './faults.js'
import { type OutsideSettings, openOutside, type PaymentIn } from './outside.js'
import { findWrongRecipients } from './recipients.js'

/** Longer than every lease: of claimed rows, of deliveries, of followed payouts. */
const muchLaterMs = 45_000
/** How long a passage is held while another instance works at the same time. */
const besideMs = 60
/** Virtual time between two rounds of the workers; it grows, so that hours pass in few rounds. */
const firstStepMs = 1_000
const stepMaxMs = 20 * 60_000
const roundsMax = 60
const triesMax = 40
/** Blocks until finality, and until a blockhash has expired. */
const blocksPerRound = 40
/** Of a Monday, by the clock of Lagos. */
const noon = new Date('2026-03-02T11:00:00.000Z')

/** Killed instances that are closing. */
const abandoned = new Set<Promise<void>>()

function abandon(instance: Instance): void {
  const closing = instance.close().catch(() => {})
  abandoned.add(closing)
  void closing.then(() => abandoned.delete(closing))
}

export async function closeAbandoned(): Promise<void> {
  await Promise.all(abandoned)
}

export type WorldSettings = OutsideSettings & {
  followsPayouts?: boolean
  /** The path is about deliveries: it adds endpoints itself, and deliveries are crash points. */
  strikesDeliveries?: boolean
  /** The path sets what all worlds of the process share: no other runs at the same time. */
  runsAlone?: boolean
  /** The path is about mails: they go to an SMTP server. */
  sendsMails?: boolean
}
export type World = Awaited<ReturnType<typeof openWorld>>

/** The service with its outside: instances may be killed, and are replaced. */
export async function openWorld(settings: WorldSettings) {
  const { db, drop } = await openScratchDatabase()
  // Blocks carry real time.
  const clock = manualClock(settings.chain ? new Date() : noon)
  const secret = new Secret(randomBytes(32).toString('hex'))
  const keeper = new FaultKeeper(settings.strikesDeliveries ? () => false : isDelivery)
  const outside = await openOutside(settings, { db, clock, secret })
  const receiver = await openReceiver(keeper)
  const callback = await openCallback(keeper)
  const mails = settings.sendsMails ? await openSmtpServer() : undefined
  const instances: Instance[] = []

  const bankName = settings.bank === 'sandbox' ? 'sandbox-bank' : settings.bank
  const noticesUrlOf = ({ service }: Instance) => `${service.url}/rails/${bankName}/notices/test`

  async function start(): Promise<Instance> {
    const gates: HttpGate[] = []
    const mailGate = mails && openMailGate(createSmtpRelay(mails.config), keeper)
    const instance = await openInstance({
      db,
      clock,
      secret,
      keeper,
      followsPayouts: settings.followsPayouts ?? false,
      openRails: (gated) => outside.openRails(gated, keeper, (gate) => gates.push(gate)),
      relay: mailGate,
      killCalls: () => {
        for (const gate of gates) gate.kill()
        mailGate?.kill()
      },
    })
    instances.push(instance)
    outside.emulator?.sendNoticesTo(noticesUrlOf(instance))
    return instance
  }

  /** The instance that serves calls: a new one, if the last was killed. */
  async function current(): Promise<Instance> {
    const last = instances.at(-1)
    return last && !last.isDead() ? last : start()
  }

  const first = await start()
  const merchant: Merchant = first.service.merchant
  const endpoint = settings.strikesDeliveries ? undefined : await addEndpoint(first.service)

  async function addEndpoint({ ask }: Instance['service']): Promise<string> {
    const body = { url: receiver.url, events: ['*'] }
    const headers = { 'idempotency-key': 'endpoint of the world' }
    const request = { key: merchant.test.secret, body, headers }
    const { status, text: answer, json } = await ask('POST', '/v1/webhook-endpoints', request)
    assert.equal(status, 201, answer)
    return json.data.id
  }

  /** Runs the jobs and deliveries of an instance once. */
  async function work(instance: Instance): Promise<void> {
    await instance.runJobs()
    await instance.deliver()
  }

  /** What other instances do while a passage is held. It may wait for the passage's own locks. */
  const besideWork: Promise<void>[] = []
  let besideRows = 0

  /** Has another instance work for at most a while; it goes on after that. */
  async function workWith(other: Instance, atMostMs: number): Promise<void> {
    const working = (async () => {
      besideRows += await other.runJobs()
      await other.deliver()
    })()
    besideWork.push(working.catch(() => {}))
    await Promise.race([working, sleep(atMostMs)])
  }

  const reactions = {
    kill: () => instances.at(-1)!.kill(),
    workBeside: async () => workWith(await start(), besideMs),
    async workMuchLater() {
      const other = await start()
      clock.advance(muchLaterMs)
      await outside.chain?.advance(blocksPerRound)
      for (let round = 0; round < 2; round += 1) {
        await workWith(other, 1_000)
        clock.advance(firstStepMs)
      }
    },
  }

  /** A call of the merchant, who repeats it with the same key until it is answered. */
  async function call(
    method: string,
    path: string,
    request: {
      body?: object
      key?: string
      apiKey?: string
      /** Cookie of a member who is signed in to the console; the call is without an API key. */
      cookie?: string
      headers?: Record<string, string>
    } = {},
  ): Promise<Reply> {
    const { body, key, cookie, apiKey = merchant.test.secret } = request
    let last = ''
    for (let tries = 0; tries < triesMax; tries += 1) {
      const { service } = await current()
      const headers = {
        ...request.headers,
        ...(key && { 'idempotency-key': key }),
        ...(cookie && consoleHeaders(service.url, cookie)),
      }
      const question = { headers, ...(!cookie && { key: apiKey }), ...(body && { body }) }
      try {
        const reply = await service.ask(method, path, question)
        if (reply.status < 500 && !isInProgress(reply)) return reply
        last = `${reply.status} ${reply.text}`
      } catch (error) {
        last = String(error)
      }
      clock.advance(500)
      await outside.chain?.advance()
      // Longer each time: a busy machine starts an instance slowly.
      await sleep(5 * (tries + 1))
    }
    throw new Error(`${method} ${path} was not answered: ${last}`)
  }

  const consoleHeaders = (origin: string, cookie: string) => ({
    cookie,
    origin,
    'x-manilla-console': '1',
    'manilla-merchant': merchant.reference,
    'manilla-mode': 'test',
  })

  async function countOpen(): Promise<number> {
    const counts = [
      attemptsDue,
      noticesDue,
      hintsDue,
      returnsDue,
      batchesDue,
      sweepsDue,
      takeBacksDue,
      mailsDue,
      checksDue,
    ].map(({ table, openCondition }) =>
      sql.raw(`(select count(*) from ${table} where ${openCondition})`),
    )
    const [row] = await db.rows(sql<{ open: number }>`
      select (${sql.join(counts, sql.raw(' + '))}
        + (select count(*) from deliveries where state = 'PENDING'))::int as open`)
    return row!.open
  }

  /** Lets time pass and workers work until nothing is open, and what the path waits for is so. */
  async function untilQuiet(isDone: () => Promise<boolean> = async () => true): Promise<void> {
    let stepMs = firstStepMs
    for (let round = 0; round < roundsMax; round += 1) {
      clock.advance(stepMs)
      await outside.chain?.advance(blocksPerRound)
      // First, so that notices have somewhere to go.
      const instance = await current()
      await Promise.all(besideWork)
      await outside.emulator?.drainNotices()
      await work(instance)
      if (settings.followsPayouts) await sleep(250)
      if ((await countOpen()) === 0 && (await isDone())) return
      stepMs = Math.min(stepMs * 1.5, stepMaxMs)
    }
    throw new Error(`${await countOpen()} rows are still open`)
  }

  /** Everything that must hold whatever happened. Returns what does not. */
  async function findViolations(): Promise<string[]> {
    const instance = await current()
    const violations = await proveWith(instance).catch((error: Error) => [error.message])
    // The last commit of a path is visible before the instance that made it is killed.
    return instance.isDead() ? findViolations() : violations
  }

  async function proveWith({ opened }: Instance): Promise<string[]> {
    const proofs = await verifyLedger(db)
    const reconciled = await reconcile({ db, rails: opened, confirmDelayMs: 0 }, clock.now())
    const unheard = await findUnheardEvents()
    const untrue = await findUntrueEvents()
    const misdirected = await findWrongRecipients(db, outside.emulator)
    return [
      ...proofs.flatMap(({ claim, counterexamples }) =>
        counterexamples.map((example) => `${claim}: ${show(example)}`),
      ),
      ...reconciled.flatMap(({ rail, differences }) =>
        differences.map((difference) => `${rail}: ${show(difference)}`),
      ),
      ...misdirected,
      ...unheard.map((id) => `no endpoint received event ${id}`),
      ...untrue.map((id) => `the endpoint received event ${id}, which was never committed`),
    ]
  }

  /** Events that the endpoint did not get although all deliveries have ended. */
  async function findUnheardEvents(): Promise<string[]> {
    const rows = await db.rows(
      settings.strikesDeliveries
        ? sql<{ id: string }>`select event_id as id from deliveries`
        : sql<{ id: string }>`
            select id from events where environment_id = ${merchant.environments.test.id}`,
    )
    return rows
      .map(({ id }) => toReference(prefixes.event, id))
      .filter((id) => !receiver.heard.has(id))
  }

  async function findUntrueEvents(): Promise<string[]> {
    const rows = await db.rows(sql<{ id: string }>`select id from events`)
    const known = new Set(rows.map(({ id }) => toReference(prefixes.event, id)))
    return [...receiver.heard].filter((id) => !known.has(id))
  }

  async function close(): Promise<void> {
    keeper.disarm()
    const dead = instances.filter((instance) => instance.isDead())
    // A killed instance gives up its database only after some seconds, which nothing waits for.
    for (const instance of dead) abandon(instance)
    const alive = instances.filter((instance) => !instance.isDead())
    await Promise.all(alive.map((instance) => instance.close()))
    receiver.close()
    callback.close()
    await mails?.close()
    await outside.close()
    await drop()
  }

  return {
    db,
    clock,
    keeper,
    outside,
    merchant,
    receiver,
    callback,
    /** The webhook endpoint of the merchant, unless the path adds its own. */
    endpoint,
    /** Undefined: the path is not about mails. */
    mails,
    /** From now on passages count, and the crash may happen. */
    arm: (crash?: Crash) => keeper.arm(reactions, crash),
    current,
    call,
    /** A payer pays into an account at the bank. */
    pay: async (payment: PaymentIn) => outside.pay(noticesUrlOf(await current()), payment),
    work: async () => work(await current()),
    untilQuiet,
    findViolations,
    /** How many rows other instances took while a passage was held. */
    besideRows: () => besideRows,
    /** Why jobs failed so far. */
    jobFailures: () => instances.flatMap((instance) => instance.jobFailures),
    close,
  }
}

/** Another call with the same key is still running, as after a killed one. */
function isInProgress({ status, json }: Reply): boolean {
  return status === 409 && json?.reason === 'idempotency_in_progress'
}

type ReceivedDelivery = { headers: IncomingHttpHeaders; body: string }

/**
 * A merchant's webhook endpoint, behind a gate. Remembers the ids of the events that it took, and
 * every delivery, also those that it did not take.
 */
async function openReceiver(keeper: FaultKeeper) {
  const heard = new Set<string>()
  const received: ReceivedDelivery[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    const body = await text(request)
    received.push({ headers: request.headers, body })
    if (status === 200) heard.add(JSON.parse(body).id)
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const gate = await openHttpGate(`http://127.0.0.1:${port}/hooks`, keeper, () => 'webhook')
  return {
    heard,
    received,
    url: gate.url,
    /** The status of every answer from now on. */
    answerWith(next: number) {
      status = next
    },
    close() {
      gate.kill()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A merchant's callback, behind a gate. */
async function openCallback(keeper: FaultKeeper) {
  const asked: string[] = []
  let answer: (payout: { reference: string; amount: number }) => object | undefined = () => ({
    decision: 'approve',
  })
  const server = createServer(async (request, response) => {
    const payout = JSON.parse(await text(request))
    asked.push(payout.reference)
    const given = answer(payout)
    response.writeHead(given ? 200 : 503).end(JSON.stringify(given ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const gate = await openHttpGate(`http://127.0.0.1:${port}/approve`, keeper, () => 'callback')
  return {
    /** References of the payouts that it was asked about. */
    asked,
    url: gate.url,
    /** Undefined: it does not decide. */
    answerWith(next: typeof answer) {
      answer = next
    },
    close() {
      gate.kill()
      server.close()
      server.closeAllConnections()
    },
  }
}
