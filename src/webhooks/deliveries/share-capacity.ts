import { webhookLimits } from '../limits.js'

/** Deliveries in flight in this process: all, and those to endpoints that are not proven. */
export type InFlightCounts = { count: number; unproven: number }

/** An endpoint is proven while its latest response to this process was a success. */
export type EndpointLoad = { isProven: boolean; inFlight: number }

/**
 * Decides how many more deliveries each endpoint may have in flight, in the given order.
 *
 * An endpoint gets at most a fraction of the free capacity, so that some always remains for the
 * next one: a single endpoint may receive many at once, a hundred slow ones get a few each. An
 * unproven endpoint gets one, and all unproven ones together at most half: however many time out,
 * they do not delay the others.
 */
export function shareCapacity(used: InFlightCounts, endpoints: EndpointLoad[]): number[] {
  const { inFlightMax, inFlightUnprovenMax, endpointShareMax } = webhookLimits
  let free = Math.max(inFlightMax - used.count, 0)
  let freeForUnproven = Math.max(inFlightUnprovenMax - used.unproven, 0)
  return endpoints.map(({ isProven, inFlight }) => {
    const quota = isProven
      ? Math.max(1, Math.floor(free * endpointShareMax))
      : Math.min(1, freeForUnproven)
    const share = Math.min(Math.max(quota - inFlight, 0), free)
    free -= share
    if (!isProven) freeForUnproven -= share
    return share
  })
}
