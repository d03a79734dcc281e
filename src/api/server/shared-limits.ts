import { type Clock, second } from '../../base/clock.js'
import { requestRateLimits, streamLimits } from '../limits.js'

/** The processes of one service share these limits; their primary process counts. */

/** `form`: forms of public pages that open accounts, per address. */
export type RateLimitPolicy = 'environment' | 'address' | 'form'
type Name = string | number

/** Requests that a process may answer without asking again. */
export type Grant = {
  count: number
  /** Requests of this window that no process has been granted yet. */
  remaining: number
  endsInMs: number
}

export type StreamPlace = { reference: string; network: string }

/** What a process asks of the primary process. */
export type SharedLimits = {
  claim(policy: RateLimitPolicy, name: Name): Promise<Grant>
  takeStream(place: StreamPlace): Promise<boolean>
  releaseStream(place: StreamPlace): void
}

/**
 * Grants requests in windows, of one second by default. A grant is a small share of what remains
 * and shrinks to single requests, so that the sum is exact and an idle process holds back next to
 * nothing.
 */
export function createGrants(max: number, processes: number, clock: Clock, windowMs = second) {
  const sharesPerWindow = processes * requestRateLimits.sharesPerProcess
  let window = 0
  let granted = new Map<Name, number>()

  return (name: Name): Grant => {
    const nowMs = clock.elapsedMs()
    const current = Math.floor(nowMs / windowMs)
    // Bounds the memory: a flood of addresses resets all counts.
    if (current !== window || granted.size >= requestRateLimits.tracked) {
      window = current
      granted = new Map()
    }
    const used = granted.get(name) ?? 0
    const available = max - used
    const share = Math.max(Math.floor(available / sharesPerWindow), 1)
    const count = Math.min(share, available)
    granted.set(name, used + count)
    return { count, remaining: available - count, endsInMs: (current + 1) * windowMs - nowMs }
  }
}

/** Open streams of all processes, by session and by network. */
export class SharedStreams {
  readonly #counts = new Map<string, number>()
  readonly #byProcess = new Map<number, Map<string, number>>()

  take(process: number, place: StreamPlace): boolean {
    const [session, network] = keysOf(place)
    const { perSessionMax, perNetworkMax } = streamLimits
    if ((this.#counts.get(session) ?? 0) >= perSessionMax) return false
    if ((this.#counts.get(network) ?? 0) >= perNetworkMax) return false
    for (const key of [session, network]) this.#add(process, key, 1)
    return true
  }

  release(process: number, place: StreamPlace): void {
    for (const key of keysOf(place)) this.#add(process, key, -1)
  }

  /** The process ended, and its streams with it. */
  drop(process: number): void {
    for (const [key, count] of this.#byProcess.get(process) ?? []) change(this.#counts, key, -count)
    this.#byProcess.delete(process)
  }

  #add(process: number, key: string, count: number): void {
    const own = this.#byProcess.get(process) ?? new Map()
    this.#byProcess.set(process, own)
    change(own, key, count)
    change(this.#counts, key, count)
  }
}

function keysOf({ reference, network }: StreamPlace): [string, string] {
  return [`session ${reference}`, `network ${network}`]
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
