import { Textarea } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useRead } from '../../api/reads'
import { useMay, useSession } from '../../api/session'
import { useWrite } from '../../api/writes'
import { initialsOf } from '../../frame/initials'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { formatMoney } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { Card, Note } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { Time } from '../../parts/time'
import { formatFull } from '../../parts/time-format'
import { texts } from '../../texts/en'
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
        {status === 'PENDING' && <Decide transfer={transfer} />}
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

function Step({ name, says: [who, what], isOpen = false, children }: StepProps) {
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

const topics = ['payouts', 'approvals', 'balances'] as const
const reads = ['payout', 'timeline', 'attention', 'waiting payouts']

function Decide({ transfer }: { transfer: Transfer }) {
  const { reference, orderHash, mayApprove } = transfer
  const [isRejecting, setRejecting] = useState(false)
  const hasRole = useMay('payouts.approve')
  const { write, isBusy, refusal } = useWrite({ topics, reads })
  const amount = formatMoney(amountOf(transfer), assetOf(transfer))
  const approve = async () => {
    const answer = await write(`${path}/${reference}/approve`, { orderHash })
    if (answer !== undefined) await notify(words.approvedNote)
  }
  if (!hasRole) return <p className="soft pad line">{words.mayNot}</p>
  return (
    <div className="pad line">
      <div className="do stick">
        <Button kind="danger" onClick={() => setRejecting(true)}>
          {mayApprove ? words.reject : words.withdraw}
        </Button>
        {mayApprove && (
          <Button kind="primary" icon="finger" isBusy={isBusy} onClick={() => void approve()}>
            {words.approve}
          </Button>
        )}
      </div>
      <p className="soft sm under">{mayApprove ? words.explain(amount) : words.own}</p>
      <Refusal error={refusal} />
      {isRejecting && <Reject transfer={transfer} onClose={() => setRejecting(false)} />}
    </div>
  )
}

function Reject({ transfer, onClose }: { transfer: Transfer; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const { write, isBusy, refusal } = useWrite({ topics, reads })
  const run = async () => {
    const answer = await write(`${path}/${transfer.reference}/reject`, { reason: reason.trim() })
    if (answer === undefined) return
    onClose()
    await notify(words.rejectedNote)
  }
  return (
    <ConfirmDialog
      isOpen
      isDangerous
      title={words.rejectTitle(formatMoney(amountOf(transfer), assetOf(transfer)))}
      confirmLabel={words.confirmReject}
      isBusy={isBusy}
      isDisabled={reason.trim() === ''}
      refusal={refusal}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>{words.rejectText}</p>
      <Textarea
        label={words.reason}
        value={reason}
        maxLength={500}
        autosize
        minRows={2}
        data-autofocus
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </ConfirmDialog>
  )
}
