import './invoices.css'
import { type ReactNode, useState } from 'react'
import { invoiceLimits } from '../../../../src/customers/limits'
import type { ApiRefusal } from '../../api/refusal'
import { Button } from '../../parts/button'
import { SelectField, TextArea, TextField } from '../../parts/fields'
import { Form } from '../../parts/form'
import { Icon } from '../../parts/icons'
import { formatMoney } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { Card, EmptyState } from '../../parts/page'
import { ErrorState, Refusal } from '../../parts/refusals'
import { CustomerField } from '../customers/customer-field'
import { useCustomers } from '../customers/use-customers'
import {
  amountsOf,
  type DraftForm,
  type InstalmentForm,
  isPercent,
  isQuantity,
  isSeries,
  type LineForm,
  newInstalment,
  newLine,
  toBody,
  undatedOf,
} from './draft-form'
import { Paper, type PaperContent, typedContent } from './paper'
import { invoiceTexts } from './texts'

const words = invoiceTexts.form
const { linesMax, instalmentsMax } = invoiceLimits

type Props = {
  head: ReactNode
  before: DraftForm
  /** A draft keeps its asset. */
  isNew: boolean
  isBusy: boolean
  refusal: ApiRefusal | null
  onSave: (body: object) => void
}

/** The fields of an invoice. */
export function InvoiceForm({ before, isNew, refusal, ...props }: Props) {
  const [form, setForm] = useState(before)
  const parts = partsOf(form, setForm, refusal)
  return (
    <DraftEditor
      {...props}
      parts={parts}
      isNew={isNew}
      refusal={refusal}
      body={toBody(form, { isNew })}
      content={typedContent(form)}
      saveLabel={words.save}
    >
      <When {...parts} />
    </DraftEditor>
  )
}

type PartProps = {
  form: DraftForm
  change: (changed: Partial<DraftForm>) => void
  issueOf: (field: string) => string | undefined
}

export const partsOf = (
  form: DraftForm,
  setForm: (form: DraftForm) => void,
  refusal: ApiRefusal | null,
): PartProps => ({
  form,
  change: (changed) => setForm({ ...form, ...changed }),
  issueOf: (field) => refusal?.issueOf(field),
})

type EditorProps = Omit<Props, 'before'> & {
  parts: PartProps
  /** As the API takes it; null while something is missing. */
  body: object | null
  content: PaperContent
  saveLabel: string
  /** When it is due, or when invoices are made. */
  children: ReactNode
}

/** What an invoice or a schedule says, and beside it the invoice as the customer will read it. */
export function DraftEditor({ head, parts, isNew, refusal, body, ...props }: EditorProps) {
  const { items, isRead, error, retry } = useCustomers()
  if (error)
    return (
      <>
        {head}
        <Card>
          <ErrorState error={error} retry={retry} />
        </Card>
      </>
    )
  if (isRead && items.length === 0)
    return (
      <>
        {head}
        <Card>
          <EmptyState icon="users" action={<Button to="/customers">{words.toCustomers}</Button>}>
            {words.noCustomers}
          </EmptyState>
        </Card>
      </>
    )
  return (
    <Form
      onSubmit={() => {
        if (body) props.onSave(body)
      }}
    >
      {head}
      <div className="invoice-editor">
        <div className="stack">
          <Who {...parts} isNew={isNew} />
          <Lines {...parts} />
          {props.children}
          <Notes {...parts} />
        </div>
        <div className="stack">
          <Card title={words.preview}>
            <Paper content={props.content} />
          </Card>
          <div className="sticky-actions">
            <Button
              type="submit"
              kind="primary"
              size="big"
              isWide
              isBusy={props.isBusy}
              isDisabled={body === null}
            >
              {props.saveLabel}
            </Button>
          </div>
          {body === null && <p className="soft small">{words.incomplete}</p>}
          <Refusal error={refusal} atFields={refusal?.details.map(({ field }) => field) ?? []} />
        </div>
      </div>
    </Form>
  )
}

function Who({ form, change, issueOf, isNew }: PartProps & { isNew: boolean }) {
  const { customer, asset, series, language } = form
  return (
    <Card title={words.who} layout="form">
      <CustomerField
        label={words.customer}
        value={customer}
        error={issueOf('customer')}
        onChange={(reference) => change({ customer: reference })}
      />
      <div className="two-columns">
        {isNew && (
          <SelectField
            label={words.asset}
            options={words.assets}
            value={asset}
            onChange={(chosen) =>
              change({
                asset: chosen,
                discountAmount: null,
                lines: form.lines.map((line) => ({ ...line, unitAmount: null })),
                instalments: form.instalments.map((part) => ({ ...part, amount: null })),
              })
            }
          />
        )}
        <TextField
          label={words.series}
          description={words.seriesHint}
          isDescribedBelow
          value={series}
          maxLength={12}
          autoComplete="off"
          error={isSeries(series) ? issueOf('series') : words.seriesIssue}
          onChange={(text) => change({ series: text.toUpperCase() })}
        />
      </div>
      <SelectField
        label={words.language}
        description={words.languageHint}
        options={words.languages}
        value={language}
        onChange={(chosen) => change({ language: chosen })}
      />
    </Card>
  )
}

function Lines({ form, change, issueOf }: PartProps) {
  const { lines, asset, discountKind, discountPercent } = form
  const changeLine = (id: number, changed: Partial<LineForm>) =>
    change({ lines: lines.map((line) => (line.id === id ? { ...line, ...changed } : line)) })
  return (
    <Card title={words.lines} layout="form">
      {lines.map((line, index) => (
        <div key={line.id} className="invoice-line" role="group" aria-label={words.line(index + 1)}>
          <TextField
            label={words.description}
            value={line.description}
            maxLength={300}
            autoComplete="off"
            error={issueOf(`lines.${index}.description`)}
            onChange={(description) => changeLine(line.id, { description })}
          />
          <TextField
            label={words.quantity}
            value={line.quantity}
            inputMode="decimal"
            autoComplete="off"
            error={
              isQuantity(line.quantity) ? issueOf(`lines.${index}.quantity`) : words.quantityIssue
            }
            onChange={(quantity) => changeLine(line.id, { quantity })}
          />
          <MoneyInput
            key={asset}
            asset={asset}
            label={words.unitAmount}
            value={line.unitAmount}
            error={issueOf(`lines.${index}.unitAmount`)}
            onChange={(unitAmount) => changeLine(line.id, { unitAmount })}
          />
          <TextField
            label={words.vat}
            unit="%"
            placeholder={words.vatPlaceholder}
            inputMode="decimal"
            autoComplete="off"
            value={line.vatPercent}
            error={
              line.vatPercent.trim() === '' || isPercent(line.vatPercent)
                ? issueOf(`lines.${index}.vatPercent`)
                : words.percentIssue
            }
            onChange={(vatPercent) => changeLine(line.id, { vatPercent })}
          />
          {lines.length > 1 && (
            <RemoveButton
              label={words.removeLine(index + 1)}
              onClick={() => change({ lines: lines.filter(({ id }) => id !== line.id) })}
            />
          )}
        </div>
      ))}
      <div>
        <Button
          icon="plus"
          isDisabled={lines.length >= linesMax}
          onClick={() => change({ lines: [...lines, newLine(lines.at(-1)?.vatPercent)] })}
        >
          {words.addLine}
        </Button>
      </div>
      <div className="two-columns">
        <SelectField
          label={words.discount}
          options={words.discounts}
          value={discountKind}
          onChange={(chosen) => change({ discountKind: chosen })}
        />
        {discountKind === 'percent' && (
          <TextField
            label={words.discountPercent}
            unit="%"
            inputMode="decimal"
            autoComplete="off"
            value={discountPercent}
            error={
              discountPercent === '' || isPercent(discountPercent)
                ? issueOf('discount.percent')
                : words.percentIssue
            }
            onChange={(text) => change({ discountPercent: text })}
          />
        )}
        {discountKind === 'amount' && (
          <MoneyInput
            key={asset}
            asset={asset}
            label={words.discountAmount}
            value={form.discountAmount}
            error={issueOf('discount.amount')}
            onChange={(amount) => change({ discountAmount: amount })}
          />
        )}
      </div>
    </Card>
  )
}

function When({ form, change, issueOf }: PartProps) {
  const { payment, instalments, dueDate, asset } = form
  const undated = undatedOf(form, amountsOf(form).total)
  const changePart = (id: number, changed: Partial<InstalmentForm>) =>
    change({
      instalments: instalments.map((part) => (part.id === id ? { ...part, ...changed } : part)),
    })
  return (
    <Card title={words.when} layout="form">
      <div className="two-columns">
        <SelectField
          label={words.payment}
          options={words.payments}
          value={payment}
          onChange={(chosen) => change({ payment: chosen })}
        />
        {payment === 'once' && (
          <TextField
            type="date"
            label={words.dueDate}
            description={words.dueDateHint}
            isDescribedBelow
            value={dueDate}
            error={issueOf('dueAt')}
            onChange={(date) => change({ dueDate: date })}
          />
        )}
      </div>
      {payment === 'parts' && (
        <>
          {instalments.map((part, index) => (
            <div key={part.id} className="invoice-part">
              <MoneyInput
                key={asset}
                asset={asset}
                label={words.instalmentAmount(index + 1)}
                value={part.amount}
                error={issueOf(`instalments.${index}.amount`)}
                onChange={(amount) => changePart(part.id, { amount })}
              />
              <TextField
                type="date"
                label={words.instalmentDate}
                value={part.date}
                error={issueOf(`instalments.${index}.dueAt`)}
                onChange={(date) => changePart(part.id, { date })}
              />
              {instalments.length > 1 && (
                <RemoveButton
                  label={words.removeInstalment(index + 1)}
                  onClick={() =>
                    change({ instalments: instalments.filter(({ id }) => id !== part.id) })
                  }
                />
              )}
            </div>
          ))}
          <div role="status">
            {undated !== 0n && (
              <p className="soft small">
                {undated > 0n
                  ? words.missing(formatMoney(undated, asset))
                  : words.tooMuch(formatMoney(-undated, asset))}
              </p>
            )}
          </div>
          <div>
            <Button
              icon="plus"
              isDisabled={instalments.length >= instalmentsMax}
              onClick={() => change({ instalments: [...instalments, newInstalment()] })}
            >
              {words.addInstalment}
            </Button>
          </div>
        </>
      )}
    </Card>
  )
}

function Notes({ form: { memo, footer }, change, issueOf }: PartProps) {
  return (
    <Card title={words.notes} layout="form">
      <TextArea
        label={words.memo}
        description={words.memoHint}
        value={memo}
        maxLength={1_000}
        error={issueOf('memo')}
        onChange={(text) => change({ memo: text })}
      />
      <TextArea
        label={words.footer}
        description={words.footerHint}
        value={footer}
        maxLength={1_000}
        error={issueOf('footer')}
        onChange={(text) => change({ footer: text })}
      />
    </Card>
  )
}

function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className="icon-button compact" aria-label={label} onClick={onClick}>
      <Icon name="close" />
    </button>
  )
}
