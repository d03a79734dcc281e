import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { type JsonText, withField } from '../../base/json-text.js'
import {
  anyAmount,
  anyAsset,
  flag,
  metadata,
  notYet,
  reference,
  resource,
  text,
  timestamp,
  withDescription,
} from '../../base/shapes.js'
import { toWire } from '../../money/amounts.js'
import { referenceOf } from '../payout.js'
import { type Claim, claimReference, claimStatuses, isLocked, payoutKindOf } from './claim.js'

export const claim = resource('Claim', {
  reference: reference(prefixes.claim, 'Identifies the claim.'),
  status: Type.Enum([...claimStatuses], {
    description:
      '`OPEN`: the money is set aside and waits for the recipient. `CLAIMED`: it became the transfer `payout`; if that fails, the claim opens again. `EXPIRED` and `CANCELLED`: the money is available again; money of a `payment` is accepted or held again.',
    examples: ['OPEN'],
  }),
  asset: withDescription(anyAsset, 'NGN is paid to a bank account, coins to a Solana wallet.'),
  amount: withDescription(anyAmount, 'What the recipient gets.'),
  feeMax: Type.Union(anyAmount.anyOf, {
    description:
      'Set aside beside the amount for the fee and stamp duty of the transfer. What it does not cost is available again once the money is claimed. After a failed transfer, what that transfer held is set aside instead.',
    examples: [2_500],
  }),
  payment: notYet(
    reference(prefixes.payment, 'Identifies the payment.'),
    'The payment whose money it returns; null for other claims.',
  ),
  description: text('Refund of order 1001', 'Why the recipient gets it. The page shows it.'),
  recipientName: notYet(text('Ada Obi'), 'Name of the recipient. The page greets them with it.'),
  email: notYet(text('ada@example.com'), 'Address that the link is mailed to.'),
  hasSecretWord: flag(false, 'Whether the recipient must know a secret word.'),
  locked: flag(
    false,
    'Too many wrong secret words, or too many accounts looked up: nothing can be claimed until you unlock it.',
  ),
  merchantReference: notYet(text('refund-1001'), 'Your own reference, if you sent one.'),
  metadata,
  url: notYet(
    text('https://pay.example.com/claim/3q2-7wAA'),
    'The link for the recipient. Only in the answer of creation: it is not stored.',
  ),
  payout: notYet(
    reference(prefixes.bankTransfer, 'Identifies the transfer.'),
    'The transfer that pays it, once it is claimed; of a `payment`, the payout of its return.',
  ),
  expiresAt: timestamp('Until when it can be claimed.'),
  createdAt: timestamp('When the claim was created.'),
  claimedAt: notYet(timestamp('When the recipient claimed it.')),
  endedAt: notYet(timestamp('When it expired or was cancelled.')),
})

/** `url` is known only when the claim is created. */
export function showClaim(shown: Claim, url: string | null = null): JsonText {
  const { asset, payoutId } = shown
  const fields: Omit<Static<typeof claim>, 'metadata'> = {
    reference: claimReference(shown),
    status: shown.status,
    asset,
    amount: toWire(shown.amount, asset),
    feeMax: toWire(shown.feeMax, asset),
    payment: shown.paymentId && toReference(prefixes.payment, shown.paymentId),
    description: shown.description,
    recipientName: shown.recipientName,
    email: shown.email,
    hasSecretWord: shown.wordHash !== null,
    locked: shown.status === 'OPEN' && isLocked(shown),
    merchantReference: shown.merchantReference,
    url,
    payout: payoutId && referenceOf({ kind: payoutKindOf(shown), id: payoutId }),
    expiresAt: toIsoText(shown.expiresAt),
    createdAt: toIsoText(shown.createdAt),
    claimedAt: shown.claimedAt && toIsoText(shown.claimedAt),
    endedAt: shown.endedAt && toIsoText(shown.endedAt),
  }
  return withField(fields, 'metadata', shown.metadata)
}
