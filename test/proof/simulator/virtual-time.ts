import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { manualClock } from '../../support/clock.js'

/** Something that happens beside other things. */
export type Task = {
  isSleeping: boolean
  /** It waits for a call that sleeps. */
  isBlocked: boolean
  sleep(durationMs: number): Promise<void>
}

type Sleeper = { wakesAtMs: number; wake: () => void }

/**
 * If no task ends while a call sleeps, the others wait for that call: after `quietMs` when the
 * database owes no answer; after `stallMs` when it owes one, which may wait for a lock of theirs.
 */
const quietMs = 25
const stallMs = 1_000

/** Longer than any statement timeout or lane deadline of the service. */
const hangMs = 120_000

/**
 * One clock for everything. It advances only when every task has ended or sleeps, so that a month
 * passes as fast as the machine works.
 */
export class VirtualTime {
  readonly clock = manualClock()
  readonly startedAt = this.clock.now()
  readonly #tasks = new Set<Task>()
  #sleepers: Sleeper[] = []
  #onChange: (() => void) | undefined
  readonly #isBusy: () => boolean

  /** `isBusy`: whether something is under way that ends by itself. */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy
  }

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
  run(work: (task: Task) => Promise<unknown>): void {
    const task: Task = {
      isSleeping: false,
      isBlocked: false,
      sleep: async (durationMs) => {
        task.isSleeping = true
        await this.sleep(durationMs)
        task.isSleeping = false
      },
    }
    this.#tasks.add(task)
    void work(task).finally(() => {
      this.#tasks.delete(task)
      this.#onChange?.()
    })
  }

  /** For a call of which it is not known who waits for it. */
  sleep(durationMs: number): Promise<void> {
    return new Promise<void>((wake) => {
      this.#sleepers.push({ wakesAtMs: this.nowMs + durationMs, wake })
      this.#onChange?.()
    })
  }

  /** Returns when every task has ended, sleeps, or waits for something that sleeps. */
  async rest(): Promise<void> {
    let hangsAt = performance.now() + hangMs
    while (this.#hasActive()) {
      const hasChanged = await this.#waitForChange()
      if (hasChanged) hangsAt = performance.now() + hangMs
      else if (this.#sleepers.length > 0) for (const task of this.#tasks) task.isBlocked = true
      else if (performance.now() > hangsAt) throw new Error('a task neither ends nor sleeps')
    }
  }

  #hasActive(): boolean {
    for (const { isSleeping, isBlocked } of this.#tasks) if (!isSleeping && !isBlocked) return true
    return false
  }

  advance(durationMs: number): void {
    this.clock.advance(durationMs)
    const due = this.#sleepers.filter(({ wakesAtMs }) => wakesAtMs <= this.nowMs)
    if (due.length === 0) return
    this.#sleepers = this.#sleepers.filter(({ wakesAtMs }) => wakesAtMs > this.nowMs)
    for (const task of this.#tasks) task.isBlocked = false
    for (const { wake } of due) wake()
  }

  /** False: nothing has changed for a while, and nothing will by itself. */
  async #waitForChange(): Promise<boolean> {
    const startedAt = performance.now()
    let hasChanged = false
    const stop = new AbortController()
    this.#onChange = () => {
      hasChanged = true
      stop.abort()
    }
    do {
      await sleep(quietMs, undefined, { signal: stop.signal }).catch(() => {})
      // What has arrived meanwhile is read first.
      await turn()
    } while (!hasChanged && this.#isBusy() && performance.now() - startedAt < stallMs)
    this.#onChange = undefined
    return hasChanged
  }
}
