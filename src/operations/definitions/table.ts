/** A table as data: the program prints all tables in the same way. */
export type TextTable = {
  head: string[]
  rows: string[][]
  /** Names of the columns with amounts, which are aligned to the right. */
  amounts?: string[]
  /** Printed instead of a table without rows. */
  empty?: string
}

type Cell = string | number | Date | null | undefined

/** The columns by their heads: each the name of a field, or what to print of a row. */
type Columns<Row> = Record<string, keyof Row | ((row: Row) => Cell)>

export function tableOf<Row>(
  rows: Row[],
  columns: Columns<Row>,
  more: Pick<TextTable, 'amounts' | 'empty'> = {},
): TextTable {
  const cells = Object.values(columns)
  const print = (row: Row) =>
    cells.map((cell) => formatCell(typeof cell === 'function' ? cell(row) : (row[cell] as Cell)))
  return { head: Object.keys(columns), rows: rows.map(print), ...more }
}

function formatCell(cell: Cell): string {
  if (cell === null || cell === undefined) return '-'
  return cell instanceof Date ? cell.toISOString() : `${cell}`
}

export function formatTime(time: Date | null): string {
  return formatCell(time)
}
