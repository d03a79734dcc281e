import { strict as assert } from 'node:assert'
import type { PayoutInstruction } from '../../payouts/ports.js'
import type { BankOrder } from './driver.js'

/** Some providers forbid `_` in a reference. */
export function toProviderReference(reference: string): string {
  assert(!reference.includes('-'), 'our references contain no dash')
  return reference.replaceAll('_', '-')
}

export function fromProviderReference(reference: string): string {
  return reference.replaceAll('-', '_')
}

export function toOrder({ reference, asset, amount, destination }: PayoutInstruction): BankOrder {
  assert(asset === 'NGN' && destination.kind === 'bank_account', 'banks pay naira')
  const { bankCode, accountNumber, accountName, bankName, narration, refundOf } = destination
  return {
    reference: toProviderReference(reference),
    amount,
    bankCode,
    accountNumber,
    accountName,
    bankName,
    narration,
    recipient: null,
    refundOf: refundOf ?? null,
  }
}

/** The amount is a text, so that no reader parses it as a float. */
export function writeOrder(order: BankOrder): Buffer {
  return Buffer.from(JSON.stringify({ ...order, amount: order.amount.toString() }))
}

/** Reads bytes that `writeOrder` made. */
export function readOrder(wire: Buffer): BankOrder {
  const stored = JSON.parse(wire.toString()) as Omit<BankOrder, 'amount'> & { amount: string }
  return { ...stored, amount: BigInt(stored.amount) }
}
