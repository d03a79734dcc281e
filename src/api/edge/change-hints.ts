import type { Readable } from 'node:stream'
import type { Clock } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { explainError, type Logger } from '../../base/log.js'
import type { Database } from '../../postgres/database.js'
import { findOpenPlaces } from '../../team/sessions.js'
import {
  type ChangeMarks,
  type ChangeTopic,
  compareMarks,
  readChangeMarks,
} from '../../timeline/change-marks.js'
import type { Streams } from './streams.js'

type Tools = { db: Database; clock: Clock; streams: Streams; logger: Logger }
type Follower = { environmentId: EnvironmentId; sessionId: string }
type Followed = { marks: ChangeMarks; countBySession: Map<string, number> }

/**
 * Streams of open consoles: hints about what changed in an environment, at most two a second. One
 * poll reads the marks of every environment with an open console; without one, nothing is read.
 */
export class ChangeHints {
  readonly #tools: Tools
  readonly #followed = new Map<EnvironmentId, Followed>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(tools: Tools) {
    this.#tools = tools
  }

  /**
   * Marks are read before the stream begins: a client that reads lists after its first byte misses
   * nothing. Limits count streams by session, not by network: colleagues share an address.
   */
  async open({ environmentId, sessionId }: Follower): Promise<Readable> {
    const { db, streams } = this.#tools
    const [marks] = await readChangeMarks(db, [environmentId])
    const reference = nameOf(environmentId, sessionId)
    const place = { reference, network: `console ${sessionId}` }
    const body = await streams.open(place, { isOfPage: false })
    const followed = this.#followed.get(environmentId) ?? {
      marks: marks!,
      countBySession: new Map(),
    }
    this.#followed.set(environmentId, followed)
    const { countBySession } = followed
    countBySession.set(sessionId, (countBySession.get(sessionId) ?? 0) + 1)
    body.once('close', () => {
      const remaining = countBySession.get(sessionId)! - 1
      if (remaining > 0) countBySession.set(sessionId, remaining)
      else countBySession.delete(sessionId)
      if (countBySession.size === 0 && this.#followed.get(environmentId) === followed)
        this.#followed.delete(environmentId)
    })
    this.#schedule(limits.hints.pollIntervalMs)
    return body
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #schedule(delayMs: number): void {
    if (this.#timer || this.#isClosed || this.#followed.size === 0) return
    this.#timer = setTimeout(() => void this.#poll(), delayMs)
    this.#timer.unref()
  }

  async #poll(): Promise<void> {
    const { clock, logger } = this.#tools
    const { pollIntervalMs, pollShareMax } = limits.hints
    const startedMs = clock.elapsedMs()
    try {
      await this.#endClosedSessions()
      await this.#hintAll()
    } catch (error) {
      // The next poll finds the same changes.
      logger.warn({ why: explainError(error) }, 'could not read what changed for open consoles')
    }
    this.#timer = undefined
    const tookMs = clock.elapsedMs() - startedMs
    this.#schedule(Math.max(pollIntervalMs - tookMs, tookMs / pollShareMax))
  }

  async #hintAll(): Promise<void> {
    const { db } = this.#tools
    const { environmentsPerReadMax } = limits.hints
    const ids = [...this.#followed.keys()]
    for (let from = 0; from < ids.length; from += environmentsPerReadMax) {
      const read = await readChangeMarks(db, ids.slice(from, from + environmentsPerReadMax))
      for (const marks of read) this.#hint(marks)
    }
  }

  #hint(marks: ChangeMarks): void {
    const followed = this.#followed.get(marks.environmentId)
    if (!followed) return
    const topics = compareMarks(followed.marks, marks)
    followed.marks = marks
    if (topics.length === 0) return
    for (const sessionId of followed.countBySession.keys())
      this.#tools.streams.send(nameOf(marks.environmentId, sessionId), hintOf(topics))
  }

  /** A user who signed out, was signed out or is no longer a member gets no more hints. */
  async #endClosedSessions(): Promise<void> {
    const { db, clock, streams } = this.#tools
    const names = [...this.#followed].flatMap(([environmentId, { countBySession }]) =>
      [...countBySession.keys()].map((sessionId) => ({ environmentId, sessionId })),
    )
    const open = new Set(await findOpenPlaces(db, clock.now(), names))
    for (const place of names)
      if (!open.has(place)) streams.end(nameOf(place.environmentId, place.sessionId))
  }
}

function nameOf(environmentId: EnvironmentId, sessionId: string): string {
  return `console ${environmentId} ${sessionId}`
}

export function hintOf(topics: ChangeTopic[]): string {
  return `event: changed\ndata: ${JSON.stringify({ topics })}\n\n`
}
