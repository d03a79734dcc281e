import { stringify } from 'csv-stringify/sync'
import { formatUnits, fromWire } from '../../money/amounts.js'
import { type Asset, assets } from '../../money/assets.js'

type Value = string | number | boolean | null | undefined

/** One column of an export, read from an item as the API shows it. */
export type CsvColumn = { header: string; read: (item: Item) => Value }

type Item = { [field: string]: unknown }

/** Columns in this order. A dot leads into an object: `sender.name`. */
export function csvColumns(...columns: (string | CsvColumn[])[]): CsvColumn[] {
  return columns.flatMap((column) =>
    typeof column === 'string' ? [{ header: column, read: readerOf(column) }] : column,
  )
}

function readerOf(path: string): CsvColumn['read'] {
  const names = path.split('.')
  return (item) => {
    let value: unknown = item
    for (const name of names) value = (value as Item | null | undefined)?.[name]
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Value)
  }
}

/** An amount in two columns: naira or coins with a point, and the smallest unit as an integer. */
export function inBothUnits(field: string): CsvColumn[] {
  const read = readerOf(field)
  const exact = (item: Item) => {
    const value = read(item)
    const asset = (item.currency ?? item.asset) as Asset
    if (value === null || value === undefined) return undefined
    return { amount: fromWire(value as number | string, asset), asset }
  }
  return [
    {
      header: `${field}Major`,
      read: (item) => {
        const found = exact(item)
        const decimals = found && assets[found.asset].decimals
        return found && formatUnits(found.amount, decimals!, decimals)
      },
    },
    { header: `${field}Minor`, read: (item) => exact(item)?.amount.toString() },
  ]
}

export function csvHeader(columns: CsvColumn[]): string {
  return stringify([columns.map(({ header }) => header)])
}

export function csvRows(columns: CsvColumn[], items: object[]): string {
  return stringify(items.map((item) => columns.map(({ read }) => toCell(read(item as Item)))))
}

/** Characters with which spreadsheets begin a formula. */
const formulaStart = /^[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/
const numeric = /^-?\d+(\.\d+)?$/

/** Text from payers could be a formula that a spreadsheet runs; a quote makes it text. */
function toCell(value: Value): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  return formulaStart.test(text) && !numeric.test(text) ? `'${text}` : text
}
