import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useScope } from '../../api/scope'
import { useMembership } from '../../api/session'
import { Button } from '../../parts/button'
import { Mark } from '../../parts/icons'
import { formatAccountNumber } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { Fact, Facts } from '../../parts/page'
import { ErrorPage } from '../../parts/refusals'
import { Status } from '../../parts/status'
import { formatFull } from '../../parts/time-format'
import { texts } from '../../texts/en'
import { amountOf, assetOf, isBank, statusOf, useTransfer } from './transfer'

const words = texts.payouts

/** A page to print or to save as PDF. */
export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const { data: transfer, error, refetch } = useTransfer(reference)
  const membership = useMembership()
  const { mode } = useScope()
  useEffect(() => {
    document.title = `${words.receipt.title} ${reference}`
  }, [reference])
  if (error && !transfer)
    return (
      <main className="paper">
        <ErrorPage error={error} retry={() => void refetch()} />
      </main>
    )
  if (!transfer) return null
  const arrivedAt = isBank(transfer) ? transfer.completedAt : transfer.confirmedAt
  return (
    <main className="paper">
      <div className="actions row">
        <Button icon="left" to={`/payouts/${reference}`}>
          {words.title}
        </Button>
        <Button kind="primary" icon="print" onClick={() => window.print()}>
          {words.receipt.print}
        </Button>
      </div>
      <section className="card">
        <div className="card-head">
          <h1>{words.receipt.title}</h1>
          <b>{membership?.name}</b>
        </div>
        <div className="padded">
          <p className="figure">
            <Money amount={amountOf(transfer)} asset={assetOf(transfer)} />
          </p>
          <Status value={statusOf(transfer)} />
        </div>
        <Facts>
          <Fact name={words.receipt.paidBy}>{membership?.name}</Fact>
          {isBank(transfer) ? (
            <>
              <Fact name={words.form.to}>{transfer.accountName}</Fact>
              <Fact name={words.form.bankName}>
                {transfer.bankName}, {formatAccountNumber(transfer.accountNumber)}
              </Fact>
              <Fact name={words.page.narration}>{transfer.narration}</Fact>
              <Fact name={words.page.sessionId}>
                {transfer.sessionId && <span className="mono">{transfer.sessionId}</span>}
              </Fact>
            </>
          ) : (
            <>
              <Fact name={words.form.address}>
                <span className="mono">{transfer.destinationAddress}</span>
              </Fact>
              <Fact name={words.page.signature}>
                <span className="mono">{transfer.transactionSignature}</span>
              </Fact>
            </>
          )}
          <Fact name={words.page.reference}>{transfer.merchantReference}</Fact>
          <Fact name={words.page.arrived}>{arrivedAt && formatFull(arrivedAt)}</Fact>
          <Fact name={words.page.payout}>
            <span className="mono">{transfer.reference}</span>
          </Fact>
        </Facts>
        {mode === 'test' && <p className="band">{words.receipt.test}</p>}
        <p className="maker">
          <Mark /> {words.receipt.made}
        </p>
      </section>
    </main>
  )
}
