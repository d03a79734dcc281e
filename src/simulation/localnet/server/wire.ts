import type { Key } from '../chain/keys.js'
import { localnetLimits } from '../limits.js'

export type WireInstruction = { program: number; accounts: Uint8Array; data: Uint8Array }
export type AddressLookup = { table: Key; writable: Uint8Array; readonly: Uint8Array }

/** A serialized transaction, parsed in place without copies or base58. */
export type Wire = {
  bytes: Buffer
  /** The first signature, which identifies the transaction. */
  signature: Key
  signatureCount: number
  messageOffset: number
  blockhashOffset: number
  version: 'legacy' | 0
  header: { signers: number; readonlySigners: number; readonlyOthers: number }
  keys: Key[]
  blockhash: Key
  instructions: WireInstruction[]
  lookups: AddressLookup[]
}

export class MalformedTransaction extends Error {}

class Queryable {
  constructor(
    private bytes: Buffer,
    public at: number,
  ) {}

  byte(): number {
    const byte = this.bytes[this.at]
    if (byte === undefined) throw new MalformedTransaction('unexpected end')
    this.at += 1
    return byte
  }

  /** Solana's short vector length: seven bits a byte, at most three bytes. */
  length(): number {
    let value = 0
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new MalformedTransaction('invalid length')
  }

  take(count: number): Buffer {
    const end = this.at + count
    if (end > this.bytes.length) throw new MalformedTransaction('unexpected end')
    const part = this.bytes.subarray(this.at, end)
    this.at = end
    return part
  }

  /** Decodes without an intermediate view, which would cost more than the key. */
  key(size: 32 | 64): Key {
    const end = this.at + size
    if (end > this.bytes.length) throw new MalformedTransaction('unexpected end')
    const key = this.bytes.toString('latin1', this.at, end)
    this.at = end
    return key
  }

  list<T>(read: () => T): T[] {
    const items: T[] = []
    for (let remaining = this.length(); remaining > 0; remaining--) items.push(read())
    return items
  }

  isAtEnd(): boolean {
    return this.at === this.bytes.length
  }
}

/** Parses a signed transaction, legacy or version 0. */
export function readWire(bytes: Buffer): Wire {
  if (bytes.length > localnetLimits.transactionBytes) throw new MalformedTransaction('too large')
  const reader = new Queryable(bytes, 0)
  const signatures = reader.list(() => reader.key(64))
  const signature = signatures[0]
  if (signature === undefined) throw new MalformedTransaction('no signature')
  const message = readMessage(bytes, reader.at)
  if (message.header.signers !== signatures.length)
    throw new MalformedTransaction('number of signatures and signers differ')
  return Object.assign(message, { signature, signatureCount: signatures.length })
}

/** Reads only what the history indexes, from bytes that were parsed before. */
export function readIndexKeys(bytes: Buffer): { signature: Key; keys: Key[] } {
  const reader = new Queryable(bytes, 0)
  const signatureCount = reader.length()
  const signature = reader.key(64)
  reader.at += 64 * (signatureCount - 1)
  readVersion(reader)
  reader.at += 3
  return { signature, keys: reader.list(() => reader.key(32)) }
}

export type TransactionMessage = Omit<Wire, 'signature' | 'signatureCount'>

/** Parses a message, from an offset to the end. */
export function readMessage(bytes: Buffer, messageOffset: number): TransactionMessage {
  const reader = new Queryable(bytes, messageOffset)
  const version = readVersion(reader)
  const header = {
    signers: reader.byte(),
    readonlySigners: reader.byte(),
    readonlyOthers: reader.byte(),
  }
  const keys = reader.list(() => reader.key(32))
  const blockhashOffset = reader.at
  const blockhash = reader.key(32)
  const instructions = reader.list(() => ({
    program: reader.byte(),
    accounts: reader.take(reader.length()),
    data: reader.take(reader.length()),
  }))
  const lookups = version === 0 ? reader.list(() => readLookup(reader)) : []
  if (!reader.isAtEnd()) throw new MalformedTransaction('trailing bytes')
  const place = { bytes, messageOffset, blockhashOffset }
  const message = Object.assign(place, { version, header, keys, blockhash, instructions, lookups })
  assertValid(message)
  return message
}

function readVersion(reader: Queryable): 'legacy' | 0 {
  const first = reader.byte()
  if (first < 0x80) {
    reader.at--
    return 'legacy'
  }
  if (first !== 0x80) throw new MalformedTransaction('unknown version')
  return 0
}

function readLookup(reader: Queryable): AddressLookup {
  return {
    table: reader.key(32),
    writable: reader.take(reader.length()),
    readonly: reader.take(reader.length()),
  }
}

/** Checks that need no account state. */
function assertValid({ header, keys, instructions, lookups }: TransactionMessage): void {
  const loaded = lookups.reduce((sum, { writable, readonly }) => {
    return sum + writable.length + readonly.length
  }, 0)
  const isValid =
    header.signers > header.readonlySigners &&
    header.signers + header.readonlyOthers <= keys.length &&
    instructions.every(
      ({ program, accounts }) =>
        program > 0 &&
        program < keys.length &&
        accounts.every((index) => index < keys.length + loaded),
    )
  if (!isValid) throw new MalformedTransaction('index out of range')
}

/** Whether the account at this index of the static keys is writable. */
export function isWritable({ header, keys }: TransactionMessage, index: number): boolean {
  return index < header.signers
    ? index < header.signers - header.readonlySigners
    : index < keys.length - header.readonlyOthers
}
