import type { EnvironmentId } from '../base/environment.js'
import { type ClockMove, listClockMoves } from '../merchants/environment-clock.js'
import { getFeeSchedules } from '../merchants/fee-schedules.js'
import { listPolicies } from '../merchants/settings.js'
import { computeFee, type FeeSchedule } from '../money/fees.js'
import type { Queryable } from '../postgres/tx.js'
import { type AccountKind, accountKinds, type CollectionAccount, isWallet } from './account.js'
import type { Policy } from './judge-payment.js'

/** How an environment treats payments: its policies, fees and clock. */
export type EnvironmentTerms = {
  policies: Record<'bank' | 'crypto', Policy>
  clockOffsetMs: number
  /** Empty unless one of the accounts is a wallet. */
  clockMoves: ClockMove[]
  fees: Partial<Record<AccountKind, FeeSchedule>>
}

export type TermsByEnvironment = {
  of(account: Pick<CollectionAccount, 'environmentId'>): EnvironmentTerms
}

type KindInEnvironment = Pick<CollectionAccount, 'environmentId' | 'kind'>

export async function readTerms(
  db: Queryable,
  accounts: KindInEnvironment[],
): Promise<TermsByEnvironment> {
  const ids = [...new Set(accounts.map(({ environmentId }) => environmentId))]
  const unique = [...new Map(accounts.map((account) => [keyOf(account), account])).values()]
  const operations = unique.map(({ environmentId, kind }) => ({
    environmentId,
    operation: accountKinds[kind].fee,
  }))
  const [policies, schedules, clockMoves] = await Promise.all([
    listPolicies(db, ids),
    getFeeSchedules(db, operations),
    accounts.some(isWallet) ? listClockMoves(db, ids) : undefined,
  ])
  const terms = new Map<EnvironmentId, EnvironmentTerms>()
  for (const [environmentId, { bank, crypto, clockOffsetMs }] of policies)
    terms.set(environmentId, {
      policies: { bank, crypto },
      clockOffsetMs,
      fees: {},
      clockMoves: clockMoves?.get(environmentId) ?? [],
    })
  for (const [index, { environmentId, kind }] of unique.entries())
    terms.get(environmentId)!.fees[kind] = schedules[index]!
  return { of: ({ environmentId }) => terms.get(environmentId)! }
}

/** How far the environment's clock was ahead at a moment of real time. */
export function offsetAt({ clockOffsetMs, clockMoves }: EnvironmentTerms, at: Date): number {
  const next = clockMoves.find(({ movedAt }) => movedAt > at)
  return next ? next.offsetBeforeMs : clockOffsetMs
}

export function policyOf({ policies }: EnvironmentTerms, kind: AccountKind): Policy {
  return policies[accountKinds[kind].policy]
}

/** The fee on the accepted amount, never more than that amount. */
export function collectionFeeOf(
  { fees }: EnvironmentTerms,
  kind: AccountKind,
  accepted: bigint,
): bigint {
  const fee = accepted === 0n ? 0n : computeFee(fees[kind]!, accepted)
  return fee > accepted ? accepted : fee
}

function keyOf({ environmentId, kind }: KindInEnvironment): string {
  return `${environmentId}/${kind}`
}
