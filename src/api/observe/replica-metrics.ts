import { Counter, Gauge, type Registry } from 'prom-client'
import type { Replica } from '../../postgres/replica.js'

export function addReplicaMetrics(registry: Registry, replica: Replica): void {
  const registers = [registry]
  new Gauge({
    name: 'manilla_replica_delay_seconds',
    help: 'How old reads on the replica may be. Absent until that was measured.',
    // Without a label name, a gauge that has no value would report 0.
    labelNames: ['none'],
    registers,
    collect() {
      this.reset()
      if (replica.delayMs !== undefined) this.set(replica.delayMs / 1_000)
    },
  })
  new Counter({
    name: 'manilla_replica_reads_total',
    help: 'List reads by source: replica, primary (replica unusable), or repeated (failed on the replica, then read from the primary).',
    labelNames: ['source'],
    registers,
    collect() {
      this.reset()
      for (const [source, count] of Object.entries(replica.reads)) this.inc({ source }, count)
    },
  })
}
