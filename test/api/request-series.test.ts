import fc from 'fast-check'
import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { RequestSeries } from '../../src/api/observe/request-series.js'

const answer = fc.record({
  method: fc.constantFrom('GET', 'POST', 'HEAD'),
  route: fc.constantFrom('/v1/balances', '/v1/events/:reference', 'unknown'),
  status: fc.constantFrom(200, 201, 404, 500),
  // Also the bounds themselves, and more than the last one.
  seconds: fc.oneof(
    fc.double({ min: 0, max: 10, noNaN: true }),
    fc.constantFrom(0, 0.001, 0.0025, 0.5, 5, 5.1),
  ),
})

/** The same metrics with the library's own types. */
function createTwin(registry: Registry) {
  const requests = new Counter({
    name: 'manilla_http_requests_total',
    help: 'Answers by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'manilla_http_request_seconds',
    help: 'Time from request to answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  return { requests, durations }
}

/** Series are compared in any order. */
async function linesOf(registry: Registry): Promise<string[]> {
  return (await registry.metrics()).split('\n').sort()
}

test('the metrics of answers read as prom-client would write them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(answer), fc.array(answer), async (first, second) => {
      const [registry, twinRegistry] = [new Registry(), new Registry()]
      const series = new RequestSeries(registry)
      const twin = createTwin(twinRegistry)
      // Scraped twice: the second scrape must not count the first answers again.
      for (const answers of [first, second]) {
        for (const { method, route, status, seconds } of answers) {
          series.observe({ method, route }, { status, seconds })
          twin.requests.inc({ method, route, status })
          twin.durations.observe({ method, route }, seconds)
        }
        expect(await linesOf(registry)).toEqual(await linesOf(twinRegistry))
      }
      const sums = (metrics: { name: string; type: unknown; aggregator: unknown }[]) =>
        metrics.map(({ name, type, aggregator }) => ({ name, type, aggregator }))
      // Several processes add up their metrics by name, type and aggregator.
      expect(sums((await registry.getMetricsAsJSON()) as never)).toEqual(
        sums((await twinRegistry.getMetricsAsJSON()) as never),
      )
    }),
    { numRuns: 50 },
  )
})
