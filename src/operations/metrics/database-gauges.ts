import { Gauge, type Registry } from 'prom-client'

export type Sample = { labels?: Record<string, string>; value: number }

/** Returns a function that adds gauges whose values are read from the database at each scrape. */
export function databaseGauges(registry: Registry) {
  return (
    name: string,
    { help, labels = ['work'] }: { help: string; labels?: string[] },
    read: () => Promise<Sample[]>,
  ) =>
    new Gauge({
      name,
      help,
      // Without a label name, a gauge that has no value would report 0.
      labelNames: labels,
      registers: [registry],
      // All API processes of a service read the same figures.
      aggregator: 'max',
      async collect() {
        this.reset()
        // Absent while the database does not respond; the other metrics still work.
        const samples = await read().catch(() => [])
        for (const { labels = {}, value } of samples) this.set(labels, value)
      },
    })
}

/** The gauges of one scrape share one read. */
export function shareWhileRunning<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined
  return () => {
    running ??= read().finally(() => {
      running = undefined
    })
    return running
  }
}
