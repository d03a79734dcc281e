import { stringify } from 'csv-stringify/sync'
import { formatUnits, fromWire } from '../../money/amounts.js'
import { type Asset, assets } from '../../money/assets.js'

type Value = string | number | boolean | null | undefined

/** One column of an export, read from an item as the API shows it. */
export type CsvColumn = {
  header: string
  read: (item: Item) => Value
  /** The API writes it as text, but it is a number to calculate with, such as an amount. */
  isNumber?: boolean
}

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

/** A number that the API writes as text, such as a rate. */
export function asNumber(field: string): CsvColumn[] {
  return [{ header: field, read: readerOf(field), isNumber: true }]
}

/**
 * An amount in two columns: naira or coins with a point, and the smallest unit as an integer.
 * `assetField` names its asset, if that is not the one of the item.
 */
export function inBothUnits(field: string, assetField?: string): CsvColumn[] {
  const read = readerOf(field)
  const exact = (item: Item) => {
    const value = read(item)
    const asset = (assetField ? item[assetField] : (item.currency ?? item.asset)) as Asset
    if (value === null || value === undefined) return undefined
    return { amount: fromWire(value as number | string, asset), asset }
  }
  return [
    {
      header: `${field}Major`,
      isNumber: true,
      read: (item) => {
        const found = exact(item)
        const decimals = found && assets[found.asset].decimals
        return found && formatUnits(found.amount, decimals!, decimals)
      },
    },
    {
      header: `${field}Minor`,
      isNumber: true,
      read: (item) => exact(item)?.amount.toString(),
    },
  ]
}

/** Without the mark, Excel reads UTF-8 as the code page of the computer: Adébáyò. */
const byteOrderMark = '\ufeff'

export function csvHeader(columns: CsvColumn[], { forExcel }: { forExcel: boolean }): string {
  return (forExcel ? byteOrderMark : '') + stringify([columns.map(({ header }) => header)])
}

export function csvRows(
  columns: CsvColumn[],
  items: object[],
  { forExcel }: { forExcel: boolean },
): string {
  const rows = items.map((item) =>
    columns.map(({ read, isNumber }) => {
      const value = read(item as Item)
      const isText = typeof value === 'string' && !isNumber
      return forExcel && isText && misread.test(value) ? `\t${value}` : toCell(value)
    }),
  )
  // Quoted, because LibreOffice also separates columns at tabs.
  return stringify(rows, { quoted_match: /^\t/ })
}

/**
 * Text that Excel would change: account numbers lose their zeros, long numbers their last digits,
 * and 12-05 becomes a date. A tab before it keeps it, in Excel and in LibreOffice, whatever their
 * settings; `="…"` would be a formula. It begins with a digit, so it cannot become one.
 */
const misread = /^\d[\d\s.,:/eE+-]*$/

/** Characters with which spreadsheets begin a formula. */
const formulaStart = /^[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/
const numeric = /^-?\d+(\.\d+)?$/

/** Text from payers could be a formula that a spreadsheet runs; a quote makes it text. */
function toCell(value: Value): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  return formulaStart.test(text) && !numeric.test(text) ? `'${text}` : text
}
