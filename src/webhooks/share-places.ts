import { limits } from '../limits.js'

/** What a process has under way: in all, and what of it goes to endpoints that are failing. */
export type UnderWay = { count: number; failing: number }

export type Asking = { isFailing: boolean; underWay: number }

/**
 * Decides how many more deliveries each endpoint may have under way, in the order of asking.
 *
 * An endpoint gets at most a part of what is still free, so that there is always something left for
 * the next one: a lone endpoint may be sent many at once, a hundred slow ones get a few each. One
 * that is failing gets a single place, and all of those together no more than half: however many
 * hang until their time is up, the others do not wait for them.
 */
export function sharePlaces(underWay: UnderWay, asking: Asking[]): number[] {
  const { places, failingPlaces, shareOfFree } = limits.webhooks
  let free = Math.max(places - underWay.count, 0)
  let freeForFailing = Math.max(failingPlaces - underWay.failing, 0)
  return asking.map((endpoint) => {
    const most = endpoint.isFailing
      ? Math.min(1, freeForFailing)
      : Math.max(1, Math.floor(free * shareOfFree))
    const given = Math.min(Math.max(most - endpoint.underWay, 0), free)
    free -= given
    if (endpoint.isFailing) freeForFailing -= given
    return given
  })
}
