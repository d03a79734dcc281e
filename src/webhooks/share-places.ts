import { limits } from '../base/limits.js'

/** What a process has under way: in all, and what of it goes to endpoints that are not proven. */
export type UsedPlaces = { count: number; unproven: number }

/** An endpoint is proven while its latest answer to this process was a success. */
export type Asking = { isProven: boolean; underWay: number }

/**
 * Decides how many more deliveries each endpoint may have under way, in the order of asking.
 *
 * An endpoint gets at most a part of what is still free, so that there is always something left for
 * the next one: a lone endpoint may be sent many at once, a hundred slow ones get a few each. One
 * that is not proven gets a single place, and all of those together no more than half: however many
 * hang until their time is up, the others do not wait for them.
 */
export function sharePlaces(taken: UsedPlaces, asking: Asking[]): number[] {
  const { places, unprovenPlaces, shareOfFree } = limits.webhooks
  let free = Math.max(places - taken.count, 0)
  let freeForUnproven = Math.max(unprovenPlaces - taken.unproven, 0)
  return asking.map(({ isProven, underWay }) => {
    const most = isProven
      ? Math.max(1, Math.floor(free * shareOfFree))
      : Math.min(1, freeForUnproven)
    const given = Math.min(Math.max(most - underWay, 0), free)
    free -= given
    if (!isProven) freeForUnproven -= given
    return given
  })
}
