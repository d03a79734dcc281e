import { Counter, type Metric, type Registry } from 'prom-client'

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

type Series = {
  labels: { method: string; route: string }
  answersByStatus: Map<number, number>
  /** Answers per bucket, not cumulative; the last bucket has no bound. */
  answersByBucket: number[]
  seconds: number
}

/**
 * Counts answers by method and route in plain numbers and turns them into metrics at each scrape:
 * prom-client would hash the labels of every answer. A test compares the output with prom-client's.
 */
export class RequestSeries {
  readonly #series = new Map<string, Map<string, Series>>()

  constructor(registry: Registry) {
    const all = () => this.#all()
    new Counter({
      name: 'manilla_http_requests_total',
      help: 'Answers by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels, answersByStatus } of all())
          for (const [status, count] of answersByStatus) this.inc({ ...labels, status }, count)
      },
    })
    const name = 'manilla_http_request_seconds'
    const durations = {
      name,
      get: async () => ({
        name,
        help: 'Time from request to answer.',
        type: 'histogram',
        values: all().flatMap((series) => toHistogram(name, series)),
        aggregator: 'sum',
      }),
    }
    registry.registerMetric(durations as unknown as Metric)
  }

  observe(
    labels: { method: string; route: string },
    { status, seconds }: { status: number; seconds: number },
  ): void {
    const series = this.#find(labels.method, labels.route)
    series.answersByStatus.set(status, (series.answersByStatus.get(status) ?? 0) + 1)
    series.seconds += seconds
    let bucket = 0
    while (seconds > bounds[bucket]!) bucket += 1
    series.answersByBucket[bucket]! += 1
  }

  #find(method: string, route: string): Series {
    let byMethod = this.#series.get(route)
    if (!byMethod) {
      byMethod = new Map()
      this.#series.set(route, byMethod)
    }
    let series = byMethod.get(method)
    if (!series) {
      series = {
        labels: { method, route },
        answersByStatus: new Map(),
        answersByBucket: new Array(bounds.length + 1).fill(0),
        seconds: 0,
      }
      byMethod.set(method, series)
    }
    return series
  }

  #all(): Series[] {
    return [...this.#series.values()].flatMap((byMethod) => [...byMethod.values()])
  }
}

function toHistogram(name: string, { labels, answersByBucket, seconds }: Series) {
  let count = 0
  const buckets = answersByBucket.map((answers, index) => {
    count += answers
    const le = bounds[index] ?? '+Inf'
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
