import { type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import { listPolicies } from '../../merchants/settings/settings.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { collectionLimits } from '../limits.js'
import { findOtherDeposits } from '../notices/find-notices.js'
import { cancelCounterpart, findCounterpart } from '../payments/counterparts.js'
import { toEndEvent } from '../payments/payment-events.js'
import { findLatestPayments } from '../payments/store-payments.js'
import { updateSessions } from '../sessions/update-sessions.js'
import {
  type AccountStatus,
  accountKinds,
  accountReference,
  type CollectionAccount,
  isDedicated,
} from './account.js'
import {
  type AccountLookup,
  type AccountWithPayments,
  accountId,
  unknownAccount,
} from './find-accounts.js'
import {
  accountColumns,
  lockCollectionAccounts,
  updateCollectionAccounts,
} from './store-accounts.js'

export const firstExpiryAt = sql`
  select min(due_at) from collection_accounts where status = 'ACTIVE'`

/** Expires due accounts of one environment or of all. Returns how many it expired. */
export async function expireAccounts(
  db: Database,
  now: RealTime,
  environmentId?: EnvironmentId,
): Promise<number> {
  const own = environmentId === undefined ? sql`` : sql`and a.environment_id = ${environmentId}`
  return db.transaction(async (tx) => {
    const due = await tx.rows(sql<CollectionAccount>`
      select ${accountColumns} from collection_accounts a
      where a.status = 'ACTIVE' and a.due_at <= ${now} ${own}
      order by a.due_at limit ${collectionLimits.expiriesPerBatchMax}
      for no key update skip locked`)
    await endAll(
      tx,
      now,
      due.map((account) => ({ ...account, status: 'EXPIRED' as const })),
    )
    return due.length
  })
}

/** An account that has ended, and its counterpart as it was before. */
export type EndedAccount = AccountWithPayments & { counterpart: CollectionAccount | undefined }

/**
 * Cancels a temporary account or deactivates a dedicated one. The counterpart of a session's
 * account is cancelled with it.
 */
export async function endAccount(
  tx: Tx,
  now: RealTime,
  name: AccountLookup,
): Promise<EndedAccount> {
  const { environmentId } = name
  const locked = await lockCollectionAccounts(tx, [{ environmentId, id: accountId(name) }])
  const account = locked.get(accountId(name))
  if (account?.kind !== name.kind) throw unknownAccount(name)
  const counterpart = findCounterpart(account, locked.values())
  const status = isDedicated(account) ? 'INACTIVE' : 'CANCELLED'
  if (account.status === status)
    return { account, payments: await paymentsOf(tx, account), counterpart }
  if (account.status !== 'ACTIVE') throw notActive(account, status)
  const { clockOffsetMs } = (await listPolicies(tx, [environmentId])).get(environmentId)!
  const at = toEnvironmentTime(now, clockOffsetMs)
  const cancellationReason = status === 'CANCELLED' ? 'requested' : null
  const own = { ...account, status, endedAt: at, cancellationReason } as const
  const other = cancelCounterpart(counterpart, at, 'requested')
  const [ended] = await endAll(tx, now, other ? [own, other] : [own])
  return { ...ended!, counterpart }
}

/** Writes accounts with their new status. The caller has locked them. */
export async function endAll(
  tx: Tx,
  now: RealTime,
  accounts: CollectionAccount[],
): Promise<AccountWithPayments[]> {
  const paid = accounts.filter(({ amountReceived }) => amountReceived > 0n)
  const [payments, otherDeposits] = await Promise.all([
    findLatestPayments(tx, paid, collectionLimits.paymentsShownMax),
    findOtherDeposits(tx, accounts),
  ])
  const ended = accounts.map((account) => ({
    account: { ...account, eventSequence: account.eventSequence + 1 },
    payments: payments.get(account.id) ?? [],
    otherDeposits: otherDeposits.get(account.id) ?? [],
  }))
  updateCollectionAccounts(
    tx,
    ended.map(({ account }) => account),
  )
  emitAll(tx, now, ended.map(toEndEvent))
  await updateSessions(tx, now, ended.map(toChange), payments)
  return ended
}

function toChange({ account }: AccountWithPayments) {
  return { account, mayEndSession: true, causeId: account.id }
}

async function paymentsOf(tx: Tx, account: CollectionAccount) {
  const found = await findLatestPayments(tx, [account], collectionLimits.paymentsShownMax)
  return found.get(account.id) ?? []
}

function notActive(account: CollectionAccount, status: AccountStatus): Refusal {
  const { words } = accountKinds[account.kind]
  return new Refusal('account_action_failed', {
    reason: 'invalid_state',
    message: `The ${words} ${accountReference(account)} is ${account.status}. Only an ACTIVE one can become ${status}.`,
  })
}
