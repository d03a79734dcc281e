import { type Outcome, Refusal } from '../base/refusal.js'
import { emitAll } from '../events/emit.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import { accountKinds, type CollectionAccount, eventTypeFor, isDedicated } from './account.js'
import type { Session } from './session.js'
import { insertCollectionAccounts, lockFreeClocks } from './store-accounts.js'
import { insertSessions } from './store-sessions.js'

export type OrderedAccount = {
  account: CollectionAccount
  /** The page that shows it, if one does, and where that can be paid in coins, too. */
  session?: Session
  wallet?: CollectionAccount
  /** The account as it begins, for the answer and for the event: JSON text. */
  shown: string
}

/**
 * Records accounts whose numbers the bank has opened. One whose externalReference was used before
 * is refused alone; refusals from before the lane are answered with the rest.
 */
export async function createAccounts(
  tx: Tx,
  now: Date,
  orders: Outcome<OrderedAccount>[],
): Promise<Outcome<CollectionAccount>[]> {
  const wanted = orders.filter((order): order is OrderedAccount => !(order instanceof Refusal))
  const accounts = wanted.map(({ account }) => account)
  const [isUsed] = await Promise.all([findUsed(tx, wanted), lockFreeClocks(tx, accounts)])
  const fresh = wanted.filter((order) => !isUsed.has(order))
  insertCollectionAccounts(
    tx,
    fresh.flatMap(({ account, wallet }) => (wallet ? [account, wallet] : [account])),
  )
  insertSessions(
    tx,
    fresh.flatMap(({ session }) => session ?? []),
  )
  emitAll(tx, now, fresh.flatMap(toCreated))
  return orders.map((order) => {
    if (order instanceof Refusal) return order
    return isUsed.has(order) ? duplicate(order.account) : order.account
  })
}

const columns = { environment_id: 'int4', merchant_reference: 'text', kind: 'text' } as const

const findReferences = listStatement<typeof columns, { key: string }>({
  name: 'find_external_references',
  columns,
  text: (list) => `
    select concat_ws('/', a.environment_id, a.kind, a.merchant_reference) as key
    from collection_accounts a join ${list} using (environment_id, merchant_reference, kind)
    where a.kind in ('dedicated_account', 'dedicated_crypto_wallet')`,
})

/** Used before, or by an earlier order of the same list. Two lists at once meet at the index. */
async function findUsed(tx: Tx, orders: OrderedAccount[]): Promise<Set<OrderedAccount>> {
  const unique = orders.filter(({ account }) => isDedicated(account))
  if (unique.length === 0) return new Set()
  const rows = unique.map(({ account }) => ({
    environment_id: account.environmentId,
    merchant_reference: account.merchantReference,
    kind: account.kind,
  }))
  const used = new Set((await tx.rows(findReferences(rows))).map(({ key }) => key))
  return new Set(
    unique.filter(({ account }) => {
      const key = `${account.environmentId}/${account.kind}/${account.merchantReference}`
      const isUsed = used.has(key)
      used.add(key)
      return isUsed
    }),
  )
}

function toCreated({ account, shown }: OrderedAccount) {
  const { environmentId, id } = account
  const type = eventTypeFor(account, 'CREATED')
  if (!type) return []
  return [{ environmentId, type, resourceId: id, causeId: id, sequence: 1, data: shown }]
}

function duplicate({ kind, merchantReference }: CollectionAccount): Refusal {
  return new Refusal(accountKinds[kind].refusal, {
    reason: 'duplicate_reference',
    message: `externalReference ${merchantReference} was used before.`,
    details: [{ field: 'externalReference', issue: 'must be unique for ever' }],
  })
}
