import { strict as assert } from 'node:assert'
import type { PayoutInstruction } from '../../payouts/ports.js'
import { toProviderReference } from '../../rails/bank/instruction.js'

/** A payment order as the bank parses it. */
export type PaymentOrder = {
  reference: string
  amount: bigint
  bankCode: string
  accountNumber: string
  /** Id of the payment to return to its sender, instead of paying the account. */
  refundOf: string | undefined
  /** The original text, which shows whether a repeated reference has other content. */
  text: string
}

/** The amount is a string of whole kobo, so that no reader parses it as a float. */
export function writeOrder({ reference, asset, amount, destination }: PayoutInstruction): Buffer {
  assert(
    asset === 'NGN' && destination.kind === 'bank_account',
    'the bank pays naira to bank accounts',
  )
  const { bankCode, accountNumber, accountName, narration, refundOf } = destination
  return Buffer.from(
    JSON.stringify({
      reference: toProviderReference(reference),
      amount: amount.toString(),
      currency: asset,
      bankCode,
      accountNumber,
      accountName,
      narration,
      refundOf,
    }),
  )
}

/** Undefined if the bytes are not a payment order. */
export function readOrder(wire: Buffer): PaymentOrder | undefined {
  const text = wire.toString()
  const fields = parseObject(text)
  const { reference, amount, currency, bankCode, accountNumber, refundOf } = fields
  if (
    currency !== 'NGN' ||
    typeof reference !== 'string' ||
    typeof amount !== 'string' ||
    typeof bankCode !== 'string' ||
    typeof accountNumber !== 'string' ||
    (refundOf !== undefined && typeof refundOf !== 'string') ||
    !/^[1-9]\d{0,17}$/.test(amount)
  )
    return undefined
  return { reference, amount: BigInt(amount), bankCode, accountNumber, refundOf, text }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    return {} // not an order
  }
}
