import type { EnvironmentId } from '../../base/environment.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { type Payout, payoutKinds, transferKindOf } from '../payout.js'
import {
  judgeRecipient,
  type RecipientRule,
  refuseRecipient,
} from '../recipients/judge-recipient.js'
import { findRecipientsOf, withFirstPaid } from '../recipients/store-recipients.js'

type PayoutTo = Pick<Payout, 'asset' | 'amount' | 'destination'> & { at: Date }

/** What the rule says about payouts of one environment, in their order. */
export async function judgeRecipients(
  db: Queryable,
  rule: RecipientRule,
  environmentId: EnvironmentId,
  payouts: PayoutTo[],
): Promise<ReturnType<typeof judgeRecipient>[]> {
  const destinations = payouts.map(({ destination }) => destination)
  const found = await findRecipientsOf(db, environmentId, destinations)
  const distinct = [...new Set(found.flatMap((recipient) => recipient ?? []))]
  const paid = await withFirstPaid(db, distinct)
  const byId = new Map(paid.map((recipient) => [recipient.id, recipient]))
  return payouts.map((payout, index) => {
    const saved = found[index] && byId.get(found[index].id)
    if (!saved) return judgeRecipient(rule, { ...payout, recipient: null })
    const { activeSince: savedAt, firstPaidAt, status } = saved
    const verdict = judgeRecipient(rule, { ...payout, recipient: { savedAt, firstPaidAt, status } })
    const isDisabled = verdict instanceof Object && verdict.reason === 'recipient_disabled'
    return isDisabled ? { ...verdict, recipientId: saved.id } : verdict
  })
}

/**
 * Whether members must approve a payout because of its recipient. Throws a refusal if it may not go
 * there. A claim is never refused for a recipient that is not saved, or new: members decide.
 */
export async function isNewRecipient(
  db: Queryable,
  rule: RecipientRule,
  payout: PayoutTo & { environmentId: EnvironmentId; isClaimed?: boolean | undefined },
): Promise<boolean> {
  const [verdict] = await judgeRecipients(db, rule, payout.environmentId, [payout])
  if (verdict === null || verdict === undefined) return false
  if (verdict === 'approve') return true
  if (payout.isClaimed && verdict.reason !== 'recipient_disabled') return true
  throw refuseRecipient(payoutKinds[transferKindOf(payout)].refusal, verdict)
}
