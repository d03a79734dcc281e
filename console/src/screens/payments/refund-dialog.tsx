import { useState } from 'react'
import type { Claim, Payment } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextArea } from '../../parts/fields'
import { formatMoney, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import type { AnyPayment } from './describe-payment'
import { SendBackFields, useSendBack } from './send-back'
import { paymentTexts } from './texts'

const words = paymentTexts.refunding

type Props = { payment: AnyPayment; onLink: (claim: Claim) => void; onClose: () => void }

/** Sends accepted money back, in whole or in part. */
export function RefundDialog({ payment, onLink, onClose }: Props) {
  const { reference, currency, amountAccepted } = payment
  const most = toUnits(amountAccepted, currency)
  const [amount, setAmount] = useState<bigint | null>(most)
  const back = useSendBack(payment)
  const [reason, setReason] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const topics = ['payments', 'balances'] as const
  const { write, isBusy, refusal } = useWrite<Payment>({
    topics,
    reads: ['timeline', 'subaccounts'],
  })
  const run = async () => {
    const why = { ...(reason && { reason }), ...(note.trim() && { note: oneLine(note) }) }
    const body = { amount: toWire(amount!, currency), ...back.body, ...why }
    const path = `/v1/collections/payments/${reference}/refund`
    const refunded = await write(path, body)
    if (refunded === undefined) return
    onClose()
    if (refunded.claim) onLink(refunded.claim)
    else await notify(words.done)
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={
        amount === null ? words.confirmEmpty : words.confirm(formatMoney(amount, currency))
      }
      isBusy={isBusy}
      isDisabled={amount === null || amount === 0n || !back.isComplete}
      refusal={refusal}
      atFields={['amount', 'note', 'claim.email']}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      {payment.shares && payment.shares.length > 0 && <p className="soft">{words.fromShares}</p>}
      <MoneyInput
        asset={currency}
        label={words.amount}
        description={words.atMost(formatMoney(most, currency))}
        value={amount}
        onChange={setAmount}
        error={refusal?.issueOf('amount')}
      />
      <SendBackFields payment={payment} back={back} refusal={refusal} />
      <SelectField
        label={words.reason}
        placeholder={words.noReason}
        options={paymentTexts.refundReasons}
        value={reason}
        onChange={setReason}
        onClear={() => setReason(null)}
        hasClearButton
      />
      <TextArea
        label={words.note}
        description={words.noteHint}
        value={note}
        maxLength={500}
        error={refusal?.issueOf('note')}
        onChange={setNote}
      />
    </ConfirmDialog>
  )
}

/** The API takes a note without line breaks, so that each refund stays one line of an export. */
const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ')
