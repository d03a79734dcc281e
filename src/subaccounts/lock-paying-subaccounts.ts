import type { EnvironmentId } from '../base/environment.js'
import { Refusal } from '../base/refusal.js'
import { type LedgerAccountName, subaccountIdOf } from '../ledger/accounts.js'
import { listStatement } from '../postgres/statement.js'
import { environmentKey, throwIfHeld } from '../postgres/transactions/busy.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { type Subaccount, subaccountReference } from './subaccount.js'

/** Sub-accounts that pay something, by id. */
export type PayingSubaccounts = ReadonlyMap<
  string,
  Pick<Subaccount, 'id' | 'status' | 'closingPayoutId'>
>

const columns = { environmentId: 'int4', id: 'uuid' } as const

type PayingSubaccount = Pick<Subaccount, 'id' | 'status' | 'closingPayoutId'>

const lockText = (list: string) => `
    select s.id, s.status, s.closing_payout_id from ${list}
    join subaccounts s on s.environment_id = list.environment_id and s.id = list.id
    order by s.environment_id, s.id for share of s`

const lock = listStatement<typeof columns, PayingSubaccount>({
  name: 'lock_paying_subaccounts',
  columns,
  text: lockText,
})

const lockUnheld = listStatement<typeof columns, PayingSubaccount>({
  name: 'lock_unheld_paying_subaccounts',
  columns,
  text: (list) => `${lockText(list)} skip locked`,
})

const none: PayingSubaccounts = new Map()

/**
 * Locks the sub-accounts among the ledger accounts that pay, before those accounts are locked.
 * Payouts share the lock; a change of the status waits for them, or they see it. Without
 * sub-accounts nothing is queried.
 */
export async function lockPayingSubaccounts(
  tx: Tx,
  sources: { environmentId: EnvironmentId; takesFrom: LedgerAccountName }[],
): Promise<PayingSubaccounts> {
  const wanted = new Map<string, { environmentId: EnvironmentId; id: string }>()
  for (const { environmentId, takesFrom } of sources) {
    const id = subaccountIdOf(takesFrom)
    if (id !== undefined) wanted.set(id, { environmentId, id })
  }
  if (wanted.size === 0) return none
  const keys = [...wanted.values()]
  const rows = await tx.rows(tx.waitsForLocks ? lock(keys) : lockUnheld(keys))
  const paying = new Map(rows.map((row) => [row.id, row]))
  // Sub-accounts are never deleted: one that is missing is locked by another transaction.
  throwIfHeld(
    keys.map((key) => ({ ...key, isHeld: !paying.has(key.id) })),
    ({ environmentId }) => environmentKey(environmentId),
  )
  return paying
}

/**
 * Why a sub-account does not pay; undefined if it does, or if the merchant pays. One that is being
 * closed pays the payout that empties it, which may have waited.
 */
export function findPayingProblem(
  paying: PayingSubaccounts,
  { takesFrom, id: payoutId }: { takesFrom: LedgerAccountName; id?: string },
): Refusal | undefined {
  const id = subaccountIdOf(takesFrom)
  if (id === undefined) return undefined
  const subaccount = paying.get(id)!
  const isLast = payoutId !== undefined && subaccount.closingPayoutId === payoutId
  return isLast ? undefined : judgePaying(subaccount)
}

/** PAUSED and CLOSED sub-accounts pay nothing. */
export function judgePaying(subaccount: PayingSubaccount): Refusal | undefined {
  const { status, closingPayoutId } = subaccount
  if (status === 'ACTIVE') return undefined
  const reference = subaccountReference(subaccount)
  return new Refusal('subaccount_failed', {
    reason: 'invalid_state',
    message:
      closingPayoutId !== null
        ? `${reference} is being closed and pays nothing else.`
        : status === 'PAUSED'
          ? `${reference} is paused and pays nothing. Set its status to ACTIVE first.`
          : `${reference} is closed and pays nothing.`,
  })
}
