import Type, { type Static } from 'typebox'
import { prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { invalidField } from '../../base/refusal.js'
import { referenceSample, withDescription } from '../../base/shapes.js'
import type { Payment } from '../../collections/payments/payment.js'
import { refundReason } from '../../collections/returns/resource.js'
import type { Destination } from '../../payouts/ports.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { splitLimits } from '../../subaccounts/limits.js'
import type { NamedTakeBack } from '../../subaccounts/shares/named-take-back.js'
import { findNamedSubaccounts } from '../../subaccounts/store-subaccounts.js'
import { noteLimits } from '../../team/limits.js'
import { claimDescriptionIn, claimTermsIn, readClaimTerms } from './claim-request.js'
import { readAddress, solanaAddress } from './read-address.js'
import { readAnyAmount, readStablecoinAmount } from './read-coins.js'
import { unknownName } from './read-splits.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  decimalInput,
  koboInput,
  lineOfText,
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
    lineOfText(noteLimits.refundLengthMax, {
      description: 'What your team should know about the refund. Payers do not see it.',
      examples: ['Two loaves instead of one'],
    }),
  ),
}

const takeBackIn = closed({
  subaccount: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A sub-account that got a share of the payment.',
    examples: [referenceSample(prefixes.subaccount)],
  }),
  amount: withDescription(
    amountIn,
    'What it gives back, of what refunds have left of its shares: an integer in kobo for NGN; a decimal string for coins.',
  ),
})

/** Examples are without it: few payments are split. */
export const takeBacksIn = Type.Optional(
  Type.Array(takeBackIn, {
    maxItems: splitLimits.linesMax,
    'x-left-out': true,
    description:
      'Which sub-accounts give back how much, together at most what is refunded; you give the rest. An empty list: you give all of it. By default, each gives back in proportion to its share.',
  }),
)

/** The payer says where the money goes. Examples are without it: most senders are known. */
export const byClaimIn = {
  by: Type.Optional(
    Type.Literal('claim', {
      'x-left-out': true,
      description:
        'Instead of `destination`: the payer enters a bank account, or a wallet for coins, on the page of a claim. Needs an `Idempotency-Key` and the permission `payouts.create`.',
      examples: ['claim'],
    }),
  ),
  claim: Type.Optional(
    Type.Object(
      { description: Type.Optional(claimDescriptionIn), ...claimTermsIn },
      {
        additionalProperties: false,
        'x-left-out': true,
        description: 'With `by`: what the claim says, who gets its link, and until when.',
        examples: [{ email: 'ada@example.com' }],
      },
    ),
  ),
}

type SentByClaim = {
  by?: 'claim'
  claim?: NonNullable<Static<typeof byClaimIn.claim>>
  destination?: Static<typeof destinationIn>
}

/** What the request says about the claim; undefined for a return without one. */
export function readReturnByClaim({ by, claim, destination }: SentByClaim, now: Date) {
  if (by === undefined) {
    if (claim) throw invalidField('claim', 'is for returns by claim: send `by` with it')
    return undefined
  }
  if (destination) throw invalidField('destination', 'cannot be sent with `by`: the payer names it')
  const description = claim?.description ?? 'Refund of your payment'
  return { description, ...readClaimTerms(claim ?? {}, now, 'claim.') }
}

export type SentClaimTerms = NonNullable<ReturnType<typeof readReturnByClaim>>

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
export function readReturnAmount(
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

/**
 * What sub-accounts give to a refund. What they have of the payment is checked when it is
 * committed. Null if the request names none: then they give in proportion.
 */
export async function readTakeBacks(
  db: Queryable,
  sent: Static<typeof takeBacksIn> | undefined,
  payment: Pick<Payment, 'environmentId' | 'asset' | 'splitId'>,
): Promise<NamedTakeBack[] | null> {
  if (sent === undefined) return null
  if (payment.splitId === null)
    throw invalidField('splits', 'cannot be sent: the payment was not split')
  const references = sent.map(({ subaccount }) => subaccount)
  const found = await findNamedSubaccounts(db, payment.environmentId, references)
  return sent.map(({ subaccount, amount }, index) => {
    const field = `splits.${index}.subaccount`
    const known = found.get(subaccount)
    if (!known) throw invalidField(field, unknownName('sub-account'))
    if (references.indexOf(subaccount) < index)
      throw invalidField(field, 'is in an earlier line, too; add the amounts up in one line')
    const read = readAnyAmount(`splits.${index}.amount`, amount, payment.asset)
    return { subaccountId: known.id, amount: read }
  })
}
