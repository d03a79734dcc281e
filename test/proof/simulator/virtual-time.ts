import { setTimeout as sleepReal } from 'node:timers/promises'
import { manualClock } from '../../support/clock.js'

type Sleeper = { wakesAtMs: number; wake: () => void }

/** Tasks that wait for a sleeping call make no progress; the clock then advances after this. */
const stallMs = 40

/** Longer than any statement timeout or lane deadline of the service. */
const hangMs = 60_000

/**
 * One clock for everything. It advances only when every task has ended or sleeps, so that a month
 * passes as fast as the machine works.
 */
export class VirtualTime {
  readonly clock = manualClock()
  readonly startedAt = this.clock.now()
  #sleepers: Sleeper[] = []
  #running = 0
  #ended = 0
  #onChange: (() => void) | undefined

  get nowMs(): number {
    return this.clock.elapsedMs()
  }

  get sleeping(): number {
    return this.#sleepers.length
  }

  get days(): number {
    return (this.nowMs - this.startedAt.getTime()) / 86_400_000
  }

  /** Runs a task beside the others. It must not fail. */
  run(task: () => Promise<void>): void {
    this.#running += 1
    void task().finally(() => {
      this.#running -= 1
      this.#ended += 1
      this.#onChange?.()
    })
  }

  async sleep(durationMs: number): Promise<void> {
    await new Promise<void>((wake) => {
      this.#sleepers.push({ wakesAtMs: this.nowMs + durationMs, wake })
      this.#onChange?.()
    })
  }

  /** Returns when every task has ended or sleeps. */
  async rest(): Promise<void> {
    let endedBefore = -1
    const startedAt = performance.now()
    while (this.#running > this.#sleepers.length) {
      const isStalled = this.#sleepers.length > 0 && this.#ended === endedBefore
      if (isStalled) return
      endedBefore = this.#ended
      await this.#nextChange()
      if (performance.now() - startedAt > hangMs) throw new Error('a task neither ends nor sleeps')
    }
  }

  advance(durationMs: number): void {
    this.clock.advance(durationMs)
    const due = this.#sleepers.filter(({ wakesAtMs }) => wakesAtMs <= this.nowMs)
    this.#sleepers = this.#sleepers.filter(({ wakesAtMs }) => wakesAtMs > this.nowMs)
    for (const { wake } of due) wake()
  }

  async #nextChange(): Promise<void> {
    const stall = new AbortController()
    const change = new Promise<void>((resolve) => {
      this.#onChange = resolve
    })
    const timeout = sleepReal(stallMs, undefined, { signal: stall.signal }).catch(() => {})
    await Promise.race([change, timeout])
    stall.abort()
    this.#onChange = undefined
  }
}
