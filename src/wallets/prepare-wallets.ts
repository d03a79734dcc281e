import { after } from '../base/clock.js'
import type { Environment, Mode } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { Refusal } from '../base/refusal.js'
import { accountKinds } from '../collections/account.js'
import type { OrderedAccount } from '../collections/create-accounts.js'
import type { WalletRail } from '../collections/ports.js'
import {
  type AccountRequest,
  railReference,
  toCollectionAccount,
} from '../collections/prepare-accounts.js'
import { isKycApproved } from '../merchants/kyc.js'
import type { Coin } from '../money/assets.js'
import type { Database } from '../postgres/database.js'
import { gather } from '../postgres/gather.js'
import type { Reader } from '../postgres/tx.js'
import { showAccount } from '../resources/collection-account.js'
import {
  findWallets,
  insertWallets,
  type NewWallet,
  reserveWalletNumbers,
} from './store-wallets.js'

/** What a merchant asks for. */
export type WalletRequest = Omit<AccountRequest, 'name' | 'kind'> & {
  kind: 'crypto_wallet' | 'dedicated_crypto_wallet'
  /** Null: either coin. */
  asset: Coin | null
  /** As the merchant wrote it; null: any amount. */
  requestedAmount: string | null
}

export type WalletRails = Record<Mode, WalletRail | undefined>

export type PrepareWallet = (now: Date, wish: WalletRequest) => Promise<OrderedAccount>

type WalletOrder = Pick<NewWallet, 'reference' | 'asset' | 'busyUntil'> & { at: Date }

/**
 * Takes the next wallet of the seed, before the account is written: what is asked for is derived
 * from the request, so copies and races are given one address.
 */
export function createWalletPreparation(tools: {
  db: Database
  wallets: WalletRails
}): PrepareWallet {
  const { db, wallets } = tools
  const asked = new Map<WalletRail, (order: WalletOrder) => Promise<string>>()
  const openAt = (rail: WalletRail, order: WalletOrder) => {
    const open = asked.get(rail) ?? gather((orders) => openWallets(db, rail, orders))
    asked.set(rail, open)
    return open(order)
  }

  return async (now, wish) => {
    const { environment, asset, expected } = wish
    if (environment.mode === 'live') await refuseUnready(db, wish)
    const rail = wallets[environment.mode]
    if (!rail || !(await rail.hasMetItsChain())) throw unavailable(wish)
    const id = newId(now)
    const reference = railReference(now, wish, id)
    const at = after(now, -environment.clockOffsetMs)
    const busyUntil = busyUntilOf(at, environment, expected)
    const number = await openAt(rail, { reference, asset, busyUntil, at })
    const opened = { number, accountName: '', bankCode: '', bankName: '' }
    const account = toCollectionAccount(now, wish, { id, rail: rail.name, asset, opened })
    return { account, shown: showAccount(account, []) }
  }
}

/** The addresses, in the order of the references; each is the same whenever it is asked for. */
async function openWallets(
  db: Database,
  rail: WalletRail,
  orders: WalletOrder[],
): Promise<string[]> {
  const unique = new Map(orders.map((order) => [order.reference, order]))
  const references = [...unique.keys()]
  let known = await findWallets(db, rail.name, references)
  const fresh = [...unique.values()].filter(({ reference }) => !known.has(reference))
  if (fresh.length > 0) {
    const numbers = await reserveWalletNumbers(db, fresh.length)
    const derived = await rail.deriveWallets(numbers)
    const wallets = fresh.map((order, index) => {
      return { ...derived[index]!, rail: rail.name, number: numbers[index]!, ...order }
    })
    await db.transaction(async (tx) => insertWallets(tx, fresh[0]!.at, wallets))
    known = await findWallets(db, rail.name, references)
  }
  return orders.map(({ reference }) => known.get(reference)!)
}

/** In the time of the world: until then payers are expected. */
function busyUntilOf(
  at: Date,
  { clockOffsetMs }: Environment,
  expected: AccountRequest['expected'],
): Date {
  const { busyMs, lateMs } = limits.deposits
  return expected ? after(expected.expiresAt, lateMs - clockOffsetMs) : after(at, busyMs)
}

async function refuseUnready(db: Reader, { environment, kind }: WalletRequest): Promise<void> {
  if (await isKycApproved(db, environment.id)) return
  throw new Refusal(accountKinds[kind].refusal, {
    reason: 'kyc_missing',
    message: 'The merchant has not been approved for live mode yet.',
  })
}

function unavailable({ environment, kind }: WalletRequest): Refusal {
  return new Refusal(accountKinds[kind].refusal, {
    reason: 'rail_unavailable',
    message: `No chain is configured to collect coins in ${environment.mode} mode, or it does not answer.`,
  })
}
