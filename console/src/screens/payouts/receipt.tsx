import { useParams } from '@tanstack/react-router'
import { formatAccountNumber } from '../../parts/identifiers'
import { Fact } from '../../parts/page'
import { Receipt } from '../../parts/receipt'
import { formatFull } from '../../parts/time-format'
import { accountTexts } from '../../texts/account'
import { payoutTexts as words } from './texts'
import { amountOf, assetOf, isBank, statusOf, type Transfer, useTransfer } from './transfer'

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  return (
    <Receipt
      reference={reference}
      read={useTransfer(reference)}
      back={{ to: `/payouts/${reference}`, label: words.title }}
      words={{ ...words.receipt, merchant: words.receipt.paidBy }}
      amountOf={(transfer) => ({
        amount: amountOf(transfer),
        asset: assetOf(transfer),
        status: statusOf(transfer),
      })}
    >
      {(transfer) => <TransferFacts transfer={transfer} />}
    </Receipt>
  )
}

function TransferFacts({ transfer }: { transfer: Transfer }) {
  const arrivedAt = isBank(transfer) ? transfer.completedAt : transfer.confirmedAt
  return (
    <>
      {isBank(transfer) ? (
        <>
          <Fact name={words.form.to}>{transfer.accountName}</Fact>
          <Fact name={accountTexts.bank}>
            {transfer.bankName}, {formatAccountNumber(transfer.accountNumber)}
          </Fact>
          <Fact name={words.page.narration}>{transfer.narration}</Fact>
          <Fact name={words.page.sessionId}>
            {transfer.sessionId && <span className="mono">{transfer.sessionId}</span>}
          </Fact>
        </>
      ) : (
        <>
          <Fact name={accountTexts.address}>
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
    </>
  )
}
