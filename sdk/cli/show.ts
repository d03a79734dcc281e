import { formatMoney, isAsset } from './money.js'
import { withoutControls } from './style.js'
import { formatTable } from './table.js'
import type { Terminal } from './terminal.js'

type Fields = Record<string, unknown>

/** Which fields are amounts, by dotted name without indexes, and the asset if none is named. */
export type Money = { fields: string[]; asset?: string | undefined }

const noMoney: Money = { fields: [] }

/** One line per field; nested fields get dotted names: `customer.name`. */
export function formatFields(data: unknown, money: Money = noMoney): string {
  const lines = flatten(data, money)
  if (lines.length === 0) return 'Done.'
  const width = Math.max(...lines.map(([name]) => name.length))
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd()).join('\n')
}

function flatten(data: unknown, money: Money, path: string[] = []): [string, string][] {
  const shownPath = withoutControls(path.join('.'))
  if (typeof data !== 'object' || data === null) return [[shownPath || 'answer', toText(data)]]
  const fields = data as Fields
  const inside = { fields: money.fields, asset: assetOf(fields) ?? money.asset }
  return Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0
    if (isNested) return flatten(value, inside, [...path, name])
    const cell = toCell([...path, name], value, inside)
    return [[withoutControls([...path, name].join('.')), cell]]
  })
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

/** One line per resource, with as many scalar fields as fit. */
export function formatList(
  terminal: Pick<Terminal, 'hasColors' | 'columns'>,
  items: unknown[],
  money: Money = noMoney,
): string {
  const rows = items as Fields[]
  const head = sortNames(new Set(rows.flatMap((row) => Object.keys(row)))).filter((name) =>
    rows.every((row) => typeof row[name] !== 'object' || row[name] === null),
  )
  const cells = rows.map((row) => {
    const inside = { fields: money.fields, asset: assetOf(row) ?? money.asset }
    return head.map((name) => toCell([name], row[name], inside))
  })
  return formatTable(terminal, { head, rows: cells, amounts: money.fields, isCut: true })
}

const firstColumns = [
  'reference',
  'method',
  'path',
  'type',
  'status',
  'asset',
  'amount',
  'balanceAfter',
  'id',
  'currency',
  'createdAt',
]

function sortNames(names: Set<string>): string[] {
  const first = firstColumns.filter((name) => names.has(name))
  return [...first, ...[...names].filter((name) => !first.includes(name))]
}
