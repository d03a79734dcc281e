import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Lane } from '../postgres/lane.js'

export type HttpMetrics = {
  registry: Registry
  observe(request: FastifyRequest, reply: FastifyReply): void
}

/** Counted by route pattern, never by path: references would make a new series each. */
export function createMetrics(
  lanes: Record<string, Pick<Lane<unknown, unknown>, 'stats'>>,
): HttpMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
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
  new Gauge({
    name: 'manilla_lane_events',
    help: 'What the lanes did since the start: calls, batches, halvings, retries, unknown outcomes.',
    labelNames: ['lane', 'event'],
    registers: [registry],
    collect() {
      for (const [lane, { stats }] of Object.entries(lanes))
        for (const [event, count] of Object.entries(stats)) this.set({ lane, event }, count)
    },
  })
  return {
    registry,
    observe(request, reply) {
      const { method } = request
      const route = request.routeOptions.url ?? 'unknown'
      requests.inc({ method, route, status: reply.statusCode })
      durations.observe({ method, route }, reply.elapsedTime / 1_000)
    },
  }
}
