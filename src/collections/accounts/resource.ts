import Type, { type Static, type TSchema } from 'typebox'
import { prefixes } from '../../base/ids.js'
import { type JsonText, joinObjects, toJson, withField } from '../../base/json-text.js'
import {
  decimal,
  expiry,
  kobo,
  metadata,
  naira,
  network,
  notYet,
  orNull,
  reference,
  resource,
  signature,
  stablecoin,
  text,
  time,
  timestamp,
  walletAddress,
  withDescription,
  withExample,
} from '../../base/shapes.js'
import { ownerProperties, showOwner } from '../../customers/owner.js'
import { toWire } from '../../money/amounts.js'
import { type Coin, coins } from '../../money/assets.js'
import { ownSplit, showOwnSplit } from '../../subaccounts/splits/resource.js'
import type { Split } from '../../subaccounts/splits/split.js'
import type { OtherDeposit } from '../notices/find-notices.js'
import { noticeDefects } from '../notices/store-notices.js'
import type { Payment } from '../payments/payment.js'
import { amounts, payment, showPayment, variance } from '../payments/resource.js'
import { accountReference, type CollectionAccount } from './account.js'

const merchantReference = text('order-1001', 'Your own reference, such as an order number.')
const externalReference = text('customer-77', 'Your own reference, unique per environment.')

const status = Type.Enum(['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'], {
  description: '`ACTIVE` until it ends as `PAID`, `EXPIRED` or `CANCELLED`.',
  examples: ['ACTIVE'],
})
const payments = Type.Array(payment, {
  description: 'The latest 50 payments, newest first.',
  examples: [[]],
})
const latestVariance = withDescription(
  variance,
  'How the latest mismatched payment differs from what was expected.',
)
const createdAt = timestamp('When it was created.')
const paidAt = notYet(time, 'When it was paid.')
const cancellationReason = notYet(
  Type.Enum(['requested', 'session_paid'], { examples: ['session_paid'] }),
  'Why it was cancelled: `requested` if you cancelled it or its checkout session, `session_paid` if the customer paid the session by another method.',
)

const accountSplit = withDescription(
  ownSplit,
  'What sub-accounts get of each payment. Left out if payments are not split, and in events about payments.',
)

const payableAccount = {
  accountNumber: text('0000014572', 'Account number to pay into.'),
  accountName: text('Ada Stores', 'Name on the account.'),
  bankCode: text('999', 'Code of the bank; empty if its provider lists none.'),
  bankName: text('Sandbox Bank', 'Name of the bank.'),
}

export const virtualAccount = resource('VirtualAccount', {
  reference: reference(
    prefixes.virtualAccount,
    'Identifies the virtual account. Store it to verify the payment later.',
  ),
  merchantReference,
  ...payableAccount,
  amount: withDescription(kobo, 'Amount to collect, in kobo. The customer pays exactly this.'),
  currency: naira,
  status,
  variance: latestVariance,
  amountReceived: withExample(withDescription(kobo, 'Sum of all payments, in kobo.'), 0),
  ...amounts(kobo, 0, 0),
  payments,
  splits: accountSplit,
  ...ownerProperties,
  metadata,
  expiresAt: expiry,
  createdAt,
  paidAt,
  cancellationReason,
})

export const dedicatedAccount = resource('DedicatedAccount', {
  externalReference,
  accountReference: reference(prefixes.dedicatedAccount, 'Identifies the dedicated account.'),
  ...payableAccount,
  accountNumber: text('0000000223', 'Permanent account number.'),
  status: Type.Enum(['ACTIVE', 'INACTIVE'], {
    description: '`INACTIVE` once you deactivated it.',
    examples: ['ACTIVE'],
  }),
  customer: notYet(
    Type.Object({
      name: text('Ada Obi', 'First and last name.'),
      email: text('ada@example.com', 'Email address.'),
      phone: orNull(text('+2348012345678'), 'Phone number.'),
    }),
    'The customer that you sent, without BVN and NIN, which are not stored. Null if you sent none.',
  ),
  splits: accountSplit,
  ...ownerProperties,
  metadata,
  createdAt,
})

export const creditedAccount = resource('CreditedAccount', {
  ...dedicatedAccount.properties,
  payment,
})

const rejection = Type.Object(
  {
    amount: orNull(withExample(kobo, 1_000_000), 'In kobo; null if the bank does not report it.'),
    currency: naira,
    reason: text('The amount is not the expected one.', 'Why, in the words of the bank.'),
    rejectedAt: timestamp('When the bank reported it.'),
  },
  { description: 'The payment that the bank sent back. It never reached your balance.' },
)

export const rejectingVirtualAccount = resource('RejectingVirtualAccount', {
  ...virtualAccount.properties,
  rejection,
})

export const rejectingDedicatedAccount = resource('RejectingDedicatedAccount', {
  ...dedicatedAccount.properties,
  rejection,
})

const otherDeposits = Type.Optional(
  Type.Array(
    Type.Object({
      asset: text('USDT', '`USDC`, `USDT`, or the mint address of another token.'),
      units: text('5000000', 'Amount in the smallest unit of the token.'),
      reason: Type.Enum([...noticeDefects], {
        description:
          '`another_currency`: a token that the wallet does not accept. `other_token_account`: sent to a token account of the wallet that is not its associated one, which payers should never name. `not_positive`, `too_large`: an amount that cannot be booked.',
        examples: ['another_currency'],
      }),
      signature,
      receivedAt: timestamp('When the chain received the deposit.'),
    }),
    {
      description:
        'Deposits that this wallet does not accept. They stay in the wallet and are not credited. The latest 50, newest first; only present if there are any, and not in lists.',
      examples: [[]],
    },
  ),
)

export const cryptoWallet = resource('CryptoWallet', {
  reference: reference(
    prefixes.cryptoWallet,
    'Identifies the wallet. Store it to verify the payment later.',
  ),
  merchantReference,
  address: withDescription(walletAddress, 'Wallet address to pay into.'),
  asset: stablecoin,
  network,
  amount: withDescription(decimal, 'Amount to collect, as you wrote it.'),
  status,
  variance: latestVariance,
  amountReceived: withExample(withDescription(decimal, 'Sum of all final deposits.'), '0'),
  ...amounts(decimal, '0', '0'),
  payments,
  otherDeposits,
  splits: accountSplit,
  ...ownerProperties,
  metadata,
  expiresAt: expiry,
  createdAt,
  paidAt,
  cancellationReason,
})

export const dedicatedCryptoWallet = resource('DedicatedCryptoWallet', {
  externalReference,
  reference: reference(prefixes.dedicatedCryptoWallet, 'Identifies the dedicated wallet.'),
  address: withDescription(walletAddress, 'Permanent wallet address.'),
  assets: Type.Array(stablecoin, {
    description: 'Stablecoins that the wallet accepts.',
    examples: [['USDC', 'USDT']],
  }),
  network,
  status: Type.Enum(['ACTIVE'], { examples: ['ACTIVE'] }),
  otherDeposits,
  splits: accountSplit,
  ...ownerProperties,
  metadata,
  createdAt,
})

export const creditedWallet = resource('CreditedCryptoWallet', {
  ...dedicatedCryptoWallet.properties,
  payment,
})

type Extras = {
  payments: Payment[]
  otherDeposits: OtherDeposit[] | undefined
  /** The payment of a `credited` event. */
  credit: Payment | undefined
  split?: Split | undefined
}

/** As verify operations return it and events carry it. Payments come newest first. */
export function showAccount(
  account: CollectionAccount,
  payments: Payment[],
  otherDeposits: OtherDeposit[] = [],
  split?: Split,
): JsonText {
  const others = otherDeposits.length > 0 ? otherDeposits : undefined
  return show(account, { payments, otherDeposits: others, credit: undefined, split })
}

/** A dedicated account or wallet, with the payment that was credited to it. */
export function showCredit(
  account: CollectionAccount,
  credit: Payment,
  otherDeposits: OtherDeposit[] = [],
): JsonText {
  const others = otherDeposits.length > 0 ? otherDeposits : undefined
  return show(account, { payments: [], otherDeposits: others, credit })
}

type Rejection = { amount: bigint | null; reason: string; rejectedAt: Date }

/** A bank account, with the payment that its bank sent back to the payer. */
export function showRejection(
  account: CollectionAccount,
  payments: Payment[],
  { amount, reason, rejectedAt }: Rejection,
): JsonText {
  const rejection = {
    amount: amount === null ? null : toWire(amount, 'NGN'),
    currency: 'NGN',
    reason,
    rejectedAt: rejectedAt.toISOString(),
  }
  return joinObjects(showAccount(account, payments), toJson({ rejection }))
}

function show(account: CollectionAccount, extras: Extras): JsonText {
  const shown = withField(fieldsOf[account.kind](account, extras), 'metadata', account.metadata)
  return extras.split ? joinObjects(shown, toJson({ splits: showOwnSplit(extras.split) })) : shown
}

const fieldsOf: Record<
  CollectionAccount['kind'],
  (account: CollectionAccount, extras: Extras) => object
> = {
  virtual_account: virtualAccountFields,
  dedicated_account: dedicatedAccountFields,
  crypto_wallet: cryptoWalletFields,
  dedicated_crypto_wallet: dedicatedCryptoWalletFields,
}

/** Without the metadata, which is text already. Each kind has some of the statuses only. */
type Fields<Schema extends TSchema> = Omit<Static<Schema>, 'metadata' | 'status'> &
  Pick<CollectionAccount, 'status'>

type WithCredit<Schema extends TSchema> = Fields<Schema> & {
  payment: Static<typeof payment> | undefined
}

function virtualAccountFields(
  account: CollectionAccount,
  { payments }: Extras,
): Fields<typeof virtualAccount> {
  return {
    reference: accountReference(account),
    merchantReference: account.merchantReference,
    accountNumber: account.number,
    accountName: account.accountName,
    bankCode: account.bankCode,
    bankName: account.bankName,
    amount: toWire(account.amount!, 'NGN'),
    currency: 'NGN',
    status: account.status,
    variance: account.variance,
    amountReceived: toWire(account.amountReceived, 'NGN'),
    amountAccepted: toWire(account.amountAccepted, 'NGN'),
    amountHeld: toWire(account.amountHeld, 'NGN'),
    amountReturning: toWire(account.amountReturning, 'NGN'),
    amountReturned: toWire(account.amountReturned, 'NGN'),
    payments: payments.map(showPayment),
    expiresAt: account.expiresAt!.toISOString(),
    createdAt: account.createdAt.toISOString(),
    paidAt: account.paidAt?.toISOString() ?? null,
    cancellationReason: account.cancellationReason,
    ...showOwner(account),
  }
}

function cryptoWalletFields(
  account: CollectionAccount,
  { payments, otherDeposits }: Extras,
): Fields<typeof cryptoWallet> {
  const asset = account.asset as Coin
  return {
    reference: accountReference(account),
    merchantReference: account.merchantReference,
    address: account.number,
    asset,
    network: 'SOLANA',
    amount: account.requestedAmount!,
    status: account.status,
    variance: account.variance,
    amountReceived: toWire(account.amountReceived, asset),
    amountAccepted: toWire(account.amountAccepted, asset),
    amountHeld: toWire(account.amountHeld, asset),
    amountReturning: toWire(account.amountReturning, asset),
    amountReturned: toWire(account.amountReturned, asset),
    payments: payments.map(showPayment),
    expiresAt: account.expiresAt!.toISOString(),
    createdAt: account.createdAt.toISOString(),
    paidAt: account.paidAt?.toISOString() ?? null,
    cancellationReason: account.cancellationReason,
    otherDeposits: otherDeposits?.map(showOtherDeposit),
    ...showOwner(account),
  }
}

function dedicatedAccountFields(
  account: CollectionAccount,
  { credit }: Extras,
): WithCredit<typeof dedicatedAccount> {
  return {
    externalReference: account.merchantReference,
    accountReference: accountReference(account),
    accountNumber: account.number,
    accountName: account.accountName,
    bankCode: account.bankCode,
    bankName: account.bankName,
    status: account.status,
    customer: account.customer === null ? null : JSON.parse(account.customer),
    createdAt: account.createdAt.toISOString(),
    payment: credit && showPayment(credit),
    ...showOwner(account),
  }
}

function dedicatedCryptoWalletFields(
  account: CollectionAccount,
  { otherDeposits, credit }: Extras,
): WithCredit<typeof dedicatedCryptoWallet> {
  return {
    externalReference: account.merchantReference,
    reference: accountReference(account),
    address: account.number,
    assets: coins,
    network: 'SOLANA',
    status: account.status,
    createdAt: account.createdAt.toISOString(),
    otherDeposits: otherDeposits?.map(showOtherDeposit),
    payment: credit && showPayment(credit),
    ...showOwner(account),
  }
}

/** In the smallest unit, because the decimals of an unknown token are not known. */
function showOtherDeposit({ id, amount, currency, reason, receivedAt }: OtherDeposit) {
  const [signature = ''] = id.split(':')
  return {
    asset: currency,
    units: amount.toString(),
    reason,
    signature,
    receivedAt: receivedAt.toISOString(),
  }
}
