import type { Clock } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import {
  type FeeOperation,
  getFeeSchedules,
  type VersionedFee,
} from '../merchants/fee-schedules.js'
import { computeFee } from '../money/fees.js'
import { gather } from '../postgres/gather.js'
import type { Reader } from '../postgres/tx.js'

export type FeeLine = { operation: FeeOperation; amount: bigint }

export type FeeBook = {
  price(ask: {
    environmentId: EnvironmentId
    operations: FeeOperation[]
    amount: bigint
  }): Promise<FeeLine[]>
}

type Name = { environmentId: EnvironmentId; operation: FeeOperation }

/** Prices as they were at most a second ago. */
export function createFeeBook({ db, clock }: { db: Reader; clock: Clock }): FeeBook {
  const kept = new Map<string, { fee: VersionedFee; readAt: number }>()
  const ask = gather((names: Name[]) => getFeeSchedules(db, names))

  async function find(name: Name): Promise<VersionedFee> {
    const key = `${name.environmentId}/${name.operation}`
    const known = kept.get(key)
    if (known && clock.elapsedMs() - known.readAt < limits.payouts.pricesKeptMs) return known.fee
    const fee = await ask(name)
    if (kept.size >= limits.payouts.pricesKept) kept.clear()
    kept.set(key, { fee, readAt: clock.elapsedMs() })
    return fee
  }

  return {
    async price({ environmentId, operations, amount }) {
      return Promise.all(
        operations.map(async (operation) => {
          const fee = await find({ environmentId, operation })
          return { operation, amount: computeFee(fee, amount) }
        }),
      )
    },
  }
}
