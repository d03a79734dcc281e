import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { notify } from '../../parts/notify'
import { Card } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { payoutTexts } from './texts'

const words = payoutTexts.approval.simulate

/** Test mode: decides about a payout or a batch as a simulated member, who says why. */
export function Simulate({ reference }: { reference: string }) {
  const { write, isBusy, refusal } = useWrite({
    topics: ['payouts', 'batches', 'approvals', 'balances'],
    reads: ['payout', 'batch', 'timeline', 'attention', 'waiting payouts'],
  })
  const decide = async (decision: 'approve' | 'reject') => {
    const answer = await write(`/v1/test/disbursements/${reference}/decide`, {
      decision,
      reason: words.reason,
    })
    if (answer !== undefined) await notify(words.done)
  }
  return (
    <Card title={words.title} layout="form">
      <p className="soft small">{words.text}</p>
      <div className="row wrap">
        <Button size="small" isBusy={isBusy} onClick={() => void decide('approve')}>
          {words.approve}
        </Button>
        <Button size="small" isBusy={isBusy} onClick={() => void decide('reject')}>
          {words.reject}
        </Button>
      </div>
      <Refusal error={refusal} />
    </Card>
  )
}
