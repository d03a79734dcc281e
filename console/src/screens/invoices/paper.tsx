import './invoices.css'
import type { Invoice } from '../../../../sdk/src/types'
import { useMembership } from '../../api/session'
import { Money } from '../../parts/money'
import type { Amount, Asset } from '../../parts/money-format'
import { formatDay } from '../../parts/time-format'
import { useCustomer } from '../customers/use-customers'
import { amountsOf, type DraftForm } from './draft-form'
import { dueDayOf } from './due-day'
import { invoiceTexts } from './texts'

const words = invoiceTexts.paper

/** What the paper shows: of an invoice, or of a draft that is being typed. */
export type PaperContent = {
  /** Null: a draft. */
  number: string | null
  customer: string | null
  asset: Asset
  lines: {
    key: string
    description: string
    quantity: string
    unitAmount: Amount
    vatPercent: string | null
    amount: Amount
  }[]
  subtotal: Amount
  discount: { percent: string | null; amount: Amount } | null
  vat: Amount
  total: Amount
  /** Days as `2026-11-30`. */
  instalments: { key: string; amount: Amount; day: string }[]
  dueDay: string | null
  memo: string | null
  footer: string | null
}

export function contentOf(invoice: Invoice): PaperContent {
  return {
    ...invoice,
    lines: invoice.lines.map((line, index) => ({ key: String(index), ...line })),
    instalments: invoice.instalments.map(({ amount, dueAt }, index) => ({
      key: String(index),
      amount,
      day: dueDayOf(dueAt),
    })),
    dueDay: invoice.dueAt && dueDayOf(invoice.dueAt),
  }
}

export function typedContent(form: DraftForm): PaperContent {
  const { customer, asset, dueDate, discountKind } = form
  const amounts = amountsOf(form)
  const isInParts = form.payment === 'parts'
  return {
    number: null,
    customer,
    asset,
    lines: form.lines.map(({ id, description, quantity, unitAmount, vatPercent }, index) => ({
      key: String(id),
      description,
      quantity,
      unitAmount: unitAmount ?? 0n,
      vatPercent: vatPercent.trim() || null,
      amount: amounts.lines[index]!,
    })),
    subtotal: amounts.subtotal,
    discount:
      discountKind === 'none'
        ? null
        : {
            percent: discountKind === 'percent' ? form.discountPercent.trim() || null : null,
            amount: amounts.discount,
          },
    vat: amounts.vat,
    total: amounts.total,
    instalments: isInParts
      ? form.instalments.map(({ id, amount, date }) => ({
          key: String(id),
          amount: amount ?? 0n,
          day: date,
        }))
      : [],
    dueDay: isInParts || dueDate === '' ? null : dueDate,
    memo: form.memo.trim() || null,
    footer: form.footer.trim() || null,
  }
}

/** An invoice of a schedule, which gets its number and due date when it is made. */
export const scheduleContent = (form: DraftForm): PaperContent => ({
  ...typedContent(form),
  number: `${form.series.trim()}-…`,
})

/** The invoice as the customer reads it. */
export function Paper({ content }: { content: PaperContent }) {
  const { asset, lines, discount, instalments, dueDay, memo, footer } = content
  const merchant = useMembership()?.name
  const customer = useCustomer(content.customer)
  const money = (amount: Amount) => <Money amount={amount} asset={asset} />
  return (
    <article className="invoice-paper">
      <header className="row spread wrap">
        <b>{merchant}</b>
        <span className="soft">
          {words.invoice} {content.number ?? `· ${words.draft}`}
        </span>
      </header>
      <dl className="invoice-parties">
        <div>
          <dt className="soft small">{words.to}</dt>
          <dd>
            <b>{customer?.name ?? words.customerMissing}</b>
            {customer?.email && <span className="soft small">{customer.email}</span>}
          </dd>
        </div>
        {dueDay && (
          <div>
            <dt className="soft small">{words.due}</dt>
            <dd>{formatDay(dueDay)}</dd>
          </div>
        )}
      </dl>
      {memo && <p className="invoice-text">{memo}</p>}
      <table>
        <caption className="hidden">{words.lines}</caption>
        <thead>
          <tr>
            <th scope="col">{words.description}</th>
            <th scope="col" className="align-end">
              {words.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ key, description, quantity, unitAmount, vatPercent, amount }) => (
            <tr key={key}>
              <td>
                {description || <span className="soft">{words.emptyLine}</span>}
                <span className="soft small invoice-under">
                  {quantity} × {money(unitAmount)}
                  {vatPercent && ` · ${words.vatOf(vatPercent)}`}
                </span>
              </td>
              <td className="align-end">{money(amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl className="invoice-sums">
        <div>
          <dt>{words.subtotal}</dt>
          <dd>{money(content.subtotal)}</dd>
        </div>
        {discount && (
          <div>
            <dt>{discount.percent ? words.discountOf(discount.percent) : words.discount}</dt>
            <dd>−{money(discount.amount)}</dd>
          </div>
        )}
        <div>
          <dt>{words.vat}</dt>
          <dd>{money(content.vat)}</dd>
        </div>
        <div className="invoice-total">
          <dt>{words.total}</dt>
          <dd>{money(content.total)}</dd>
        </div>
      </dl>
      {instalments.length > 0 && (
        <>
          <h3>{words.instalments}</h3>
          <dl className="invoice-sums">
            {instalments.map(({ key, amount, day }) => (
              <div key={key}>
                <dt>{day === '' ? '–' : formatDay(day)}</dt>
                <dd>{money(amount)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {footer && <p className="soft small invoice-text">{footer}</p>}
    </article>
  )
}
