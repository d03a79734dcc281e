export function formatTable(head: string[], rows: string[][]): string {
  if (rows.length === 0) return 'None.'
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

export function formatTime(time: Date | null): string {
  return time ? time.toISOString() : '-'
}
