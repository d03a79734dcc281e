import type { Key } from './keys.js'
import type { AccountState } from './vm.js'
import type { VmTransactionError } from './vm-errors.js'

export type TokenBalance = {
  accountIndex: number
  mint: string
  owner: string
  programId: string
  amount: string
  decimals: number
}

/** Parsed only when a single transaction is read. */
export type Meta = {
  err: VmTransactionError | null
  fee: number
  units: number
  before: number[]
  after: number[]
  tokensBefore: TokenBalance[]
  tokensAfter: TokenBalance[]
  logs: string[]
}

export type AccountStateChange = { index: number; state: AccountState | null }

/** A landed transaction, with everything a start needs so as not to execute it again. */
export type Landed = {
  kind: 'transaction'
  slot: number
  time: number
  wire: Buffer
  /** Addresses loaded from lookup tables, which may change later. */
  loaded: { writable: Key[]; readonly: Key[] }
  changes: AccountStateChange[]
  /** Key of the faucet request it fulfils, or empty. */
  requestKey: string
  hasFailed: boolean
  meta: Meta
}

/** Blocks up to this height may exist. */
export type HeightClaim = { kind: 'claim'; height: number }

const kinds = { transaction: 1, claim: 2 } as const

/** Shared by all writers: only one writes at a time. */
let scratch = Buffer.alloc(64 * 1024)

class Writer {
  private at = 0

  number(value: number, size: 1 | 2 | 4 | 6): void {
    this.reserve(size)
    this.at = scratch.writeUIntLE(value, this.at, size)
  }

  long(value: bigint): void {
    this.reserve(8)
    this.at = scratch.writeBigUInt64LE(value, this.at)
  }

  put(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    scratch.set(bytes, this.at)
    this.at += bytes.length
  }

  key(key: Key): void {
    this.reserve(32)
    this.at += scratch.write(key, this.at, 'latin1')
  }

  end(): Buffer {
    return Buffer.from(scratch.subarray(0, this.at))
  }

  private reserve(size: number): void {
    if (this.at + size <= scratch.length) return
    const larger = Buffer.alloc(2 * (this.at + size))
    scratch.copy(larger, 0, 0, this.at)
    scratch = larger
  }
}

class Queryable {
  private at = 0
  constructor(private bytes: Buffer) {}

  number(size: 1 | 2 | 4 | 6): number {
    this.at += size
    return this.bytes.readUIntLE(this.at - size, size)
  }

  long(): bigint {
    this.at += 8
    return this.bytes.readBigUInt64LE(this.at - 8)
  }

  take(count: number): Buffer {
    this.at += count
    return this.bytes.subarray(this.at - count, this.at)
  }

  key(): Key {
    this.at += 32
    return this.bytes.toString('latin1', this.at - 32, this.at)
  }

  list<T>(read: () => T): T[] {
    const items: T[] = []
    for (let remaining = this.number(1); remaining > 0; remaining--) items.push(read())
    return items
  }

  rest(): Buffer {
    return this.bytes.subarray(this.at)
  }
}

export function writeClaim(height: number): Buffer {
  const writer = new Writer()
  writer.number(kinds.claim, 1)
  writer.number(height, 6)
  return writer.end()
}

export function writeLanded(landed: Landed): Buffer {
  const writer = new Writer()
  writer.number(kinds.transaction, 1)
  writer.number(landed.slot, 6)
  writer.number(landed.time, 6)
  writer.number(landed.wire.length, 2)
  writer.put(landed.wire)
  for (const keys of [landed.loaded.writable, landed.loaded.readonly]) {
    writer.number(keys.length, 1)
    for (const key of keys) writer.key(key)
  }
  writer.number(landed.changes.length, 1)
  for (const change of landed.changes) writeChange(writer, change)
  const requestKey = Buffer.from(landed.requestKey)
  writer.number(requestKey.length, 2)
  writer.put(requestKey)
  writer.number(landed.hasFailed ? 1 : 0, 1)
  writer.put(Buffer.from(JSON.stringify(landed.meta)))
  return writer.end()
}

function writeChange(writer: Writer, { index, state }: AccountStateChange): void {
  writer.number(index, 1)
  writer.long(state?.lamports ?? 0n)
  if (!state) return
  writer.key(state.owner)
  writer.number(state.executable ? 1 : 0, 1)
  writer.number(state.data.length, 4)
  writer.put(state.data)
}

/** The meta is parsed on access. */
export function readRecord(body: Buffer): Landed | HeightClaim {
  const reader = new Queryable(body)
  if (reader.number(1) === kinds.claim) return { kind: 'claim', height: reader.number(6) }
  const slot = reader.number(6)
  const time = reader.number(6)
  const wire = reader.take(reader.number(2))
  const loaded = {
    writable: reader.list(() => reader.key()),
    readonly: reader.list(() => reader.key()),
  }
  const changes = reader.list(() => readChange(reader))
  const requestKey = reader.take(reader.number(2)).toString()
  const hasFailed = reader.number(1) === 1
  const text = reader.rest()
  return {
    kind: 'transaction',
    slot,
    time,
    wire,
    loaded,
    changes,
    requestKey,
    hasFailed,
    get meta(): Meta {
      return JSON.parse(text.toString())
    },
  }
}

function readChange(reader: Queryable): AccountStateChange {
  const index = reader.number(1)
  const lamports = reader.long()
  if (lamports === 0n) return { index, state: null }
  const owner = reader.key()
  const executable = reader.number(1) === 1
  return { index, state: { lamports, owner, executable, data: reader.take(reader.number(4)) } }
}
