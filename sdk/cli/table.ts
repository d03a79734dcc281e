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
  /** So many columns are never left out. */
  kept?: number
  /** The column that is shortened, so that the kept ones fit; a path keeps its end. */
  shrinking?: { at: number; keepsEnd: boolean } | undefined
}

const gap = '  '
/** A shorter name says nothing; the line wraps instead. */
export const shrunkWidthMin = 8

export function formatTable(
  terminal: Pick<Terminal, 'hasColors' | 'columns'>,
  { head, rows, amounts = [], empty = 'None.', isCut = false, kept = 1, shrinking }: Table,
): string {
  if (rows.length === 0) return empty
  const all = [head, ...rows].map((row) => row.map((cell) => withoutControls(cell)))
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]!.length)))
  if (shrinking) {
    const { at } = shrinking
    const excess = Math.max(0, totalWidth(widths.slice(0, kept)) - terminal.columns)
    widths[at] = Math.max(widths[at]! - excess, Math.min(widths[at]!, shrunkWidthMin))
  }
  const shown = isCut ? Math.max(countFitting(widths, terminal.columns), kept) : head.length
  const lines = all.map((row) =>
    row
      .slice(0, shown)
      .map((cell, at) => shorten(cell, widths[at]!, shrinking?.keepsEnd ?? false))
      .map((cell, at) =>
        amounts.includes(head[at]!) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!),
      )
      .join(gap)
      .trimEnd(),
  )
  return [paint(terminal, 'dim', lines[0]!), ...lines.slice(1)].join('\n')
}

function shorten(cell: string, width: number, keepsEnd: boolean): string {
  if (cell.length <= width) return cell
  return keepsEnd ? `…${cell.slice(1 - width)}` : `${cell.slice(0, width - 1)}…`
}

function totalWidth(widths: number[]): number {
  return widths.reduce((sum, width) => sum + width + gap.length, -gap.length)
}

function countFitting(widths: number[], columns: number): number {
  return widths.filter((_, at) => totalWidth(widths.slice(0, at + 1)) <= columns).length
}
