import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Reconciliation } from '../../payouts/reconciliations.js'
import type { Lane } from '../../postgres/lane.js'
import { RequestSeries } from './request-series.js'

export type HttpMetrics = Pick<RequestSeries, 'observe'> & { registry: Registry }

/** Read from elsewhere at each scrape. */
type Figures = {
  listReconciliations: () => Promise<Reconciliation[]>
  countTroubled: () => Promise<{ rail: string; count: number }[]>
  countDisputes: () => Promise<{ rail: string; count: number }[]>
  countDroppedLogs: () => number
}

/** Labelled by route pattern, never by path: each reference would create a new series. */
export function createMetrics(
  lanes: Record<string, Pick<Lane<unknown, unknown>, 'stats'>>,
  figures: Figures,
): HttpMetrics {
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

/** Workers write these figures to the database; every API process reads the same. */
function addFigures(
  registry: Registry,
  { listReconciliations, countTroubled, countDisputes }: Figures,
): void {
  const add = <Row extends { rail: string }>(
    name: string,
    help: string,
    { list, read }: { list: () => Promise<Row[]>; read: (one: Row) => number },
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
        for (const one of await list().catch(() => [])) this.set({ rail: one.rail }, read(one))
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
  add('manilla_disputes', 'Transactions on which RPC endpoints disagree.', {
    list: countDisputes,
    read: ({ count }) => count,
  })
}
