import { formatMoney } from '../../parts/money-format'
import { Card, Note } from '../../parts/page'
import { PersonRow } from '../../parts/person'
import { Time } from '../../parts/time'
import { formatFull } from '../../parts/time-format'
import { More, NoApprover, useApprovers } from './approvers'
import { Decide, type Waiting } from './decide'
import { payoutTexts } from './texts'
import { amountOf, assetOf, path, type Transfer } from './transfer'

const words = payoutTexts.approval

/** Who asked for the payout, who decided, and the decision if it is this user's. */
export function Approval({ transfer }: { transfer: Transfer }) {
  const { approval, createdBy, createdAt, status } = transfer
  if (!approval) return null
  return (
    <>
      <Card title={words.title} aside={<Progress approval={approval} />}>
        <div className="approval-steps">
          <PersonRow
            name={createdBy?.name ?? '–'}
            says={
              createdBy?.kind === 'key'
                ? words.keyAsked(createdBy.name)
                : words.asked(createdBy?.name ?? '–')
            }
          >
            <Time value={createdAt} />
          </PersonRow>
          <Decisions approval={approval} />
          {isUndecided(transfer) && (
            <PersonRow name="?" says={words.notDecided}>
              <Time value={approval.expiresAt} />
            </PersonRow>
          )}
          {status === 'PENDING' && <ApproverSteps waiting={transfer} />}
        </div>
        {status === 'PENDING' && <Decide waiting={toWaiting(transfer)} />}
      </Card>
      {status === 'PENDING' && (
        <Note tone="calm" icon="clock">
          <p>{words.ends(formatFull(approval.expiresAt))}</p>
        </Note>
      )}
    </>
  )
}

type Decided = NonNullable<Transfer['approval']>

/** The users behind the payout so far, of those whom it needs, with its creator. */
export function Progress({ approval: { givenBy, needed } }: { approval: Decided }) {
  return <span className="soft small">{words.ofPeople(givenBy.length + 1, needed + 1)}</span>
}

/** A step for each approval, and for the rejection. */
export function Decisions({ approval }: { approval: Decided }) {
  const { givenBy, rejectedBy, reason } = approval
  return (
    <>
      {givenBy.map(({ id, name, at }) => (
        <PersonRow key={id + at} name={name} says={words.approved(name)}>
          <Time value={at} />
        </PersonRow>
      ))}
      {rejectedBy && (
        <PersonRow name={rejectedBy.name} says={words.rejected(rejectedBy.name)}>
          <Time value={rejectedBy.at} />
          {reason && <> · {reason}</>}
        </PersonRow>
      )}
    </>
  )
}

/** A step for each member who may approve, the user first. */
export function ApproverSteps({
  waiting,
}: {
  waiting: Pick<Transfer, 'mayApprove' | 'approvers'>
}) {
  const { mayApprove, approvers = [] } = waiting
  const { own, shown, say } = useApprovers(approvers)
  if (approvers.length === 0) return <NoApprover />
  return (
    <>
      {shown.map((one) => (
        <PersonRow
          key={one.id}
          name={one.name}
          says={one === own && mayApprove ? words.youDecide : say(one)}
          isOpen
        />
      ))}
      <More count={approvers.length - shown.length} />
    </>
  )
}

/** It waited until its time was over. */
const isUndecided = ({ failureReason }: Transfer) => failureReason === 'approval_expired'

const changes: Waiting['changes'] = {
  topics: ['payouts', 'approvals', 'balances'],
  reads: ['payout', 'timeline', 'attention', 'waiting payouts'],
}

/** Whether one more approval is enough. */
export function isLast(approval: Transfer['approval']): boolean {
  return !approval || approval.givenBy.length + 1 >= approval.needed
}

function toWaiting(transfer: Transfer): Waiting {
  const { reference, orderHash, mayApprove, approvers, approval } = transfer
  const amount = formatMoney(amountOf(transfer), assetOf(transfer))
  return {
    path: `${path}/${reference}`,
    orderHash,
    mayApprove,
    approvers,
    changes,
    words: {
      approve: words.approve,
      reject: words.reject,
      withdraw: words.withdraw,
      explain: isLast(approval) ? words.explain(amount) : words.explainFirst(amount),
      own: words.own,
      approved: isLast(approval) ? words.approvedNote : words.approvedFirstNote,
      rejectTitle: words.rejectTitle(amount),
      rejectText: words.rejectText,
      rejected: words.rejectedNote,
    },
  }
}
