import { type Clock, toEnvironmentTime } from '../../base/clock.js'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { findOwnAccounts } from '../../merchants/settings/bank-accounts.js'
import { gather } from '../../postgres/transactions/gather.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'
import type { PayoutKind } from '../payout.js'
import type { Destination } from '../ports.js'
import { findLevy, type Levy, type LevyTerms, levyOn, type PayoutPurpose } from './levy.js'
import { listLevies } from './store-levies.js'

type LeviableRequest = {
  environment: Environment
  kind: PayoutKind
  /** Name of the rail that carries it. */
  rail: string
  destination: Destination
  purpose?: PayoutPurpose | null | undefined
}

export type LevyBook = {
  /** What a transfer of any amount would owe. Null: nothing. */
  findTerms(request: LeviableRequest): Promise<LevyTerms | null>
  /** What a transfer owes. Mostly without a promise: every payout passes here. */
  charge(request: LeviableRequest & { amount: bigint }): bigint | Promise<bigint>
}

/** Levies at most a second old, so that a payout without a levy costs no query. */
export function createLevyBook({ db, clock }: { db: Queryable; clock: Clock }): LevyBook {
  let newestFirst: Levy[] = []
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const isOwn = gather((accounts: OwnAccount[]) => findOwnAccounts(db, accounts))

  async function read(): Promise<void> {
    const startedAtMs = clock.elapsedMs()
    newestFirst = await listLevies(db)
    readAtMs = startedAtMs
  }

  function refresh(): Promise<void> | undefined {
    if (clock.elapsedMs() - readAtMs < payoutLimits.levyCacheMs) return undefined
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  function find({ environment, rail, purpose = null }: LeviableRequest): Levy | undefined {
    if (newestFirst.length === 0) return undefined
    const at = toEnvironmentTime(clock.now(), environment.clockOffsetMs)
    return findLevy(newestFirst, { mode: environment.mode, rail, at, purpose })
  }

  async function isExempt(
    levy: Levy,
    { environment, destination }: LeviableRequest,
  ): Promise<boolean> {
    if (!levy.exempts.includes('own_accounts') || destination.kind !== 'bank_account') return false
    const { bankCode, accountNumber } = destination
    return isOwn({ environmentId: environment.id, bankCode, accountNumber })
  }

  function chargeKnown(request: LeviableRequest & { amount: bigint }): bigint | Promise<bigint> {
    const levy = find(request)
    const owed = levyOn(levy ?? null, request.amount)
    if (owed === 0n) return 0n
    return isExempt(levy!, request).then((exempt) => (exempt ? 0n : owed))
  }

  return {
    async findTerms(request) {
      if (request.kind !== 'bank_transfer') return null
      await refresh()
      const levy = find(request)
      return levy && !(await isExempt(levy, request)) ? levy : null
    },

    charge(request) {
      if (request.kind !== 'bank_transfer') return 0n
      const refreshing = refresh()
      return refreshing ? refreshing.then(() => chargeKnown(request)) : chargeKnown(request)
    },
  }
}

type OwnAccount = { environmentId: EnvironmentId; bankCode: string; accountNumber: string }

/** Where levies are of no interest. */
export const noLevies: LevyBook = { findTerms: async () => null, charge: () => 0n }
