import type { Clock } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import {
  type FeeOperation,
  getFeeSchedules,
  type VersionedFee,
} from '../../merchants/settings/fee-schedules.js'
import { computeFee } from '../../money/fees.js'
import { gather } from '../../postgres/transactions/gather.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'

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

  function findCached({ environmentId, operation }: Name): VersionedFee | undefined {
    const known = cached.get(`${environmentId}/${operation}`)
    if (known && clock.elapsedMs() - known.readAt < payoutLimits.feeCacheMs) return known.fee
    return undefined
  }

  async function read(name: Name): Promise<VersionedFee> {
    const fee = await readFee(name)
    if (cached.size >= payoutLimits.feesCachedMax) cached.clear()
    cached.set(`${name.environmentId}/${name.operation}`, { fee, readAt: clock.elapsedMs() })
    return fee
  }

  return {
    async price({ environmentId, operations, amount }) {
      const lines: FeeLine[] = []
      for (const operation of operations) {
        const name = { environmentId, operation }
        const fee = findCached(name) ?? (await read(name))
        lines.push({ operation, amount: computeFee(fee, amount) })
      }
      return lines
    },
  }
}
