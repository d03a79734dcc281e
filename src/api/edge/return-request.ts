import Type, { type Static } from 'typebox'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import type { Payment } from '../../collections/payment.js'
import type { Destination } from '../../payouts/ports.js'
import { readAddress, solanaAddress } from './read-address.js'
import { readCoins } from './read-coins.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  decimalInput,
  koboInput,
  plainText,
} from './schemas.js'

/** What a merchant says of money that goes back; its form follows the asset of the payment. */

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
  description: 'Of naira: a bank account. Of coins: a wallet, which must always be named.',
})

export const amountIn = Type.Union([koboInput, decimalInput], {
  description: 'Of NGN: an integer of kobo. Of USDC and USDT: a decimal string.',
})

type Paid = Pick<Payment, 'asset'>

export function readDestination(
  sent: Static<typeof destinationIn> | undefined,
  { asset }: Paid,
): Destination | undefined {
  if (!sent) return undefined
  const isNaira = asset === 'NGN'
  if ('address' in sent) {
    if (isNaira) throw misfit('destination.address', 'is for coins; name a bank account instead')
    return { kind: 'wallet', address: readAddress(sent.address, 'destination.address') }
  }
  if (!isNaira)
    throw misfit('destination.bankCode', `is for naira; ${asset} goes to a wallet: send address`)
  const { accountName = '', ...account } = sent
  return { kind: 'bank_account', ...account, accountName, bankName: '', narration: null }
}

/** In the smallest unit. */
export function readAmount(
  sent: Static<typeof amountIn> | undefined,
  { asset }: Paid,
): bigint | undefined {
  if (sent === undefined) return undefined
  const isNaira = asset === 'NGN'
  if (isNaira && typeof sent === 'number') return BigInt(sent)
  if (isNaira) throw misfit('amount', 'must be an integer: this payment is of naira, in kobo')
  if (typeof sent === 'number')
    throw misfit('amount', `must be a decimal text such as "25.50": this payment is of ${asset}`)
  return readCoins(sent, asset)
}

function misfit(field: string, issue: string): Refusal {
  return new Refusal('validation_failed', {
    message: `${field} ${issue}.`,
    details: [{ field, issue }],
  })
}
