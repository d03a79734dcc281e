import { limits } from '../base/limits.js'

type Name = { environmentId: number; endpointId: string }

/** What this process is sending at the moment, and who has answered it well before. */
export class UnderWay {
  count = 0
  unproven = 0
  readonly #counts = new Map<string, number>()
  readonly #proven = new Set<string>()

  of(endpoint: Name): { isProven: boolean; underWay: number } {
    const key = keyOf(endpoint)
    return { isProven: this.#proven.has(key), underWay: this.#counts.get(key) ?? 0 }
  }

  /** Gives back how to end it: an endpoint is proven by its latest answer. */
  add(endpoint: Name): (wasSuccess: boolean) => void {
    const key = keyOf(endpoint)
    const isUnproven = !this.#proven.has(key)
    this.#change(key, 1, isUnproven)
    return (wasSuccess) => {
      this.#change(key, -1, isUnproven)
      this.#proven.delete(key)
      if (wasSuccess) this.#prove(key)
    }
  }

  /** The order of the set is the order of the latest answers: the longest silent is forgotten. */
  #prove(key: string): void {
    this.#proven.add(key)
    if (this.#proven.size <= limits.webhooks.remembered) return
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

function keyOf({ environmentId, endpointId }: Name): string {
  return `${environmentId}/${endpointId}`
}
