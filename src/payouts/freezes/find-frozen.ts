import type { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { type FreezablePayout, isFrozenBy, type OpenFreeze, payoutsFrozen } from './freeze.js'

/**
 * A refusal for each payout that is frozen. Within a transaction, call it when the ledger accounts
 * are locked: a freeze locks them, too, so a freeze that is committed before these payouts is seen.
 */
export async function findFrozen(
  db: Queryable,
  payouts: FreezablePayout[],
): Promise<(Refusal | undefined)[]> {
  const ids = [...new Set(payouts.map(({ environmentId }) => environmentId as number))]
  const freezes = await db.rows(sql<OpenFreeze>`
    select environment_id, kind, subject, reason, is_of_operators,
      array(select chain::text from key_chain(case kind when 'key' then subject::uuid end) chain)
        as keys
    from payout_freezes
    where thawed_at is null and (environment_id = any (${ids}::int4[]) or environment_id is null)
    order by is_of_operators desc, id`)
  return payouts.map((payout) => {
    const freeze = freezes.find((candidate) => isFrozenBy(candidate, payout))
    return freeze && payoutsFrozen(freeze, payout)
  })
}

/** Throws the refusal of a payout that is frozen; see `findFrozen`. */
export async function refuseFrozen(db: Queryable, payout: FreezablePayout): Promise<void> {
  const [refusal] = await findFrozen(db, [payout])
  if (refusal) throw refusal
}
