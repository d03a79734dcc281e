import { type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { emitAll } from '../../events/emit.js'
import { listPolicies } from '../../merchants/settings/settings.js'
import { formatMoney } from '../../money/amounts.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { eventTypeFor } from '../accounts/account.js'
import { showRejection } from '../accounts/resource.js'
import { lockCollectionAccounts, updateCollectionAccounts } from '../accounts/store-accounts.js'
import { collectionLimits } from '../limits.js'
import { endHint, type HintName } from '../notices/store-hints.js'
import { findLatestPayments } from './store-payments.js'

type Rejection = { railAccount: string | null; amount: bigint | null; reason: string }

/**
 * Records that a bank sent a payment back to its payer, and notifies the merchant of the account.
 * No money of ours moved. A second copy of the notice changes nothing. Returns what it recorded.
 */
export async function rejectPayment(
  db: Database,
  now: RealTime,
  hint: HintName,
  { railAccount, amount, reason }: Rejection,
): Promise<string> {
  const shown = amount === null ? 'a payment' : formatMoney(amount, 'NGN')
  const text = `${shown}: ${reason}`
  await db.transaction(async (tx) => {
    const isNew = await endHint(tx, hint, { state: 'REJECTED', reason: text, railAccount })
    if (isNew && railAccount !== null)
      await notifyMerchant(tx, now, { rail: hint.rail, railAccount, amount, reason })
  })
  return text
}

async function notifyMerchant(
  tx: Tx,
  now: RealTime,
  { rail, railAccount, amount, reason }: Rejection & { rail: string },
): Promise<void> {
  const [name] = await tx.rows(sql<{ environmentId: EnvironmentId; id: string }>`
    select environment_id, id from collection_accounts
    where rail = ${rail} and rail_account = ${railAccount}`)
  if (!name) return
  const account = (await lockCollectionAccounts(tx, [name])).get(name.id)!
  const type = eventTypeFor(account, 'REJECTED')
  if (!type) return
  const payments = await findLatestPayments(tx, [account], collectionLimits.paymentsShownMax)
  const { clockOffsetMs } = (await listPolicies(tx, [name.environmentId])).get(name.environmentId)!
  const sequence = account.eventSequence + 1
  const rejection = { amount, reason, rejectedAt: toEnvironmentTime(now, clockOffsetMs) }
  updateCollectionAccounts(tx, [{ ...account, eventSequence: sequence }])
  emitAll(tx, now, [
    {
      environmentId: account.environmentId,
      type,
      resourceId: account.id,
      causeId: newId(now),
      sequence,
      data: showRejection(account, payments.get(account.id) ?? [], rejection),
    },
  ])
}
