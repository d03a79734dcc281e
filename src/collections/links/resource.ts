import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import { prefixes } from '../../base/ids.js'
import { type JsonText, withField } from '../../base/json-text.js'
import {
  flag,
  kobo,
  metadata,
  naira,
  network,
  notYet,
  reference,
  resource,
  stablecoin,
  text,
  time,
  timestamp,
  withDescription,
  withExample,
} from '../../base/shapes.js'
import { toWire } from '../../money/amounts.js'
import { paymentLinkLimits } from '../limits.js'
import { linkReference, linkStatus, linkStatuses, type UsedLink } from './link.js'

const { usesCountedMax } = paymentLinkLimits

const linkUrl = 'https://pay.example.com/pay/ada-bread'

export const paymentLink = resource('PaymentLink', {
  reference: reference(prefixes.paymentLink, 'Identifies the link.'),
  slug: text('ada-bread', 'End of the URL. It never changes.'),
  url: text(linkUrl, 'URL of the page. Anyone who opens it can pay.'),
  qrCode: text(`${linkUrl}/qr.svg`, 'The URL as a QR code: an SVG picture that needs no API key.'),
  description: text('Two loaves of agege bread', 'What is paid for.'),
  amount: notYet(kobo, 'What each payer pays, in kobo; null if the payer chooses.'),
  minAmount: notYet(kobo, 'The least that a payer can choose, in kobo.'),
  maxAmount: notYet(kobo, 'The most that a payer can choose, in kobo.'),
  currency: naira,
  crypto: notYet(
    Type.Object({ asset: stablecoin, network }),
    'The stablecoin in which payers can pay instead, at the rate of the moment.',
  ),
  fields: Type.Array(
    Type.Object({
      label: text('Size', 'What the payer is asked.'),
      required: flag(true, 'Whether the payer must answer.'),
    }),
    { description: 'What the payer is asked, besides name and e-mail address.' },
  ),
  usesMax: notYet(Type.Integer(), 'Paid sessions after which the link is sold out.'),
  uses: Type.Integer({
    description: `Sessions of the link that were paid, counted up to ${usesCountedMax}.`,
    examples: [0],
  }),
  active: flag(true, 'False: you have switched the link off.'),
  status: Type.Enum([...linkStatuses], {
    description:
      '`active`: the page makes new sessions. `inactive`, `expired` and `sold_out`: it does not; sessions that it made can still be paid.',
    examples: ['active'],
  }),
  expiresAt: notYet(time, 'When the link stops making sessions.'),
  successUrl: notYet(
    text('https://shop.example/thanks'),
    'Where the customer continues after paying.',
  ),
  metadata: withExample(
    withDescription(metadata, 'The JSON object you sent. Each session gets a copy.'),
    {},
  ),
  createdAt: timestamp('When the link was created.'),
})

/** `now` is that of the environment. */
export function showLink(link: UsedLink, now: Date): JsonText {
  const inKobo = (amount: bigint | null) => (amount === null ? null : toWire(amount, 'NGN'))
  const { cryptoAsset, expiresAt } = link
  const fields: Omit<Static<typeof paymentLink>, 'metadata'> = {
    reference: linkReference(link),
    slug: link.slug,
    url: link.url,
    qrCode: `${link.url}/qr.svg`,
    description: link.description,
    amount: inKobo(link.amount),
    minAmount: inKobo(link.amountMin),
    maxAmount: inKobo(link.amountMax),
    currency: 'NGN',
    crypto: cryptoAsset && { asset: cryptoAsset, network: 'SOLANA' },
    fields: link.fields,
    usesMax: link.usesMax,
    uses: link.uses,
    active: link.isActive,
    status: linkStatus(link, now),
    expiresAt: expiresAt && toIsoText(expiresAt),
    successUrl: link.successUrl,
    createdAt: toIsoText(link.createdAt),
  }
  return withField(fields, 'metadata', link.metadata)
}
