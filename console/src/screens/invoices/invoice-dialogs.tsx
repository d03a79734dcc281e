import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Invoice } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { forgetRecent } from '../../frame/recent'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { Money } from '../../parts/money'
import { formatMoney, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Fact, Facts } from '../../parts/page'
import { useCustomerName } from '../customers/customer-link'
import { invoiceTexts } from './texts'

type Props = { invoice: Invoice; onClose: () => void }

const reads = ['invoice', 'pages', 'invoice counts', 'customer', 'customers']

export function FinalizeDialog({ invoice, onClose }: Props) {
  const words = invoiceTexts.finalizeDialog
  const { reference, customer, total, asset } = invoice
  const name = useCustomerName(customer)
  const { write, isBusy, refusal } = useWrite<Invoice>({ reads, isKeyed: false })
  const finalize = async () => {
    const final = await write(`/v1/invoices/${reference}/finalize`)
    if (!final) return
    onClose()
    void notify(words.done(final.number ?? ''))
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void finalize()}
      onClose={onClose}
    >
      <p>{words.text(name, formatMoney(total, asset))}</p>
    </ConfirmDialog>
  )
}

export function SendDialog({ invoice, onClose }: Props) {
  const words = invoiceTexts.sendDialog
  const { reference, customer } = invoice
  const number = invoice.number ?? ''
  const name = useCustomerName(customer)
  const { write, isBusy, refusal } = useWrite<Invoice>({ reads })
  const send = async () => {
    if (!(await write(`/v1/invoices/${reference}/send`))) return
    onClose()
    void notify(words.done(number))
  }
  return (
    <ConfirmDialog
      title={words.title(number)}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void send()}
      onClose={onClose}
    >
      <p>{words.text(name)}</p>
    </ConfirmDialog>
  )
}

/** Leads to the list: the page of the draft is gone. */
export function DeleteDialog({ invoice, onClose }: Props) {
  const words = invoiceTexts.deleteDialog
  const { reference, customer, total, asset } = invoice
  const name = useCustomerName(customer)
  const navigate = useNavigate()
  const { write, isBusy, refusal } = useWrite<Invoice>({
    method: 'DELETE',
    reads: ['pages', 'invoice counts'],
  })
  const remove = async () => {
    if (!(await write(`/v1/invoices/${reference}`))) return
    forgetRecent(`/invoices/${reference}`)
    void notify(words.done)
    await navigate({ to: '/invoices' })
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isDangerous
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{words.text(name, formatMoney(total, asset))}</p>
    </ConfirmDialog>
  )
}

export function VoidDialog({ invoice, onClose }: Props) {
  const words = invoiceTexts.voidDialog
  const { reference, asset, amountPaid } = invoice
  const number = invoice.number ?? ''
  const { write, isBusy, refusal } = useWrite<Invoice>({ reads, isKeyed: false })
  const voidIt = async () => {
    if (!(await write(`/v1/invoices/${reference}/void`))) return
    onClose()
    void notify(words.done(number))
  }
  return (
    <ConfirmDialog
      title={words.title(number)}
      confirmLabel={words.confirm}
      isDangerous
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void voidIt()}
      onClose={onClose}
    >
      <p>{words.text}</p>
      {toUnits(amountPaid, asset) > 0n && <p>{words.credit(formatMoney(amountPaid, asset))}</p>}
    </ConfirmDialog>
  )
}

export function CreditDialog({ invoice, onClose }: Props) {
  const words = invoiceTexts.creditDialog
  const { reference, asset, amountDue, amountPaid } = invoice
  const [amount, setAmount] = useState<bigint | null>(null)
  const [reason, setReason] = useState('')
  const { write, isBusy, refusal } = useWrite<Invoice>({ reads })
  const credit = async () => {
    if (amount === null) return
    const body = {
      amount: toWire(amount, asset),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    }
    if (!(await write(`/v1/invoices/${reference}/credit`, body))) return
    onClose()
    void notify(words.done(formatMoney(amount, asset)))
  }
  return (
    <ConfirmDialog
      title={words.title(invoice.number ?? '')}
      confirmLabel={
        amount === null ? words.confirm : words.confirmAmount(formatMoney(amount, asset))
      }
      isBusy={isBusy}
      isDisabled={amount === null || amount === 0n}
      refusal={refusal}
      atFields={['amount', 'reason']}
      onConfirm={() => void credit()}
      onClose={onClose}
    >
      <p>{words.text}</p>
      <Facts>
        <Fact name={words.due}>
          <Money amount={amountDue} asset={asset} />
        </Fact>
        <Fact name={words.paid}>
          <Money amount={amountPaid} asset={asset} />
        </Fact>
      </Facts>
      <MoneyInput
        asset={asset}
        label={words.amount}
        value={amount}
        error={refusal?.issueOf('amount')}
        onChange={setAmount}
      />
      <TextField
        label={words.reason}
        description={words.reasonHint}
        value={reason}
        maxLength={300}
        autoComplete="off"
        error={refusal?.issueOf('reason')}
        onChange={setReason}
      />
    </ConfirmDialog>
  )
}
