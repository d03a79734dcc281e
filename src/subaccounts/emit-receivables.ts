import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { toJson } from '../base/json-text.js'
import { emitAll, type NewEvent } from '../events/emit.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { showSubaccount } from './resource.js'
import { withBalances } from './store-subaccounts.js'
import type { Subaccount } from './subaccount.js'

type NewReceivable = {
  environmentId: EnvironmentId
  /** The cause of the debt. */
  id: string
  subaccountId: string
  asset: Asset
  owed: bigint
}

/**
 * Tells the merchant what sub-accounts owe now, with what these receivables add: the ledger does
 * not show them before they are written.
 */
export async function emitReceivables(
  tx: Tx,
  now: RealTime,
  receivables: NewReceivable[],
  /** Those that owe, locked. */
  locked: Subaccount[],
): Promise<void> {
  if (receivables.length === 0) return
  const [{ environmentId }] = receivables as [NewReceivable]
  const ids = new Set(receivables.map(({ subaccountId }) => subaccountId))
  const owing = locked.filter(({ id }) => ids.has(id))
  const shown = new Map((await withBalances(tx, owing)).map((row) => [row.id, row]))
  const events = receivables.map(({ id: causeId, subaccountId, asset, owed }): NewEvent => {
    const before = shown.get(subaccountId)!
    const after = {
      ...before,
      eventSequence: before.eventSequence + 1,
      balances: before.balances.map((balance) =>
        balance.asset === asset
          ? { ...balance, available: 0n, owed: balance.owed + owed }
          : balance,
      ),
    }
    shown.set(subaccountId, after)
    const { eventSequence: sequence } = after
    const data = toJson(showSubaccount(after))
    const type = 'subaccount.receivable'
    return { environmentId, type, resourceId: subaccountId, causeId, sequence, data }
  })
  emitAll(tx, now, events)
  for (const { id, eventSequence } of shown.values())
    tx.write(sql`
      update subaccounts set event_sequence = ${eventSequence}
      where environment_id = ${environmentId} and id = ${id}`)
}
