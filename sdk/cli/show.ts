import type { Terminal } from './terminal.js'

type Fields = Record<string, unknown>

const green = 32
const red = 31
const dim = 2
const colors = { green, red, dim } as const

export function paint(terminal: Terminal, color: keyof typeof colors, text: string): string {
  return terminal.hasColors && text !== '' ? `\u001b[${colors[color]}m${text}\u001b[0m` : text
}

/** One line per field; nested fields get dotted names: `customer.name`. */
export function formatFields(data: unknown): string {
  const lines = flatten(data)
  if (lines.length === 0) return 'Done.'
  const width = Math.max(...lines.map(([name]) => name.length))
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd()).join('\n')
}

function flatten(data: unknown, prefix = ''): [string, string][] {
  if (typeof data !== 'object' || data === null) return [[prefix || 'answer', toText(data)]]
  const fields = data as Fields
  return Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    const path = withoutControls(prefix === '' ? name : `${prefix}.${name}`)
    const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0
    if (isNested) return flatten(value, path)
    return [[path, toCell(name, fields, '  ')]]
  })
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return typeof value === 'string' ? withoutControls(value) : JSON.stringify(value)
}

/** Escapes control characters, so that text chosen by payers cannot control the terminal. */
export function withoutControls(text: string, allowed = ''): string {
  return text.replace(/\p{Cc}|\p{Cf}/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16).padStart(4, '0')
    return allowed.includes(character) ? character : `\\u${code}`
  })
}

/** Shows naira beside kobo, which are easily misread by a factor of 100. */
function toCell(name: string, fields: Fields, gap: string): string {
  const { [name]: value, currency, asset } = fields
  const isMoney = /^(amount|fee|totalDebit|available|held|pending|balance)/.test(name)
  const isKobo = typeof value === 'number' && isMoney && (currency ?? asset) === 'NGN'
  return isKobo ? `${value}${gap}(${formatNaira(value)})` : toText(value)
}

export function formatNaira(kobo: number): string {
  const [naira, rest] = [BigInt(kobo) / 100n, BigInt(kobo) % 100n]
  return `₦${naira.toLocaleString('en')}.${String(rest).padStart(2, '0')}`
}

/** One line per resource, with as many scalar fields as fit. */
export function formatList(items: unknown[], columns: number): string {
  if (items.length === 0) return 'None.'
  const rows = items as Fields[]
  const names = sortNames(new Set(rows.flatMap((row) => Object.keys(row)))).filter((name) =>
    rows.every((row) => typeof row[name] !== 'object' || row[name] === null),
  )
  const cells = rows.map((row) => names.map((name) => toCell(name, row, ' ')))
  const all = [names.map((name) => withoutControls(name)), ...cells]
  const widths = names.map((_, at) => Math.max(...all.map((row) => row[at]!.length)))
  const shown = widths.filter((_, at) => sumTo(widths, at) <= columns).length
  return all
    .map((row) => row.slice(0, Math.max(shown, 1)))
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const firstColumns = [
  'reference',
  'method',
  'path',
  'type',
  'status',
  'asset',
  'amount',
  'id',
  'currency',
  'createdAt',
]

function sortNames(names: Set<string>): string[] {
  const first = firstColumns.filter((name) => names.has(name))
  return [...first, ...[...names].filter((name) => !first.includes(name))]
}

/** Width of a line up to and including this column. */
function sumTo(widths: number[], last: number): number {
  return widths.slice(0, last + 1).reduce((sum, width) => sum + width + 2, -2)
}
