import { useState } from 'react'
import type { Claim, Payment } from '../../../../sdk/src/types'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { Icon } from '../../parts/icons'
import { formatMoney } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import type { AnyPayment } from './describe-payment'
import { useIsDecidable } from './requests'
import { SendBackFields, useSendBack } from './send-back'
import { paymentTexts } from './texts'

const words = paymentTexts.decide

type DecisionProps = { payment: AnyPayment; onLink: (claim: Claim) => void }

/** Held money: accept it, or return it. */
export function Decision({ payment, onLink }: DecisionProps) {
  const { amount, amountHeld, amountExpected, currency, variance } = payment
  const [asked, setAsked] = useState<'accept' | 'return' | null>(null)
  const mayDecide = useMay('payments.decide')
  const isDecidable = useIsDecidable(payment)
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
          {payment.heldFor ? (
            <p>{words.screening}</p>
          ) : (
            <p>{words[variance](formatMoney(amount, currency), formatExpected())}</p>
          )}
          {!mayDecide && <p className="soft">{words.mayNot}</p>}
        </div>
        {mayDecide && isDecidable && (
          <div className="row sticky-actions">
            <Button isWide onClick={() => setAsked('accept')}>
              {words.accept(held)}
            </Button>
            <Button isWide kind="primary" onClick={() => setAsked('return')}>
              {words.return}
            </Button>
          </div>
        )}
      </div>
      {asked && (
        <Confirm payment={payment} action={asked} onLink={onLink} onClose={() => setAsked(null)} />
      )}
    </section>
  )
}

type ConfirmProps = DecisionProps & { action: 'accept' | 'return'; onClose: () => void }

function Confirm({ payment, action, onLink, onClose }: ConfirmProps) {
  const { reference, amountHeld, currency } = payment
  const back = useSendBack(payment)
  const topics = ['payments', 'balances'] as const
  const { write, isBusy, refusal } = useWrite<Payment>({
    topics,
    reads: ['timeline', 'attention'],
  })
  const held = formatMoney(amountHeld, currency)
  const isReturn = action === 'return'
  const run = async () => {
    const path = `/v1/collections/payments/${reference}/resolve`
    const resolved = await write(path, { action, ...(isReturn && back.body) })
    if (resolved === undefined) return
    onClose()
    if (resolved.claim) onLink(resolved.claim)
    else await notify(isReturn ? words.returned : words.accepted)
  }
  return (
    <ConfirmDialog
      title={isReturn ? words.returnTitle(held) : words.acceptTitle(held)}
      confirmLabel={isReturn ? words.return : words.accept(held)}
      isBusy={isBusy}
      isDisabled={isReturn && !back.isComplete}
      refusal={refusal}
      atFields={['claim.email']}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      {isReturn ? (
        <SendBackFields payment={payment} back={back} refusal={refusal} />
      ) : (
        <p>{words.acceptText}</p>
      )}
    </ConfirmDialog>
  )
}
