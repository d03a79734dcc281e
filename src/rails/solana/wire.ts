import { strict as assert } from 'node:assert'
import { base58 } from '@scure/base'

const signatureBytes = 64
const hashBytes = 32
/** Of a message: version and header, then the count of addresses. */
const addressCountAt = 1 + 3

/** A transaction as it travels: the signatures of its signers, then what was signed. */
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

/** For simulations, which do not look at it. */
export const noSignature = new Uint8Array(signatureBytes)

/** The blockhash in a transaction that `toWire` made; ours have few signers and addresses. */
export function blockhashOf(wire: Buffer): string {
  const countAt = 1 + signatureBytes * wire[0]! + addressCountAt
  const start = countAt + 1 + wire[countAt]! * hashBytes
  return base58.encode(wire.subarray(start, start + hashBytes))
}
