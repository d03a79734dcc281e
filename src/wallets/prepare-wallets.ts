import { after, toRealTime } from '../base/clock.js'
import type { Environment } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import { accountKinds } from '../collections/accounts/account.js'
import type { PreparedAccount } from '../collections/accounts/create-accounts.js'
import {
  type AccountRequest,
  newSplitsOf,
  railReference,
  toCollectionAccount,
} from '../collections/accounts/prepare-accounts.js'
import { showAccount } from '../collections/accounts/resource.js'
import type { WalletRail } from '../collections/ports.js'
import type { Rails } from '../collections/rails.js'
import { isKycApproved } from '../merchants/kyc/kyc.js'
import type { Coin } from '../money/assets.js'
import type { Database } from '../postgres/database.js'
import { gatherBy } from '../postgres/transactions/gather-by.js'
import { depositLimits } from './limits.js'
import {
  findWallets,
  insertWallets,
  type NewWallet,
  reserveWalletNumbers,
} from './store-wallets.js'

export type WalletRequest = Omit<AccountRequest, 'name' | 'kind'> & {
  kind: 'crypto_wallet' | 'dedicated_crypto_wallet'
  /** Null: either coin. */
  asset: Coin | null
  /** As the merchant wrote it; null: any amount. */
  requestedAmount: string | null
}

export type PrepareWallet = (now: Date, request: WalletRequest) => Promise<Outcome<PreparedAccount>>

type WalletOpening = Pick<NewWallet, 'reference' | 'asset' | 'busyUntil'> & { at: Date }

/**
 * Takes the next wallet of the seed before the account is written. Its reference is derived from
 * the request, so retries and concurrent copies get the same address.
 */
export function createWalletPreparation({
  db,
  rails,
}: {
  db: Database
  rails: Rails
}): PrepareWallet {
  const openAt = gatherBy((rail: WalletRail, openings: WalletOpening[]) =>
    openWallets(db, rail, openings),
  )
  return async (now, request) => {
    const { environment, asset, expected } = request
    if (environment.mode === 'live' && !(await isKycApproved(db, environment.id)))
      return kycMissing(request)
    const rail = rails.walletsOf(environment.mode)
    if (!rail || !(await rail.isChainKnown())) return railUnavailable(request)
    const id = newId(now)
    const reference = railReference(now, request, id)
    const at = toRealTime(now, environment.clockOffsetMs)
    const busyUntil = busyUntilOf(at, environment, expected)
    const number = await openAt(rail, { reference, asset, busyUntil, at })
    const opened = {
      railAccount: number,
      number,
      accountName: '',
      bankCode: '',
      bankName: '',
      expiresAt: null,
    }
    const account = toCollectionAccount(now, request, { id, rail: rail.name, asset, opened })
    const shown = showAccount(account, [], [], request.chosenSplit?.split)
    return { account, shown, newSplits: newSplitsOf(request) }
  }
}

/** Returns an address for each opening; the same reference always gets the same address. */
async function openWallets(
  db: Database,
  rail: WalletRail,
  openings: WalletOpening[],
): Promise<string[]> {
  const unique = new Map(openings.map((opening) => [opening.reference, opening]))
  const references = [...unique.keys()]
  let addresses = await findWallets(db, rail.name, references)
  const fresh = [...unique.values()].filter(({ reference }) => !addresses.has(reference))
  if (fresh.length > 0) {
    const numbers = await reserveWalletNumbers(db, fresh.length)
    const derived = await rail.deriveWallets(numbers)
    const wallets = fresh.map((opening, index) => {
      return { ...derived[index]!, rail: rail.name, number: numbers[index]!, ...opening }
    })
    await db.transaction(async (tx) => insertWallets(tx, fresh[0]!.at, wallets))
    addresses = await findWallets(db, rail.name, references)
  }
  return openings.map(({ reference }) => addresses.get(reference)!)
}

/** Until when a payment is expected, in real time. */
function busyUntilOf(
  at: Date,
  { clockOffsetMs }: Environment,
  expected: AccountRequest['expected'],
): Date {
  const { busyMs, lateGraceMs } = depositLimits
  return expected ? after(expected.expiresAt, lateGraceMs - clockOffsetMs) : after(at, busyMs)
}

function kycMissing({ kind }: WalletRequest): Refusal {
  return new Refusal(accountKinds[kind].refusal, {
    reason: 'kyc_missing',
    message: 'The merchant is not approved for live mode yet.',
  })
}

function railUnavailable({ environment, kind }: WalletRequest): Refusal {
  return new Refusal(accountKinds[kind].refusal, {
    reason: 'rail_unavailable',
    message: `Deposits are not available in ${environment.mode} mode: no chain is configured, or it does not answer.`,
  })
}
