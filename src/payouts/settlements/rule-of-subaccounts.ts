import type { EnvironmentTime } from '../../base/clock.js'
import { type Outcome, Refusal, returnRefusal } from '../../base/refusal.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Subaccount } from '../../subaccounts/subaccount.js'
import { findWait, judgeControls, readRule } from '../controls/find-wait.js'
import { type Wait, type WaitReason, waitReasons } from '../controls/wait.js'
import { hasCreator } from '../payout.js'
import type { BankDestination } from '../ports.js'
import type { PayoutCreator } from '../requests/creators.js'

/**
 * Unlike the merchant's, the bank account of a sub-account is chosen by one member or API key. So
 * its settlements follow the approval rule and its controls, as payouts of the one who chose it and
 * of the one who requests them: otherwise a member could move money to a sub-account and settle it
 * to an account of their own. A settlement cannot wait for members, so it is refused.
 */
export async function findRuleProblem(
  db: Queryable,
  at: EnvironmentTime,
  { environmentId, chosenByKey, chosenByUser }: Subaccount,
  {
    amount,
    requestedBy,
    destination,
  }: { amount: bigint; requestedBy: PayoutCreator; destination: BankDestination },
): Promise<Refusal | undefined> {
  const payout = { environmentId, asset: 'NGN', amount, at } as const
  const chooser = { createdByKey: chosenByKey, createdByUser: chosenByUser }
  const { createdByKey, createdByUser } = requestedBy
  const isChooser = createdByKey === chosenByKey && createdByUser === chosenByUser
  const senders = [chooser, ...(isChooser ? [] : [{ createdByKey, createdByUser }])]
  for (const sender of senders.filter(hasCreator)) {
    const wait = findWait(db, { ...payout, ...sender, controlled: { destination } })
    const refused = refuseWaiting(await wait.catch(returnRefusal))
    if (refused) return refused
  }
  if (senders.some(hasCreator)) return undefined
  // Scheduled, to an account whose chooser is unknown: no limit of a sender concerns it.
  const approvals = await readRule(db, environmentId)
  if (!approvals) return undefined
  const wait = judgeControls(db, approvals, { ...payout, ...chooser, destination })
  return refuseWaiting(await wait.catch(returnRefusal))
}

/** The callback is asked when the settlement is made. */
function refuseWaiting(wait: Outcome<Wait | null>): Refusal | undefined {
  if (wait instanceof Refusal) return wait
  const [reason] = wait?.reasons ?? []
  return reason && approvalRequired(reason)
}

function approvalRequired(reason: WaitReason): Refusal {
  return new Refusal('bank_transfer_failed', {
    reason: 'approval_required',
    message: `This settlement requires a second member. ${waitReasons[reason]} Create a bank transfer from the sub-account, which another member approves.`,
  })
}
