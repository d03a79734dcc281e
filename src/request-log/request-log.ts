import type pg from 'pg'
import type { EnvironmentId } from '../base/environment.js'
import { newIdBytes } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { type Logger, redact } from '../base/log.js'
import { connectLane } from '../postgres/connection.js'
import { type OpenedLane, openLane } from '../postgres/lane.js'
import { listStatement } from '../postgres/statement.js'
import { findResourceIds } from './find-references.js'
import { redactBody, redactQuery, redactText } from './redact-body.js'

/** A request and its answer, not redacted yet. */
export type RawEntry = {
  environmentId: EnvironmentId
  requestId: string
  /** Null for a person in the console. */
  keyId: string | null
  /** Name of the key or the person. */
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
      this.#waiting.length >= limits.requestLogs.entriesWaitingMax ||
      this.#waitingLength + length > limits.requestLogs.waitingLengthMax
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
    }, limits.requestLogs.flushDelayMs).unref()
  }

  async #writeWaiting(): Promise<void> {
    const count = Math.ceil(this.#waiting.length / limits.requestLogs.entriesPerBatchMax)
    for (let batch = 0; batch < count && !this.#isClosed; batch += 1) await this.#writeBatch()
  }

  async #writeBatch(): Promise<boolean> {
    const batch = this.#waiting.splice(0, limits.requestLogs.entriesPerBatchMax)
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
    environment_id: 'int4',
    id: 'uuid',
    request_id: 'text',
    key_id: 'uuid',
    key_name: 'text',
    method: 'text',
    path: 'text',
    query: 'text',
    status: 'int2',
    duration_us: 'int4',
    is_replayed: 'bool',
    request_body: 'text',
    is_request_cut: 'bool',
    response_body: 'text',
    is_response_cut: 'bool',
    code: 'text',
    reason: 'text',
    /** As PostgreSQL writes an array. */
    resource_ids: 'text',
  },
  text: (list, _parameter, names) => `
    insert into request_logs (${names})
    select ${names.replace(/resource_ids$/, 'resource_ids::uuid[]')} from ${list}`,
})

const insertNames = listStatement({
  name: 'insert_request_log_resources',
  columns: { environment_id: 'int4', resource_id: 'uuid', log_id: 'uuid' },
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
  const resourceIds = findResourceIds(path, entry.responseBody)
  return {
    environment_id: entry.environmentId,
    id: newIdBytes(entry.answeredAt),
    // Callers may send their own id, with anything in it.
    request_id: redact(entry.requestId),
    key_id: entry.keyId,
    key_name: entry.keyName,
    method: entry.method,
    path: redactText(path),
    query: redactQuery(query),
    status: entry.status,
    duration_us: Math.min(Math.round(entry.durationMs * 1_000), durationMaxUs),
    is_replayed: entry.isReplayed,
    request_body: request.text,
    is_request_cut: request.isCut,
    response_body: response.text,
    is_response_cut: response.isCut,
    code,
    reason,
    resource_ids: resourceIds.length === 0 ? null : `{${resourceIds.join(',')}}`,
    resourceIds,
  }
}

function toNames({ environment_id, id, resourceIds }: ReturnType<typeof toRow>) {
  return resourceIds.map((resource_id) => ({ environment_id, resource_id, log_id: id }))
}

/** From the answer, because a replayed refusal exists only as its text. */
function readRefusal(answer: string): { code: string | null; reason: string | null } {
  if (!answer.startsWith('{"status":false,')) return { code: null, reason: null }
  const { code, reason } = JSON.parse(answer) as { code: string; reason?: string }
  return { code, reason: reason ?? null }
}
