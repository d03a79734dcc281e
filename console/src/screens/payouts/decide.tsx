import { TextArea } from '../../parts/fields'
import { payoutTexts } from './texts'
import './payouts.css'
import { useState } from 'react'
import { useMay } from '../../api/session'
import type { Topic } from '../../api/topics'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { notify } from '../../parts/notify'
import { Refusal } from '../../parts/refusals'
import { type Approver, useApprovers } from './approvers'

const shared = payoutTexts.approval

/** A payout or a batch of them that waits for a second member. */
export type Waiting = {
  /** The API's path of it; `/approve` and `/reject` follow. */
  path: string
  orderHash: string | null | undefined
  /** Of the approvals of a payout. */
  round?: number | undefined
  mayApprove: boolean | undefined
  approvers: Approver[] | undefined
  /** An approval that needs a reason. */
  release?: { title: string; text: string } | undefined
  /** What the decision changes, for other screens. */
  changes: { topics: readonly Topic[]; reads: string[] }
  words: {
    approve: string
    reject: string
    withdraw: string
    explain: string
    own: string
    approved: string
    rejectTitle: string
    rejectText: string
    rejected: string
  }
}

/** The buttons of the second member, or of the creator, who may withdraw it. */
export function Decide({ waiting }: { waiting: Waiting }) {
  const { path, orderHash, round, mayApprove, approvers, release, changes, words } = waiting
  const { own } = useApprovers(approvers)
  const [asked, setAsked] = useState<'approve' | 'reject' | null>(null)
  const hasRole = useMay('payouts.approve')
  const { write, isBusy, refusal } = useWrite(changes)
  const approve = async () => {
    const answer = await write(`${path}/approve`, { orderHash, round })
    if (answer !== undefined) await notify(words.approved)
  }
  if (!hasRole) return <p className="soft padded top-line">{shared.mayNot}</p>
  return (
    <div className="padded top-line">
      <div className="decide-actions sticky-actions">
        <Button kind="danger" onClick={() => setAsked('reject')}>
          {own ? words.reject : words.withdraw}
        </Button>
        {mayApprove && (
          <Button
            kind="primary"
            icon="finger"
            isBusy={isBusy}
            onClick={() => (release ? setAsked('approve') : void approve())}
          >
            {release ? shared.release : words.approve}
          </Button>
        )}
      </div>
      {(mayApprove || !own) && (
        <p className="soft small below-actions">{mayApprove ? words.explain : words.own}</p>
      )}
      <Refusal error={refusal} />
      {asked && <DecideWithReason waiting={waiting} verb={asked} onClose={() => setAsked(null)} />}
    </div>
  )
}

type WithReasonProps = { waiting: Waiting; verb: 'approve' | 'reject'; onClose: () => void }

function DecideWithReason({ waiting, verb, onClose }: WithReasonProps) {
  const { path, orderHash, round, release, changes, words } = waiting
  const [typed, setTyped] = useState('')
  const { write, isBusy, refusal } = useWrite(changes)
  const reason = typed.trim()
  const isApproval = verb === 'approve'
  const run = async () => {
    const body = isApproval ? { orderHash, round, reason } : { reason }
    const answer = await write(`${path}/${verb}`, body)
    if (answer === undefined) return
    onClose()
    await notify(isApproval ? words.approved : words.rejected)
  }
  return (
    <ConfirmDialog
      isDangerous={!isApproval}
      title={isApproval ? release!.title : words.rejectTitle}
      confirmLabel={isApproval ? words.approve : shared.confirmReject}
      isBusy={isBusy}
      isDisabled={reason === ''}
      refusal={refusal}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>{isApproval ? release!.text : words.rejectText}</p>
      <TextArea label={shared.reason} value={typed} maxLength={500} isFirst onChange={setTyped} />
    </ConfirmDialog>
  )
}
