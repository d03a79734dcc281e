import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Books, SavedBooks } from './books.js'

const pauseMs = 1_000

/** Keeps the books in a file: written at most once a second, and when closed. */
export class BooksFile {
  readonly #file: string
  readonly #books: Books
  #timer: NodeJS.Timeout | undefined

  constructor(file: string, books: Books) {
    this.#file = file
    this.#books = books
  }

  /** A missing file is an empty one. */
  read(): void {
    let text: string
    try {
      text = readFileSync(this.#file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    this.#books.restore(JSON.parse(text, readKobo) as SavedBooks)
  }

  changed(): void {
    this.#timer ??= setTimeout(() => this.#write(), pauseMs)
  }

  close(): void {
    this.#write()
  }

  /** A reader finds the old file or the new one, never a part. */
  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#books.save(), writeKobo))
    renameSync(`${this.#file}.new`, this.#file)
  }
}

function writeKobo(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { kobo: String(value) } : value
}

function readKobo(_key: string, value: unknown): unknown {
  const isAmount = typeof value === 'object' && value !== null && 'kobo' in value
  return isAmount ? BigInt((value as { kobo: string }).kobo) : value
}
