import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import type { Outcome } from '../../base/refusal.js'
import { listStatement } from '../../postgres/statement.js'
import { environmentKey, throwIfHeld } from '../../postgres/transactions/busy.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Payout } from '../payout.js'
import { createPayouts, type NewPayout, type Reads, readForPayouts } from './create-payouts.js'

/**
 * Thrown for a payout of an API key that follows an approval rule, or of an environment in which
 * something is frozen: see `createUnderRule`.
 */
export class UnderRule extends Error {
  override name = 'UnderRule'

  constructor() {
    super('the payout follows an approval rule or may be frozen')
  }
}

type ReadsOfKeys = Reads & { ruled: ReadonlySet<EnvironmentId> }

const columns = { environmentId: 'int4' } as const

const selectRuled = listStatement<typeof columns, { id: EnvironmentId }>({
  name: 'find_environments_under_rule',
  columns,
  text: (list) => `
    select e.id from ${list} join environments e on e.id = list.environment_id
    where e.approval_rule is not null
        and (e.approval_rule ->> 'appliesTo' = 'all' or has_controls(e.approval_rule))
      or exists (select from payout_freezes f where f.thawed_at is null
        and (f.environment_id = e.id or f.environment_id is null))`,
})

/**
 * Sends the query for rules and freezes together with the locks; it runs after them. A change of a
 * rule, and a freeze, lock the same accounts, so one that is committed before these payouts is seen
 * here.
 */
export async function readForKeys(tx: Tx, newPayouts: NewPayout[]): Promise<ReadsOfKeys> {
  const ids = [...new Set(newPayouts.map(({ payout }) => payout.environmentId))]
  const [reads, rows] = await Promise.all([
    readForPayouts(tx, newPayouts),
    tx.rows(selectRuled(ids.map((id) => ({ environmentId: id as number })))),
  ])
  return { ...reads, ruled: new Set(rows.map(({ id }) => id)) }
}

/**
 * `createPayouts` for API keys without a rule, where nothing is frozen. A process caches a key, and
 * whether a rule or freeze may apply to it, for a second. A payout to which a newer one may apply
 * leaves the lane, so that the others do not wait for it, and throws `UnderRule` in the side lane.
 */
export async function createByKeys(
  tx: Tx,
  now: RealTime,
  newPayouts: NewPayout[],
  reads: Promise<ReadsOfKeys> = readForKeys(tx, newPayouts),
): Promise<Outcome<Payout>[]> {
  const { ruled } = await reads
  const concerned = newPayouts.filter(({ payout }) => ruled.has(payout.environmentId))
  if (concerned.length > 0) {
    const held = concerned.map(({ payout }) => ({ ...payout, isHeld: !tx.waitsForLocks }))
    throwIfHeld(held, ({ environmentId }) => environmentKey(environmentId))
    throw new UnderRule()
  }
  return createPayouts(tx, now, newPayouts, reads)
}
