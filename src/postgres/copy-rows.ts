import pg from 'pg'
import { type Codec, type ColumnType, type ColumnValue, codecOf } from './binary-arrays.js'

/** Rows on their way into a table. */
export type Copy = { text: string; message: Buffer }

type Columns = Record<string, ColumnType>
type Row<C extends Columns> = { [Name in keyof C]: ColumnValue<C[Name]> }

const [copyData, copyDone] = [0x64, 0x63]
const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
/** Neither flags nor an extension: eight zeros. */
const flagsLength = 8
const startSize = 64 * 1024

/**
 * A COPY in PostgreSQL's own binary form, for rows that nothing is asked about: whoever conflicts
 * fails with all others. The server neither plans nor unnests, and fills page after page; here
 * every value is written once, to where it leaves from.
 */
export function copyStatement<C extends Columns>({
  table,
  columns,
}: {
  table: string
  columns: C
}): (rows: Iterable<Row<C>>) => Copy {
  const names = Object.keys(columns)
  const text = `copy ${table} (${names.join(', ')}) from stdin (format binary)`
  const fields = names.map((name) => {
    const type = columns[name]!
    return { name, isText: type === 'text', codec: codecOf(type) }
  })

  return (rows) => {
    const writer = new Writer()
    for (const row of rows) {
      writer.addInt16(fields.length)
      for (const { name, isText, codec } of fields) {
        const value: unknown = row[name]
        if (value === null) writer.addInt32(-1)
        else if (isText) writer.addText(value as string)
        else writer.add(codec, value)
      }
    }
    return { text, message: writer.finish() }
  }
}

/** The message that carries the rows, and the one that says that these were all. */
class Writer {
  #buffer = Buffer.alloc(startSize)
  #at = 5

  constructor() {
    this.#buffer[0] = copyData
    signature.copy(this.#buffer, this.#at)
    this.#at += signature.length + flagsLength
  }

  add({ sizeOf, write }: Codec<unknown>, value: unknown): void {
    const size = sizeOf(value)
    this.addInt32(size)
    this.#makeRoom(size)
    write(this.#buffer, this.#at, value)
    this.#at += size
  }

  /** Written first and measured by that: to measure it first would be to read it twice. */
  addText(value: string): void {
    this.#makeRoom(4 + value.length * 3)
    const size = this.#buffer.write(value, this.#at + 4)
    this.addInt32(size)
    this.#at += size
  }

  addInt16(value: number): void {
    this.#makeRoom(2)
    this.#buffer[this.#at] = value >> 8
    this.#buffer[this.#at + 1] = value
    this.#at += 2
  }

  addInt32(value: number): void {
    this.#makeRoom(4)
    const buffer = this.#buffer
    buffer[this.#at] = value >> 24
    buffer[this.#at + 1] = value >> 16
    buffer[this.#at + 2] = value >> 8
    buffer[this.#at + 3] = value
    this.#at += 4
  }

  finish(): Buffer {
    this.addInt16(-1)
    this.#buffer.writeInt32BE(this.#at - 1, 1)
    this.#makeRoom(5)
    this.#buffer[this.#at] = copyDone
    this.#buffer.writeInt32BE(4, this.#at + 1)
    return this.#buffer.subarray(0, this.#at + 5)
  }

  #makeRoom(size: number): void {
    if (this.#at + size <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(2 * this.#buffer.length + size)
    this.#buffer.copy(larger, 0, 0, this.#at)
    this.#buffer = larger
  }
}

/**
 * Sends question and rows at once, and so does whatever is sent behind it: where the server refuses
 * the question it skips the rows. `pg` pipelines no other queries than its own.
 */
export function sendCopy(client: pg.ClientBase, { text, message }: Copy): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text, (error) => (error ? reject(error) : resolve()))
    Object.assign(query, {
      submit(connection: pg.Connection) {
        connection.query(text)
        connection.stream.write(message)
      },
      handleCopyInResponse() {},
    })
    client.query(query)
  })
}
