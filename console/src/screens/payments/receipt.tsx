import { useParams } from '@tanstack/react-router'
import { formatAccountNumber } from '../../parts/identifiers'
import { formatMoney } from '../../parts/money-format'
import { Fact } from '../../parts/page'
import { Receipt } from '../../parts/receipt'
import { formatFull } from '../../parts/time-format'
import { nameOf, purposeOf } from './describe-payment'
import { usePayment } from './payment'
import { paymentTexts as words } from './texts'

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const { payment: data, error, refetch } = usePayment(reference)
  return (
    <Receipt
      reference={reference}
      read={{ data, error, refetch }}
      back={{ to: `/payments/${reference}`, label: words.title }}
      words={{ ...words.receiptPage, merchant: words.receiptPage.paidTo }}
      amountOf={({ amount, currency, status }) => ({ amount, asset: currency, status })}
    >
      {(payment) => {
        const { sender, currency } = payment
        return (
          <>
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
          </>
        )
      }}
    </Receipt>
  )
}
