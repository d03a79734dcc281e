import { limits } from '../base/limits.js'
import { type Outcome, Refusal } from '../base/refusal.js'

type Try<Value> = {
  attempt: () => Promise<Outcome<Value>>
  /** Asked before "short" is the answer: a refusal that comes first, by the order of checks. */
  findOther?: () => Promise<Refusal | undefined>
}

/**
 * Runs attempts to spend from a hot wallet side by side. One that is told that the wallet is short
 * cannot know whether money is missing, or is only spoken for by others that are not held yet and
 * may be refused themselves. So it waits until those have ended, and is made again; "short" is the
 * answer only when nobody was beside it, and is looked at twice: a balance may grow meanwhile.
 */
export function createSideBySide() {
  const underWay = new Set<Promise<unknown>>()

  async function run<Value>(attempt: () => Promise<Value>): Promise<Value> {
    const running = attempt()
    underWay.add(running)
    return running.finally(() => underWay.delete(running))
  }

  return async <Value>({ attempt, findOther }: Try<Value>): Promise<Outcome<Value>> => {
    for (let looks = 1; ; looks += 1) {
      const outcome = await run(attempt)
      if (!isShort(outcome)) return outcome
      const others = [...underWay]
      await Promise.allSettled(others)
      const other = await findOther?.()
      if (other) return other
      const isSure = others.length === 0 && looks > 1
      if (isSure || looks === limits.payouts.shortLooks) return outcome
    }
  }
}

export function isShort(outcome: unknown): outcome is Refusal {
  return outcome instanceof Refusal && outcome.reason === 'treasury_short'
}
