import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useScope } from '../../api/scope'
import { useMembership } from '../../api/session'
import { Button } from '../../parts/button'
import { Mark } from '../../parts/icons'
import { formatAccountNumber } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { formatMoney } from '../../parts/money-format'
import { Fact, Facts } from '../../parts/page'
import { ErrorPage } from '../../parts/refusals'
import { Status } from '../../parts/status'
import { formatFull } from '../../parts/time-format'
import { texts } from '../../texts/en'
import { nameOf, purposeOf } from './describe-payment'
import { usePayment } from './payment'

const words = texts.payments

/** A page to print or to save as PDF. */
export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const { payment, error, refetch } = usePayment(reference)
  const membership = useMembership()
  const { mode } = useScope()
  useEffect(() => {
    document.title = `${words.receiptPage.title} ${reference}`
  }, [reference])
  if (error && !payment)
    return (
      <main className="paper">
        <ErrorPage error={error} retry={() => void refetch()} />
      </main>
    )
  if (!payment) return null
  const { sender, currency } = payment
  return (
    <main className="paper">
      <div className="actions row">
        <Button icon="left" to={`/payments/${reference}`}>
          {words.title}
        </Button>
        <Button kind="primary" icon="print" onClick={() => window.print()}>
          {words.receiptPage.print}
        </Button>
      </div>
      <section className="card">
        <div className="card-head">
          <h1>{words.receiptPage.title}</h1>
          <b>{membership?.name}</b>
        </div>
        <div className="padded">
          <p className="figure">
            <Money amount={payment.amount} asset={currency} />
          </p>
          <Status value={payment.status} />
        </div>
        <Facts>
          <Fact name={words.receiptPage.paidTo}>{membership?.name}</Fact>
          <Fact name={words.columns.from}>{nameOf(payment)}</Fact>
          <Fact name={words.columns.paidFrom}>
            {'name' in sender
              ? `${sender.bankName}, ${formatAccountNumber(sender.accountNumber)}`
              : sender.address}
          </Fact>
          <Fact name={words.columns.for}>{purposeOf(payment)}</Fact>
          <Fact name={words.facts.when}>{formatFull(payment.receivedAt)}</Fact>
          <Fact name={words.money.accepted}>{formatMoney(payment.amountAccepted, currency)}</Fact>
          <Fact name={words.money.returned}>{formatMoney(payment.amountReturned, currency)}</Fact>
          <Fact name={'name' in sender ? words.sender.sessionId : words.sender.signature}>
            <span className="mono">{payment.sessionId}</span>
          </Fact>
          <Fact name={words.facts.title}>
            <span className="mono">{payment.reference}</span>
          </Fact>
        </Facts>
        {mode === 'test' && <p className="band">{words.receiptPage.test}</p>}
        <p className="maker">
          <Mark /> {words.receiptPage.made}
        </p>
      </section>
    </main>
  )
}
