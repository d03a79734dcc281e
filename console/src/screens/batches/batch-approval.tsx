import { formatMoney } from '../../parts/money-format'
import { Card, Note } from '../../parts/page'
import { PersonRow } from '../../parts/person'
import { Time } from '../../parts/time'
import { formatFull } from '../../parts/time-format'
import { ApproverSteps, Decisions, isLast, Progress } from '../payouts/approval'
import { Decide, type Waiting } from '../payouts/decide'
import { payoutTexts } from '../payouts/texts'
import { type Batch, path } from './batch'
import { batchTexts } from './texts'

const shared = payoutTexts.approval
const words = batchTexts.approval

/** Who created and who decided the batch; for its approver, the buttons to decide. */
export function BatchApproval({ batch }: { batch: Batch }) {
  const { approval, createdBy, submittedAt, createdAt, status } = batch
  if (!approval) return null
  const asker = createdBy?.name ?? '–'
  return (
    <>
      <Card title={shared.title} aside={<Progress approval={approval} />}>
        <div className="approval-steps">
          <PersonRow
            name={asker}
            says={createdBy?.kind === 'key' ? shared.keyAsked(asker) : shared.asked(asker)}
          >
            <Time value={submittedAt ?? createdAt} />
          </PersonRow>
          <Decisions approval={approval} />
          {status === 'PENDING' && <ApproverSteps waiting={batch} />}
        </div>
        {status === 'PENDING' && <Decide waiting={toWaiting(batch)} />}
      </Card>
      {status === 'PENDING' && (
        <Note tone="calm" icon="clock">
          <p>{shared.ends(formatFull(approval.expiresAt))}</p>
        </Note>
      )}
    </>
  )
}

const changes: Waiting['changes'] = {
  topics: ['batches', 'approvals', 'balances'],
  reads: ['batch', 'attention'],
}

function toWaiting(batch: Batch): Waiting {
  const { reference, orderHash, mayApprove, approvers, totalDebit, asset, approval } = batch
  const approved = isLast(approval) ? words.approved : shared.approvedFirstNote
  const total = formatMoney(totalDebit, asset)
  const explain = isLast(approval) ? words.explain(total) : words.explainFirst(total)
  return {
    path: `${path}/${reference}`,
    orderHash,
    mayApprove,
    approvers,
    changes,
    words: { ...words, approved, explain },
  }
}
