import { strict as assert } from 'node:assert'
import { base58 } from '@scure/base'

const signatureBytes = 64
const hashBytes = 32
/** Count of signatures, the signature, version and header; then the count of addresses. */
const addressCountAt = 1 + signatureBytes + 1 + 3

/** A transaction as it travels: one signature, then what was signed. */
export function toWire(message: Uint8Array, signature: Uint8Array): Buffer {
  assert.equal(signature.length, signatureBytes)
  const wire = Buffer.allocUnsafe(1 + signatureBytes + message.length)
  wire[0] = 1
  wire.set(signature, 1)
  wire.set(message, 1 + signatureBytes)
  return wire
}

/** For simulations, which do not look at it. */
export const noSignature = new Uint8Array(signatureBytes)

/** The blockhash in a transaction that `toWire` made; a payout has few addresses. */
export function blockhashOf(wire: Buffer): string {
  const addresses = wire[addressCountAt]!
  const start = addressCountAt + 1 + addresses * hashBytes
  return base58.encode(wire.subarray(start, start + hashBytes))
}
