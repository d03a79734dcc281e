import { listColumns, readField } from './columns.js'
import { formatMoney, isAsset } from './money.js'
import { withoutControls } from './style.js'
import { formatTable } from './table.js'
import type { Terminal } from './terminal.js'
import { formatTime, isTimeField, lagos, type TimeStyle, zoneLabel } from './times.js'

type Fields = Record<string, unknown>

/** Which fields are amounts, by dotted name without indexes, and the asset if none is named. */
export type Money = { fields: string[]; asset?: string | undefined }

const noMoney: Money = { fields: [] }

/** One line per field; nested fields get dotted names: `customer.name`. */
export function formatFields(data: unknown, money: Money = noMoney): string {
  return alignFields(flatten(data, { money })) || 'Done.'
}

/** The same, with every list of objects as a table below: the items of a timeline. */
export function formatAnswer(
  terminal: Pick<Terminal, 'hasColors' | 'columns'>,
  data: unknown,
  { money, operation }: { money: Money; operation: string },
): string {
  const { timeZone, bucket } = (data ?? {}) as Fields
  const zone = typeof timeZone === 'string' ? timeZone : undefined
  const lists: List[] = []
  const fields = alignFields(flatten(data, { money, lists, zone }))
  const tables = lists.map(({ name, items, money }) => {
    const table = formatList(terminal, items, { money, operation, zone, isDaily: bucket === 'day' })
    return isOnlyList(name) ? table : `${name}\n${table}`
  })
  return [fields, ...tables].filter(Boolean).join('\n\n') || 'Done.'
}

function isOnlyList(name: string): boolean {
  return ['items', 'buckets', 'hours'].includes(name)
}

function alignFields(lines: [string, string][]): string {
  const width = Math.max(...lines.map(([name]) => name.length))
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd()).join('\n')
}

type List = { name: string; items: Fields[]; money: Money }

/** With `lists`, lists of objects are added to it instead. `zone` is the one of the answer. */
type Flattening = { money: Money; lists?: List[] | undefined; zone?: string | undefined }

function flatten(data: unknown, how: Flattening, path: string[] = []): [string, string][] {
  const { money, lists, zone } = how
  const shownPath = withoutControls(path.join('.'))
  if (typeof data !== 'object' || data === null) return [[shownPath || 'answer', toText(data)]]
  const fields = data as Fields
  const inside = { fields: money.fields, asset: assetOf(fields) ?? money.asset }
  return Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    const valuePath = [...path, name]
    const dotted = valuePath.join('.')
    if (lists && !path.includes('metadata') && name !== 'metadata' && isListOfObjects(value)) {
      lists.push({ name: withoutControls(dotted), items: value, money: within(inside, dotted) })
      return []
    }
    const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0
    if (isNested) return flatten(value, { money: inside, lists, zone }, valuePath)
    const isTime = isTimeField(name) && !path.includes('metadata')
    const time = isTime ? toTimeText(value, zone) : undefined
    return [[withoutControls(dotted), time ?? toCell(valuePath, value, inside)]]
  })
}

/** Names the zone, unless the answer does. */
function toTimeText(value: unknown, zone: string | undefined): string | undefined {
  if (zone) return formatTime(value, { zone, unit: 'minute' })
  const time = formatTime(value, { zone: lagos, unit: 'second' })
  return time && `${time} ${zoneLabel(lagos)}`
}

function isListOfObjects(value: unknown): value is Fields[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item))
  )
}

/** The amounts of the items of a list: `payments.fee` becomes `fee`. */
function within({ fields, asset }: Money, list: string): Money {
  const inner = fields.filter((field) => field.startsWith(`${list}.`))
  return { fields: inner.map((field) => field.slice(list.length + 1)), asset }
}

function assetOf({ asset, currency }: Fields): string | undefined {
  return [asset, currency].find(isAsset)
}

/** Amounts with their unit; everything else as the API writes it. */
function toCell(path: string[], value: unknown, { fields, asset }: Money): string {
  const isMoney = fields.includes(path.filter((part) => !/^\d+$/.test(part)).join('.'))
  if (!isMoney || (typeof value !== 'number' && typeof value !== 'string')) return toText(value)
  const last = path.at(-1)
  return withoutControls(formatMoney(value, isAsset(last) ? last : asset))
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return typeof value === 'string' ? withoutControls(value) : JSON.stringify(value)
}

type ListStyle = {
  money?: Money
  /** Some operations have columns of their own. */
  operation?: string
  zone?: string | undefined
  isDaily?: boolean
}

/** A kept name is at least this wide; below, times lose their year and sentences become codes. */
const nameWidthWanted = 16

/** One line per resource: what people look for first, then as many scalar fields as fit. */
export function formatList(
  terminal: Pick<Terminal, 'hasColors' | 'columns'>,
  items: unknown[],
  { money = noMoney, operation, zone = lagos, isDaily = false }: ListStyle = {},
): string {
  const rows = items as Fields[]
  const { all, kept, shrinking, hasSeconds } = listColumns(rows, operation)
  const unit = isDaily ? 'day' : hasSeconds ? 'second' : 'minute'
  const at = all.findIndex(({ head }) => head === shrinking)
  const build = (style: TimeStyle, isNarrow: boolean) => ({
    head: all.map(({ head }, one) => headOf(head, { rows, style, isKept: one < kept })),
    rows: rows.map((row) => {
      const inside = { fields: money.fields, asset: assetOf(row) ?? money.asset }
      return all.map(({ fields, narrowFields }) =>
        toListCell(isNarrow ? narrowFields : fields, row, inside, style),
      )
    }),
  })
  const full = build({ zone, unit }, false)
  const widths = full.head.map((head, at) =>
    Math.max(head.length, ...full.rows.map((row) => row[at]!.length)),
  )
  const least = widths
    .slice(0, kept)
    .map((width, one) => (one === at ? Math.min(width, nameWidthWanted) : width) + 2)
  const isNarrow = least.reduce((sum, width) => sum + width, -2) > terminal.columns
  return formatTable(terminal, {
    ...(isNarrow ? build({ zone, unit, isYearHidden: !isDaily }, true) : full),
    amounts: money.fields,
    isCut: true,
    kept: Math.max(kept, 1),
    shrinking: at < 0 ? undefined : { at, keepsEnd: shrinking === 'path' },
  })
}

/** The head of a time names its zone. */
function headOf(
  head: string,
  { rows, style, isKept }: { rows: Fields[]; style: TimeStyle; isKept: boolean },
): string {
  const isTime = rows.some((row) => toTime(head, row, style) !== undefined)
  if (!isTime) return head
  return `${style.isYearHidden && isKept ? 'time' : head} (${zoneLabel(style.zone)})`
}

function toListCell(fields: string[], row: Fields, money: Money, style: TimeStyle): string {
  const field = fields.find((one) => (readField(row, one) ?? null) !== null) ?? fields[0]!
  return toTime(field, row, style) ?? toCell(field.split('.'), readField(row, field), money)
}

function toTime(field: string, row: Fields, style: TimeStyle): string | undefined {
  return isTimeField(field) ? formatTime(readField(row, field), style) : undefined
}
