import type { Invoice, InvoiceSchedule } from '../../../../sdk/src/types'
import {
  computeInvoice,
  type Discount,
  type InvoiceAmounts,
  quantityUnit,
} from '../../../../src/customers/invoices/compute-invoice'
import { parsePercent, percentPattern } from '../../../../src/money/percent'
import { type Asset, toUnits, toWire } from '../../parts/money-format'
import { dueDayOf } from './due-day'

type Language = Invoice['language']

/** A line as it is typed. */
export type LineForm = {
  /** Stays with the line when others are removed. */
  id: number
  description: string
  quantity: string
  unitAmount: bigint | null
  /** Empty: none. */
  vatPercent: string
}

export type InstalmentForm = { id: number; amount: bigint | null; date: string }

/** An invoice as it is typed. */
export type DraftForm = {
  customer: string | null
  asset: Asset
  series: string
  lines: LineForm[]
  discountKind: 'none' | 'percent' | 'amount'
  discountPercent: string
  discountAmount: bigint | null
  payment: 'once' | 'parts'
  instalments: InstalmentForm[]
  dueDate: string
  memo: string
  footer: string
  language: Language
}

let lastId = 0

export function newLine(vatPercent = ''): LineForm {
  lastId += 1
  return { id: lastId, description: '', quantity: '1', unitAmount: null, vatPercent }
}

export function newInstalment(): InstalmentForm {
  lastId += 1
  return { id: lastId, amount: null, date: '' }
}

export function newDraft(customer: string | null): DraftForm {
  return {
    customer,
    asset: 'NGN',
    series: 'INV',
    lines: [newLine()],
    discountKind: 'none',
    discountPercent: '',
    discountAmount: null,
    payment: 'once',
    instalments: [newInstalment(), newInstalment()],
    dueDate: '',
    memo: '',
    footer: '',
    language: 'en',
  }
}

/** What an invoice and a schedule say alike. */
export function typedContents(written: Invoice | InvoiceSchedule): DraftForm {
  const { customer, asset, series, lines, discount, memo, footer } = written
  return {
    ...newDraft(customer),
    asset,
    series,
    lines: lines.map(({ description, quantity, unitAmount, vatPercent }) => ({
      ...newLine(vatPercent ?? ''),
      description,
      quantity,
      unitAmount: toUnits(unitAmount, asset),
    })),
    ...(discount && {
      discountKind: discount.percent === null ? 'amount' : 'percent',
      discountPercent: discount.percent ?? '',
      discountAmount: discount.percent === null ? toUnits(discount.amount, asset) : null,
    }),
    memo: memo ?? '',
    footer: footer ?? '',
    language: written.language,
  }
}

/** A draft that is changed. */
export function typedDraft(invoice: Invoice): DraftForm {
  const { asset, instalments, dueAt } = invoice
  return {
    ...typedContents(invoice),
    ...(instalments.length > 0 && {
      payment: 'parts',
      instalments: instalments.map((part) => ({
        ...newInstalment(),
        amount: toUnits(part.amount, asset),
        date: dueDayOf(part.dueAt),
      })),
    }),
    dueDate: dueAt === null ? '' : dueDayOf(dueAt),
  }
}

const percent = new RegExp(percentPattern)
export const isPercent = (text: string) => percent.test(text.trim())

const quantity = /^\d{1,6}(?:\.\d{1,3})?$/
export const isQuantity = (text: string) => quantity.test(text.trim()) && Number(text) > 0

export const isSeries = (text: string) => /^[A-Z][A-Z0-9]{0,11}$/.test(text.trim())

/** In thousandths; what is not a quantity counts as nothing. */
function toThousandths(text: string): bigint {
  if (!isQuantity(text)) return 0n
  const [whole = '', fraction = ''] = text.trim().split('.')
  return BigInt(whole) * quantityUnit + BigInt(fraction.padEnd(3, '0'))
}

/** What the draft adds up to, by the computation of the service. Incomplete lines count nothing. */
export function amountsOf({ lines, ...form }: DraftForm): InvoiceAmounts {
  const priced = lines.map((line) => ({
    quantity: toThousandths(line.quantity),
    unitAmount: line.unitAmount ?? 0n,
    vatBasisPoints: isPercent(line.vatPercent) ? parsePercent(line.vatPercent.trim()) : 0,
  }))
  return computeInvoice(priced, discountOf(form))
}

type TypedDiscount = Pick<DraftForm, 'discountKind' | 'discountPercent' | 'discountAmount'>

function discountOf({ discountKind, discountPercent, discountAmount }: TypedDiscount) {
  if (discountKind === 'percent' && isPercent(discountPercent))
    return { basisPoints: parsePercent(discountPercent.trim()) } satisfies Discount
  if (discountKind === 'amount' && discountAmount !== null)
    return { amount: discountAmount } satisfies Discount
  return null
}

/** What instalments leave of the total; negative if they are more. */
export function undatedOf({ instalments }: DraftForm, total: bigint): bigint {
  return instalments.reduce((left, { amount }) => left - (amount ?? 0n), total)
}

/** As the API takes an invoice; null while something is missing. A new one names only what it has. */
export function toBody(form: DraftForm, { isNew }: { isNew: boolean }): object | null {
  const { asset, payment, dueDate } = form
  const isInParts = payment === 'parts'
  const contents = contentsBody(form)
  const isMissing =
    isInParts &&
    (form.instalments.some(({ amount, date }) => amount === null || date === '') ||
      undatedOf(form, amountsOf(form).total) !== 0n)
  if (contents === null || isMissing) return null
  const body = {
    ...contents,
    instalments: isInParts
      ? form.instalments.map(({ amount, date }) => ({
          amount: toWire(amount!, asset),
          dueAt: date,
        }))
      : [],
    dueAt: isInParts || dueDate === '' ? null : dueDate,
  }
  return isNew ? { ...withoutNulls(body), asset } : body
}

/** What the API takes alike for invoices and schedules, but the asset, which stays. */
export function contentsBody(form: DraftForm) {
  const { customer, asset, series } = form
  const isMissing =
    customer === null ||
    form.lines.some((line) => !isComplete(line)) ||
    !isSeries(series) ||
    (form.discountKind !== 'none' && discountOf(form) === null)
  if (isMissing) return null
  return {
    customer,
    series: series.trim(),
    lines: form.lines.map((line) => ({
      description: line.description.trim(),
      quantity: line.quantity.trim(),
      unitAmount: toWire(line.unitAmount!, asset),
      ...(line.vatPercent.trim() !== '' && { vatPercent: line.vatPercent.trim() }),
    })),
    discount: discountBody(form),
    memo: form.memo.trim() || null,
    footer: form.footer.trim() || null,
    language: form.language,
  }
}

export const withoutNulls = (body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))

function discountBody(form: DraftForm): object | null {
  const { discountKind, discountPercent, discountAmount, asset } = form
  if (discountKind === 'percent') return { percent: discountPercent.trim() }
  if (discountKind === 'amount') return { amount: toWire(discountAmount!, asset) }
  return null
}

function isComplete({ description, quantity, unitAmount, vatPercent }: LineForm): boolean {
  const isVat = vatPercent.trim() === '' || isPercent(vatPercent)
  return description.trim() !== '' && isQuantity(quantity) && unitAmount !== null && isVat
}
