import { type Mode, modes } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { readRailOutcomes } from '../../operations/metrics/health-figures.js'
import { listDisputes } from '../../payouts/reconciliation/disputes.js'
import { listReconciliations } from '../../payouts/reconciliation/reconciliations.js'
import { listPausedRails } from '../../payouts/requests/paused-rails.js'
import { listRailCalls, type RailCallSeries, railCallBounds } from '../../rails/rail-calls.js'
import { closed, inPath } from '../parse/schemas.js'
import type { Route } from '../server/route.js'
import { propose } from './actions.js'
import type { OperatorParts, WatchedRails } from './operator-parts.js'
import { operatorRoute, reasonText } from './operator-route.js'

const oneRail = inPath('rail', 'paystack-live')

/** Banks and chains: how they do, and whether they pay out. */
export function railRoutes({ db, rails }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/rails',
    operation: 'listRails',
    summary: 'Rails',
    async handle({ now }) {
      const [outcomes, paused, reconciliations, disputes] = await Promise.all([
        readRailOutcomes(db, now),
        listPausedRails(db),
        listReconciliations(db),
        listDisputes(db, now),
      ])
      const calls = listRailCalls().map(showCalls)
      const known = await listKnown(rails)
      const items = known.map(({ rail, title, mode, kind }) => {
        const own = outcomes.find((one) => one.rail === rail)
        return {
          rail,
          title,
          mode,
          kind,
          pause: paused.find((one) => one.rail === rail) ?? null,
          lastHour: { completed: own?.completed ?? 0, failed: own?.failed ?? 0 },
          open: own?.open ?? 0,
          oldestOpenAt: own?.oldestOpenAt ?? null,
          reconciliation: reconciliations.find((one) => one.rail === rail) ?? null,
          disputes: disputes.filter((one) => one.rail === rail).length,
          /** Of the process that answers; a bank's calls have its name. */
          calls: calls.find(({ name }) => name === rail) ?? null,
        }
      })
      const names = new Set(known.map(({ rail }) => rail))
      return {
        items,
        /** Nodes of the chains, as this process called them since it started. */
        endpoints: calls.filter(({ name }) => !names.has(name)),
        /** Rails with open payouts or a pause that are not configured here. */
        others: [...outcomes.filter(({ open }) => open > 0), ...paused]
          .map(({ rail }) => rail)
          .filter((rail) => !names.has(rail)),
      }
    },
  })
  const change = (verb: 'pause' | 'resume') =>
    operatorRoute({
      method: 'POST',
      path: `/rails/:rail/${verb}`,
      operation: `${verb}Rail`,
      summary: verb === 'pause' ? 'Propose to pause a rail' : 'Propose to resume a rail',
      params: oneRail,
      body: closed({ reason: reasonText }),
      async handle(request) {
        const { rail } = request.params
        await refuseUnchanged({ db, rails }, rail, verb === 'pause')
        const payload = { rail, reason: request.body.reason }
        return propose({ db }, request, { kind: `rail.${verb}`, subject: rail, payload })
      },
    })
  return [list, change('pause'), change('resume')]
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

async function refuseUnchanged(
  { db, rails }: Pick<OperatorParts, 'db' | 'rails'>,
  rail: string,
  isPause: boolean,
): Promise<void> {
  const isPaused = (await listPausedRails(db)).some((one) => one.rail === rail)
  const isKnown = isPaused || (await listKnown(rails)).some((one) => one.rail === rail)
  if (!isKnown) throw new Refusal('not_found', { message: `No rail ${rail} is configured.` })
  if (isPaused === isPause)
    throw new Refusal('validation_failed', {
      reason: 'invalid_state',
      message: isPause ? `${rail} is already paused.` : `${rail} is not paused.`,
    })
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
