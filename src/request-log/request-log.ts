import type pg from 'pg'
import type { EnvironmentId } from '../base/environment.js'
import { newIdBytes } from '../base/ids.js'
import { type Logger, redact } from '../base/log.js'
import { listStatement } from '../postgres/statement.js'
import { type OpenedLane, openLane } from '../postgres/transactions/lane.js'
import { connectLane } from '../postgres/wire/connection.js'
import { findResourceIds } from './find-references.js'
import { requestLogLimits } from './limits.js'
import { redactBody, redactQuery, redactText } from './redact-body.js'

/** A request and its answer, not redacted yet. */
export type RawEntry = {
  environmentId: EnvironmentId
  requestId: string
  /** Null for a user of the console. */
  keyId: string | null
  /** Name of the key or the user. */
  keyName: string
  method: string
  /** Path and query as sent. */
  url: string
  status: number
  durationMs: number
  isReplayed: boolean
  /** Empty when there was none or the route keeps none. */
  requestBody: string
  responseBody: string
  /** The answer of a refused request, also where the route keeps no bodies; else empty. */
  refusal: string
  answeredAt: Date
}

/**
 * Collects requests in memory while they are answered, then redacts and inserts them in batches. A
 * request for which there is no room or no database is dropped and counted: no caller ever waits
 * for the log.
 */
export class RequestLog {
  /** Entries dropped since the process started. */
  dropped = 0
  readonly #lane: OpenedLane<RawEntry[], true>
  readonly #logger: Logger
  #waiting: RawEntry[] = []
  #waitingLength = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #isClosed = false

  constructor({ url, logger }: { url: string; logger: Logger }) {
    this.#logger = logger
    this.#lane = openLane({
      connect: () => connectAsynchronous(url),
      async work(tx, batches) {
        for (const entries of batches) {
          const rows = entries.map(toRow)
          tx.write(insertEntries(rows))
          const names = rows.flatMap(toNames)
          if (names.length > 0) tx.write(insertNames(names))
        }
        return batches.map(() => true as const)
      },
    })
  }

  keep(entry: RawEntry): void {
    const length = lengthOf(entry)
    const isFull =
      this.#waiting.length >= requestLogLimits.entriesWaitingMax ||
      this.#waitingLength + length > requestLogLimits.waitingLengthMax
    if (isFull || this.#isClosed) {
      this.dropped += 1
      return
    }
    this.#waiting.push(entry)
    this.#waitingLength += length
    this.#schedule()
  }

  /** Writes what is waiting, as far as the database accepts it. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#writing
    while (this.#waiting.length > 0) if (!(await this.#writeBatch())) this.#dropAll()
    await this.#lane.close()
  }

  /** Entries that arrive during a write wait for the next timer, so that batches stay large. */
  #schedule(): void {
    if (this.#timer || this.#writing || this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#writeWaiting().finally(() => {
        this.#writing = undefined
        if (this.#waiting.length > 0) this.#schedule()
      })
    }, requestLogLimits.flushDelayMs).unref()
  }

  async #writeWaiting(): Promise<void> {
    const count = Math.ceil(this.#waiting.length / requestLogLimits.entriesPerBatchMax)
    for (let batch = 0; batch < count && !this.#isClosed; batch += 1) await this.#writeBatch()
  }

  async #writeBatch(): Promise<boolean> {
    const batch = this.#waiting.splice(0, requestLogLimits.entriesPerBatchMax)
    for (const entry of batch) this.#waitingLength -= lengthOf(entry)
    try {
      return await this.#lane.run(batch)
    } catch (error) {
      this.dropped += batch.length
      this.#logger.warn({ err: error, count: batch.length }, 'request log entries dropped')
      return false
    }
  }

  #dropAll(): void {
    this.dropped += this.#waiting.length
    this.#waiting = []
  }
}

/** Does not wait for the disk: a crash of the database may lose the last second of the log. */
async function connectAsynchronous(url: string): Promise<pg.Client> {
  const client = await connectLane(url, 'manilla request log')
  await client.query('set synchronous_commit = off')
  return client
}

function lengthOf({ requestBody, responseBody, url }: RawEntry): number {
  return requestBody.length + responseBody.length + url.length
}

const insertEntries = listStatement({
  name: 'insert_request_logs',
  columns: {
    environmentId: 'int4',
    id: 'uuid',
    requestId: 'text',
    keyId: 'uuid',
    keyName: 'text',
    method: 'text',
    path: 'text',
    query: 'text',
    status: 'int2',
    durationUs: 'int4',
    isReplayed: 'bool',
    requestBody: 'text',
    isRequestCut: 'bool',
    responseBody: 'text',
    isResponseCut: 'bool',
    code: 'text',
    reason: 'text',
    /** As PostgreSQL writes an array. */
    resourceIds: 'text',
  },
  text: (list, _parameter, names) => `
    insert into request_logs (${names})
    select ${names.replace(/resource_ids$/, 'resource_ids::uuid[]')} from ${list}`,
})

const insertNames = listStatement({
  name: 'insert_request_log_resources',
  columns: { environmentId: 'int4', resourceId: 'uuid', logId: 'uuid' },
  text: (list, _parameter, names) => `
    insert into request_log_resources (${names}) select ${names} from ${list}`,
})

const durationMaxUs = 2 ** 31 - 1

function toRow(entry: RawEntry) {
  const pathEnd = entry.url.indexOf('?')
  const path = pathEnd === -1 ? entry.url : entry.url.slice(0, pathEnd)
  const query = pathEnd === -1 ? '' : entry.url.slice(pathEnd + 1)
  const request = redactBody(entry.requestBody)
  const response = redactBody(entry.responseBody)
  const { code, reason } = readRefusal(entry.refusal)
  const named = findResourceIds(path, entry.responseBody)
  return {
    environmentId: entry.environmentId,
    id: newIdBytes(entry.answeredAt),
    // Callers may send their own id, with anything in it.
    requestId: redact(entry.requestId),
    keyId: entry.keyId,
    keyName: entry.keyName,
    method: entry.method,
    path: redactText(path),
    query: redactQuery(query),
    status: entry.status,
    durationUs: Math.min(Math.round(entry.durationMs * 1_000), durationMaxUs),
    isReplayed: entry.isReplayed,
    requestBody: request.text,
    isRequestCut: request.isCut,
    responseBody: response.text,
    isResponseCut: response.isCut,
    code,
    reason,
    resourceIds: named.length === 0 ? null : `{${named.join(',')}}`,
    named,
  }
}

function toNames({ environmentId, id, named }: ReturnType<typeof toRow>) {
  return named.map((resourceId) => ({ environmentId, resourceId, logId: id }))
}

/** From the answer, because a replayed refusal exists only as its text. */
function readRefusal(answer: string): { code: string | null; reason: string | null } {
  if (!answer.startsWith('{"status":false,')) return { code: null, reason: null }
  const { code, reason } = JSON.parse(answer) as { code: string; reason?: string }
  return { code, reason: reason ?? null }
}
