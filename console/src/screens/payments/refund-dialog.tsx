import { useState } from 'react'
import type { Payment } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextArea, TextField } from '../../parts/fields'
import { formatMoney, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { nameOf } from './describe-payment'
import { paymentTexts } from './texts'

const words = paymentTexts.refunding

/** Sends accepted money back, in whole or in part. */
export function RefundDialog({ payment, onClose }: { payment: Payment; onClose: () => void }) {
  const { reference, currency, amountAccepted } = payment
  const most = toUnits(amountAccepted, currency)
  const [amount, setAmount] = useState<bigint | null>(most)
  const [address, setAddress] = useState('')
  const [reason, setReason] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const topics = ['payments', 'balances'] as const
  const { write, isBusy, refusal } = useWrite({ topics, reads: ['timeline', 'subaccounts'] })
  const isCoin = currency !== 'NGN'
  const run = async () => {
    const destination = isCoin ? { destination: { address: address.trim() } } : {}
    const why = { ...(reason && { reason }), ...(note.trim() && { note: oneLine(note) }) }
    const body = { amount: toWire(amount!, currency), ...destination, ...why }
    const path = `/v1/collections/payments/${reference}/refund`
    if ((await write(path, body)) === undefined) return
    onClose()
    await notify(words.done)
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={
        amount === null ? words.confirmEmpty : words.confirm(formatMoney(amount, currency))
      }
      isBusy={isBusy}
      isDisabled={amount === null || amount === 0n || (isCoin && address.trim() === '')}
      refusal={refusal}
      atFields={['amount', 'note']}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      {!isCoin && <p>{words.text(nameOf(payment))}</p>}
      {payment.shares && payment.shares.length > 0 && <p className="soft">{words.fromShares}</p>}
      <MoneyInput
        asset={currency}
        label={words.amount}
        description={words.atMost(formatMoney(most, currency))}
        value={amount}
        onChange={setAmount}
        error={refusal?.issueOf('amount')}
      />
      {isCoin && (
        <TextField
          label={paymentTexts.decide.address}
          description={paymentTexts.decide.returnWalletText}
          value={address}
          autoComplete="off"
          onChange={setAddress}
        />
      )}
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
