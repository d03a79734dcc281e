import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Reconciliation } from '../../payouts/reconciliation/reconciliations.js'
import type { Lane } from '../../postgres/transactions/lane.js'
import { RequestSeries } from './request-series.js'

export type HttpMetrics = Pick<RequestSeries, 'observe'> & { registry: Registry }

/** Read from elsewhere at each scrape. */
type Figures = {
  listReconciliations: () => Promise<Reconciliation[]>
  countTroubled: () => Promise<{ rail: string; count: number }[]>
  countDisputes: () => Promise<{ rail: string; count: number }[]>
  countDroppedLogs: () => number
}

type LaneFigures = Pick<Lane<unknown, unknown>, 'stats' | 'times' | 'waiting'>

/** Labelled by route pattern, never by path: each reference would create a new series. */
export function createMetrics(lanes: Record<string, LaneFigures>, figures: Figures): HttpMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const series = new RequestSeries(registry)
  new Gauge({
    name: 'manilla_lane_events',
    help: 'Lane activity since the start: calls, batches, halvings, retries, unknown outcomes.',
    labelNames: ['lane', 'event'],
    registers: [registry],
    collect() {
      for (const [lane, { stats }] of Object.entries(lanes))
        for (const [event, count] of Object.entries(stats)) this.set({ lane, event }, count)
    },
  })
  addLaneFigures(registry, lanes)
  new Counter({
    name: 'manilla_request_logs_dropped_total',
    help: 'Request log entries dropped because the buffer was full or the database unavailable.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(figures.countDroppedLogs())
    },
  })
  addFigures(registry, figures)
  return {
    registry,
    observe: (labels, answer) => series.observe(labels, answer),
  }
}

/**
 * Averages of a period are ratios of increases: calls per batch, wait per call, duration per batch.
 */
function addLaneFigures(registry: Registry, lanes: Record<string, LaneFigures>): void {
  const add = (name: string, help: string, read: (lane: LaneFigures) => number) =>
    new Counter({
      name,
      help,
      labelNames: ['lane'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [lane, figures] of Object.entries(lanes)) this.inc({ lane }, read(figures))
      },
    })
  add('manilla_lane_calls_total', 'Calls that were run in a batch.', ({ stats }) => stats.calls)
  add('manilla_lane_batches_total', 'Batches that were run.', ({ stats }) => stats.batches)
  add(
    'manilla_lane_wait_seconds_total',
    'Time that calls waited for their batch.',
    ({ times }) => times.waitedMs / 1_000,
  )
  add(
    'manilla_lane_batch_seconds_total',
    'Time that batches took.',
    ({ times }) => times.ranMs / 1_000,
  )
  new Gauge({
    name: 'manilla_lane_waiting',
    help: 'Calls that wait for their batch.',
    labelNames: ['lane'],
    registers: [registry],
    collect() {
      for (const [lane, { waiting }] of Object.entries(lanes)) this.set({ lane }, waiting)
    },
  })
}

/** Workers write these figures to the database; every API process reads the same. */
function addFigures(
  registry: Registry,
  { listReconciliations, countTroubled, countDisputes }: Figures,
): void {
  const add = <Row extends { rail: string }>(
    name: string,
    help: string,
    { list, read }: { list: () => Promise<Row[]>; read: (row: Row) => number },
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['rail'],
      registers: [registry],
      aggregator: 'max',
      async collect() {
        this.reset()
        // Without the database this gauge is absent; the others must still be reported.
        for (const row of await list().catch(() => [])) this.set({ rail: row.rail }, read(row))
      },
    })
  add(
    'manilla_reconciliation_differences',
    'Number of differences between the ledger and the rail.',
    { list: listReconciliations, read: ({ differences }) => differences },
  )
  add(
    'manilla_reconciliation_timestamp_seconds',
    'When the ledger and the rail were last compared.',
    { list: listReconciliations, read: ({ reconciledAt }) => reconciledAt.getTime() / 1_000 },
  )
  add('manilla_wallets_in_trouble', 'Token accounts with a deposit that could not be read.', {
    list: countTroubled,
    read: ({ count }) => count,
  })
  add('manilla_disputes', 'Transactions on which RPC nodes disagree.', {
    list: countDisputes,
    read: ({ count }) => count,
  })
}
