import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { FlutterwaveRecords } from './records.js'

const writeIntervalMs = 1_000

/** Keeps records in a JSON file, written at most once a second and when closed. */
export class RecordFile {
  readonly #path: string | undefined
  readonly #records: FlutterwaveRecords
  #timer: NodeJS.Timeout | undefined

  constructor(path: string | undefined, records: FlutterwaveRecords) {
    this.#path = path
    this.#records = records
  }

  changed(): void {
    if (this.#path === undefined || this.#timer) return
    this.#timer = setTimeout(() => this.#write(), writeIntervalMs)
    this.#timer.unref()
  }

  close(): void {
    this.#write()
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#path === undefined) return
    const draft = `${this.#path}.draft`
    writeFileSync(draft, JSON.stringify(this.#records, writeBigint))
    renameSync(draft, this.#path)
  }
}

/** Undefined if there is no file yet. */
export function readRecords(path: string | undefined): FlutterwaveRecords | undefined {
  if (path === undefined) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8'), readBigint) as FlutterwaveRecords
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function writeBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { bigint: value.toString() } : value
}

function readBigint(_key: string, value: unknown): unknown {
  const isBigint = typeof value === 'object' && value !== null && 'bigint' in value
  return isBigint ? BigInt(value.bigint as string) : value
}
