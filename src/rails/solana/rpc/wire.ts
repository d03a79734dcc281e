import { strict as assert } from 'node:assert'
import { base58 } from '@scure/base'

const signatureBytes = 64
const hashBytes = 32
/** In a message, the address count follows the version byte and the header. */
const addressCountAt = 1 + 3

/** A serialized transaction: the signatures, then the signed message. */
export function toWireTransaction(message: Uint8Array, ...signatures: Uint8Array[]): Buffer {
  const start = 1 + signatureBytes * signatures.length
  const wire = Buffer.allocUnsafe(start + message.length)
  wire[0] = signatures.length
  for (const [index, signature] of signatures.entries()) {
    assert.equal(signature.length, signatureBytes)
    wire.set(signature, 1 + signatureBytes * index)
  }
  wire.set(message, start)
  return wire
}

/** For simulations, which do not verify signatures. */
export const noSignature = new Uint8Array(signatureBytes)

/** For transactions of `toWireTransaction`: with few signers and addresses, counts are one byte. */
export function blockhashOf(wire: Buffer): string {
  const countAt = 1 + signatureBytes * wire[0]! + addressCountAt
  const start = countAt + 1 + wire[countAt]! * hashBytes
  return base58.encode(wire.subarray(start, start + hashBytes))
}
