import { webhookLimits } from '../limits.js'
import type { EndpointLoad } from './share-capacity.js'

type EndpointKey = { environmentId: number; endpointId: string }

/** The deliveries this process is sending, and which endpoints responded with success last. */
export class InFlight {
  count = 0
  unproven = 0
  readonly #counts = new Map<string, number>()
  /** In order of the latest response, so that the oldest is dropped first. */
  readonly #proven = new Set<string>()

  loadOf(endpoint: EndpointKey): EndpointLoad {
    const key = keyOf(endpoint)
    return { isProven: this.#proven.has(key), inFlight: this.#counts.get(key) ?? 0 }
  }

  /** Returns the function to call when the delivery ends. */
  add(endpoint: EndpointKey): (wasSuccess: boolean) => void {
    const key = keyOf(endpoint)
    const isUnproven = !this.#proven.has(key)
    this.#change(key, 1, isUnproven)
    return (wasSuccess) => {
      this.#change(key, -1, isUnproven)
      this.#proven.delete(key)
      if (wasSuccess) this.#prove(key)
    }
  }

  #prove(key: string): void {
    this.#proven.add(key)
    if (this.#proven.size <= webhookLimits.provenEndpointsMax) return
    const [oldest] = this.#proven
    this.#proven.delete(oldest!)
  }

  #change(key: string, by: 1 | -1, isUnproven: boolean): void {
    this.count += by
    if (isUnproven) this.unproven += by
    const count = (this.#counts.get(key) ?? 0) + by
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}

function keyOf({ environmentId, endpointId }: EndpointKey): string {
  return `${environmentId}/${endpointId}`
}
