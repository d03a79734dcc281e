import { paint, withoutControls } from './style.js'
import type { Terminal } from './terminal.js'

/** A table of every command: a dim head, two spaces between columns, amounts to the right. */
export type Table = {
  head: string[]
  rows: string[][]
  /** Names of the columns with amounts. */
  amounts?: string[]
  /** Printed instead of a table without rows. */
  empty?: string
  /** Leaves out the columns at the end that do not fit the terminal. */
  isCut?: boolean
}

const gap = '  '

export function formatTable(
  terminal: Pick<Terminal, 'hasColors' | 'columns'>,
  { head, rows, amounts = [], empty = 'None.', isCut = false }: Table,
): string {
  if (rows.length === 0) return empty
  const all = [head, ...rows].map((row) => row.map((cell) => withoutControls(cell)))
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]!.length)))
  const shown = isCut ? Math.max(countFitting(widths, terminal.columns), 1) : head.length
  const lines = all.map((row) =>
    row
      .slice(0, shown)
      .map((cell, at) =>
        amounts.includes(head[at]!) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!),
      )
      .join(gap)
      .trimEnd(),
  )
  return [paint(terminal, 'dim', lines[0]!), ...lines.slice(1)].join('\n')
}

function countFitting(widths: number[], columns: number): number {
  let used = -gap.length
  return widths.filter((width) => {
    used += width + gap.length
    return used <= columns
  }).length
}
