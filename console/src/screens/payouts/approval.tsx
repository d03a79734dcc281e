import { formatMoney } from '../../parts/money-format'
import { Card, Note } from '../../parts/page'
import { PersonRow } from '../../parts/person'
import { Time } from '../../parts/time'
import { formatFull } from '../../parts/time-format'
import { More, NoApprover, useApprovers } from './approvers'
import { Decide, type Waiting } from './decide'
import { payoutTexts } from './texts'
import { amountOf, assetOf, isForMembers, path, type Transfer } from './transfer'

const words = payoutTexts.approval

/** Who asked for the payout, who decided, and the decision if it is this user's. */
export function Approval({ transfer }: { transfer: Transfer }) {
  const { approval, createdBy, createdAt, status } = transfer
  if (!approval) return null
  const isWaiting = status === 'PENDING'
  return (
    <>
      <Card title={words.title} aside={isForMembers(transfer) && <Progress approval={approval} />}>
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
          {approval.callback && <Callback callback={approval.callback} isWaiting={isWaiting} />}
          <Decisions approval={approval} />
          {isUndecided(transfer) && (
            <PersonRow name="?" says={words.notDecided}>
              <Time value={approval.expiresAt} />
            </PersonRow>
          )}
          {isWaiting && isForMembers(transfer) && <ApproverSteps waiting={transfer} />}
        </div>
        <Reasons approval={approval} />
        {isWaiting && <Decide waiting={toWaiting(transfer)} />}
      </Card>
      {isWaiting && (
        <Note tone="calm" icon="clock">
          <p>{words.ends(formatFull(approval.expiresAt))}</p>
        </Note>
      )}
    </>
  )
}

type Decided = NonNullable<Transfer['approval']>

/** Why members are asked. */
function Reasons({ approval: { reasons, screening } }: { approval: Decided }) {
  if (reasons.length === 0) return null
  return (
    <div className="padded top-line">
      <p className="bold">{words.why}</p>
      <WaitReasons reasons={reasons} screening={screening} />
    </div>
  )
}

export function WaitReasons({ reasons, screening }: Pick<Decided, 'reasons' | 'screening'>) {
  return (
    <ul className="wait-reasons">
      {reasons.map((reason) => (
        <li key={reason}>
          {words.reasons[reason] ?? words.otherReason}
          {reason === 'screening' && screening && <> {describeFinding(screening)}</>}
        </li>
      ))}
    </ul>
  )
}

function describeFinding(finding: NonNullable<Decided['screening']>): string {
  const { list, version, entry, why } = finding
  return finding.verdict === 'hit'
    ? words.hit(entry ?? '–', `${list} (${version})`)
    : words.notScreened(why ?? '–')
}

type CallbackProps = { callback: NonNullable<Decided['callback']>; isWaiting: boolean }

/** What the callback of the merchant did so far. */
function Callback({ callback, isWaiting }: CallbackProps) {
  const { status } = callback
  const isOpen = status === 'OPEN' && isWaiting
  return (
    <PersonRow name={words.callback.name} says={words.callback.states[status]} isOpen={isOpen}>
      {describeCallback(callback, isWaiting)}
    </PersonRow>
  )
}

function describeCallback(
  { status, attempts, problem, reason }: CallbackProps['callback'],
  isWaiting: boolean,
): string | null {
  const said = words.callback
  const plain = problem?.replaceAll('`', '')
  if (status === 'REJECTED') return reason
  if (status === 'APPROVED') return plain && isWaiting ? said.notSent(plain) : null
  if (attempts === 0) return isWaiting ? said.soon : null
  return [
    said.asked(attempts),
    plain && said.problem(plain),
    status === 'SILENT' && isWaiting && said.membersDecide,
  ]
    .filter(Boolean)
    .join(' ')
}

/** The users behind the payout so far, of those whom it needs, with its creator. */
export function Progress({ approval: { givenBy, needed } }: { approval: Decided }) {
  return <span className="soft small">{words.ofMembers(givenBy.length + 1, needed + 1)}</span>
}

/** A step for each approval, and for the rejection. */
export function Decisions({ approval }: { approval: Decided }) {
  const { givenBy, rejectedBy, reason } = approval
  return (
    <>
      {givenBy.map(({ id, name, at, reason }) => (
        <PersonRow key={id + at} name={name} says={words.approved(name)}>
          <Time value={at} />
          {reason && <> · {reason}</>}
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
  const isForUs = isForMembers(transfer)
  const isAsked = approval?.callback?.status === 'OPEN'
  const [explainLast, approved] = isLast(approval)
    ? [words.explain, words.approvedNote]
    : [words.explainFirst, words.approvedFirstNote]
  const explain = isAsked && isLast(approval) ? words.callback.explain : explainLast
  return {
    path: `${path}/${reference}`,
    orderHash,
    round: approval?.round,
    mayApprove: mayApprove && isForUs,
    approvers,
    release: releaseOf(transfer),
    changes,
    words: {
      approve: words.approve,
      reject: words.reject,
      withdraw: words.withdraw,
      explain: explain(amount),
      own: isForUs ? words.own : words.callback.decides,
      approved: isAsked && isLast(approval) ? words.callback.approvedNote : approved,
      rejectTitle: words.rejectTitle(amount),
      rejectText: words.rejectText,
      rejected: words.rejectedNote,
    },
  }
}

/** What is asked of an approver who knows that the recipient is on a list. */
function releaseOf(transfer: Transfer): Waiting['release'] {
  const { verdict, entry, list } = transfer.approval?.screening ?? {}
  if (verdict !== 'hit') return undefined
  return {
    title: words.releaseTitle(formatMoney(amountOf(transfer), assetOf(transfer))),
    text: words.releaseText(entry ?? '', list ?? ''),
  }
}
