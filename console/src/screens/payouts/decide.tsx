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
  const { path, orderHash, round, mayApprove, approvers, changes, words } = waiting
  const { own } = useApprovers(approvers)
  const [isRejecting, setRejecting] = useState(false)
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
        <Button kind="danger" onClick={() => setRejecting(true)}>
          {own ? words.reject : words.withdraw}
        </Button>
        {mayApprove && (
          <Button kind="primary" icon="finger" isBusy={isBusy} onClick={() => void approve()}>
            {words.approve}
          </Button>
        )}
      </div>
      {(mayApprove || !own) && (
        <p className="soft small below-actions">{mayApprove ? words.explain : words.own}</p>
      )}
      <Refusal error={refusal} />
      {isRejecting && <Reject waiting={waiting} onClose={() => setRejecting(false)} />}
    </div>
  )
}

function Reject({ waiting, onClose }: { waiting: Waiting; onClose: () => void }) {
  const { path, changes, words } = waiting
  const [reason, setReason] = useState('')
  const { write, isBusy, refusal } = useWrite(changes)
  const run = async () => {
    const answer = await write(`${path}/reject`, { reason: reason.trim() })
    if (answer === undefined) return
    onClose()
    await notify(words.rejected)
  }
  return (
    <ConfirmDialog
      isDangerous
      title={words.rejectTitle}
      confirmLabel={shared.confirmReject}
      isBusy={isBusy}
      isDisabled={reason.trim() === ''}
      refusal={refusal}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>{words.rejectText}</p>
      <TextArea label={shared.reason} value={reason} maxLength={500} isFirst onChange={setReason} />
    </ConfirmDialog>
  )
}
