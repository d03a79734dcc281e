/**
 * A row of a CSV file with the number of its line, from 1. `isBroken`: a quote is not closed, or
 * text follows a closing quote, so the row has no cells.
 */
export type CsvRow = { line: number; cells: string[]; isBroken: boolean }

/**
 * Reads CSV as spreadsheets write it: commas or semicolons, quotes around cells that need them.
 * Cells contain no line breaks: every row is one line, and problems name it.
 */
export function parseCsv(text: string): CsvRow[] {
  const lines = text.split(/\r\n|\n|\r/)
  const separator = separatorOf(lines[0] ?? '')
  return lines.map((content, index) => {
    const cells = readCells(content, separator)
    return { line: index + 1, cells: cells ?? [], isBroken: cells === undefined }
  })
}

/** Spreadsheets write semicolons in locales where the comma is the decimal separator. */
function separatorOf(header: string): string {
  return header.includes(';') && !header.includes(',') ? ';' : ','
}

/** Undefined if a quoted cell does not end on this line, or has text after the closing quote. */
function readCells(content: string, separator: string): string[] | undefined {
  if (!content.includes('"')) return content.split(separator).map((cell) => cell.trim())
  const cells: string[] = []
  let at = 0
  for (;;) {
    while (content[at] === ' ') at += 1
    if (content[at] !== '"') {
      const found = content.indexOf(separator, at)
      const end = found < 0 ? content.length : found
      cells.push(content.slice(at, end).trim())
      at = end
    } else {
      const quoted = readQuoted(content, at + 1)
      if (!quoted) return undefined
      cells.push(quoted.cell.trim())
      at = quoted.end
      while (content[at] === ' ') at += 1
      if (at < content.length && content[at] !== separator) return undefined
    }
    if (at >= content.length) return cells
    at += 1
  }
}

/** A quote inside a quoted cell is doubled. */
function readQuoted(content: string, start: number): { cell: string; end: number } | undefined {
  let cell = ''
  let at = start
  for (;;) {
    const end = content.indexOf('"', at)
    if (end < 0) return undefined
    cell += content.slice(at, end)
    if (content[end + 1] !== '"') return { cell, end: end + 1 }
    cell += '"'
    at = end + 2
  }
}
