import { createRequire } from 'node:module'
import { writeUuid } from '../../base/ids.js'

/**
 * Writes messages of the PostgreSQL protocol into one buffer, which leaves in one write. Lists are
 * written as binary arrays, straight from the rows: nothing is escaped here or parsed there.
 */

/** Converts a value as pg does: to text, or to a Buffer that is sent unchanged. Has no types. */
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as {
  prepareValue: (value: unknown) => string | Buffer | null
}

const postgresEpochMs = Date.UTC(2000, 0, 1)

/**
 * The types of list columns, with their ids in PostgreSQL. JSON is sent as text: `json` is written
 * from a value, `jsonText` is sent unchanged.
 */
const oids = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  json: 25,
  jsonText: 25,
  timestamptz: 1184,
  uuid: 2950,
} as const

type Values = {
  bool: boolean
  bytea: Buffer
  int8: bigint
  int2: number
  int4: number
  text: string
  json: object
  jsonText: string
  timestamptz: Date
  uuid: string | Buffer
}

export type ColumnType = keyof Values
export type ColumnValue<Type extends ColumnType> = Values[Type] | null

type Row = Record<string, unknown>

/** One column of a list, as a parameter. */
export class ListColumn {
  readonly #name: string
  readonly #type: ColumnType
  readonly #rows: readonly Row[]

  constructor(name: string, type: ColumnType, rows: readonly Row[]) {
    this.#name = name
    this.#type = type
    this.#rows = rows
  }

  writeTo(messages: Messages): void {
    messages.array(this.#type, this.#name, this.#rows)
  }

  /** Called by pg, for statements outside of transactions. */
  toPostgres(): Buffer {
    const messages = new Messages()
    this.writeTo(messages)
    return messages.take()
  }
}

export class Messages {
  #buffer = Buffer.allocUnsafe(8_192)
  #end = 0

  /** What was written so far. */
  take(): Buffer {
    return this.#buffer.subarray(0, this.#end)
  }

  /** Closing first makes it safe to parse a statement that may be there already. */
  prepare(name: string, text: string): void {
    if (name !== '') {
      const close = this.#begin('C')
      this.#reserve(1)
      this.#buffer[this.#end++] = 83 // S: a statement
      this.#cstring(name)
      this.#finish(close)
    }
    const parse = this.#begin('P')
    this.#cstring(name)
    this.#cstring(text)
    this.#int2(0) // the server infers the types of the parameters
    this.#finish(parse)
  }

  bind(name: string, values: readonly unknown[]): void {
    const message = this.#begin('B')
    this.#cstring('') // the unnamed portal
    this.#cstring(name)
    this.#int2(values.length)
    const formats = this.#end
    this.#reserve(2 * values.length)
    this.#end += 2 * values.length
    this.#int2(values.length)
    for (let index = 0; index < values.length; index += 1) {
      const isBinary = this.#value(values[index])
      this.#buffer.writeInt16BE(isBinary ? 1 : 0, formats + 2 * index)
    }
    this.#int2(0) // results as text
    this.#finish(message)
  }

  /** Requests the names and types of the result columns. */
  describe(): void {
    const message = this.#begin('D')
    this.#reserve(1)
    this.#buffer[this.#end++] = 80 // P: the portal
    this.#cstring('')
    this.#finish(message)
  }

  execute(): void {
    const message = this.#begin('E')
    this.#cstring('')
    this.#int4(0) // all rows
    this.#finish(message)
  }

  /** The server skips everything between an error and this. */
  sync(): void {
    this.#finish(this.#begin('S'))
  }

  array(type: ColumnType, name: string, rows: readonly Row[]): void {
    this.#int4(1) // dimensions
    const nulls = this.#end
    this.#int4(0)
    this.#int4(oids[type])
    this.#int4(rows.length)
    this.#int4(1) // lower bound
    let hasNulls = false
    for (let index = 0; index < rows.length; index += 1) {
      const value = rows[index]![name]
      if (value === null) {
        hasNulls = true
        this.#int4(-1)
      } else this.#element(type, value)
    }
    if (hasNulls) this.#buffer.writeInt32BE(1, nulls)
  }

  #element(type: ColumnType, value: unknown): void {
    if (type === 'text' || type === 'jsonText') this.#sizedText(value as string)
    else if (type === 'json') this.#sizedText(JSON.stringify(value))
    else if (type === 'uuid') this.#uuid(value as string | Buffer)
    else if (type === 'bytea') this.#sizedBytes(value as Buffer)
    else if (type === 'int8') this.#sizedInt8(value as bigint)
    else if (type === 'timestamptz')
      this.#sizedInt8(BigInt((value as Date).getTime() - postgresEpochMs) * 1_000n)
    else if (type === 'int4') {
      this.#int4(4)
      this.#int4(value as number)
    } else if (type === 'int2') {
      this.#int4(2)
      this.#int2(value as number)
    } else {
      this.#int4(1)
      this.#reserve(1)
      this.#buffer[this.#end++] = value ? 1 : 0
    }
  }

  /** Returns whether the value was written in binary. */
  #value(value: unknown): boolean {
    if (value instanceof ListColumn) {
      const start = this.#end
      this.#int4(0)
      value.writeTo(this)
      this.#buffer.writeInt32BE(this.#end - start - 4, start)
      return true
    }
    const prepared = prepareValue(value)
    if (prepared === null) {
      this.#int4(-1)
      return false
    }
    if (typeof prepared === 'string') {
      this.#sizedText(prepared)
      return false
    }
    this.#sizedBytes(prepared)
    return true
  }

  #uuid(value: string | Buffer): void {
    this.#reserve(20)
    this.#buffer.writeInt32BE(16, this.#end)
    const isWhole =
      typeof value === 'string'
        ? writeUuid(this.#buffer, this.#end + 4, value)
        : value.length === 16 && value.copy(this.#buffer, this.#end + 4) === 16
    // The buffer is not zeroed: a short value would leave old memory in the row.
    if (!isWhole) throw new TypeError(`not a uuid: ${value}`)
    this.#end += 20
  }

  #sizedText(text: string): void {
    this.#reserve(4 + 3 * text.length)
    const size = this.#buffer.write(text, this.#end + 4)
    this.#buffer.writeInt32BE(size, this.#end)
    this.#end += 4 + size
  }

  #sizedBytes(bytes: Buffer): void {
    this.#reserve(4 + bytes.length)
    this.#buffer.writeInt32BE(bytes.length, this.#end)
    bytes.copy(this.#buffer, this.#end + 4)
    this.#end += 4 + bytes.length
  }

  #cstring(text: string): void {
    this.#reserve(1 + 3 * text.length)
    this.#end += this.#buffer.write(text, this.#end)
    this.#buffer[this.#end++] = 0
  }

  #int2(value: number): void {
    this.#reserve(2)
    this.#end = this.#buffer.writeInt16BE(value, this.#end)
  }

  #int4(value: number): void {
    this.#reserve(4)
    this.#end = this.#buffer.writeInt32BE(value, this.#end)
  }

  #sizedInt8(value: bigint): void {
    this.#int4(8)
    this.#reserve(8)
    this.#end = this.#buffer.writeBigInt64BE(value, this.#end)
  }

  /** Starts a message and returns the position of its length, which `finish` fills in. */
  #begin(code: string): number {
    this.#reserve(5)
    this.#buffer[this.#end] = code.charCodeAt(0)
    this.#end += 5
    return this.#end - 4
  }

  #finish(lengthAt: number): void {
    this.#buffer.writeInt32BE(this.#end - lengthAt, lengthAt)
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length))
    this.#buffer.copy(larger, 0, 0, this.#end)
    this.#buffer = larger
  }
}
