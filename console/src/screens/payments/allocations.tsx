import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Invoice, Payment, PaymentAllocations } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { shorten } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { formatMoney, toUnits, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts } from '../../parts/page'
import { WhenRead } from '../../parts/when-read'
import { CustomerLink } from '../customers/customer-link'
import { paymentTexts } from './texts'

const words = paymentTexts.allocations

/** Which invoices the payment of a customer paid, and a dialog that changes it. */
export function Allocations({ payment }: { payment: Payment }) {
  const maySee = useMay('customers.see')
  return payment.customerReference && maySee ? (
    <OfCustomer reference={payment.reference} customer={payment.customerReference} />
  ) : null
}

function OfCustomer({ reference, customer }: { reference: string; customer: string }) {
  const path = `/v1/collections/payments/${reference}/allocations`
  const read = useRead<PaymentAllocations>('allocations', path)
  // As many as one answer has: older ones are rarely open.
  const invoices = useRead<Page<Invoice>>('invoices of payer', '/v1/invoices', {
    customer,
    limit: 100,
  })
  const mayChange = useMay('customers.change')
  const [isChanging, setChanging] = useState(false)
  const known = new Map(invoices.data?.items.map((invoice) => [invoice.reference, invoice]))
  return (
    <Card
      title={words.title}
      aside={
        mayChange &&
        read.data &&
        !paidInCoins(read.data) &&
        invoices.data && (
          <Button size="small" icon="swap" onClick={() => setChanging(true)}>
            {words.change}
          </Button>
        )
      }
    >
      <WhenRead read={read}>
        {({ items, asset }) => (
          <Facts>
            <Fact name={words.customer}>
              <CustomerLink reference={customer} />
            </Fact>
            {items.map(({ invoice, amount, worth }) => (
              <Fact
                key={invoice}
                name={
                  invoice === null ? (
                    words.credit
                  ) : (
                    <Link className="link" to={`/invoices/${invoice}`}>
                      {known.get(invoice)?.number ?? shorten(invoice)}
                    </Link>
                  )
                }
              >
                <Money amount={amount} asset={asset} />
                {worth.asset !== asset && (
                  <div className="soft small">
                    {words.worth(formatMoney(toUnits(worth.amount, worth.asset), worth.asset))}
                  </div>
                )}
              </Fact>
            ))}
          </Facts>
        )}
      </WhenRead>
      {isChanging && read.data && (
        <ChangeDialog
          path={path}
          allocations={read.data}
          invoices={[...known.values()]}
          onClose={() => setChanging(false)}
        />
      )}
    </Card>
  )
}

/** Coins paid an invoice in naira, at the price of a session: that cannot be changed. */
function paidInCoins({ asset, items }: PaymentAllocations): boolean {
  return items.some(({ worth }) => worth.asset !== asset)
}

type DialogProps = {
  path: string
  allocations: PaymentAllocations
  invoices: Invoice[]
  onClose: () => void
}

function ChangeDialog({ path, allocations, invoices, onClose }: DialogProps) {
  const { asset, items } = allocations
  const dialogWords = words.dialog
  // As it was when the dialog opened: a reload must not change what is being typed.
  const [before] = useState(
    () => new Map(items.map(({ invoice, amount }) => [invoice, toUnits(amount, asset)])),
  )
  const [typed, setTyped] = useState<Record<string, bigint | null>>(() =>
    Object.fromEntries(
      [...before].flatMap(([invoice, units]) => (invoice ? [[invoice, units]] : [])),
    ),
  )
  const [reason, setReason] = useState('')
  const { write, isBusy, refusal } = useWrite<PaymentAllocations>({
    topics: ['payments'],
    reads: ['allocations', 'invoices of payer', 'invoice', 'customer', 'customers', 'timeline'],
  })
  const payable = invoices.filter(
    (invoice) =>
      invoice.asset === asset &&
      invoice.number !== null &&
      (before.has(invoice.reference) || toUnits(invoice.amountDue, asset) > 0n),
  )
  const total = [...before.values()].reduce((sum, units) => sum + units, 0n)
  const named = payable.flatMap(({ reference }) => {
    const units = typed[reference] ?? 0n
    return units > 0n ? [{ reference, units }] : []
  })
  const rest = named.reduce((left, { units }) => left - units, total)
  const change = async () => {
    const body = {
      allocations: named.map(({ reference, units }) => ({
        invoice: reference,
        amount: toWire(units, asset),
      })),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    }
    if (!(await write(path, body))) return
    onClose()
    void notify(dialogWords.done)
  }
  const fieldOf = (reference: string) =>
    `allocations.${named.findIndex((one) => one.reference === reference)}.amount`
  return (
    <ConfirmDialog
      title={dialogWords.title}
      confirmLabel={dialogWords.confirm}
      isBusy={isBusy}
      isDisabled={rest < 0n}
      refusal={refusal}
      atFields={named.map(({ reference }) => fieldOf(reference))}
      onConfirm={() => void change()}
      onClose={onClose}
    >
      <p>{dialogWords.text}</p>
      {payable.length === 0 && <p className="soft">{dialogWords.none}</p>}
      {payable.map(({ reference, number, amountDue }) => (
        <MoneyInput
          key={reference}
          asset={asset}
          label={dialogWords.due(
            number ?? '',
            formatMoney(toUnits(amountDue, asset) + (before.get(reference) ?? 0n), asset),
          )}
          value={typed[reference] ?? null}
          error={refusal?.issueOf(fieldOf(reference))}
          onChange={(units) => setTyped({ ...typed, [reference]: units })}
        />
      ))}
      <div role="status">
        <Facts>
          <Fact name={dialogWords.rest}>
            {rest < 0n ? (
              dialogWords.tooMuch(formatMoney(-rest, asset))
            ) : (
              <b>
                <Money amount={rest} asset={asset} />
              </b>
            )}
          </Fact>
        </Facts>
      </div>
      <TextField
        label={dialogWords.reason}
        description={dialogWords.reasonHint}
        value={reason}
        maxLength={300}
        autoComplete="off"
        onChange={setReason}
      />
    </ConfirmDialog>
  )
}
