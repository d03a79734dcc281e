import { type Draws, drawsFor } from './draws.js'

/**
 * What goes wrong, and in which fraction of the opportunities. Silence and failing endpoints are
 * drawn once for each step of the clock, everything else once for each call.
 */
export const faultRates = {
  /** The bank or chain never receives the request; the caller gets an error. */
  'request lost': 0.01,
  /** The caller gets an error; the bank or chain receives the request minutes later. */
  'request late': 0.01,
  /** The bank or chain acts; the caller gets an error. */
  'answer lost': 0.01,
  /** The bank or chain acts; the caller gets the answer after minutes or hours. */
  'answer late': 0.001,
  /** The bank or chain acts on the same request twice. */
  'request doubled': 0.01,
  'bank silent': 0.01,
  'notice lost': 0.05,
  'notice doubled': 0.1,
  'notice late': 0.1,
  'chain forked': 0.02,
  'node lying': 0.02,
  /** The merchant does not receive the answer of the API. */
  'api answer lost': 0.02,
  /** The merchant sends a request to two API instances at once. */
  'api request doubled': 0.01,
  'endpoint failing': 0.03,
  /** The endpoint receives the webhook, but its answer is lost. */
  'webhook answer lost': 0.01,
  /** Of an API process it takes a second of processor time to start another. */
  'api killed': 0.000_2,
  'worker killed': 0.001,
  /** A commit succeeds at the database, and the connection is cut before the acknowledgement. */
  'commit acknowledgement lost': 0.01,
  'commit cut': 0.01,
} as const

export type FaultKind = keyof typeof faultRates

export const faultKinds = Object.keys(faultRates) as FaultKind[]

/** Injects faults as drawn from the seed, until they are told to cease, and counts them. */
export class Faults {
  readonly counts = new Map<FaultKind, number>()
  readonly #draws = new Map<FaultKind, Draws>()
  readonly #seed: number
  readonly #without: ReadonlySet<FaultKind>
  /** While the world comes to rest, nothing new goes wrong. */
  hasCeased = false

  constructor(seed: number, without: readonly FaultKind[]) {
    this.#seed = seed
    this.#without = new Set(without)
  }

  strikes(kind: FaultKind): boolean {
    if (this.hasCeased || this.#without.has(kind)) return false
    const hasStruck = this.drawsOf(kind).chance(faultRates[kind])
    if (hasStruck) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    return hasStruck
  }

  drawsOf(kind: FaultKind): Draws {
    const draws = this.#draws.get(kind) ?? drawsFor(this.#seed, kind)
    this.#draws.set(kind, draws)
    return draws
  }
}
