import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { formatMailTime } from '../../mail/content.js'
import { queueTeamMail } from '../../mail/team-mails.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { findApprovers, type Waiting } from './find-approvers.js'

/** A payout or a batch that waits for approval, as the mail describes it. */
export type ApprovalRequest = {
  environmentId: EnvironmentId
  waiting: Waiting
  /** Such as "a transfer" or "a batch of 20 transfers". */
  what: string
  amount: string
  facts: [name: string, value: string][]
  expiresAt: Date
  /** What has changed since they were asked before. Undefined: they were not asked before. */
  askedAgain?: string | undefined
  /** Its page in the console. */
  path: string
}

/** Asks the members who may approve it, and no others. */
export async function mailApprovers(
  tx: Tx,
  now: RealTime,
  { environmentId, waiting, what, amount, facts, expiresAt, askedAgain, path }: ApprovalRequest,
): Promise<void> {
  const approvers = await findApprovers(tx, environmentId, [waiting])
  await queueTeamMail(tx, now, {
    environmentId,
    kind: 'approval_request',
    // Members get one mail for a cause.
    causeId: askedAgain === undefined ? waiting.id : newId(now),
    onlyUsers: (approvers.get(waiting.id) ?? []).map(({ id }) => id),
    subject: `Approve ${what} of ${amount}?`,
    heading: 'Your approval is needed',
    blocks: [
      { type: 'amount', label: 'Amount', amount },
      ...(askedAgain === undefined
        ? []
        : [{ type: 'paragraph' as const, text: `${askedAgain} Earlier approvals do not count.` }]),
      { type: 'facts', facts: [...facts, ['Expires on', formatMailTime(expiresAt)]] },
      {
        type: 'paragraph',
        text: 'The money is reserved and nothing is sent until it is approved. Check the recipient before you approve.',
      },
      { type: 'page', label: 'Review', path },
      {
        type: 'note',
        text: 'Approving needs your sign-in and a confirmation. This mail alone approves nothing.',
      },
    ],
    because: 'you may approve transfers of others',
  })
}
