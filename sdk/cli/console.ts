import { confirmLive, type Facts } from './confirm.js'
import { type Color, paint } from './style.js'
import { formatTable, type Table } from './table.js'
import type { Terminal } from './terminal.js'

/** The terminal as operator commands use it, so that all commands look and ask the same. */
export function createConsole(terminal: Terminal) {
  return {
    startProgress: terminal.startProgress,
    formatTable: (table: Table) => formatTable(terminal, table),
    paint: (color: Color, text: string) => paint(terminal, color, text),
    confirmLive: (facts: Facts, consequence?: string) =>
      confirmLive(terminal, async () => facts, consequence),
  }
}
