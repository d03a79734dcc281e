import Type, { type Static } from 'typebox'
import { limits } from '../../base/limits.js'
import { invalidField } from '../../base/refusal.js'
import type { Payment } from '../../collections/payments/payment.js'
import { refundReason } from '../../collections/returns/resource.js'
import type { Destination } from '../../payouts/ports.js'
import { noteLimits } from '../../team/limits.js'
import { readAddress, solanaAddress } from './read-address.js'
import { readStablecoinAmount } from './read-coins.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  decimalInput,
  koboInput,
  plainText,
} from './schemas.js'

/** Fields of a refund or return. Amount and destination follow the asset of the payment. */

const bankAccount = closed({
  bankCode: Type.String({ pattern: bankCodePattern, examples: ['058'] }),
  accountNumber: Type.String({ pattern: accountNumberPattern, examples: ['0123456789'] }),
  accountName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.names.length,
      pattern: plainText,
      examples: ['ADA OBI'],
    }),
  ),
})

export const destinationIn = Type.Union([bankAccount, closed({ address: solanaAddress })], {
  description: 'A bank account for NGN; a wallet for USDC and USDT, for which it is required.',
})

export const amountIn = Type.Union([koboInput, decimalInput], {
  description: 'NGN: an integer in kobo. USDC and USDT: a decimal string.',
})

/** Both optional: a refund needs no reason. */
export const refundWhy = {
  reason: Type.Optional(refundReason),
  note: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: noteLimits.refundLengthMax,
      pattern: plainText,
      description: 'What your team should know about the refund. Payers do not see it.',
      examples: ['Two loaves instead of one'],
    }),
  ),
}

type PaidAsset = Pick<Payment, 'asset'>

export function readReturnDestination(
  sent: Static<typeof destinationIn> | undefined,
  { asset }: PaidAsset,
): Destination | undefined {
  if (!sent) return undefined
  const isNaira = asset === 'NGN'
  if ('address' in sent) {
    if (isNaira)
      throw invalidField('destination.address', 'is for stablecoins; send a bank account instead')
    return { kind: 'wallet', address: readAddress(sent.address, 'destination.address') }
  }
  if (!isNaira)
    throw invalidField(
      'destination.bankCode',
      `is for naira; ${asset} is sent to a wallet: send address`,
    )
  const { accountName = '', ...account } = sent
  return { kind: 'bank_account', ...account, accountName, bankName: '', narration: null }
}

/** The amount in the smallest unit. */
export function readAmount(
  sent: Static<typeof amountIn> | undefined,
  { asset }: PaidAsset,
): bigint | undefined {
  if (sent === undefined) return undefined
  const isNaira = asset === 'NGN'
  if (isNaira && typeof sent === 'number') return BigInt(sent)
  if (isNaira) throw invalidField('amount', 'must be an integer in kobo: this is a naira payment')
  if (typeof sent === 'number')
    throw invalidField(
      'amount',
      `must be a decimal string such as "25.50": this is a ${asset} payment`,
    )
  return readStablecoinAmount(sent, asset)
}
