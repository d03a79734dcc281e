import { newId } from '../base/ids.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import type { PreparedAccount } from '../collections/accounts/create-accounts.js'
import type { AccountRequest, PrepareAccount } from '../collections/accounts/prepare-accounts.js'
import { showSession } from '../collections/sessions/resource.js'
import { newSessionReference, type Session } from '../collections/sessions/session.js'
import { createSettingsReader } from '../merchants/settings/settings.js'
import type { Coin } from '../money/assets.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { RateBook } from '../rates/rate-book.js'
import { toCoins } from '../subaccounts/splits/to-coins.js'
import type { PrepareWallet } from '../wallets/prepare-wallets.js'
import { type CoinPrice, priceInCoins } from './price-in-coins.js'

export type SessionRequest = Pick<
  AccountRequest,
  'environment' | 'metadata' | 'retryKey' | 'chosenSplit' | 'owner'
> &
  Pick<
    Session,
    | 'description'
    | 'customerName'
    | 'customerEmail'
    | 'merchantReference'
    | 'successUrl'
    | 'cancelUrl'
    | 'paymentLinkId'
  > & {
    expected: { amount: bigint; expiresAt: Date }
    /**
     * Null: the session cannot be paid in coins. The price is the merchant's; null: that of the
     * current rate.
     */
    crypto: { asset: Coin; price: Pick<CoinPrice, 'amount' | 'requestedAmount'> | null } | null
    /** No virtual account is opened, whatever the merchant's payment methods are. */
    isCoinsOnly?: boolean
    baseUrl: string
  }

export type PrepareSession = (
  now: Date,
  request: SessionRequest,
) => Promise<Outcome<PreparedAccount>>

/**
 * Opens a virtual account for the session, unless the merchant disabled bank transfers, and a
 * wallet if it can be paid in coins; all are committed together. The wallet comes first: it is
 * derived here, so no account is orphaned at a bank when the chain does not answer.
 */
export function createSessionPreparation({
  db,
  rates,
  prepareAccount,
  prepareWallet,
}: {
  db: Queryable
  rates: RateBook
  prepareAccount: PrepareAccount
  prepareWallet: PrepareWallet
}): PrepareSession {
  const readSettings = createSettingsReader(db)

  async function choosePrice(
    now: Date,
    { environment, crypto, expected }: SessionRequest,
  ): Promise<Outcome<CoinPrice> | null> {
    if (!crypto) return null
    const { asset, price } = crypto
    if (price) return { amount: price.amount, requestedAmount: price.requestedAmount, rate: null }
    const current = await rates.find(environment, asset, now)
    return priceInCoins(asset, { kobo: expected.amount, rate: current?.buy })
  }

  return async (now, request) => {
    const { environment, metadata, expected, crypto, retryKey, owner } = request
    const { checkout, paymentMethods } = await readSettings(environment)
    if (crypto && !paymentMethods.crypto) return cryptoDisabled()
    if (!crypto && !paymentMethods.bankTransfer) return bankTransferDisabled()
    const price = await choosePrice(now, request)
    if (price instanceof Refusal) return price
    const id = newId(now)
    const reference = newSessionReference(id)
    const common = {
      environment,
      metadata,
      merchantReference: request.merchantReference ?? reference,
      retryKey,
      owner,
    }
    const coinSplit =
      request.chosenSplit &&
      crypto &&
      price &&
      toCoins(request.chosenSplit, {
        id: newId(now),
        asset: crypto.asset,
        coins: price.amount,
        kobo: expected.amount,
      })
    const preparedWallet =
      crypto &&
      price &&
      (await prepareWallet(now, {
        ...common,
        kind: 'crypto_wallet',
        asset: crypto.asset,
        requestedAmount: price.requestedAmount,
        expected: { amount: price.amount, expiresAt: expected.expiresAt },
        chosenSplit: coinSplit ?? undefined,
      }))
    if (preparedWallet instanceof Refusal) return asSessionRefusal(preparedWallet)
    const preparedAccount =
      paymentMethods.bankTransfer &&
      !request.isCoinsOnly &&
      (await prepareAccount(now, {
        ...common,
        kind: 'virtual_account',
        name: checkout.displayName,
        expected,
        chosenSplit: request.chosenSplit,
        customer: {
          name: request.customerName,
          email: request.customerEmail,
          phone: null,
          bvn: null,
          nin: null,
        },
      }))
    if (preparedAccount instanceof Refusal) return asSessionRefusal(preparedAccount)
    const account = preparedAccount ? { ...preparedAccount.account, sessionId: id } : null
    const wallet = preparedWallet && { ...preparedWallet.account, sessionId: id }
    const session: Session = {
      environmentId: environment.id,
      id,
      reference,
      accountId: account?.id ?? null,
      walletId: wallet?.id ?? null,
      amount: account ? null : expected.amount,
      cryptoRate: price?.rate ?? null,
      description: request.description,
      customerName: request.customerName,
      customerEmail: request.customerEmail,
      merchantReference: request.merchantReference,
      successUrl: request.successUrl,
      cancelUrl: request.cancelUrl,
      url: `${request.baseUrl}/checkout/${reference}`,
      metadata,
      paymentLinkId: request.paymentLinkId,
      eventSequence: 0,
      createdAt: now,
      openedAt: null,
    }
    const shown = showSession(now, {
      session,
      account,
      wallet,
      merchantId: environment.merchantId,
      checkout,
      paymentMethods,
      payments: [],
      split: account ? request.chosenSplit?.split : coinSplit?.split,
    })
    const newSplits = [preparedAccount, preparedWallet].flatMap((prepared) =>
      prepared ? (prepared.newSplits ?? []) : [],
    )
    if (!account) return { account: wallet!, session, newSplits, shown }
    return { account, ...(wallet && { wallet }), session, newSplits, shown }
  }
}

/** Why the account or wallet was refused is why the session is, under the session's own code. */
function asSessionRefusal(refusal: Refusal): Refusal {
  const { code, reason, message } = refusal
  if (code === 'validation_failed') return refusal
  return new Refusal('checkout_session_failed', { ...(reason && { reason }), message })
}

function bankTransferDisabled(): Refusal {
  return new Refusal('checkout_session_failed', {
    reason: 'no_payment_method',
    message:
      'Bank transfers are not enabled. Enable paymentMethods.bankTransfer in the settings, or send a price in crypto.',
  })
}

function cryptoDisabled(): Refusal {
  return new Refusal('checkout_session_failed', {
    reason: 'no_payment_method',
    message:
      'Crypto payments are not enabled. Enable paymentMethods.crypto in the settings, or leave crypto out.',
    details: [{ field: 'crypto', issue: 'is not enabled in the settings' }],
  })
}
