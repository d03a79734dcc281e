import Type from 'typebox'
import { type Mode, modes } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { orNull, resource } from '../../base/shapes.js'
import { listDisputes } from '../../payouts/reconciliation/disputes.js'
import { listReconciliations } from '../../payouts/reconciliation/reconciliations.js'
import { listPausedRails, pauseRail, resumeRail } from '../../payouts/requests/paused-rails.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { listRailCalls, type RailCallSeries, railCallBounds } from '../../rails/rail-calls.js'
import { auditOperator, operatorName } from '../changes/audit-operator.js'
import { type Confirmable, propose } from '../changes/operator-actions.js'
import {
  type Action,
  command,
  type RouteCall,
  route,
  type WatchedRails,
} from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { mode, time, waiting } from '../definitions/views.js'
import { readRailOutcomes } from '../metrics/health-figures.js'

type Verb = 'pause' | 'resume'

/** Takes effect within a second. */
const pausing = (verb: Verb): Confirmable<{ rail: string; reason: string }> => ({
  kind: `rail.${verb}`,
  command: `rails ${verb}`,
  async perform(tx, { now, operator }, { rail, reason }) {
    const isPaused = verb === 'pause'
    const isFresh = isPaused
      ? await pauseRail(tx, now, { rail, reason, pausedBy: operatorName(operator) })
      : await resumeRail(tx, rail)
    if (!isFresh) throw unchanged(rail, verb)
    auditOperator(tx, now, operator, { action: `rail.${verb}`, details: { rail, reason } })
    return { rail, isPaused }
  },
})

export const pause = pausing('pause')
export const resume = pausing('resume')

const calls = resource('Calls', {
  name: Type.String(),
  answered: Type.Integer(),
  failed: Type.Integer(),
  averageMs: orNull(Type.Integer()),
  p95Ms: orNull(Type.Integer()),
})

const rail = resource('Rail', {
  rail: Type.String(),
  title: Type.String(),
  mode,
  kind: Type.Enum(['bank', 'chain']),
  pause: orNull(
    Type.Object({
      rail: Type.String(),
      reason: Type.String(),
      pausedAt: time,
      pausedBy: Type.String(),
    }),
  ),
  lastHour: Type.Object({ completed: Type.Integer(), failed: Type.Integer() }),
  open: Type.Integer(),
  oldestOpenAt: orNull(time),
  reconciliation: orNull(
    Type.Object({ rail: Type.String(), reconciledAt: time, differences: Type.Integer() }),
  ),
  disputes: Type.Integer(),
  /** Calls of the process that answers; those to a bank have its name. */
  calls: orNull(calls),
})

/** Banks and chains: how they do, and whether they pay out. */
export const railActions: Action[] = [
  command({
    name: 'rails paused',
    description: 'list rails that take no new payouts',
    async run({ db }) {
      const data = await listPausedRails(db)
      const columns = { rail: 'rail', reason: 'reason', by: 'pausedBy', since: 'pausedAt' } as const
      return { data, text: tableOf(data, columns, { empty: 'No rail is paused.' }) }
    },
  }),
  command({
    name: 'rails pause',
    description: 'refuse new payouts on a rail and send nothing; what was sent is still polled',
    args: ['rail'],
    input: {
      rail: fields.text('name of the rail, as `reconcile` prints it'),
      reason: fields.reason,
    },
    async run(call, input) {
      await refuseUnknown(call.db, input.rail)
      const data = await call.db.transaction((tx) => pause.perform(tx, call, input, undefined))
      return { data, text: `${input.rail} is paused.` }
    },
  }),
  command({
    name: 'rails resume',
    description: 'send payouts on a rail again',
    args: ['rail'],
    input: { rail: fields.text('name of the rail'), reason: fields.reason },
    async run(call, input) {
      const data = await call.db.transaction((tx) => resume.perform(tx, call, input, undefined))
      return { data, text: `${input.rail} is resumed.` }
    },
  }),
  route({
    request: 'GET /rails',
    operation: 'listRails',
    summary: 'Rails',
    view: resource('Rails', {
      items: Type.Array(rail),
      /** Nodes of the chains, as this process called them since it started. */
      endpoints: Type.Array(calls),
      /** Rails with open payouts or a pause that are not configured here. */
      others: Type.Array(Type.String()),
    }),
    async run({ db, rails, now }) {
      const [outcomes, paused, reconciliations, disputes] = await Promise.all([
        readRailOutcomes(db, now),
        listPausedRails(db),
        listReconciliations(db),
        listDisputes(db, now),
      ])
      const calls = listRailCalls().map(showCalls)
      const known = await listKnown(rails)
      const items = known.map(({ rail, title, mode, kind }) => {
        const own = outcomes.find((outcome) => outcome.rail === rail)
        return {
          rail,
          title,
          mode,
          kind,
          pause: paused.find((pause) => pause.rail === rail) ?? null,
          lastHour: { completed: own?.completed ?? 0, failed: own?.failed ?? 0 },
          open: own?.open ?? 0,
          oldestOpenAt: own?.oldestOpenAt ?? null,
          reconciliation: reconciliations.find((latest) => latest.rail === rail) ?? null,
          disputes: disputes.filter((dispute) => dispute.rail === rail).length,
          calls: calls.find(({ name }) => name === rail) ?? null,
        }
      })
      const names = new Set(known.map(({ rail }) => rail))
      return {
        items,
        endpoints: calls.filter(({ name }) => !names.has(name)),
        others: [...outcomes.filter(({ open }) => open > 0), ...paused]
          .map(({ rail }) => rail)
          .filter((rail) => !names.has(rail)),
      }
    },
  }),
  proposal('pause', 'Propose to pause a rail'),
  proposal('resume', 'Propose to resume a rail'),
]

function proposal(verb: Verb, summary: string): Action {
  return route({
    request: `POST /rails/:rail/${verb}`,
    operation: `${verb}Rail`,
    summary,
    input: { rail: fields.text('name of the rail'), reason: fields.reason },
    view: waiting,
    async run(call, { rail, reason }) {
      await refuseUnchanged(call, rail, verb)
      const action = verb === 'pause' ? pause : resume
      return propose(call, action, { subject: rail, payload: { rail, reason } })
    },
  })
}

/** A mistyped name would pause nothing. Every rail that workers serve is compared by them. */
async function refuseUnknown(db: Database, rail: string): Promise<void> {
  const names = await listCompared(db)
  if (names.includes(rail)) return
  const known = names.join(', ') || 'none'
  throw new Refusal('not_found', { message: `No rail ${rail} is known. Known: ${known}.` })
}

export async function isRailKnown(db: Queryable, rail: string): Promise<boolean> {
  return (await listCompared(db)).includes(rail)
}

async function listCompared(db: Queryable): Promise<string[]> {
  const rows = await db.rows(sql<{ rail: string }>`
    select rail from reconciliations where rail not like '% deposits' order by rail`)
  return rows.map(({ rail }) => rail)
}

async function refuseUnchanged(
  { db, rails }: Pick<RouteCall, 'db' | 'rails'>,
  rail: string,
  verb: Verb,
): Promise<void> {
  const isPaused = (await listPausedRails(db)).some((pause) => pause.rail === rail)
  const isKnown = isPaused || (await listKnown(rails)).some((known) => known.rail === rail)
  if (!isKnown) throw new Refusal('not_found', { message: `No rail ${rail} is configured.` })
  if (isPaused === (verb === 'pause')) throw unchanged(rail, verb)
}

function unchanged(rail: string, verb: Verb): Refusal {
  return new Refusal('validation_failed', {
    reason: 'invalid_state',
    message: verb === 'pause' ? `${rail} is already paused.` : `${rail} is not paused.`,
  })
}

type KnownRail = { rail: string; title: string; mode: Mode; kind: 'bank' | 'chain' }

async function listKnown({ solana, rails }: WatchedRails): Promise<KnownRail[]> {
  const known: KnownRail[] = []
  for (const mode of modes) {
    for (const bank of rails.banksOf(mode))
      known.push({ rail: bank.name, title: bank.provider, mode, kind: 'bank' })
    const chain = solana[mode]
    if (await chain?.isChainKnown().catch(() => false))
      known.push({ rail: chain!.name, title: 'Solana', mode, kind: 'chain' })
  }
  return known
}

function showCalls({ rail, answered, failed, callsByBucket, seconds }: RailCallSeries) {
  const count = answered + failed
  return {
    name: rail,
    answered,
    failed,
    averageMs: count === 0 ? null : Math.round((seconds * 1_000) / count),
    p95Ms: boundOf(callsByBucket, 0.95),
  }
}

/** The upper bound of the bucket that holds the percentile; null: above all bounds, or no call. */
function boundOf(callsByBucket: number[], share: number): number | null {
  const total = callsByBucket.reduce((sum, calls) => sum + calls, 0)
  let seen = 0
  for (const [index, calls] of callsByBucket.entries()) {
    seen += calls
    if (total > 0 && seen >= total * share) {
      const bound = railCallBounds[index]
      return bound === undefined ? null : bound * 1_000
    }
  }
  return null
}
