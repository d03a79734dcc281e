import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { toJson } from '../base/json-text.js'
import { emitAll, type NewEvent } from '../events/emit.js'
import { pendingName, spendable, subaccountName } from '../ledger/accounts.js'
import type { Book } from '../ledger/book.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { owedBy } from './receivables.js'
import { showSubaccount } from './resource.js'
import { type ShownSubaccount, withBalances } from './store-subaccounts.js'
import type { Subaccount, SubaccountBalance } from './subaccount.js'

type NewReceivable = {
  environmentId: EnvironmentId
  /** The cause of the debt. */
  id: string
  subaccountId: string
  asset: Asset
}

/** The book in which the receivables were decided, and the sub-accounts that owe, locked. */
type Decided = { book: Book; subaccounts: Subaccount[] }

/** Notifies the merchant of what sub-accounts owe. Tables show it only once it is written. */
export async function emitReceivables(
  tx: Tx,
  now: RealTime,
  { book, subaccounts }: Decided,
  receivables: NewReceivable[],
): Promise<void> {
  if (receivables.length === 0) return
  const [{ environmentId }] = receivables as [NewReceivable]
  const ids = new Set(receivables.map(({ subaccountId }) => subaccountId))
  const owing = subaccounts.filter(({ id }) => ids.has(id))
  const shown = new Map((await withBalances(tx, owing)).map((row) => [row.id, row]))
  const events = receivables.map(({ id: causeId, subaccountId, asset }): NewEvent => {
    const before = shown.get(subaccountId)!
    const after = {
      ...before,
      eventSequence: before.eventSequence + 1,
      balances: before.balances.map((balance) =>
        balance.asset === asset ? balanceInBook(book, before, balance) : balance,
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

function balanceInBook(
  book: Book,
  { environmentId, id }: ShownSubaccount,
  balance: SubaccountBalance,
): SubaccountBalance {
  const { asset } = balance
  const pending = book.find({ environmentId, asset, name: pendingName(id) })
  return {
    ...balance,
    available: spendable(book.find({ environmentId, asset, name: subaccountName(id) })!),
    pending: pending ? spendable(pending) : balance.pending,
    owed: owedBy(book, { environmentId, asset }, id),
  }
}
