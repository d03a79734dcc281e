import { useState } from 'react'
import type { PaymentLink } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { Checkbox } from '../../parts/choices'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextField } from '../../parts/fields'
import { Icon } from '../../parts/icons'
import { toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { paymentLinksApi } from './kinds'
import { linkTexts } from './link-texts'

const words = linkTexts.form
const fieldsMax = 5

type Typed = {
  description: string
  price: 'fixed' | 'open'
  amount: bigint | null
  min: bigint | null
  max: bigint | null
  coin: 'USDC' | 'USDT' | null
  fields: { label: string; required: boolean }[]
  usesMax: string
  /** The last day, as `2036-01-05`. */
  lastDay: string
  slug: string
  successUrl: string
}

const emptyForm: Typed = {
  description: '',
  price: 'fixed',
  amount: null,
  min: null,
  max: null,
  coin: null,
  fields: [],
  usesMax: '',
  lastDay: '',
  slug: '',
  successUrl: '',
}

const toUnits = (kobo: number | null) => (kobo === null ? null : BigInt(kobo))

function typedOf(link: PaymentLink): Typed {
  return {
    description: link.description,
    price: link.amount === null ? 'open' : 'fixed',
    amount: toUnits(link.amount),
    min: toUnits(link.minAmount),
    max: toUnits(link.maxAmount),
    coin: link.crypto?.asset ?? null,
    fields: link.fields,
    usesMax: link.usesMax === null ? '' : String(link.usesMax),
    lastDay: link.expiresAt === null ? '' : lastDayOf(link.expiresAt),
    slug: link.slug,
    successUrl: link.successUrl ?? '',
  }
}

/** The day in Lagos, an hour ahead of UTC, in which it ends. */
function lastDayOf(expiresAt: string): string {
  return new Date(Date.parse(expiresAt) + 3_600_000 - 1).toISOString().slice(0, 10)
}

/** Null for what is empty. The slug is sent with a new link only, an end only if it changed. */
function bodyOf(typed: Typed, before: Typed | null): Record<string, unknown> {
  const isFixed = typed.price === 'fixed'
  const inKobo = (units: bigint | null) => (units === null ? null : toWire(units, 'NGN'))
  const usesMax = typed.usesMax.trim()
  return {
    description: typed.description.trim(),
    amount: isFixed ? inKobo(typed.amount) : null,
    minAmount: isFixed ? null : inKobo(typed.min),
    maxAmount: isFixed ? null : inKobo(typed.max),
    crypto: typed.coin === null ? null : { asset: typed.coin, network: 'SOLANA' },
    fields: typed.fields.map(({ label, required }) => ({ label: label.trim(), required })),
    usesMax: usesMax === '' ? null : Number(usesMax),
    successUrl: typed.successUrl.trim() || null,
    ...(typed.lastDay !== (before?.lastDay ?? '') && { expiresAt: typed.lastDay || null }),
    ...(before === null && { slug: typed.slug.trim() || null }),
  }
}

/** A new link leaves out what is empty. */
function withoutNulls(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

type Props = {
  /** Absent: a new one. */
  link?: PaymentLink
  onSaved: (saved: PaymentLink) => void
  onClose: () => void
}

export function LinkForm({ link, onSaved, onClose }: Props) {
  const before = link ? typedOf(link) : null
  const [typed, setTyped] = useState<Typed>(before ?? emptyForm)
  const set = (changed: Partial<Typed>) => setTyped({ ...typed, ...changed })
  const { write, isBusy, refusal } = useWrite<PaymentLink>({
    method: link ? 'PATCH' : 'POST',
    reads: ['pages', 'payment link'],
  })
  const save = async () => {
    const body = bodyOf(typed, before)
    const saved = link
      ? await write(`${paymentLinksApi}/${link.reference}`, body)
      : await write(paymentLinksApi, withoutNulls(body))
    if (!saved) return
    onClose()
    onSaved(saved)
  }
  const isComplete =
    typed.description.trim() !== '' &&
    (typed.price === 'open' || typed.amount !== null) &&
    /^\d*$/.test(typed.usesMax.trim()) &&
    typed.fields.every(({ label }) => label.trim() !== '')
  const money = (name: 'amount' | 'min' | 'max', label: string, field: string) => (
    <MoneyInput
      asset="NGN"
      label={label}
      value={typed[name]}
      error={refusal?.issueOf(field)}
      onChange={(value) => set({ [name]: value })}
    />
  )
  return (
    <ConfirmDialog
      title={link ? words.changeTitle : words.newTitle}
      confirmLabel={link ? words.save : words.create}
      isBusy={isBusy}
      isDisabled={!isComplete}
      refusal={refusal}
      atFields={shownFields}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <TextField
        label={words.description}
        placeholder={words.descriptionPlaceholder}
        value={typed.description}
        error={refusal?.issueOf('description')}
        onChange={(description) => set({ description })}
        autoFocus
      />
      <div className="two-columns">
        <SelectField
          label={words.price}
          options={words.prices}
          value={typed.price}
          onChange={(price) => set({ price })}
        />
        {typed.price === 'fixed' && money('amount', words.amount, 'amount')}
      </div>
      {typed.price === 'open' && (
        <div className="two-columns">
          {money('min', words.min, 'minAmount')}
          {money('max', words.max, 'maxAmount')}
        </div>
      )}
      <Checkbox
        label={words.alsoCoins}
        isOn={typed.coin !== null}
        onChange={(isOn) => set({ coin: isOn ? 'USDC' : null })}
      />
      {typed.coin !== null && (
        <SelectField
          label={words.coin}
          options={['USDC', 'USDT']}
          value={typed.coin}
          onChange={(coin) => set({ coin })}
        />
      )}
      <Questions
        fields={typed.fields}
        issueOf={(index) => refusal?.issueOf(`fields.${index}.label`)}
        onChange={(fields) => set({ fields })}
      />
      <div className="two-columns">
        <TextField
          label={words.usesMax}
          description={words.usesHint}
          inputMode="numeric"
          value={typed.usesMax}
          error={refusal?.issueOf('usesMax')}
          onChange={(usesMax) => set({ usesMax })}
          isDescribedBelow
        />
        <TextField
          label={words.expires}
          type="date"
          value={typed.lastDay}
          error={refusal?.issueOf('expiresAt')}
          onChange={(lastDay) => set({ lastDay })}
        />
      </div>
      {!link && (
        <TextField
          label={words.slug}
          description={words.slugHint}
          placeholder={words.slugPlaceholder}
          value={typed.slug}
          error={refusal?.issueOf('slug')}
          onChange={(slug) => set({ slug })}
          isDescribedBelow
        />
      )}
      <TextField
        label={words.successUrl}
        placeholder="https://"
        value={typed.successUrl}
        error={refusal?.issueOf('successUrl')}
        onChange={(successUrl) => set({ successUrl })}
      />
    </ConfirmDialog>
  )
}

const shownFields = [
  'description',
  'amount',
  'minAmount',
  'maxAmount',
  'usesMax',
  'expiresAt',
  'slug',
  'successUrl',
  ...Array.from({ length: fieldsMax }, (_, index) => `fields.${index}.label`),
]

type QuestionsProps = {
  fields: Typed['fields']
  issueOf: (index: number) => string | undefined
  onChange: (fields: Typed['fields']) => void
}

function Questions({ fields, issueOf, onChange }: QuestionsProps) {
  const replace = (index: number, changed: Partial<Typed['fields'][number]>) =>
    onChange(fields.map((field, place) => (place === index ? { ...field, ...changed } : field)))
  return (
    <fieldset className="plain-set">
      <legend className="bold">{words.fields}</legend>
      {fields.map(({ label, required }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a question is known by its place
        <div className="question" key={index}>
          <TextField
            hiddenLabel={words.field(index + 1)}
            placeholder={words.field(index + 1)}
            value={label}
            error={issueOf(index)}
            onChange={(text) => replace(index, { label: text })}
          />
          <Checkbox
            label={words.required}
            isOn={required}
            onChange={(isOn) => replace(index, { required: isOn })}
          />
          <button
            type="button"
            className="icon-button compact"
            aria-label={words.removeField(index + 1)}
            title={words.removeField(index + 1)}
            onClick={() => onChange(fields.filter((_, place) => place !== index))}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      {fields.length < fieldsMax && (
        <div>
          <Button icon="plus" onClick={() => onChange([...fields, { label: '', required: true }])}>
            {words.addField}
          </Button>
        </div>
      )}
    </fieldset>
  )
}
