import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, hour } from './clock.js'
import { forgetOldKeys } from './idempotency/forget-keys.js'
import { limits } from './limits.js'
import type { Logger } from './log.js'
import type { Database } from './postgres/database.js'

type Job = {
  name: string
  everyMs: number
  /**
   * How many rows it dealt with, and how many it takes at once: a full batch is followed at once.
   */
  batch: number
  run: (db: Database, now: Date) => Promise<number>
}

/** Everything that happens by itself; only key rings write down their own uses (compose.ts). */
export const jobs: Job[] = [
  {
    name: 'forget old idempotency keys',
    everyMs: hour,
    batch: limits.idempotency.forgottenAtOnce,
    run: forgetOldKeys,
  },
]

/** Runs every job until stopped. Many processes may do so at once: rows are claimed, not jobs. */
export function startWork(tools: { db: Database; clock: Clock; logger: Logger }) {
  const stopping = new AbortController()
  const running = jobs.map((job) => runJob(job, tools, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function runJob(
  job: Job,
  { db, clock, logger }: { db: Database; clock: Clock; logger: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const done = await job.run(db, clock.now()).catch((error: unknown) => {
      // The next round finds the same rows again; nothing is lost by waiting for it.
      logger.error({ err: error, job: job.name }, 'a job failed')
      return 0
    })
    if (done < job.batch) await sleep(job.everyMs, undefined, { signal }).catch(() => {})
  }
}
