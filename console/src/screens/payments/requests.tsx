import { useState } from 'react'
import type { Payment } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { RadioField } from '../../parts/choices'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextArea } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { Note } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { payoutTexts } from '../payouts/texts'

const words = payoutTexts.requests

type Request = {
  reference: string
  action: 'accept' | 'return' | 'refund'
  note: string
  status: string
  requestedBy: string
}

const reads = ['payment requests', 'attention', 'timeline']
const pathOf = ({ reference }: Payment) => `/v1/collections/payments/${reference}/requests`

/** Whether members may decide: what is held for screening, only at the request of another one. */
export function useIsDecidable(payment: Payment): boolean {
  const isScreened = payment.heldFor !== undefined
  const { data } = useRead<{ items: Request[] }>('payment requests', pathOf(payment), undefined, {
    isEnabled: isScreened,
  })
  return !isScreened || data?.items.some(({ status }) => status === 'OPEN') === true
}

/** What a member asked for, and a way to ask for those who may not decide alone. */
export function Requests({ payment }: { payment: Payment }) {
  const path = pathOf(payment)
  const { data } = useRead<{ items: Request[] }>('payment requests', path)
  const [isAsking, setAsking] = useState(false)
  const mayDecide = useMay('payments.decide')
  // A payment that is held for screening is decided at the request of another member.
  const mayAsk = useMay('payments.ask') && (!mayDecide || payment.heldFor !== undefined)
  const { write, isBusy, refusal } = useWrite({ reads })
  const open = data?.items.find(({ status }) => status === 'OPEN')
  const isAnswerable = Number(payment.amountHeld) > 0 || Number(payment.amountAccepted) > 0
  if (!open && !(data && mayAsk && isAnswerable)) return null
  const close = async () => {
    if ((await write(`${path}/decline`)) !== undefined) await notify(words.closed)
  }
  if (!open)
    return (
      <>
        <div>
          <Button icon="users" onClick={() => setAsking(true)}>
            {words.ask}
          </Button>
        </div>
        {isAsking && <Ask payment={payment} path={path} onClose={() => setAsking(false)} />}
      </>
    )
  return (
    <Note tone="warn" icon="users" title={words.asks(open.requestedBy, words.actions[open.action])}>
      <p>{open.note}</p>
      <p className="soft small">{mayDecide ? words.decideHint : words.waits}</p>
      <Refusal error={refusal} />
      <div className="row" style={{ marginTop: 10 }}>
        <Button size="small" isBusy={isBusy} onClick={() => void close()}>
          {mayDecide ? words.decline : words.withdraw}
        </Button>
      </div>
    </Note>
  )
}

type AskProps = { payment: Payment; path: string; onClose: () => void }

function Ask({ payment, path, onClose }: AskProps) {
  const isHeld = Number(payment.amountHeld) > 0
  const choices = isHeld ? (['accept', 'return'] as const) : (['refund'] as const)
  const [action, setAction] = useState<Request['action']>(choices[0])
  const [note, setNote] = useState('')
  const { write, isBusy, refusal } = useWrite({ reads })
  const run = async () => {
    if ((await write(path, { action, note: note.trim() })) === undefined) return
    onClose()
    await notify(words.asked)
  }
  return (
    <ConfirmDialog
      title={words.askTitle}
      confirmLabel={words.send}
      isBusy={isBusy}
      isDisabled={note.trim() === ''}
      refusal={refusal}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <RadioField
        label={words.what}
        value={action}
        onChange={setAction}
        choices={choices.map((value) => ({ value, label: words.choices[value] }))}
      />
      <TextArea label={words.note} value={note} maxLength={500} onChange={setNote} />
    </ConfirmDialog>
  )
}
