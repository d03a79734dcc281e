import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import type { Metric } from './api-messages.js'

/** Metrics of all API processes of a service, in one registry. */
export class ApiMetrics {
  readonly #own = new Registry()
  restarts = 0
  #serving = 0
  #ended: Metric[] = []

  constructor() {
    const registers = [this.#own]
    const serving = () => this.#serving
    const restarts = () => this.restarts
    new Gauge({
      name: 'manilla_api_processes',
      help: 'API processes that serve requests.',
      registers,
      collect() {
        this.set(serving())
      },
    })
    new Counter({
      name: 'manilla_api_process_restarts_total',
      help: 'API processes that ended unexpectedly and were replaced.',
      registers,
      collect() {
        this.reset()
        this.inc(restarts())
      },
    })
  }

  async merge(processes: Metric[][]): Promise<Registry> {
    this.#serving = processes.filter((metrics) => metrics.length > 0).length
    const own = await this.#own.getMetricsAsJSON()
    return AggregatorRegistry.aggregate([own, this.#ended, ...processes])
  }

  /**
   * Adds the counts of a process that ended. Without them the sums would fall, which Prometheus
   * takes for a restart from 0 and counts everything again.
   */
  keepCountsOf(metrics: Metric[]): void {
    const counts = metrics.filter(({ type }) => type === 'counter' || type === 'histogram')
    const merged = AggregatorRegistry.aggregate([this.#ended, counts])
    this.#ended = merged.getMetricsAsArray() as object[] as Metric[]
  }
}
