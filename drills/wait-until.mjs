import { setTimeout as sleep } from 'node:timers/promises'

/** Polls until `check` returns something truthy, and returns it; throws after `withinMs`. */
export async function waitUntil(what, withinMs, check, everyMs = 200) {
  const end = performance.now() + withinMs
  for (let last; ; ) {
    try {
      const found = await check()
      if (found) return found
      last = undefined
    } catch (error) {
      last = error
    }
    if (performance.now() > end)
      throw new Error(`Not within ${withinMs / 1000} s: ${what}.`, { cause: last })
    await sleep(everyMs)
  }
}
