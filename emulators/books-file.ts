import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { second } from './clock.js'

/** Keeps the books of an emulator in a file, if it has one. */
export class BooksFile<Books> {
  readonly #path: string | undefined
  readonly #current: () => Books
  #timer: NodeJS.Timeout | undefined

  /** `current` returns the books to write. */
  constructor(path: string | undefined, current: () => Books) {
    this.#path = path
    this.#current = current
  }

  /** Undefined if there is no file yet. */
  read(): Books | undefined {
    if (this.#path === undefined || !existsSync(this.#path)) return undefined
    return JSON.parse(readFileSync(this.#path, 'utf8'), readKobo) as Books
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
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.#current(), writeKobo))
    renameSync(`${this.#path}.new`, this.#path)
  }
}

function writeKobo(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { kobo: value.toString() } : value
}

function readKobo(_name: string, value: unknown): unknown {
  const isAmount = typeof value === 'object' && value !== null && 'kobo' in value
  return isAmount ? BigInt(value.kobo as string) : value
}
