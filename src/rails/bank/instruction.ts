import { strict as assert } from 'node:assert'
import type { PayoutInstruction } from '../../payouts/ports.js'
import type { BankInstruction } from './driver.js'

/** Some providers forbid `_` in a reference. */
export function toProviderReference(reference: string): string {
  assert(!reference.includes('-'), 'our references contain no dash')
  return reference.replaceAll('_', '-')
}

export function fromProviderReference(reference: string): string {
  return reference.replaceAll('-', '_')
}

export function toBankInstruction({
  reference,
  asset,
  amount,
  destination,
}: PayoutInstruction): BankInstruction {
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
export function writeInstruction(instruction: BankInstruction): Buffer {
  return Buffer.from(JSON.stringify({ ...instruction, amount: instruction.amount.toString() }))
}

/** Reads bytes that `writeInstruction` made. */
export function readInstruction(wire: Buffer): BankInstruction {
  const stored = JSON.parse(wire.toString()) as Omit<BankInstruction, 'amount'> & { amount: string }
  return { ...stored, amount: BigInt(stored.amount) }
}
