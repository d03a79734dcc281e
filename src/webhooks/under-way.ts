import type { ClaimedDelivery } from './claim-deliveries.js'
import type { OpenEndpoint } from './find-open-endpoints.js'

/** What this process is sending at the moment, by endpoint. */
export class UnderWay {
  count = 0
  failing = 0
  readonly #byEndpoint = new Map<string, number>()

  of(endpoint: Pick<OpenEndpoint, 'environmentId' | 'endpointId'>): number {
    return this.#byEndpoint.get(keyOf(endpoint)) ?? 0
  }

  add(delivery: ClaimedDelivery): void {
    this.#change(delivery, 1)
  }

  remove(delivery: ClaimedDelivery): void {
    this.#change(delivery, -1)
  }

  #change(delivery: ClaimedDelivery, by: 1 | -1): void {
    this.count += by
    if (delivery.isFailing) this.failing += by
    const count = this.of(delivery) + by
    if (count === 0) this.#byEndpoint.delete(keyOf(delivery))
    else this.#byEndpoint.set(keyOf(delivery), count)
  }
}

function keyOf(endpoint: Pick<OpenEndpoint, 'environmentId' | 'endpointId'>): string {
  return `${endpoint.environmentId}/${endpoint.endpointId}`
}
