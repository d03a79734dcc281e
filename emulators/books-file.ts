import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { second } from './clock.js'
import { Table } from './table.js'

/** Keeps the books of an emulator in a file, if it has one, and reads them from it. */
export class BooksFile {
  readonly #path: string | undefined
  readonly #books: object
  #timer: NodeJS.Timeout | undefined

  constructor(path: string | undefined, books: object) {
    this.#path = path
    this.#books = books
    if (path !== undefined && existsSync(path)) {
      const saved = JSON.parse(readFileSync(path, 'utf8'), readKobo)
      restore(books as Record<string, unknown>, saved)
    }
  }

  /** Writes within a second; changes until then are written along. */
  changed(): void {
    if (this.#path === undefined || this.#timer) return
    this.#timer = setTimeout(() => this.close(), second)
    this.#timer.unref()
  }

  /** Writes now. A reader finds the old file or the new one, never a part. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#path === undefined) return
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.#books, writeKobo))
    renameSync(`${this.#path}.new`, this.#path)
  }
}

function restore(books: Record<string, unknown>, saved: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(saved)) {
    const table = books[name]
    if (table instanceof Table) for (const row of value as unknown[]) table.add(row)
    else books[name] = value
  }
}

function writeKobo(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { kobo: value.toString() } : value
}

function readKobo(_name: string, value: unknown): unknown {
  const isAmount = typeof value === 'object' && value !== null && 'kobo' in value
  return isAmount ? BigInt(value.kobo as string) : value
}
