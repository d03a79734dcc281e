/** A table as data: the program prints all tables in the same way. */
export type Table = {
  head: string[]
  rows: string[][]
  /** Names of the columns with amounts, which are aligned to the right. */
  amounts?: string[]
  /** Printed instead of a table without rows. */
  empty?: string
}

export function tableOf(
  head: string[],
  rows: string[][],
  more: Pick<Table, 'amounts' | 'empty'> = {},
): Table {
  return { head, rows, ...more }
}

export function formatTime(time: Date | null): string {
  return time ? time.toISOString() : '-'
}
