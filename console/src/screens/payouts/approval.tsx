import type { ReactNode } from 'react'
import { useRead } from '../../api/reads'
import { useMay, useSession } from '../../api/session'
import { initialsOf } from '../../frame/initials'
import { formatMoney } from '../../parts/money-format'
import { Card, Note } from '../../parts/page'
import { Time } from '../../parts/time'
import { formatFull } from '../../parts/time-format'
import { texts } from '../../texts/en'
import { Decide, type Waiting } from './decide'
import { amountOf, assetOf, path, type Transfer } from './transfer'

const words = texts.payouts.approval

type Check = { needed: boolean; approvers: { id: string; name: string }[] }

/** Who asked for the payout, who decided, and the decision if it is this user's. */
export function Approval({ transfer }: { transfer: Transfer }) {
  const { approval, createdBy, createdAt, status } = transfer
  const mayCreate = useMay('payouts.create')
  const check = useRead<Check>(
    'approval check',
    `${path}/approval-check`,
    { currency: assetOf(transfer), amount: String(amountOf(transfer)) },
    { isEnabled: status === 'PENDING' && mayCreate },
  ).data
  const { user } = useSession()
  if (!approval) return null
  const [given] = approval.givenBy
  const decided = given ?? approval.rejectedBy
  const others = (check?.approvers ?? [])
    .filter(({ id }) => id !== user.id && id !== createdBy?.id)
    .map(({ name }) => name)
  return (
    <>
      <Card
        title={words.title}
        aside={<span className="soft sm">{given ? words.twoOfTwo : words.oneOfTwo}</span>}
      >
        <div className="stp">
          <Step
            name={createdBy?.name ?? '–'}
            says={
              createdBy?.kind === 'key'
                ? words.keyAsked(createdBy.name)
                : words.asked(createdBy?.name ?? '–')
            }
          >
            <Time value={createdAt} />
          </Step>
          {decided ? (
            <Step
              name={decided.name}
              says={given ? words.approved(decided.name) : words.rejected(decided.name)}
            >
              <Time value={decided.at} />
              {approval.reason && <> · {approval.reason}</>}
            </Step>
          ) : status !== 'PENDING' ? (
            <Step name="?" says={words.notDecided}>
              <Time value={approval.expiresAt} />
            </Step>
          ) : (
            <Step
              isOpen
              name={transfer.mayApprove ? user.name : '?'}
              says={transfer.mayApprove ? words.youDecide : words.someoneDecides}
            >
              {others.length > 0 &&
                words.or(new Intl.ListFormat('en', { type: 'disjunction' }).format(others))}
            </Step>
          )}
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

type StepProps = {
  name: string
  says: readonly [string, string]
  isOpen?: boolean
  children?: ReactNode
}

export function Step({ name, says: [who, what], isOpen = false, children }: StepProps) {
  return (
    <div className="per">
      <span className={isOpen ? 'av q' : 'av'} aria-hidden="true">
        {initialsOf(name)}
      </span>
      <span>
        <b>{who}</b>
        {what}
        <br />
        <span className="soft sm">{children}</span>
      </span>
    </div>
  )
}

const changes: Waiting['changes'] = {
  topics: ['payouts', 'approvals', 'balances'],
  reads: ['payout', 'timeline', 'attention', 'waiting payouts'],
}

function toWaiting(transfer: Transfer): Waiting {
  const { reference, orderHash, mayApprove } = transfer
  const amount = formatMoney(amountOf(transfer), assetOf(transfer))
  return {
    path: `${path}/${reference}`,
    orderHash,
    mayApprove,
    changes,
    words: {
      approve: words.approve,
      reject: words.reject,
      withdraw: words.withdraw,
      explain: words.explain(amount),
      own: words.own,
      approved: words.approvedNote,
      rejectTitle: words.rejectTitle(amount),
      rejectText: words.rejectText,
      rejected: words.rejectedNote,
    },
  }
}
