import type { RealTime } from '../../base/clock.js'
import type { JsonText } from '../../base/json-text.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import { listStatement } from '../../postgres/statement.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Split } from '../../subaccounts/splits/split.js'
import { insertSplit } from '../../subaccounts/splits/store-splits.js'
import type { Session } from '../sessions/session.js'
import { insertSessions } from '../sessions/store-sessions.js'
import { accountKinds, type CollectionAccount, eventTypeFor, isDedicated } from './account.js'
import { type ClockOffsets, insertCollectionAccounts, lockClocks } from './store-accounts.js'

export type PreparedAccount = {
  account: CollectionAccount
  /** The session that shows the account, and its wallet if the account is not that already. */
  session?: Session
  wallet?: CollectionAccount
  /** Splits that are inserted with the accounts. */
  newSplits?: Split[]
  /** The account or session as it starts, for the answer and the event. */
  shown: JsonText
}

/** The references in use, and the locked clocks of the accounts that expire. */
type Reads = { used: ReadonlySet<string>; clocks: ClockOffsets }

/** Depends on the list only, so a lane can send it together with the claim of the keys. */
export async function readForAccounts(tx: Tx, prepared: PreparedAccount[]): Promise<Reads> {
  const accounts = prepared.map(({ account }) => account)
  const [used, clocks] = await Promise.all([
    findReferences(tx, accounts.filter(isDedicated)),
    lockClocks(tx, accounts),
  ])
  return { used, clocks }
}

/**
 * Records accounts whose numbers the bank has opened, with their sessions. One whose
 * externalReference was already used is refused alone.
 */
export async function createAccounts(
  tx: Tx,
  now: RealTime,
  prepared: PreparedAccount[],
  reads = readForAccounts(tx, prepared),
): Promise<Outcome<CollectionAccount>[]> {
  const { used, clocks } = await reads
  const duplicates = findDuplicates(prepared, used)
  const fresh = prepared.filter((one) => !duplicates.has(one))
  for (const { newSplits = [] } of fresh) for (const split of newSplits) insertSplit(tx, split)
  insertCollectionAccounts(
    tx,
    clocks,
    fresh.flatMap(({ account, wallet }) => (wallet ? [account, wallet] : [account])),
  )
  insertSessions(
    tx,
    fresh.flatMap(({ session }) => session ?? []),
  )
  emitAll(tx, now, fresh.flatMap(toCreatedEvent))
  return prepared.map((one) =>
    duplicates.has(one) ? duplicateReference(one.account) : one.account,
  )
}

const columns = { environmentId: 'int4', merchantReference: 'text', kind: 'text' } as const

/** Reads the next reference and is planned for every list, for the reasons in create-payouts.ts. */
const selectReferences = listStatement<typeof columns, { key: string }>({
  name: 'find_external_references',
  columns,
  isReplanned: true,
  text: (list) => `
    select concat_ws('/', a.environment_id, a.kind, a.merchant_reference) as key
    from ${list} cross join lateral (
      select next.environment_id, next.merchant_reference, next.kind from collection_accounts next
      where next.environment_id = list.environment_id
        and (next.merchant_reference, next.kind) >= (list.merchant_reference, list.kind)
        and next.kind in ('dedicated_account', 'dedicated_crypto_wallet')
      order by next.merchant_reference, next.kind limit 1) a
    where a.merchant_reference = list.merchant_reference and a.kind = list.kind`,
})

async function findReferences(tx: Tx, accounts: CollectionAccount[]): Promise<Set<string>> {
  if (accounts.length === 0) return new Set()
  return new Set((await tx.rows(selectReferences(accounts))).map(({ key }) => key))
}

/**
 * Those whose reference an earlier account, or one before it in the list, has used. A concurrent
 * transaction fails at the unique index.
 */
function findDuplicates(
  prepared: PreparedAccount[],
  earlier: ReadonlySet<string>,
): Set<PreparedAccount> {
  const used = new Set(earlier)
  return new Set(
    prepared.filter(({ account }) => {
      if (!isDedicated(account)) return false
      const key = `${account.environmentId}/${account.kind}/${account.merchantReference}`
      const isUsed = used.has(key)
      used.add(key)
      return isUsed
    }),
  )
}

function toCreatedEvent({ account, shown }: PreparedAccount) {
  const { environmentId, id } = account
  const type = eventTypeFor(account, 'CREATED')
  if (!type) return []
  return [{ environmentId, type, resourceId: id, causeId: id, sequence: 1, data: shown }]
}

function duplicateReference({ kind, merchantReference }: CollectionAccount): Refusal {
  return new Refusal(accountKinds[kind].refusal, {
    reason: 'duplicate_reference',
    message: `externalReference ${merchantReference} was already used. Send a new one.`,
  })
}
