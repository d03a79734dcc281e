import type { NairaLimits } from '../../base/config.js'
import { limits } from '../../base/limits.js'
import { type Detail, quoteInput, Refusal } from '../../base/refusal.js'
import { type NotAnAmount, parseDecimal } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { addressIssue, addressPattern } from '../../money/solana-address.js'
import type { BatchKind } from '../../payouts/batches/batch.js'
import { payoutPurposes } from '../../payouts/levies/levy.js'
import { batchLimits } from '../../payouts/limits.js'
import { type CheckedItem, checkBatchItems } from './check-batch-items.js'
import { type CsvRow, parseCsv } from './parse-csv.js'
import { notWithRecipient } from './read-recipient.js'
import { accountNumberPattern, bankCodePattern, plainText } from './schemas.js'

type Item = Record<string, string | number>

/** A column of the file and the field of an item that it fills. */
type Column = {
  name: string
  field: string
  isRequired: boolean
  /** Names the destination: not required where `recipient` does. */
  namesDestination?: boolean
  sample: string
  /** Returns the value of a cell, or an issue that completes the sentence "amount …". */
  read: (cell: string) => { value: string | number } | { issue: string }
}

const shortText = (cell: string) => {
  if (cell.length > limits.names.length)
    return { issue: `must not have more than ${limits.names.length} characters` }
  if (!new RegExp(plainText).test(cell)) return { issue: 'must not contain control characters' }
  return { value: cell }
}

const merchantReference: Column = {
  name: 'merchantReference',
  field: 'merchantReference',
  isRequired: false,
  sample: 'salary-1',
  read: shortText,
}

/** The sample row names the account or wallet itself. */
const recipient: Column = {
  name: 'recipient',
  field: 'recipient',
  isRequired: false,
  sample: '',
  read: shortText,
}

/** Not allowed beside `recipient`. */
const isOfPayee = ({ namesDestination, field }: Column) =>
  namesDestination === true || field === 'accountName'

const columns: Record<BatchKind, Column[]> = {
  bank_transfer: [
    {
      name: 'accountNumber',
      field: 'accountNumber',
      isRequired: true,
      namesDestination: true,
      sample: '0123456789',
      read: (cell) =>
        new RegExp(accountNumberPattern).test(cell)
          ? { value: cell }
          : { issue: `must be 10 digits${zeroHint(cell, 10)}` },
    },
    {
      name: 'bankCode',
      field: 'bankCode',
      isRequired: true,
      namesDestination: true,
      sample: '058',
      read: (cell) =>
        new RegExp(bankCodePattern).test(cell)
          ? { value: cell }
          : { issue: `must be 3 to 9 digits or letters${zeroHint(cell, 3)}` },
    },
    {
      name: 'amountNaira',
      field: 'amount',
      isRequired: true,
      sample: '12500.00',
      read(cell) {
        const kobo = readDecimal(cell, 'NGN')
        if (typeof kobo !== 'bigint') return kobo
        if (kobo > limits.money.wireMax) return { issue: 'exceeds the largest possible transfer' }
        return { value: Number(kobo) }
      },
    },
    {
      name: 'accountName',
      field: 'accountName',
      isRequired: false,
      // The holder of the sample account in the sandbox.
      sample: 'Morenike Balogun',
      read: shortText,
    },
    {
      name: 'narration',
      field: 'narration',
      isRequired: false,
      sample: 'January salary',
      read: shortText,
    },
    merchantReference,
    {
      name: 'purpose',
      field: 'purpose',
      isRequired: false,
      sample: 'salary',
      read: (cell) =>
        payoutPurposes.some((purpose) => purpose === cell)
          ? { value: cell }
          : { issue: `must be ${payoutPurposes.join(' or ')}, or empty` },
    },
    recipient,
  ],
  crypto_transfer: [
    {
      name: 'destinationAddress',
      field: 'destinationAddress',
      isRequired: true,
      namesDestination: true,
      sample: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
      read: (cell) =>
        new RegExp(addressPattern).test(cell) ? { value: cell } : { issue: addressIssue },
    },
    {
      name: 'amount',
      field: 'amount',
      isRequired: true,
      sample: '25.50',
      read(cell) {
        const units = readDecimal(cell, 'USDC')
        return typeof units === 'bigint' ? { value: cell } : units
      },
    },
    {
      name: 'asset',
      field: 'asset',
      isRequired: true,
      sample: 'USDC',
      read: (cell) =>
        cell === 'USDC' || cell === 'USDT' ? { value: cell } : { issue: 'must be USDC or USDT' },
    },
    merchantReference,
    recipient,
  ],
}

/** Spreadsheets write 1,000 or, in other locales, 1000,50. */
function readDecimal(cell: string, asset: Asset): bigint | NotAnAmount {
  if (!cell.includes(',')) return parseDecimal(cell, asset)
  return { issue: 'must not contain a comma; write 1250.50, with a point before the decimals' }
}

function zeroHint(cell: string, digits: number): string {
  return /^\d+$/.test(cell) && cell.length < digits
    ? '; a spreadsheet may have dropped leading zeros: format the column as text'
    : ''
}

/** A header and one sample row. */
export function batchTemplate(kind: BatchKind): string {
  const names = columns[kind].map(({ name }) => name)
  const samples = columns[kind].map(({ sample }) => sample)
  return `${names.join(',')}\n${samples.join(',')}\n`
}

/** The column that fills a field. */
export function csvColumnOf(kind: BatchKind, field: string): string {
  return columns[kind].find((column) => column.field === field)?.name ?? field
}

/** Lines of a file before its first item. */
export const linesBeforeItems = 1

/** Finds items that name a saved recipient that cannot be paid, by the index of the item. */
type FindRecipientIssues = (
  kind: BatchKind,
  references: (string | undefined)[],
) => Promise<{ index: number; issue: string }[]>

/**
 * Converts a CSV file to the JSON body of the request. Reports every problem with its line: a file
 * with a malformed cell also with those that are otherwise found in the JSON.
 */
export async function readBatchCsv(
  text: string,
  naira: NairaLimits,
  findRecipientIssues: FindRecipientIssues,
): Promise<object> {
  const [header, ...rows] = withoutBlankEnd(parseCsv(text))
  if (!header || rows.length === 0)
    throw new Refusal('validation_failed', {
      message:
        'The file has no items. Its first line must name the columns; each further line is an item.',
    })
  if (rows.length > batchLimits.itemsMax)
    throw new Refusal('validation_failed', {
      message: `The file has ${rows.length} items; a batch has at most ${batchLimits.itemsMax}.`,
    })
  const issues: LineIssue[] = []
  const { kind, order } = readHeader(header, issues)
  const items = rows.map((row) => readRow(row, order, issues))
  const first = items.find(({ asset }) => asset !== undefined)
  const report = (index: number, field: string, issue: string) =>
    issues.push({ line: rows[index]!.line, field: csvColumnOf(kind, field), issue })
  for (const [index, { asset }] of items.entries())
    if (asset !== undefined && asset !== first!.asset)
      report(
        index,
        'asset',
        `must be ${first!.asset}, as in the items before; upload ${asset} as a batch of its own`,
      )
  if (issues.length > 0) {
    const nameOf = (index: number) => `line ${rows[index]!.line}`
    checkBatchItems(items.map(toChecked), { limits: naira, nameOf, report })
    const references = items.map((item) => item.recipient as string | undefined)
    for (const { index, issue } of await findRecipientIssues(kind, references))
      report(index, 'recipient', issue)
    throw refuseItems(issues.toSorted((a, b) => a.line - b.line).map(toDetail))
  }
  if (kind === 'bank_transfer') return { kind, items }
  return { kind, asset: items[0]!.asset, items: items.map(({ asset: _asset, ...item }) => item) }
}

/** An issue of a line, or of one of its columns. */
type LineIssue = { line: number; field?: string; issue: string }

function toDetail({ line, field, issue }: LineIssue): Detail {
  return { field: field === undefined ? `line ${line}` : `line ${line}, ${field}`, issue }
}

function toChecked({ amount, destinationAddress, merchantReference }: Item): CheckedItem {
  return {
    naira: typeof amount === 'number' ? BigInt(amount) : undefined,
    address: destinationAddress as string | undefined,
    merchantReference: merchantReference as string | undefined,
  }
}

function withoutBlankEnd(rows: CsvRow[]): CsvRow[] {
  const last = rows.findLastIndex(
    ({ cells, isBroken }) => isBroken || cells.some((cell) => cell !== ''),
  )
  return rows.slice(0, last + 1)
}

/** The columns in the order of the file. Undefined: unknown, or named before. */
type Order = (Column | undefined)[]

function readHeader(
  { line, cells, isBroken }: CsvRow,
  issues: LineIssue[],
): { kind: BatchKind; order: Order } {
  const isCrypto = cells.includes('destinationAddress') || cells.includes('asset')
  const kind = isCrypto ? 'crypto_transfer' : 'bank_transfer'
  if (isBroken) {
    issues.push({ line, issue: badQuotes })
    return { kind, order: [] }
  }
  const known = new Map(columns[kind].map((column) => [column.name, column]))
  const order = cells.map((name, index): Column | undefined => {
    const field = `column ${index + 1}`
    const column = known.get(name)
    if (column && cells.indexOf(name) === index) return column
    const issue = column
      ? `${name} appears twice`
      : `${quoteInput(name)} is unknown; use ${[...known.keys()].join(', ')}`
    issues.push({ line, field, issue })
    return undefined
  })
  const hasRecipients = cells.includes(recipient.name)
  for (const { name, isRequired, namesDestination } of columns[kind])
    if (isRequired && !(namesDestination && hasRecipients) && !cells.includes(name))
      issues.push({ line, issue: `lacks the column ${name}` })
  return { kind, order }
}

const badQuotes =
  'has a quoted cell that does not end on this line, or text after the closing quote'

function readRow({ line, cells, isBroken }: CsvRow, order: Order, issues: LineIssue[]): Item {
  const item: Item = {}
  if (isBroken) {
    issues.push({ line, issue: badQuotes })
    return item
  }
  if (cells.every((cell) => cell === '')) {
    issues.push({ line, issue: 'is empty; delete it' })
    return item
  }
  if (order.length > 0 && cells.length > order.length) {
    const issue = `has ${cells.length} cells for ${order.length} columns; quote texts that contain a comma, and write amounts without commas`
    issues.push({ line, issue })
    return item
  }
  const hasRecipient = (cells[order.indexOf(recipient)] ?? '') !== ''
  for (const [index, column] of order.entries()) {
    if (!column) continue
    const { name, field, isRequired, namesDestination, read } = column
    const cell = cells[index] ?? ''
    if (cell === '') {
      if (isRequired && !(namesDestination && hasRecipient))
        issues.push({ line, field: name, issue: 'is required' })
      continue
    }
    const found = read(cell)
    if ('issue' in found) issues.push({ line, field: name, issue: found.issue })
    else item[field] = found.value
  }
  const both = order.find((column, index) => column && isOfPayee(column) && cells[index])
  if (hasRecipient && both) issues.push({ line, field: both.name, issue: notWithRecipient })
  return item
}

/** One refusal for all problems of a file or a list of items. Lists the first of them. */
export function refuseItems(issues: Detail[]): Refusal {
  const { issuesShownMax } = batchLimits
  const first = issues[0]!
  const others = issues.length - 1
  const more = others > 0 ? ` (${others} more ${others === 1 ? 'problem' : 'problems'})` : ''
  return new Refusal('validation_failed', {
    message: `${first.field} ${first.issue}.${more}`,
    details: issues.slice(0, issuesShownMax),
  })
}
