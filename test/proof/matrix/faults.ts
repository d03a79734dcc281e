import type { Entry, Exit, Keeper, Passage } from '../gates/passage.js'

/** What happens at a passage. Each is tried at every passage of every path. */
export const faultNames = [
  'killed before',
  'killed after',
  'error before the effect',
  'answer lost after the effect',
  'asked twice',
  'answered late',
  'two workers at once',
] as const

export type FaultName = (typeof faultNames)[number]

/** A passage of a path: the same commit or call may be made several times. */
export type Failpoint = Passage & { occurrence: number }

export type Crash = { at: Failpoint; fault: FaultName }

/** Faults that differ from another one only by an effect that has happened. */
const afterAnEffect: FaultName[] = ['killed after', 'answer lost after the effect', 'asked twice']

const reading = /^\w+ (GET |(get|is|simulate)\w*( (get|is|simulate)\w*)*$)/

/** A call that has no effect at the bank or chain. */
export function isRead({ kind, name }: Passage): boolean {
  return kind === 'call' && reading.test(name)
}

/**
 * A refund at Paystack takes no reference of ours: a proxy that repeats the request pays it twice.
 * `reconcile` shows it.
 */
const unrepeatable = 'paystack POST /refund'

/** A commit cannot be sent twice: its connection carries one answer to one message. */
export function isPossible(fault: FaultName, at: Failpoint): boolean {
  if (fault === 'asked twice' && at.name === unrepeatable) return false
  if (isRead(at)) return !afterAnEffect.includes(fault)
  return fault !== 'asked twice' || at.kind === 'call'
}

export const nameOf = ({ kind, name, occurrence }: Failpoint) => `${kind} ${name} #${occurrence}`

/** What the keeper needs of the world to make a fault happen. */
export type Reactions = {
  /** Kills the instance that passes. */
  kill(): void
  /** Lets another instance work for a moment, by the same time. */
  workBeside(): Promise<void>
  /** Lets time pass beyond every lease, and another instance work. */
  workMuchLater(): Promise<void>
}

/** Whether a passage only delivers webhooks: paths that are not about deliveries leave it alone. */
export function isDelivery({ name }: Passage): boolean {
  return name === 'webhook' || /^(deliveries|delivery_attempts| )+$/.test(name)
}

/** Records the failpoints of a run, or makes one fault happen at one of them. */
export class FaultKeeper implements Keeper {
  readonly seen: Failpoint[] = []
  hasFired = false
  #isArmed = false
  #crash: Crash | undefined
  #reactions: Reactions | undefined
  readonly #counts = new Map<string, number>()
  readonly #struck = new Set<Passage>()
  readonly #isLeftAlone: (passage: Passage) => boolean

  constructor(isLeftAlone: (passage: Passage) => boolean) {
    this.#isLeftAlone = isLeftAlone
  }

  /** From now on passages count. */
  arm(reactions: Reactions, crash?: Crash): void {
    this.#isArmed = true
    this.#reactions = reactions
    this.#crash = crash
  }

  disarm(): void {
    this.#isArmed = false
  }

  async enter(passage: Passage): Promise<Entry> {
    if (!this.#isArmed || this.#isLeftAlone(passage)) return 'pass'
    const occurrence = (this.#counts.get(passage.name) ?? 0) + 1
    this.#counts.set(passage.name, occurrence)
    this.seen.push({ ...passage, occurrence })
    const fault = this.#faultAt(passage, occurrence)
    if (fault === undefined) return 'pass'
    this.hasFired = true
    switch (fault) {
      case 'killed before':
        this.#reactions!.kill()
        return 'fail'
      case 'error before the effect':
        return 'fail'
      case 'asked twice':
        return 'repeat'
      case 'two workers at once':
        await this.#reactions!.workBeside()
        return 'pass'
      default:
        this.#struck.add(passage)
        return 'pass'
    }
  }

  async leave(passage: Passage): Promise<Exit> {
    if (!this.#struck.delete(passage)) return 'pass'
    switch (this.#crash!.fault) {
      case 'killed after':
        this.#reactions!.kill()
        return 'lose'
      case 'answer lost after the effect':
        return 'lose'
      default:
        await this.#reactions!.workMuchLater()
        return 'pass'
    }
  }

  #faultAt({ name }: Passage, occurrence: number): FaultName | undefined {
    if (this.hasFired || this.#crash === undefined) return undefined
    const { at, fault } = this.#crash
    return at.name === name && at.occurrence === occurrence ? fault : undefined
  }
}
