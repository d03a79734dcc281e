import { newId } from '../ids.js'
import { getSettings } from '../merchants/settings.js'
import type { Reader } from '../postgres/tx.js'
import { Refusal } from '../refusal.js'
import type { OrderedAccount } from './create-accounts.js'
import type { AccountWish, OrderAccount } from './order-accounts.js'
import { newSessionReference, type Session } from './session.js'
import { showSession } from './show-session.js'

/** What a merchant asks for. */
export type SessionWish = Pick<AccountWish, 'environment' | 'metadata' | 'request'> &
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
    /** Where this service is reached by payers. */
    baseUrl: string
  }

export type OrderSession = (now: Date, wish: SessionWish) => Promise<OrderedAccount>

/** A page needs a number to show, so that one is opened with it; both are recorded together. */
export function createSessionOrdering(tools: {
  db: Reader
  orderAccount: OrderAccount
}): OrderSession {
  const { db, orderAccount } = tools
  return async (now, wish) => {
    const { environment, metadata, expected, request, baseUrl, ...rest } = wish
    const { checkout, paymentMethods } = await getSettings(db, environment)
    if (!paymentMethods.bankTransfer) throw noMethod()
    const id = newId(now)
    const reference = newSessionReference(id)
    const ordered = await orderAccount(now, {
      ...{ environment, kind: 'virtual_account', metadata, name: checkout.displayName },
      ...{ merchantReference: rest.merchantReference ?? reference, expected, request },
    })
    const account = { ...ordered.account, sessionId: id }
    const session: Session = {
      ...{ environmentId: environment.id, id, reference, accountId: account.id, ...rest },
      ...{ url: `${baseUrl}/checkout/${reference}`, metadata, eventSequence: 0, createdAt: now },
    }
    const { mode, clockOffsetMs, merchantId } = environment
    const owner = { mode, clockOffsetMs, merchantId, checkout, paymentMethods }
    const shown = showSession({ session, account, ...owner })
    return { account, session, shown }
  }
}

function noMethod(): Refusal {
  return new Refusal('checkout_session_failed', {
    reason: 'no_payment_method',
    message:
      'No payment method is enabled, so nobody could pay. Enable paymentMethods.bankTransfer in the settings.',
  })
}
