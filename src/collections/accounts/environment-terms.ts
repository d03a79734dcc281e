import type { EnvironmentId } from '../../base/environment.js'
import { type ClockMove, listClockMoves } from '../../merchants/environment-clock.js'
import { getFeeSchedules } from '../../merchants/settings/fee-schedules.js'
import { listPolicies } from '../../merchants/settings/settings.js'
import { computeFee, type FeeSchedule } from '../../money/fees.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Policy } from '../payments/judge-payment.js'
import { type AccountKind, accountKinds, type CollectionAccount, isWallet } from './account.js'

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

type Terms = Map<EnvironmentId, EnvironmentTerms>

export async function readTerms(
  db: Queryable,
  accounts: KindInEnvironment[],
): Promise<TermsByEnvironment> {
  return toTermsByEnvironment(await readTermsOf(db, uniqueKinds(accounts)))
}

/**
 * Reads the terms of the environments of the previous batch before it is known which environments
 * the next batch needs, so that they arrive with the accounts. Terms are never kept: every batch
 * reads them in its own transaction.
 */
export class TermsReader {
  #kinds: KindInEnvironment[] = []

  read(db: Queryable): Promise<Terms> {
    return readTermsOf(db, this.#kinds)
  }

  /** Reads what `read` did not, and remembers these environments for the next batch. */
  async complete(
    db: Queryable,
    terms: Terms,
    accounts: KindInEnvironment[],
  ): Promise<TermsByEnvironment> {
    this.#kinds = uniqueKinds(accounts)
    const isMissing = ({ environmentId, kind }: KindInEnvironment) =>
      terms.get(environmentId)?.fees[kind] === undefined
    const missing = this.#kinds.filter(isMissing)
    for (const [environmentId, found] of await readTermsOf(db, missing)) {
      const known = terms.get(environmentId)
      if (known) addTo(known, found)
      else terms.set(environmentId, found)
    }
    return toTermsByEnvironment(terms)
  }
}

/** Clock moves are read with wallets only, so one of the two may lack them. */
function addTo(known: EnvironmentTerms, found: EnvironmentTerms): void {
  Object.assign(known.fees, found.fees)
  if (known.clockMoves.length === 0) known.clockMoves = found.clockMoves
}

function toTermsByEnvironment(terms: Terms): TermsByEnvironment {
  return { of: ({ environmentId }) => terms.get(environmentId)! }
}

async function readTermsOf(db: Queryable, kinds: KindInEnvironment[]): Promise<Terms> {
  const terms: Terms = new Map()
  if (kinds.length === 0) return terms
  const ids = [...new Set(kinds.map(({ environmentId }) => environmentId))]
  const operations = kinds.map(({ environmentId, kind }) => ({
    environmentId,
    operation: accountKinds[kind].fee,
  }))
  const [policies, schedules, clockMoves] = await Promise.all([
    listPolicies(db, ids),
    getFeeSchedules(db, operations),
    kinds.some(isWallet) ? listClockMoves(db, ids) : undefined,
  ])
  for (const [environmentId, { bank, crypto, clockOffsetMs }] of policies)
    terms.set(environmentId, {
      policies: { bank, crypto },
      clockOffsetMs,
      fees: {},
      clockMoves: clockMoves?.get(environmentId) ?? [],
    })
  for (const [index, { environmentId, kind }] of kinds.entries())
    terms.get(environmentId)!.fees[kind] = schedules[index]!
  return terms
}

function uniqueKinds(accounts: KindInEnvironment[]): KindInEnvironment[] {
  const unique = new Map<string, KindInEnvironment>()
  for (const { environmentId, kind } of accounts)
    unique.set(`${environmentId}/${kind}`, { environmentId, kind })
  return [...unique.values()]
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
