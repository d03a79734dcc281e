import type { EnvironmentTime } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Subaccount } from '../../subaccounts/subaccount.js'
import { findWait } from '../controls/find-wait.js'
import type { PayoutCreator } from '../requests/creators.js'

/**
 * Unlike the merchant's, the bank account of a sub-account is chosen by one member or API key. So
 * its settlements follow the approval rule, as payouts of the one who chose it and of the one who
 * requests them: otherwise a member could move money to a sub-account and settle it to an account
 * of their own. A settlement has no state in which it waits, so it is refused.
 */
export async function findRuleProblem(
  db: Queryable,
  at: EnvironmentTime,
  { environmentId, chosenByKey, chosenByUser }: Subaccount,
  { amount, requestedBy }: { amount: bigint; requestedBy: PayoutCreator },
): Promise<Refusal | undefined> {
  const chooser = { createdByKey: chosenByKey, createdByUser: chosenByUser }
  for (const { createdByKey, createdByUser } of [chooser, requestedBy]) {
    if (createdByKey === null && createdByUser === null) continue
    const sender = { createdByKey, createdByUser }
    if (await findWait(db, { environmentId, asset: 'NGN', amount, at, ...sender }))
      return approvalRequired()
  }
  return undefined
}

function approvalRequired(): Refusal {
  return new Refusal('bank_transfer_failed', {
    reason: 'approval_required',
    message:
      'Your approval rule requires a second member for this amount. Create a bank transfer from the sub-account, which another member approves.',
  })
}
