import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../base/clock.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Screening } from '../../screening/ports.js'
import { databaseGauges } from './database-gauges.js'

type ScreeningMetricDependencies = { db: Queryable; clock: Clock; screening: Screening }

/** Only for a service that screens. */
export function addScreeningMetrics(
  registry: Registry,
  { db, clock, screening }: ScreeningMetricDependencies,
): void {
  databaseGauges(registry)(
    'manilla_screening_held',
    {
      help: 'Payments that are held for screening: hit (on a list), or unknown (not screened yet).',
      labels: ['verdict'],
    },
    async () =>
      Object.entries(await countHeld(db)).map(([verdict, value]) => ({
        labels: { verdict },
        value,
      })),
  )
  if (!screening.state().list) return
  const list = { labelNames: ['list'], registers: [registry], aggregator: 'max' as const }
  new Gauge({
    ...list,
    name: 'manilla_screening_list_age_seconds',
    help: 'Age of the screening list, by the date in the file.',
    collect() {
      const { source, date } = screening.state().list!
      const ageMs = clock.now().getTime() - Date.parse(`${date}T00:00:00.000Z`)
      this.reset()
      this.set({ list: source }, Math.max(0, ageMs / 1_000))
    },
  })
  new Gauge({
    ...list,
    name: 'manilla_screening_list_problem',
    help: '1 if a newer screening list cannot be read, so that the one before is used.',
    collect() {
      const { source, problem } = screening.state().list!
      this.reset()
      this.set({ list: source }, problem === null ? 0 : 1)
    },
  })
}

/** How many payments wait, by the reason. */
export async function countHeld(db: Queryable): Promise<{ hit: number; unknown: number }> {
  const [row] = await db.rows(sql<{ hit: number; unknown: number }>`
    select count(*) filter (where s.verdict = 'hit')::int as hit,
      count(*) filter (where s.verdict <> 'hit')::int as unknown
    from payment_screenings s
    join payments p on p.environment_id = s.environment_id and p.id = s.payment_id
    where p.held_for = 'screening' and p.amount_held > 0`)
  return row!
}
