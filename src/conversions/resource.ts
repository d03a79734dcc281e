import Type, { type Static } from 'typebox'
import { toIsoText } from '../base/clock.js'
import { prefixes, toReference } from '../base/ids.js'
import {
  anyAmount,
  anyAsset,
  notYet,
  orNull,
  reference,
  referenceSample,
  resource,
  text,
  timestamp,
  withDescription,
  withExample,
} from '../base/shapes.js'
import { toWire } from '../money/amounts.js'
import { formatRate } from '../money/rates.js'
import { vatRates } from '../money/vat.js'
import type { Conversion, ConversionQuote } from './conversion.js'

const price = {
  from: withDescription(anyAsset, 'The asset that is converted.'),
  to: withExample(withDescription(anyAsset, 'The asset that is credited.'), 'USDC'),
  rate: text('1600', 'In naira per coin.'),
  sourceAmount: withExample(
    withDescription(anyAmount, 'Deducted from the balance of `from`, including the fee.'),
    100_000_000,
  ),
  fee: withExample(withDescription(anyAmount, 'Part of `sourceAmount`, in `from`.'), 500_000),
  feeVat: withExample(withDescription(anyAmount, 'VAT that `fee` contains.'), 0),
  targetAmount: withExample(withDescription(anyAmount, 'Added to the balance of `to`.'), '621.875'),
}

export const conversionQuote = resource('ConversionQuote', {
  reference: reference(prefixes.conversionQuote, 'Send it as `quote` to convert at this price.'),
  ...price,
  expiresAt: timestamp('When the quote expires.'),
  createdAt: timestamp('When the quote was created.'),
})

export const conversion = resource('Conversion', {
  reference: reference(prefixes.conversion, 'Identifies the conversion.'),
  status: Type.Enum(['COMPLETED'], {
    description: 'A conversion completes at once, or is refused.',
    examples: ['COMPLETED'],
  }),
  quote: orNull(
    reference(prefixes.conversionQuote),
    'The quote that was used; null if a transfer with `maxRate` or a settlement converted.',
  ),
  ...price,
  transferReference: notYet(
    text(referenceSample(prefixes.cryptoTransfer)),
    'The transfer that the conversion paid for; null otherwise.',
  ),
  createdAt: timestamp('When the conversion was made.'),
})

type ConversionJson = Static<typeof conversion>

export function showQuote(quote: ConversionQuote): Static<typeof conversionQuote> {
  return {
    reference: toReference(prefixes.conversionQuote, quote.id),
    ...showPrice(quote),
    expiresAt: toIsoText(quote.expiresAt),
    createdAt: toIsoText(quote.createdAt),
  }
}

export function showConversion(conversion: Conversion): ConversionJson {
  const { quoteId, payoutId, target } = conversion
  // A transfer that is paid for is in the asset that was bought.
  const prefix = target === 'NGN' ? prefixes.bankTransfer : prefixes.cryptoTransfer
  return {
    reference: toReference(prefixes.conversion, conversion.id),
    status: 'COMPLETED',
    quote: quoteId && toReference(prefixes.conversionQuote, quoteId),
    ...showPrice(conversion),
    transferReference: payoutId && toReference(prefix, payoutId),
    createdAt: toIsoText(conversion.createdAt),
  }
}

function showPrice({
  environmentId,
  id,
  source,
  target,
  rate,
  sourceAmount,
  fee,
  targetAmount,
}: Conversion | ConversionQuote) {
  return {
    from: source,
    to: target,
    rate: formatRate(rate),
    sourceAmount: toWire(sourceAmount, source),
    fee: toWire(fee, source),
    feeVat: toWire(vatRates.vatOf({ environmentId, causeId: id, fee }), source),
    targetAmount: toWire(targetAmount, target),
  }
}
