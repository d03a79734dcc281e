import type { Clock } from '../../base/clock.js'
import { doctorLimits, workLimits } from '../limits.js'

export type WatchedJob = {
  name: string
  everyMs: number
  /** How long one run may take before the job is late; by default a few minutes. */
  mayTakeMs?: number
}

type Progress = { runs: number; failures: number; succeededAtMs: number }

/** Progress of the jobs of this process since it started, measured by a monotonic clock. */
export class JobProgress {
  readonly #clock: Clock
  readonly #jobs: WatchedJob[]
  readonly #progress: Map<string, Progress>
  #lastSuccessMs: number | undefined

  constructor(clock: Clock, jobs: WatchedJob[]) {
    this.#clock = clock
    this.#jobs = jobs
    const succeededAtMs = clock.elapsedMs()
    this.#progress = new Map(
      jobs.map(({ name }) => [name, { runs: 0, failures: 0, succeededAtMs }]),
    )
  }

  record(name: string, hasSucceeded: boolean): void {
    const progress = this.#progress.get(name)!
    progress.runs += 1
    if (hasSucceeded) {
      progress.succeededAtMs = this.#clock.elapsedMs()
      this.#lastSuccessMs = progress.succeededAtMs
    } else progress.failures += 1
  }

  /** Whether any job succeeded recently. If none did, the loops hang or the database is down. */
  isRecent(): boolean {
    const last = this.#lastSuccessMs
    return last !== undefined && this.#clock.elapsedMs() - last < workLimits.idleMaxMs
  }

  /** Jobs that hang or keep failing. */
  lateJobs(): string[] {
    const nowMs = this.#clock.elapsedMs()
    return this.#jobs
      .filter(({ name, everyMs, mayTakeMs = doctorLimits.overdueAfterMs }) => {
        const { succeededAtMs } = this.#progress.get(name)!
        return nowMs - succeededAtMs > everyMs + mayTakeMs
      })
      .map(({ name }) => name)
  }

  /** Counts since the start, and the time since the last success. */
  list(): { name: string; runs: number; failures: number; sinceSuccessMs: number }[] {
    const nowMs = this.#clock.elapsedMs()
    return [...this.#progress].map(([name, { runs, failures, succeededAtMs }]) => {
      return { name, runs, failures, sinceSuccessMs: nowMs - succeededAtMs }
    })
  }
}
