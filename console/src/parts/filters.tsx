import { commonTexts } from '../texts/common'
import { SelectField, TextField } from './fields'
import { Form } from './form'
import './filters.css'
import { Popover } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useScope } from '../api/scope'
import { useIsOperatorArea } from '../frame/menu'
import { Button } from './button'
import { Icon } from './icons'
import { LiveBadge } from './live-badge'
import { type Asset, formatMoney, parseMoney, toWire } from './money-format'
import { daysAgo } from './time-format'

/** One filter of a list, kept in the URL under its name. */
export type Filter =
  | { kind: 'text'; name: string; label: string; placeholder?: string }
  | { kind: 'choice'; name: string; label: string; options: { value: string; label: string }[] }
  /** `minAmount` and `maxAmount`. */
  | { kind: 'amount'; label: string }
  /** `from` and `to`, as days in Lagos. */
  | { kind: 'period'; label: string }

export type FilterValues = Record<string, string>

/**
 * The filters in the URL, as the API takes them. Other parameters stay. The URL of a filtered list
 * names the mode, too, so that a colleague who opens it sees the same list.
 */
export function useFilters(filters: Filter[], others: string[] = []) {
  const search = useSearch({ strict: false }) as FilterValues
  const navigate = useNavigate()
  const { mode } = useScope()
  const isOfMode = !useIsOperatorArea()
  const names = new Set([...filters.flatMap(namesOf), ...others])
  const values = Object.fromEntries(Object.entries(search).filter(([name]) => names.has(name)))
  const namesMode = Object.keys(values).length > 0 || search.mode !== undefined
  const isUnnamed = isOfMode && namesMode && search.mode !== mode
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each list and mode
  useEffect(() => {
    const named = (latest: FilterValues) => ({ ...latest, mode })
    if (isUnnamed) void navigate({ to: '.', search: named as never, replace: true })
  }, [isUnnamed, mode])
  const change = (changed: Record<string, string | undefined>) => {
    const merged = Object.entries({ ...search, ...changed })
    const next = Object.fromEntries(merged.filter(([, value]) => value))
    void navigate({ to: '.', search: next as never, replace: true })
  }
  return { values, change, isFiltered: Object.keys(values).length > 0 }
}

function namesOf(filter: Filter): string[] {
  if (filter.kind === 'amount') return ['minAmount', 'maxAmount', 'currency']
  return filter.kind === 'period' ? ['from', 'to'] : [filter.name]
}

type Props = {
  filters: Filter[]
  values: FilterValues
  onChange: (changed: Record<string, string | undefined>) => void
  /** Warns at the end of the row if the list no longer updates by itself. */
  isLive?: boolean
}

/** A row of filters: those that are set, and those that can be. `/` moves the focus here. */
export function Filters({ filters, values, onChange, isLive }: Props) {
  return (
    <div className="filters" role="group" aria-label={commonTexts.filters} data-filters="">
      {filters.map((filter) => (
        <OneFilter key={filter.label} filter={filter} values={values} onChange={onChange} />
      ))}
      {isLive && <LiveBadge className="push-end desktop-only" />}
    </div>
  )
}

function OneFilter({ filter, values, onChange }: Omit<Props, 'filters'> & { filter: Filter }) {
  const [isOpen, setOpen] = useState(false)
  const shown = describe(filter, values)
  const clear = () => onChange(Object.fromEntries(namesOf(filter).map((name) => [name, undefined])))
  const apply = (changed: Record<string, string | undefined>) => {
    setOpen(false)
    onChange(changed)
  }
  return (
    <span className="filter-pair">
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="bottom-start"
        shadow="md"
        trapFocus
        transitionProps={{ duration: 0 }}
      >
        <Popover.Target>
          <button
            type="button"
            className={shown ? 'filter selected' : 'filter'}
            aria-haspopup="dialog"
            data-search={'name' in filter && filter.name === 'q' ? '' : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            {!shown && <Icon name="plus" size={14} />}
            {shown ? `${filter.label}: ${shown}` : filter.label}
          </button>
        </Popover.Target>
        <Popover.Dropdown>
          <FilterForm filter={filter} values={values} onApply={apply} />
        </Popover.Dropdown>
      </Popover>
      {shown && (
        <button
          type="button"
          className="filter selected clear"
          aria-label={commonTexts.clearFilter(filter.label)}
          onClick={clear}
        >
          <Icon name="close" size={14} />
        </button>
      )}
    </span>
  )
}

type FormProps = {
  filter: Filter
  values: FilterValues
  onApply: (changed: Record<string, string | undefined>) => void
}

function FilterForm({ filter, values, onApply }: FormProps) {
  const [typed, setTyped] = useState<FilterValues>(() => typedOf(filter, values))
  const field = (name: string) => ({
    value: typed[name] ?? '',
    onChange: (text: string) => setTyped({ ...typed, [name]: text }),
  })
  if (filter.kind === 'choice')
    return (
      <div role="listbox" aria-label={filter.label} className="filter-options">
        {filter.options.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            role="option"
            aria-selected={values[filter.name] === value}
            className="filter-option"
            onClick={() => onApply({ [filter.name]: value })}
          >
            {label}
          </button>
        ))}
      </div>
    )
  return (
    <Form className="filter-form" onSubmit={() => onApply(wireOf(filter, typed))}>
      {filter.kind === 'text' && (
        <TextField
          autoFocus
          label={filter.label}
          placeholder={filter.placeholder}
          {...field(filter.name)}
        />
      )}
      {filter.kind === 'period' && (
        <>
          <div className="row wrap" role="group" aria-label={commonTexts.presets.title}>
            {presetPeriods().map(({ label, from, to }) => (
              <Button key={label} size="small" onClick={() => onApply({ from, to })}>
                {label}
              </Button>
            ))}
          </div>
          <TextField type="date" label={commonTexts.fromDay} {...field('from')} />
          <TextField type="date" label={commonTexts.toDay} {...field('to')} />
        </>
      )}
      {filter.kind === 'amount' && (
        <>
          <SelectField
            label={commonTexts.currency}
            options={['NGN', 'USDC', 'USDT']}
            value={typed.currency ?? 'NGN'}
            onChange={(currency) => setTyped({ ...typed, currency: currency ?? 'NGN' })}
            isInPopover
          />
          <TextField label={commonTexts.atLeast} inputMode="decimal" {...field('minAmount')} />
          <TextField label={commonTexts.atMost} inputMode="decimal" {...field('maxAmount')} />
        </>
      )}
      <Button type="submit" kind="primary" size="small">
        {commonTexts.apply}
      </Button>
    </Form>
  )
}

type Period = { label: string; from: string; to: string }

function presetPeriods(): Period[] {
  const words = commonTexts.presets
  const today = daysAgo(0)
  const month = `${today.slice(0, 8)}01`
  const lastOfMonthBefore = daysAgo(Number(today.slice(8)))
  return [
    { label: words.today, from: today, to: today },
    { label: words.yesterday, from: daysAgo(1), to: daysAgo(1) },
    { label: words.week, from: daysAgo(6), to: today },
    { label: words.month, from: month, to: today },
    {
      label: words.monthBefore,
      from: `${lastOfMonthBefore.slice(0, 8)}01`,
      to: lastOfMonthBefore,
    },
  ]
}

/** In the URL amounts are as the API takes them, kobo for naira; people type naira. */
function typedOf(filter: Filter, values: FilterValues): FilterValues {
  if (filter.kind !== 'amount') return values
  const asset = (values.currency ?? 'NGN') as Asset
  const plain = (text: string | undefined) =>
    text ? formatMoney(asset === 'NGN' ? BigInt(text) : text, asset).replace(/[₦,]|\s.*$/g, '') : ''
  return {
    currency: asset,
    minAmount: plain(values.minAmount),
    maxAmount: plain(values.maxAmount),
  }
}

function wireOf(filter: Filter, typed: FilterValues): Record<string, string | undefined> {
  if (filter.kind !== 'amount')
    return Object.fromEntries(namesOf(filter).map((name) => [name, typed[name]?.trim()]))
  const asset = (typed.currency ?? 'NGN') as Asset
  const wire = (text = '') => {
    const units = parseMoney(text, asset)
    return units === null || units === undefined ? undefined : String(toWire(units, asset))
  }
  return { currency: asset, minAmount: wire(typed.minAmount), maxAmount: wire(typed.maxAmount) }
}

function describe(filter: Filter, values: FilterValues): string | undefined {
  if (filter.kind === 'text') return values[filter.name]
  if (filter.kind === 'choice')
    return filter.options.find(({ value }) => value === values[filter.name])?.label
  if (filter.kind === 'period') {
    const { from, to } = values
    return from || to ? [from, to].map((day) => day ?? '…').join(' – ') : undefined
  }
  const { minAmount, maxAmount, currency = 'NGN' } = values
  if (!minAmount && !maxAmount) return values.currency
  const asset = currency as Asset
  const money = (text: string) => formatMoney(asset === 'NGN' ? BigInt(text) : text, asset)
  if (minAmount && maxAmount) return `${money(minAmount)} – ${money(maxAmount)}`
  return minAmount ? `≥ ${money(minAmount)}` : `≤ ${money(maxAmount!)}`
}
