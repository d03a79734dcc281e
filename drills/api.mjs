import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than the service takes to answer `outcome_unknown` for a silent database. */
const answerMs = 15_000
const retryMs = 250
/** "Nothing was done" or "not known": both mean to retry with the same key. */
const isTransient = (status) => status === 409 || status >= 500

/**
 * The API as a merchant's server calls it: every write has an idempotency key and is retried with
 * that key, at another process, until it is acknowledged. `onAttempt` sees every attempt.
 */
export class Api {
  #urls
  #authorization
  #onAttempt
  #turn = 0

  constructor(urls, secretKey, onAttempt = () => {}) {
    this.#urls = urls
    this.#authorization = `Bearer ${secretKey}`
    this.#onAttempt = onAttempt
  }

  /** The answer of the first acknowledged attempt; throws a refusal that a retry cannot change. */
  async write(where, key, body) {
    for (;;) {
      const attempt = await this.#attempt(where, key, body)
      this.#onAttempt(attempt)
      if (attempt.status === 201) return attempt
      if (attempt.status !== undefined && !isTransient(attempt.status))
        throw new Error(`POST ${where} with key ${key} was refused: ${attempt.text}`)
      await sleep(retryMs)
    }
  }

  /** One attempt, at the next API process. `status` is undefined when no answer came. */
  async #attempt(where, key, body) {
    const sentAt = performance.now()
    const timestamp = Date.now()
    const headers = {
      authorization: this.#authorization,
      'content-type': 'application/json',
      'idempotency-key': key,
    }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const answered = await this.#send(where, request)
    return { ...answered, sentAt, timestamp, endedAt: performance.now(), endTimestamp: Date.now() }
  }

  async #send(where, request) {
    this.#turn += 1
    const url = this.#urls[this.#turn % this.#urls.length]
    try {
      const signal = AbortSignal.timeout(answerMs)
      const response = await fetch(url + where, { ...request, signal })
      const text = await response.text()
      const isReplayed = response.headers.get('idempotent-replayed') === 'true'
      const reason = response.ok ? undefined : JSON.parse(text).reason
      return { status: response.status, text, isReplayed, reason }
    } catch (error) {
      return { reason: error.name === 'TimeoutError' ? 'no_answer' : 'no_connection' }
    }
  }

  async get(where) {
    const headers = { authorization: this.#authorization }
    const response = await fetch(this.#urls[0] + where, { headers })
    const { data, message } = await response.json()
    if (!response.ok) throw new Error(`GET ${where} failed with ${response.status}: ${message}`)
    return data
  }

  /** All items of a list, page by page. */
  async list(where) {
    const items = []
    for (let cursor = ''; cursor !== null; ) {
      const page = await this.get(
        `${where}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      items.push(...page.items)
      cursor = page.nextCursor
    }
    return items
  }
}
