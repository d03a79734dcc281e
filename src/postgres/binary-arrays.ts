/**
 * Arrays in PostgreSQL's binary format. `pg` sends a Buffer as a binary parameter, so arrays need
 * no escaping here and no parsing in the server: a third more payouts per second than as text.
 */
type Codec<Value> = {
  oid: number
  sizeOf: (value: Value) => number
  write: (buffer: Buffer, offset: number, value: Value) => void
}

const postgresEpochMs = Date.UTC(2000, 0, 1)

const codecs = {
  bool: fixed<boolean>(16, 1, (buffer, at, value) => buffer.writeUInt8(value ? 1 : 0, at)),
  int2: fixed<number>(21, 2, (buffer, at, value) => buffer.writeInt16BE(value, at)),
  int4: fixed<number>(23, 4, (buffer, at, value) => buffer.writeInt32BE(value, at)),
  int8: fixed<bigint>(20, 8, (buffer, at, value) => buffer.writeBigInt64BE(value, at)),
  uuid: fixed<string | Buffer>(2950, 16, (buffer, at, value) => {
    const bytes = typeof value === 'string' ? value.replaceAll('-', '') : value
    // The buffer is not zeroed: a short value would leave old memory in the row.
    const isWhole =
      typeof bytes === 'string'
        ? bytes.length === 32 && buffer.write(bytes, at, 'hex') === 16
        : bytes.length === 16 && bytes.copy(buffer, at) === 16
    if (!isWhole) throw new TypeError(`not a uuid: ${value}`)
  }),
  timestamptz: fixed<Date>(1184, 8, (buffer, at, value) => {
    buffer.writeBigInt64BE(BigInt(value.getTime() - postgresEpochMs) * 1_000n, at)
  }),
  text: {
    oid: 25,
    sizeOf: (value: string) => Buffer.byteLength(value),
    write: (buffer: Buffer, at: number, value: string) => buffer.write(value, at),
  },
  bytea: {
    oid: 17,
    sizeOf: (value: Buffer) => value.length,
    write: (buffer: Buffer, at: number, value: Buffer) => value.copy(buffer, at),
  },
}

type Codecs = typeof codecs
export type ColumnType = keyof Codecs
export type ColumnValue<Type extends ColumnType> = Parameters<Codecs[Type]['sizeOf']>[0] | null

export function encodeArray(type: ColumnType, values: unknown[]): Buffer {
  const { oid, sizeOf, write } = codecs[type] as Codec<unknown>
  const sizes = values.map((value) => (value === null ? -1 : sizeOf(value)))
  const hasNulls = sizes.includes(-1)
  const total = sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), 20)

  const buffer = Buffer.allocUnsafe(total)
  buffer.writeInt32BE(1, 0) // dimensions
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(values.length, 12)
  buffer.writeInt32BE(1, 16) // lower bound
  let offset = 20
  for (const [index, size] of sizes.entries()) {
    buffer.writeInt32BE(size, offset)
    offset += 4
    if (size < 0) continue
    write(buffer, offset, values[index])
    offset += size
  }
  return buffer
}

function fixed<Value>(oid: number, size: number, write: Codec<Value>['write']): Codec<Value> {
  return { oid, sizeOf: (_value: Value) => size, write }
}
