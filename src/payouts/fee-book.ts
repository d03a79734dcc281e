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
import type { Queryable } from '../postgres/tx.js'

export type FeeLine = { operation: FeeOperation; amount: bigint }

export type FeeBook = {
  price(request: {
    environmentId: EnvironmentId
    operations: FeeOperation[]
    amount: bigint
  }): Promise<FeeLine[]>
}

type Name = { environmentId: EnvironmentId; operation: FeeOperation }

/** Prices payouts; fee schedules are at most a second old. */
export function createFeeBook({ db, clock }: { db: Queryable; clock: Clock }): FeeBook {
  const cached = new Map<string, { fee: VersionedFee; readAt: number }>()
  const readFee = gather((names: Name[]) => getFeeSchedules(db, names))

  async function find(name: Name): Promise<VersionedFee> {
    const key = `${name.environmentId}/${name.operation}`
    const known = cached.get(key)
    if (known && clock.elapsedMs() - known.readAt < limits.payouts.feeCacheMs) return known.fee
    const fee = await readFee(name)
    if (cached.size >= limits.payouts.feesCachedMax) cached.clear()
    cached.set(key, { fee, readAt: clock.elapsedMs() })
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
