import type { EnvironmentId } from '../base/environment.js'
import { type ClockMove, listClockMoves } from '../merchants/environment-clock.js'
import { getFeeSchedules } from '../merchants/fee-schedules.js'
import { listPolicies } from '../merchants/settings.js'
import { computeFee, type FeeSchedule } from '../money/fees.js'
import type { Reader } from '../postgres/tx.js'
import { type AccountKind, accountKinds, type CollectionAccount, isWallet } from './account.js'
import type { Policy } from './judge-payment.js'

export type CollectionRule = {
  policies: Record<'bank' | 'crypto', Policy>
  clockOffsetMs: number
  /** Read only where there are wallets. */
  moves: ClockMove[]
  fees: Partial<Record<AccountKind, FeeSchedule>>
}

export type CollectionRules = {
  of(account: Pick<CollectionAccount, 'environmentId'>): CollectionRule
}

type Ruled = Pick<CollectionAccount, 'environmentId' | 'kind'>

/** The policies, prices and clocks of the environments that these accounts are of, as of now. */
export async function readCollectionRules(db: Reader, accounts: Ruled[]): Promise<CollectionRules> {
  const ids = [...new Set(accounts.map(({ environmentId }) => environmentId))]
  const named = [...new Map(accounts.map((one) => [nameOf(one), one])).values()]
  const names = named.map(({ environmentId, kind }) => ({
    environmentId,
    operation: accountKinds[kind].fee,
  }))
  const [policies, schedules, moves] = await Promise.all([
    listPolicies(db, ids),
    getFeeSchedules(db, names),
    accounts.some(isWallet) ? listClockMoves(db, ids) : undefined,
  ])
  const rules = new Map<EnvironmentId, CollectionRule>()
  for (const [environmentId, { bank, crypto, clockOffsetMs }] of policies)
    rules.set(environmentId, {
      policies: { bank, crypto },
      clockOffsetMs,
      fees: {},
      moves: moves?.get(environmentId) ?? [],
    })
  for (const [index, { environmentId, kind }] of named.entries())
    rules.get(environmentId)!.fees[kind] = schedules[index]!
  return { of: ({ environmentId }) => rules.get(environmentId)! }
}

/** How far the clock was ahead at a time of the world. */
export function offsetAt({ clockOffsetMs, moves }: CollectionRule, at: Date): number {
  const next = moves.find(({ movedAt }) => movedAt > at)
  return next ? next.offsetBeforeMs : clockOffsetMs
}

export function policyOf({ policies }: CollectionRule, kind: AccountKind): Policy {
  return policies[accountKinds[kind].policy]
}

/** Of what was accepted, and never more than that. */
export function collectionFeeOf(
  { fees }: CollectionRule,
  kind: AccountKind,
  accepted: bigint,
): bigint {
  const fee = accepted === 0n ? 0n : computeFee(fees[kind]!, accepted)
  return fee > accepted ? accepted : fee
}

function nameOf({ environmentId, kind }: Ruled): string {
  return `${environmentId}/${kind}`
}
