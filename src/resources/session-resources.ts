import Type from 'typebox'
import { prefixes } from '../base/ids.js'
import { amounts, anyAmount, anyCurrency, paymentStatus, variance } from './resources.js'
import {
  walletAddress as address,
  decimal,
  expiry,
  kobo,
  metadata,
  naira,
  network,
  orNull,
  reference,
  resource,
  sessionSample,
  showing,
  stablecoin,
  text,
  time,
  truth,
} from './shapes.js'

/** Checkout sessions, as in resources.ts. */

const paymentMethod = Type.Object({
  code: text('bank_transfer'),
  label: text('Bank transfer'),
  enabled: truth(true),
  available: truth(true),
  status: text('available'),
})

const knownToPayers = {
  reference: text(sessionSample),
  merchant: Type.Object({ id: reference(prefixes.merchant), displayName: text('Ada Stores') }),
  amount: kobo,
  currency: naira,
  description: text('Two loaves of agege bread'),
  customer: Type.Object({ name: text('Ada Obi'), email: text('ada@example.com') }),
  paymentMethods: Type.Array(paymentMethod),
  status: Type.Enum(['pending', 'paid', 'expired', 'cancelled'], { examples: ['pending'] }),
  expiresAt: expiry,
}

/** What a session costs in coins, where the merchant has set it. */
const price = { asset: stablecoin, network, amount: decimal }

export const checkoutSession = resource('CheckoutSession', {
  ...knownToPayers,
  merchantReference: Type.Optional(text('order-1001')),
  url: text(`https://pay.example.com/checkout/${sessionSample}`),
  virtualAccount: reference(prefixes.virtualAccount),
  crypto: Type.Optional(Type.Object(price)),
  cryptoWallet: Type.Optional(reference(prefixes.cryptoWallet)),
  successUrl: orNull(text('https://shop.example/thanks')),
  cancelUrl: orNull(text('https://shop.example/basket')),
  metadata,
  createdAt: time,
})

const maskedAccount = Type.Object({ bankName: text('GTBank'), accountNumber: text('******6789') })

/** What everyone who knows the reference may see of a session. */
export const publicCheckoutSession = resource('PublicCheckoutSession', {
  ...knownToPayers,
  bankTransfer: Type.Optional(
    Type.Object({
      accountNumber: text('0000014572'),
      accountName: text('Ada Stores'),
      bankName: text('Sandbox Bank'),
      bankCode: text('999'),
      amount: kobo,
    }),
  ),
  crypto: Type.Optional(Type.Object({ address, ...price })),
  amountReceived: showing(kobo, 0),
  amountAccepted: showing(kobo, 0),
  cryptoAmounts: Type.Optional(
    Type.Object(
      {
        asset: stablecoin,
        amount: decimal,
        amountReceived: showing(decimal, '0'),
        amountAccepted: showing(decimal, '0'),
      },
      { description: 'What was asked for in coins, what came, and what the merchant has of it.' },
    ),
  ),
  received: Type.Array(
    Type.Object({
      amount: anyAmount,
      currency: anyCurrency,
      ...amounts(anyAmount, 1_250_000, 0),
      status: paymentStatus,
      variance,
      sentBackTo: orNull(maskedAccount),
      receivedAt: time,
    }),
    { description: 'What came, newest first, and where that money is now.', examples: [[]] },
  ),
  moreReceived: truth(false, 'More came: `received` has the fifty that matter.'),
  serverTime: time,
  cancelUrl: orNull(text('https://shop.example/basket')),
  successUrl: Type.Optional(
    showing(orNull(Type.String({ description: 'Once paid.' })), 'https://shop.example/thanks'),
  ),
})
