import type pg from 'pg'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { connectLane } from '../postgres/connection.js'
import { type OpenedLane, openLane } from '../postgres/lane.js'
import type { RawEntry } from './entry.js'
import { storeEntries } from './store-entries.js'

/**
 * Notes requests in memory while they are answered, and masks and writes them a little later, many
 * in one transaction. What finds no room, or no database, is dropped and counted: nobody is ever
 * kept waiting for it.
 */
export class RequestLog {
  /** Since the start. */
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
      connect: () => connectWithoutWaiting(url),
      async work(tx, batches) {
        for (const entries of batches) storeEntries(tx, entries)
        return batches.map(() => true as const)
      },
    })
  }

  keep(entry: RawEntry): void {
    const length = lengthOf(entry)
    const isFull =
      this.#waiting.length >= limits.requestLogs.waiting ||
      this.#waitingLength + length > limits.requestLogs.waitingLength
    if (isFull || this.#isClosed) {
      this.dropped += 1
      return
    }
    this.#waiting.push(entry)
    this.#waitingLength += length
    this.#schedule()
  }

  /** What waits is written as far as the database takes it. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#writing
    while (this.#waiting.length > 0) if (!(await this.#writeBatch())) this.#dropAll()
    await this.#lane.close()
  }

  /** Not again while one is under way: what comes meanwhile waits for company, too. */
  #schedule(): void {
    if (this.#timer || this.#writing || this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#writeWaiting().finally(() => {
        this.#writing = undefined
        if (this.#waiting.length > 0) this.#schedule()
      })
    }, limits.requestLogs.gatherMs).unref()
  }

  async #writeWaiting(): Promise<void> {
    const count = Math.ceil(this.#waiting.length / limits.requestLogs.batch)
    for (let batch = 0; batch < count && !this.#isClosed; batch += 1) await this.#writeBatch()
  }

  async #writeBatch(): Promise<boolean> {
    const batch = this.#waiting.splice(0, limits.requestLogs.batch)
    for (const entry of batch) this.#waitingLength -= lengthOf(entry)
    try {
      return await this.#lane.run(batch)
    } catch (error) {
      this.dropped += batch.length
      this.#logger.warn({ err: error, count: batch.length }, 'request logs were not written')
      return false
    }
  }

  #dropAll(): void {
    this.dropped += this.#waiting.length
    this.#waiting = []
  }
}

/** Nobody waits for the disk: a crash of the database may take the last second of the log. */
async function connectWithoutWaiting(url: string): Promise<pg.Client> {
  const client = await connectLane(url, 'manilla request log')
  await client.query('set synchronous_commit = off')
  return client
}

function lengthOf({ requestBody, responseBody, url }: RawEntry): number {
  return requestBody.length + responseBody.length + url.length
}
