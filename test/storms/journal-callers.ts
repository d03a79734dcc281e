import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../support/seed.js'
import { type Answered, type Caller, digestOf, type Journal, type Operation } from './journal.js'
import { triesMax } from './progress.js'

const retryIntervalMs = 20
/** Not done, or not known: a retry with the same key decides. */
const temporaryReasons = new Set(['idempotency_in_progress', 'step_up_required'])

/** Thrown out of an operation when the storm is stopped; a later run continues it. */
export class Stopped extends Error {}

type Reply = { status: number; text: string }

/** Of the storm in which they call. */
type Calling = {
  urls: string[]
  journal: Journal
  /** Headers by which a caller is known to the process at this URL. */
  identify(caller: Caller, url: string): Promise<Record<string, string>>
  /** Kinds of operations with the reasons for which they may be refused. */
  expectedRefusals: ReadonlySet<string>
}

/** Sends the requests of a journal, and retries each until a process answers it. */
export class JournalCallers {
  readonly journal: Journal
  /** Requests that were sent and are not answered yet. */
  underWay = 0
  readonly #stopping = new AbortController()
  readonly #calling: Calling

  constructor(calling: Calling) {
    // Requests listen to it until they are collected.
    setMaxListeners(0, this.#stopping.signal)
    this.#calling = calling
    this.journal = calling.journal
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
    assert(
      this.#calling.expectedRefusals.has(refusal),
      `${operation.key} (${operation.kind}): ${text}`,
    )
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
    const { urls, identify } = this.#calling
    this.underWay += 1
    try {
      for (let tries = 0; tries < triesMax; tries += 1) {
        if (this.isStopped) throw new Stopped()
        const url = urls[tries % urls.length]!
        const headers = { ...request.headers, ...(await identify(caller, url)) }
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

const replayedMax = 200

/** Requests that were invalid are judged again; every other answer is kept. */
function isKept({ answer }: Answered): boolean {
  return answer.status !== 400
}

/** Retries some answered requests: each must get the same bytes. A lost one would happen now. */
export async function findChangedAnswers(
  callers: JournalCallers,
  random: Random,
): Promise<string[]> {
  const all = [...callers.journal.answered.values()].filter(isKept)
  const some = Array.from({ length: Math.min(replayedMax, all.length) }, () => random.pick(all))
  const changed: string[] = []
  for (const answered of new Set(some))
    if (!(await callers.isAnsweredAlike(answered)))
      changed.push(`${answered.key} (${answered.kind}) is answered differently now`)
  return changed
}
