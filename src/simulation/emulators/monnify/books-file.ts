import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { second } from '../../../base/clock.js'
import type { MonnifyBooks } from './books.js'

/** Keeps books in a file: written whole beside it, then renamed over it. */
export class BooksFile {
  readonly #path: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(path: string | undefined) {
    this.#path = path
  }

  read(): MonnifyBooks | undefined {
    if (this.#path === undefined || !existsSync(this.#path)) return undefined
    return JSON.parse(readFileSync(this.#path, 'utf8'), reviveKobo) as MonnifyBooks
  }

  /** Writes within a second; further changes until then are written along. */
  writeSoon(books: MonnifyBooks): void {
    if (this.#path === undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(() => this.writeNow(books), second)
    this.#timer.unref()
  }

  writeNow(books: MonnifyBooks): void {
    if (this.#path === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    const draft = `${this.#path}.new`
    writeFileSync(draft, JSON.stringify(books, wrapKobo))
    renameSync(draft, this.#path)
  }
}

function wrapKobo(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { kobo: value.toString() } : value
}

function reviveKobo(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('kobo' in value)) return value
  return BigInt(value.kobo as string)
}
