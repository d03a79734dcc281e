import { useState } from 'react'
import type { OpenPayout } from '../../api/answers'
import { usePages } from '../../api/reads'
import { Button } from '../../parts/button'
import { Checkbox, RadioField } from '../../parts/choices'
import { type Column, DataTable } from '../../parts/data-table'
import { Reference, shorten } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { Card, EmptyState, Fact, Facts, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { operatorTexts as t } from './texts'
import './operator.css'
import { Segments } from '../../parts/segments'
import { ReasonDialog } from './reason-dialog'

export function Screen() {
  const [open, setOpen] = useState<'review' | 'all'>('review')
  const list = usePages<OpenPayout>('/operator/v1/payouts', { open })
  const [chosen, setChosen] = useState<OpenPayout | null>(null)
  const columns: Column<OpenPayout>[] = [
    {
      name: 'payout',
      head: t.payouts.payout,
      phone: 1,
      isGrowing: true,
      cell: ({ merchantName, recipient }) => (
        <>
          <b>{merchantName}</b>
          <br />
          <span className="soft small">{recipient}</span>
        </>
      ),
    },
    {
      name: 'rail',
      head: t.rail,
      isWideOnly: true,
      cell: ({ rail, mode }) => (
        <span className="soft no-wrap">
          {shorten(rail, 14)} · {mode}
        </span>
      ),
    },
    {
      name: 'amount',
      head: t.amount,
      align: 'end',
      phone: 2,
      cell: ({ amount, asset }) => (
        <b>
          <Money amount={amount} asset={asset} />
        </b>
      ),
    },
    {
      name: 'submitted',
      head: t.payouts.submitted,
      align: 'end',
      phone: 3,
      isSoft: true,
      cell: ({ submittedAt }) => <Time value={submittedAt} />,
    },
    {
      name: 'decide',
      head: <span className="hidden">{t.payouts.decide}</span>,
      align: 'end',
      phone: 4,
      cell: (payout) => (
        <Button
          size="small"
          kind={payout.isReviewRequired ? 'primary' : 'plain'}
          onClick={() => setChosen(payout)}
        >
          {t.payouts.decide}
        </Button>
      ),
    },
  ]
  return (
    <>
      <PageHead
        title={t.payouts.title}
        over={t.all}
        actions={
          <Segments
            label={t.state}
            value={open}
            options={{ review: t.payouts.review, all: t.payouts.allOpen }}
            onChange={setOpen}
          />
        }
      />
      <Card>
        <DataTable
          caption={t.payouts.caption}
          columns={columns}
          list={list}
          keyOf={({ reference }) => reference}
          empty={<EmptyState icon="payOut">{t.nothing}</EmptyState>}
        />
      </Card>
      {chosen && <DecideDialog payout={chosen} onClose={() => setChosen(null)} />}
    </>
  )
}

function DecideDialog({ payout, onClose }: { payout: OpenPayout; onClose: () => void }) {
  const [outcome, setOutcome] = useState<'completed' | 'failed'>()
  const [isSure, setSure] = useState(false)
  const isCrypto = payout.asset !== 'NGN'
  const hasChoice = outcome === 'failed' || (outcome === 'completed' && isCrypto)
  const sure = outcome === 'failed' ? 'confirmNotLanded' : 'confirmLanded'
  return (
    <ReasonDialog
      title={t.payouts.decideTitle(shorten(payout.reference))}
      text={`${t.payouts.decideText} ${t.proposedText}`}
      confirmLabel={t.propose}
      path={`/operator/v1/payouts/${payout.reference}/decide`}
      field="evidence"
      label={t.evidence}
      hint={t.evidenceHint}
      reads={[]}
      done={t.proposed}
      body={{ outcome, ...(hasChoice && isSure && { [sure]: true }) }}
      isIncomplete={outcome === undefined}
      onClose={onClose}
    >
      <Facts>
        <Fact name={t.merchantName}>{payout.merchantName}</Fact>
        <Fact name={t.amount}>
          <Money amount={payout.amount} asset={payout.asset} />
        </Fact>
        <Fact name={t.payouts.recipient}>{payout.recipient}</Fact>
        <Fact name={t.rail}>{payout.rail}</Fact>
        {payout.token && (
          <Fact name={t.payouts.token}>
            <Reference value={payout.token} isShort />
          </Fact>
        )}
        <Fact name={t.payouts.attempts}>{payout.attempts}</Fact>
      </Facts>
      <RadioField
        label={t.payouts.outcome}
        value={outcome}
        onChange={setOutcome}
        choices={[
          { value: 'completed', label: t.payouts.completed },
          { value: 'failed', label: t.payouts.failed },
        ]}
      />
      {hasChoice && (
        <Checkbox
          isOn={isSure}
          label={outcome === 'failed' ? t.payouts.confirmNotLanded : t.payouts.confirmLanded}
          onChange={setSure}
        />
      )}
    </ReasonDialog>
  )
}
