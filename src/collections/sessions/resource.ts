import Type, { type Static } from 'typebox'
import { prefixes, toReference } from '../../base/ids.js'
import { type JsonText, withField } from '../../base/json-text.js'
import { limits } from '../../base/limits.js'
import {
  decimal,
  expiry,
  flag,
  kobo,
  metadata,
  naira,
  network,
  notYet,
  orNull,
  reference,
  resource,
  sessionSample,
  stablecoin,
  text,
  time,
  timestamp,
  walletAddress,
  withDescription,
  withExample,
} from '../../base/shapes.js'
import { ownerProperties, showOwner } from '../../customers/owner.js'
import { formatDecimal, toWire } from '../../money/amounts.js'
import type { Coin } from '../../money/assets.js'
import { formatRate } from '../../money/rates.js'
import { ownSplit, showOwnSplit } from '../../subaccounts/splits/resource.js'
import type { CollectionAccount } from '../accounts/account.js'
import { payment, showPayment } from '../payments/resource.js'
import type { FoundSession } from './find-sessions.js'
import { type Session, type SessionAccounts, sessionStatus, sessionStatuses } from './session.js'

const paymentMethod = Type.Object({
  code: text('bank_transfer', '`bank_transfer`, `card` or `crypto`.'),
  label: text('Bank transfer', 'Display name.'),
  enabled: flag(
    true,
    'Whether the merchant has enabled the method. An open session keeps the methods that it was created with.',
  ),
  available: flag(true, 'Whether the session can be paid with it now.'),
  status: text(
    'available',
    '`available`: the session can be paid with it now; `unavailable`: it cannot, because the session has ended or was created without the method; `coming_soon`: no session supports it yet.',
  ),
})

/** Fields that the merchant and the payer both see. */
export const sharedSessionProperties = {
  reference: text(
    sessionSample,
    'Identifies the session. Anyone who knows it can read the public session.',
  ),
  merchant: Type.Object({
    id: reference(prefixes.merchant, 'Identifies the merchant.'),
    displayName: text('Ada Stores', 'Name shown to payers.'),
  }),
  amount: withDescription(kobo, 'Amount to pay, in kobo.'),
  currency: naira,
  description: text('Two loaves of agege bread', 'What the customer pays for.'),
  paymentMethods: Type.Array(paymentMethod, {
    description:
      '`bank_transfer` and `card` always, and `crypto` if the session has a price in a stablecoin.',
  }),
  status: Type.Enum([...sessionStatuses], {
    description:
      '`pending` until the session is `paid`, `expired` or `cancelled`. An expired or cancelled session becomes `paid` if you accept a late payment.',
    examples: ['pending'],
  }),
  expiresAt: expiry,
}

/** The customer, named as they are to the given reader. */
export const customerShape = (description: string) =>
  Type.Object(
    {
      name: text('Ada Obi', 'Name of the customer.'),
      email: text('ada@example.com', 'Email address of the customer.'),
    },
    { description },
  )

const bankTransfer = Type.Optional(
  Type.Object(
    {
      accountNumber: text('0000014572', 'Account number to pay into.'),
      accountName: text('Ada Stores', 'Name on the account.'),
      bankName: text('Sandbox Bank', 'Name of the bank.'),
      bankCode: text('999', 'Code of the bank; empty if its provider lists none.'),
      amount: withDescription(kobo, 'Amount to transfer, in kobo.'),
    },
    {
      description:
        'How to pay by bank transfer. Only present while the session is pending and accepts it.',
    },
  ),
)

const cryptoAmounts = Type.Optional(
  Type.Object(
    {
      asset: stablecoin,
      amount: withDescription(decimal, 'Amount to pay.'),
      amountReceived: withExample(withDescription(decimal, 'Amount received.'), '0'),
      amountAccepted: withExample(withDescription(decimal, 'Amount the merchant accepted.'), '0'),
    },
    { description: 'Stablecoin amounts, if the session has a price in one.' },
  ),
)

/** How to pay, and what has arrived. */
export const paymentProperties = {
  bankTransfer,
  amountReceived: withExample(withDescription(kobo, 'Naira received, in kobo.'), 0),
  amountAccepted: withExample(withDescription(kobo, 'Naira the merchant accepted, in kobo.'), 0),
  cryptoAmounts,
  serverTime: timestamp('Current time of the environment, to count down to `expiresAt`.'),
}

export const cryptoProperties = {
  address: withDescription(walletAddress, 'Wallet address to pay into.'),
  asset: stablecoin,
  network,
  amount: withDescription(
    decimal,
    'Price in this stablecoin: set by the merchant, or computed from the rate and rounded up to 0.01.',
  ),
  rate: orNull(
    text('1580', 'Rate when the session was created, in naira per coin.'),
    'Rate of the price, in naira per coin; null if the merchant set the price.',
  ),
}

/** Bank transfer and crypto: a session has at most one collection account for each. */
export const methodsMax = 2

const { paymentsShownMax } = limits.checkout

export const checkoutSession = resource('CheckoutSession', {
  ...sharedSessionProperties,
  customer: customerShape('Who you asked to pay.'),
  merchantReference: Type.Optional(
    text('order-1001', 'Your own reference, such as an order number, if you sent one.'),
  ),
  paymentLink: Type.Optional(
    reference(prefixes.paymentLink, 'The payment link through which the payer made the session.'),
  ),
  url: text(
    `https://pay.example.com/checkout/${sessionSample}`,
    'URL of the hosted page. Send your customer there.',
  ),
  virtualAccount: Type.Optional(
    reference(
      prefixes.virtualAccount,
      'The virtual account that collects bank transfers for the session. Absent if bank transfers were disabled in the settings when the session was created.',
    ),
  ),
  crypto: Type.Optional(
    Type.Object(cryptoProperties, {
      description: 'Price in a stablecoin, if you set one, and the wallet to pay into.',
    }),
  ),
  cryptoWallet: Type.Optional(
    reference(prefixes.cryptoWallet, 'The wallet that collects stablecoins for the session.'),
  ),
  ...paymentProperties,
  payments: Type.Array(payment, {
    description: `Payments into the session, newest first: per payment method the latest ${paymentsShownMax}. Refund one with \`POST /v1/collections/payments/{reference}/refund\`.`,
    maxItems: methodsMax * paymentsShownMax,
    examples: [[]],
  }),
  moreReceived: flag(false, 'Whether more payments arrived than `payments` lists.'),
  splits: withDescription(
    ownSplit,
    'What sub-accounts get of each payment, as you sent it; in the stablecoin if the session takes no bank transfers. Left out if payments are not split.',
  ),
  ...ownerProperties,
  successUrl: orNull(
    text('https://shop.example/thanks', 'Where the customer continues after paying.'),
  ),
  cancelUrl: orNull(
    text('https://shop.example/basket', 'Where the customer goes to leave without paying.'),
  ),
  metadata,
  createdAt: timestamp('When the session was created.'),
  openedAt: notYet(time, 'When a browser first showed the page.'),
})

type ShownSession = Omit<FoundSession, 'mode' | 'clockOffsetMs'>

/**
 * As the merchant's operations return it and events carry it. `serverTime` is that of the
 * environment.
 */
export function showSession(serverTime: Date, found: ShownSession): JsonText {
  const { session, account, wallet, payments, split } = found
  const shared = sharedSessionFields(found, customerOf(found))
  const amounts = showAmounts(found)
  const owner = showOwner((account ?? wallet)!)
  // Field by field: object spreads are slow.
  const fields: Omit<Static<typeof checkoutSession>, 'metadata'> = {
    reference: shared.reference,
    merchant: shared.merchant,
    amount: shared.amount,
    currency: shared.currency,
    description: shared.description,
    customer: shared.customer,
    paymentMethods: shared.paymentMethods,
    status: shared.status,
    expiresAt: shared.expiresAt,
    merchantReference: session.merchantReference ?? undefined,
    paymentLink: session.paymentLinkId
      ? toReference(prefixes.paymentLink, session.paymentLinkId)
      : undefined,
    url: session.url,
    virtualAccount: account ? toReference(prefixes.virtualAccount, account.id) : undefined,
    crypto: wallet ? showCrypto(wallet, session) : undefined,
    cryptoWallet: wallet ? toReference(prefixes.cryptoWallet, wallet.id) : undefined,
    bankTransfer: amounts.bankTransfer,
    amountReceived: amounts.amountReceived,
    amountAccepted: amounts.amountAccepted,
    cryptoAmounts: amounts.cryptoAmounts,
    payments: payments.map(showPayment),
    moreReceived: hasMore(found),
    splits: split && showOwnSplit(split),
    customerReference: owner.customerReference,
    invoiceReference: owner.invoiceReference,
    serverTime: serverTime.toISOString(),
    successUrl: session.successUrl,
    cancelUrl: session.cancelUrl,
    createdAt: session.createdAt.toISOString(),
    openedAt: session.openedAt?.toISOString() ?? null,
  }
  return withField(fields, 'metadata', session.metadata)
}

/** An account knows the sum of its payments. */
function hasMore({ account, wallet, payments }: ShownSession): boolean {
  return [account, wallet].some((one) => {
    const own = payments.filter(({ accountId }) => accountId === one?.id)
    return one !== null && own.reduce((sum, { amount }) => sum + amount, 0n) < one.amountReceived
  })
}

export type Customer = Static<ReturnType<typeof customerShape>>

export function customerOf({ session }: ShownSession): Customer {
  return { name: session.customerName, email: session.customerEmail }
}

export function sharedSessionFields(found: ShownSession, customer: Customer) {
  const { session, account, wallet, merchantId, checkout } = found
  return {
    reference: session.reference,
    merchant: {
      id: toReference(prefixes.merchant, merchantId),
      displayName: checkout.displayName,
    },
    amount: toWire(account?.amount ?? session.amount!, 'NGN'),
    currency: 'NGN' as const,
    description: session.description,
    customer,
    paymentMethods: showPaymentMethods(found),
    status: sessionStatus(found),
    expiresAt: (account ?? wallet)!.expiresAt!.toISOString(),
  }
}

export function showAmounts(found: ShownSession) {
  const { account, wallet } = found
  return {
    bankTransfer:
      account && sessionStatus(found) === 'pending' ? showBankTransfer(account) : undefined,
    amountReceived: toWire(account?.amountReceived ?? 0n, 'NGN'),
    amountAccepted: toWire(account?.amountAccepted ?? 0n, 'NGN'),
    cryptoAmounts: wallet ? showCryptoAmounts(wallet) : undefined,
  }
}

function showBankTransfer(account: CollectionAccount) {
  return {
    accountNumber: account.number,
    accountName: account.accountName,
    bankName: account.bankName,
    bankCode: account.bankCode,
    amount: toWire(account.amount!, 'NGN'),
  }
}

function showCryptoAmounts(wallet: CollectionAccount) {
  const asset = wallet.asset as Coin
  return {
    asset,
    amount: formatDecimal(wallet.amount!, asset),
    amountReceived: formatDecimal(wallet.amountReceived, asset),
    amountAccepted: formatDecimal(wallet.amountAccepted, asset),
  }
}

export function showCrypto(
  { number: address, requestedAmount, asset }: CollectionAccount,
  { cryptoRate }: Session,
) {
  return {
    address,
    asset: asset as Coin,
    network: 'SOLANA' as const,
    amount: requestedAmount!,
    rate: cryptoRate === null ? null : formatRate(cryptoRate),
  }
}

/** Only while the session is pending: payers must not see where to send money afterwards. */
export function acceptsCrypto(found: SessionAccounts): boolean {
  return found.wallet?.status === 'ACTIVE' && sessionStatus(found) === 'pending'
}

/** A pending session keeps the methods it was created with, even if one is disabled later. */
function showPaymentMethods(found: ShownSession) {
  const { account, wallet, paymentMethods } = found
  const isBankAvailable = account?.status === 'ACTIVE'
  const methods = [
    {
      code: 'bank_transfer',
      label: 'Bank transfer',
      enabled: paymentMethods.bankTransfer || isBankAvailable,
      available: isBankAvailable,
      status: isBankAvailable ? 'available' : 'unavailable',
    },
    {
      code: 'card',
      label: 'Card',
      enabled: false,
      available: false,
      status: 'coming_soon',
    },
  ]
  if (!wallet) return methods
  const isCryptoAvailable = acceptsCrypto(found)
  methods.push({
    code: 'crypto',
    label: wallet.asset!,
    enabled: paymentMethods.crypto || isCryptoAvailable,
    available: isCryptoAvailable,
    status: isCryptoAvailable ? 'available' : 'unavailable',
  })
  return methods
}
