import { Counter, Gauge, type Metric, type Registry } from 'prom-client'
import type { Database } from '../../postgres/database.js'
import { listNodeChains } from '../../rails/node-chains.js'
import { listRailCalls, type RailCallSeries, railCallBounds } from '../../rails/rail-calls.js'
import type { FundFigures } from './fund-figures.js'

/** Calls of this process to banks and chains. */
export function addRailMetrics(registry: Registry): void {
  new Counter({
    name: 'manilla_rail_calls_total',
    help: 'Calls to banks and chains by outcome: answered, or failed (no usable answer).',
    labelNames: ['rail', 'outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { rail, answered, failed } of listRailCalls()) {
        this.inc({ rail, outcome: 'answered' }, answered)
        this.inc({ rail, outcome: 'failed' }, failed)
      }
    },
  })
  new Gauge({
    name: 'manilla_rpc_node_on_wrong_chain',
    help: 'Solana RPC nodes: 1 if the last answer came from a wrong chain and was not used, else 0.',
    labelNames: ['node'],
    registers: [registry],
    // Every process queries the same nodes.
    aggregator: 'max',
    collect() {
      this.reset()
      for (const { host, isWrong } of listNodeChains()) this.set({ node: host }, isWrong ? 1 : 0)
    },
  })
  const name = 'manilla_rail_call_seconds'
  const durations = {
    name,
    get: async () => ({
      name,
      help: 'Duration of calls to banks and chains.',
      type: 'histogram',
      values: listRailCalls().flatMap((series) => toHistogram(name, series)),
      aggregator: 'sum',
    }),
  }
  registry.registerMetric(durations as unknown as Metric)
}

function toHistogram(name: string, { rail, callsByBucket, seconds }: RailCallSeries) {
  let count = 0
  const buckets = callsByBucket.map((calls, index) => {
    count += calls
    const le = railCallBounds[index] ?? '+Inf'
    return { metricName: `${name}_bucket`, labels: { le, rail }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { rail }, value: seconds },
    { metricName: `${name}_count`, labels: { rail }, value: count },
  ]
}

const poolsByRegistry = new WeakMap<Registry, Record<string, Database>>()

/** Connection pools of this process, by name. `npm start` adds those of the API and of the work. */
export function addPoolMetrics(registry: Registry, added: Record<string, Database>): void {
  const known = poolsByRegistry.get(registry)
  if (known) {
    Object.assign(known, added)
    return
  }
  const pools = { ...added }
  poolsByRegistry.set(registry, pools)
  new Gauge({
    name: 'manilla_pool_connections',
    help: 'Database connections by pool: used, idle, and the largest number allowed.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { connections }] of Object.entries(pools)) {
        this.set({ pool, state: 'used' }, connections.used)
        this.set({ pool, state: 'idle' }, connections.idle)
        this.set({ pool, state: 'max' }, connections.max)
      }
    },
  })
  new Gauge({
    name: 'manilla_pool_waiting',
    help: 'Statements that wait for a free connection.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, { connections }] of Object.entries(pools))
        this.set({ pool }, connections.waiting)
    },
  })
}

/** What this worker last read of hot wallets and of balances at banks. */
export function addFundMetrics(registry: Registry, figures: FundFigures): void {
  const add = (
    name: string,
    { help, labels }: { help: string; labels: string[] },
    read: () => { labels: Record<string, string>; value: number | undefined }[],
  ) =>
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels, value } of read()) if (value !== undefined) this.set(labels, value)
      },
    })
  const walletSamples = (field: 'free' | 'floor') => () =>
    figures.hotWallets.map((wallet) => ({
      labels: { mode: wallet.mode, coin: wallet.coin },
      value: wallet[field],
    }))
  const labels = ['mode', 'coin']
  add(
    'manilla_hot_wallet_free',
    { help: 'Balance of the hot wallet without open payouts, in coins.', labels },
    walletSamples('free'),
  )
  add(
    'manilla_hot_wallet_floor',
    { help: 'Configured minimum of the hot wallet, in coins.', labels },
    walletSamples('floor'),
  )
  const floatSamples = (field: 'naira' | 'minNaira') => () =>
    figures.floats.map((float) => ({ labels: { bank: float.bank }, value: float[field] }))
  add(
    'manilla_bank_float_naira',
    { help: 'Balance for payouts at the bank, in naira.', labels: ['bank'] },
    floatSamples('naira'),
  )
  add(
    'manilla_bank_float_min_naira',
    { help: 'Configured minimum of the balance at the bank, in naira.', labels: ['bank'] },
    floatSamples('minNaira'),
  )
}

/** Webhook attempts of this process. */
export function addDeliveryMetrics(
  registry: Registry,
  stats: { delivered: number; failed: number },
): void {
  new Counter({
    name: 'manilla_webhook_attempts_total',
    help: 'Webhook attempts by outcome: delivered or failed.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      this.inc({ outcome: 'delivered' }, stats.delivered)
      this.inc({ outcome: 'failed' }, stats.failed)
    },
  })
}
