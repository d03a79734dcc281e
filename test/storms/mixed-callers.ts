import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answered, type Caller, digestOf, type Journal, type Operation } from './journal.js'
import { type MixedSite, signIn } from './mixed-site.js'
import { triesMax } from './progress.js'

const retryIntervalMs = 20
/** Not done, or not known: a retry with the same key decides. */
const temporaryReasons = new Set(['idempotency_in_progress', 'step_up_required'])
/** A quote may expire while no API process answers. */
const expectedRefusals = new Set(['conversion quote_expired'])
/** Sessions prove a second factor for five minutes. */
const sessionMs = 120_000

/** Thrown out of an operation when the storm is stopped; a later run continues it. */
export class Stopped extends Error {}

type Reply = { status: number; text: string }

/** Sends requests of API keys and members, and retries each until a process answers it. */
export class MixedCallers {
  readonly journal: Journal
  /** Requests that were sent and are not answered yet. */
  underWay = 0
  readonly #stopping = new AbortController()
  readonly #site: MixedSite
  readonly #urls: string[]
  readonly #cookies = new Map<Caller, { cookie: Promise<string>; until: number }>()

  constructor(site: MixedSite, urls: string[], journal: Journal) {
    this.#site = site
    this.#urls = urls
    this.journal = journal
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Requests that are under way are not waited for. */
  stop(): void {
    this.#stopping.abort()
  }

  /** The acknowledged answer. Undefined: an expected refusal; any other fails the storm. */
  async send(
    kind: string,
    caller: Caller,
    path: string,
    body: object = {},
  ): Promise<Answered | undefined> {
    if (this.isStopped) throw new Stopped()
    return this.complete(this.journal.send({ kind, caller, path, body }))
  }

  /** Retries under the key of the operation until it is answered. */
  async complete(operation: Operation): Promise<Answered | undefined> {
    const { status, text } = await this.#retry(operation.caller, operation.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': operation.key },
      body: JSON.stringify(operation.body),
    })
    const answered = this.journal.answer(operation, status, text)
    if (status < 300) return answered
    const refusal = `${operation.kind} ${answered.answer.reason}`
    assert(expectedRefusals.has(refusal), `${operation.key} (${operation.kind}): ${text}`)
    return undefined
  }

  /** Whether the same request under the same key gets the same bytes. */
  async isAnsweredAlike({ answer, ...operation }: Answered): Promise<boolean> {
    const { status, text } = await this.#retry(operation.caller, operation.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': operation.key },
      body: JSON.stringify(operation.body),
    })
    return status === answer.status && digestOf(text) === answer.digest
  }

  // biome-ignore lint/suspicious/noExplicitAny: callers know the shape of the answer
  async read(caller: Caller, path: string): Promise<any> {
    const { status, text } = await this.#retry(caller, path, {})
    assert.equal(status, 200, `${path}: ${text}`)
    return JSON.parse(text).data
  }

  /** A change that may happen twice, such as a quote. */
  // biome-ignore lint/suspicious/noExplicitAny: callers know the shape of the answer
  async change(caller: Caller, method: string, path: string, body: object): Promise<any> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const sent = { method, headers, body: JSON.stringify(body) }
    const { status, text } = await this.#retry(caller, path, sent)
    assert(status < 300, `${path}: ${text}`)
    return JSON.parse(text).data
  }

  async #retry(caller: Caller, path: string, request: RequestInit): Promise<Reply> {
    this.underWay += 1
    try {
      for (let tries = 0; tries < triesMax; tries += 1) {
        if (this.isStopped) throw new Stopped()
        const url = this.#urls[tries % this.#urls.length]!
        const headers = { ...request.headers, ...(await this.#identify(caller, url)) }
        const { signal } = this.#stopping
        const reply = await ask(url + path, { ...request, headers, signal })
        if (reply && isFinal(reply)) return reply
        await sleep(retryIntervalMs)
      }
      throw new Error(`${path} is never answered`)
    } finally {
      this.underWay -= 1
    }
  }

  async #identify(caller: Caller, origin: string): Promise<Record<string, string>> {
    const { free, guarded, maker, approver } = this.#site
    if (caller === 'key') return { authorization: `Bearer ${free.secretKey}` }
    const known = this.#cookies.get(caller)
    const isFresh = known !== undefined && performance.now() < known.until
    const userId = caller === 'maker' ? maker : approver
    const session = isFresh
      ? known
      : { cookie: signIn(this.#site, userId), until: performance.now() + sessionMs }
    this.#cookies.set(caller, session)
    return {
      cookie: await session.cookie,
      origin,
      'x-manilla-console': '1',
      'manilla-merchant': guarded.reference,
      'manilla-mode': 'test',
    }
  }
}

/** Undefined: the connection was lost; the outcome is unknown. */
async function ask(url: string, request: RequestInit): Promise<Reply | undefined> {
  try {
    const response = await fetch(url, request)
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined
  }
}

/** A killed process causes lost connections and 503; a 500 is a defect. */
function isFinal({ status, text }: Reply): boolean {
  assert.notEqual(status, 500, text)
  if (status > 500 || status === 429) return false
  return status < 300 || !temporaryReasons.has(JSON.parse(text).reason)
}
