import { useState } from 'react'
import type { Payment } from '../../../../sdk/src/types'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { Icon } from '../../parts/icons'
import { formatMoney } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { type AnyPayment, nameOf } from './describe-payment'
import { paymentTexts } from './texts'

const words = paymentTexts.decide

/** Held money: keep it, or send it back. */
export function Decision({ payment }: { payment: AnyPayment }) {
  const { amount, amountHeld, amountExpected, currency, variance } = payment
  const [asked, setAsked] = useState<'accept' | 'return' | null>(null)
  const mayDecide = useMay('payments.decide')
  const held = formatMoney(amountHeld, currency)
  const formatExpected = () =>
    amountExpected === null || amountExpected === undefined
      ? words.anyAmount
      : formatMoney(amountExpected, currency)
  return (
    <section className="note warn" aria-label={words.title(held)}>
      <Icon name="held" />
      <div className="text decision-row">
        <div>
          <p className="bold">{words.title(held)}</p>
          <p>{words[variance](formatMoney(amount, currency), formatExpected())}</p>
          {!mayDecide && <p className="soft">{words.mayNot}</p>}
        </div>
        {mayDecide && (
          <div className="row sticky-actions">
            <Button isWide onClick={() => setAsked('accept')}>
              {words.keep(held)}
            </Button>
            <Button isWide kind="primary" onClick={() => setAsked('return')}>
              {words.sendBack}
            </Button>
          </div>
        )}
      </div>
      {asked && <Confirm payment={payment} action={asked} onClose={() => setAsked(null)} />}
    </section>
  )
}

type ConfirmProps = { payment: Payment; action: 'accept' | 'return'; onClose: () => void }

function Confirm({ payment, action, onClose }: ConfirmProps) {
  const { reference, amountHeld, currency } = payment
  const [address, setAddress] = useState('')
  const topics = ['payments', 'balances'] as const
  const { write, isBusy, refusal } = useWrite({ topics, reads: ['timeline', 'attention'] })
  const held = formatMoney(amountHeld, currency)
  const isReturn = action === 'return'
  // Coins cannot simply go back: the wallet that sent them may belong to an exchange.
  const needsAddress = isReturn && currency !== 'NGN'
  const run = async () => {
    const destination = needsAddress ? { destination: { address: address.trim() } } : {}
    const path = `/v1/collections/payments/${reference}/resolve`
    if ((await write(path, { action, ...destination })) === undefined) return
    onClose()
    await notify(isReturn ? words.returned : words.kept)
  }
  return (
    <ConfirmDialog
      title={isReturn ? words.returnTitle(held) : words.keepTitle(held)}
      confirmLabel={isReturn ? words.sendBack : words.keep(held)}
      isBusy={isBusy}
      isDisabled={needsAddress && address.trim() === ''}
      refusal={refusal}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>{isReturn ? words.returnText(nameOf(payment)) : words.keepText}</p>
      {needsAddress && (
        <TextField
          label={words.address}
          description={words.returnWalletText}
          value={address}
          autoComplete="off"
          onChange={setAddress}
        />
      )}
    </ConfirmDialog>
  )
}
