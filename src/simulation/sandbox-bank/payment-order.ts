import { strict as assert } from 'node:assert'
import type { PayoutInstruction } from '../../payouts/ports.js'

/** What the bank is asked to do, as it reads it. */
export type PaymentOrder = {
  reference: string
  amount: bigint
  bankCode: string
  accountNumber: string
  /** The payment that goes back to whoever sent it, in place of the account. */
  refundOf: string | undefined
  /** The very text it was read from. */
  text: string
}

/** The bank forbids `_` in a reference. */
export function toBankReference(reference: string): string {
  assert(!reference.includes('-'), 'a reference of ours can be told from that of the bank')
  return reference.replaceAll('_', '-')
}

export function fromBankReference(reference: string): string {
  return reference.replaceAll('-', '_')
}

/** The amount is text of whole kobo, so that no reader can make a float of it. */
export function writeOrder({ reference, asset, amount, destination }: PayoutInstruction): Buffer {
  assert(asset === 'NGN' && destination.kind === 'bank_account', 'a bank carries naira to accounts')
  const { bankCode, accountNumber, accountName, narration, refundOf } = destination
  return Buffer.from(
    JSON.stringify({
      reference: toBankReference(reference),
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

/** Undefined for anything that is no order. */
export function readOrder(wire: Buffer): PaymentOrder | undefined {
  const text = wire.toString()
  const fields = parseObject(text)
  const { reference, amount, currency, bankCode, accountNumber, refundOf } = fields
  const texts = [reference, amount, bankCode, accountNumber, refundOf ?? '']
  const isOrder =
    currency === 'NGN' &&
    texts.every((field) => typeof field === 'string') &&
    /^[1-9]\d{0,17}$/.test(amount as string)
  if (!isOrder) return undefined
  return {
    reference: reference as string,
    amount: BigInt(amount as string),
    bankCode: bankCode as string,
    accountNumber: accountNumber as string,
    refundOf: refundOf as string | undefined,
    text,
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {} // whatever is wrong with it, it is no order
  }
}
