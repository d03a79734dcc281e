import type { Readable } from 'node:stream'
import type { Clock } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { explainError, type Logger } from '../../base/log.js'
import type { Database } from '../../postgres/database.js'
import { findOpenPlaces } from '../../team/sessions.js'
import {
  type ChangeMarks,
  type ChangeTopic,
  compareMarks,
  readChangeMarks,
} from '../../timeline/change-marks.js'
import { hintLimits } from '../../timeline/limits.js'
import type { Streams } from './streams.js'

type HintDependencies = { db: Database; clock: Clock; streams: Streams; logger: Logger }
type Follower = { environmentId: EnvironmentId; sessionId: string; topics: ChangeTopic[] }
/** The streams of one session, and what it gets hints about. */
type Listener = { count: number; topics: ChangeTopic[] }
type Followed = { marks: ChangeMarks; listeners: Map<string, Listener> }

/**
 * Streams of open consoles: hints about what changed in an environment, at most two a second. One
 * poll reads the marks of every environment with an open console; without one, nothing is read.
 */
export class ChangeHints {
  readonly #dependencies: HintDependencies
  readonly #followed = new Map<EnvironmentId, Followed>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(dependencies: HintDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Marks are read before the stream begins: a client that reads lists after its first byte misses
   * nothing. Limits count streams by session, not by network: colleagues share an address.
   */
  async open({ environmentId, sessionId, topics }: Follower): Promise<Readable> {
    const { db, streams } = this.#dependencies
    const [marks] = await readChangeMarks(db, [environmentId])
    const reference = nameOf(environmentId, sessionId)
    const place = { reference, network: `console ${sessionId}` }
    const body = await streams.open(place, { isOfPage: false })
    const followed = this.#followed.get(environmentId) ?? {
      marks: marks!,
      listeners: new Map(),
    }
    this.#followed.set(environmentId, followed)
    const { listeners } = followed
    const listener = { count: (listeners.get(sessionId)?.count ?? 0) + 1, topics }
    listeners.set(sessionId, listener)
    body.once('close', () => {
      const current = listeners.get(sessionId)!
      current.count -= 1
      if (current.count === 0) listeners.delete(sessionId)
      if (listeners.size === 0 && this.#followed.get(environmentId) === followed)
        this.#followed.delete(environmentId)
    })
    this.#schedule(hintLimits.pollIntervalMs)
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
    const { clock, logger } = this.#dependencies
    const { pollIntervalMs, pollIntervalMaxMs, pollShareMax } = hintLimits
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
    const pauseMs = Math.max(pollIntervalMs - tookMs, tookMs / pollShareMax)
    this.#schedule(Math.min(pauseMs, pollIntervalMaxMs))
  }

  async #hintAll(): Promise<void> {
    const { db } = this.#dependencies
    const { environmentsPerReadMax } = hintLimits
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
    for (const [sessionId, listener] of followed.listeners) {
      const seen = topics.filter((topic) => listener.topics.includes(topic))
      if (seen.length > 0)
        this.#dependencies.streams.send(nameOf(marks.environmentId, sessionId), writeHint(seen))
    }
  }

  /** A user who signed out, was signed out or is no longer a member gets no more hints. */
  async #endClosedSessions(): Promise<void> {
    const { db, clock, streams } = this.#dependencies
    const names = [...this.#followed].flatMap(([environmentId, { listeners }]) =>
      [...listeners.keys()].map((sessionId) => ({ environmentId, sessionId })),
    )
    const open = new Set(await findOpenPlaces(db, clock.now(), names))
    for (const place of names)
      if (!open.has(place)) streams.end(nameOf(place.environmentId, place.sessionId))
  }
}

function nameOf(environmentId: EnvironmentId, sessionId: string): string {
  return `console ${environmentId} ${sessionId}`
}

function writeHint(topics: ChangeTopic[]): string {
  return `event: changed\ndata: ${JSON.stringify({ topics })}\n\n`
}
