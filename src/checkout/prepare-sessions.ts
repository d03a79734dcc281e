import { newId } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import type { OrderedAccount } from '../collections/create-accounts.js'
import type { AccountRequest, PrepareAccount } from '../collections/prepare-accounts.js'
import { newSessionReference, type Session } from '../collections/session.js'
import { getSettings } from '../merchants/settings.js'
import type { Coin } from '../money/assets.js'
import type { Reader } from '../postgres/tx.js'
import { showSession } from '../resources/checkout-session.js'
import type { PrepareWallet, WalletRequest } from '../wallets/prepare-wallets.js'

/** What a merchant asks for. */
export type SessionRequest = Pick<AccountRequest, 'environment' | 'metadata' | 'request'> &
  Pick<
    Session,
    | 'description'
    | 'customerName'
    | 'customerEmail'
    | 'merchantReference'
    | 'successUrl'
    | 'cancelUrl'
  > & {
    expected: { amount: bigint; expiresAt: Date }
    /** What it costs in coins, if it can be paid in them, too: exchange is the merchant's. */
    crypto: { asset: Coin; amount: bigint; requestedAmount: string } | null
    /** Where this service is reached by payers. */
    baseUrl: string
  }

export type PrepareSession = (now: Date, wish: SessionRequest) => Promise<OrderedAccount>

/**
 * A page needs a number to show, so that one is opened with it, and a wallet where it takes coins;
 * all are recorded together. The wallet comes first: it is ours, so nothing is left at a bank when
 * there is no chain.
 */
export function createSessionPreparation(tools: {
  db: Reader
  orderAccount: PrepareAccount
  orderWallet: PrepareWallet
}): PrepareSession {
  const { db, orderAccount, orderWallet } = tools
  return async (now, wish) => {
    const { environment, metadata, expected, crypto, request, baseUrl, ...rest } = wish
    const { checkout, paymentMethods } = await getSettings(db, environment)
    if (!paymentMethods.bankTransfer) throw noMethod()
    if (crypto && !paymentMethods.crypto) throw noCoins()
    const id = newId(now)
    const reference = newSessionReference(id)
    const merchantReference = rest.merchantReference ?? reference
    const common = { environment, metadata, merchantReference, request }
    const coins = crypto && (await orderWallet(now, inCoins(common, wish)))
    const ordered = await orderAccount(now, {
      ...common,
      kind: 'virtual_account',
      name: checkout.displayName,
      expected,
    })
    const account = { ...ordered.account, sessionId: id }
    const wallet = coins && { ...coins.account, sessionId: id }
    const session: Session = {
      environmentId: environment.id,
      id,
      reference,
      accountId: account.id,
      ...rest,
      walletId: wallet?.id ?? null,
      url: `${baseUrl}/checkout/${reference}`,
      metadata,
      eventSequence: 0,
      createdAt: now,
    }
    const { mode, clockOffsetMs, merchantId } = environment
    const owner = { mode, clockOffsetMs, merchantId, checkout, paymentMethods }
    const shown = showSession({ session, account, wallet, ...owner })
    return { account, ...(wallet && { wallet }), session, shown }
  }
}

type Common = Pick<WalletRequest, 'environment' | 'metadata' | 'merchantReference' | 'request'>

/** For as long as its account, in the coin and at the price that the merchant says. */
function inCoins(common: Common, { crypto, expected }: SessionRequest): WalletRequest {
  const { asset, amount, requestedAmount } = crypto!
  const { expiresAt } = expected
  const price = { asset, requestedAmount, expected: { amount, expiresAt } }
  return { ...common, kind: 'crypto_wallet', ...price }
}

function noMethod(): Refusal {
  return new Refusal('checkout_session_failed', {
    reason: 'no_payment_method',
    message:
      'Every session can be paid by bank transfer, which is not enabled. Enable paymentMethods.bankTransfer in the settings.',
  })
}

function noCoins(): Refusal {
  return new Refusal('checkout_session_failed', {
    reason: 'no_payment_method',
    message:
      'Payments in coins are not enabled. Enable paymentMethods.crypto in the settings, or leave crypto out.',
    details: [{ field: 'crypto', issue: 'is not enabled in the settings' }],
  })
}
