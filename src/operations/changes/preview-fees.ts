import { after, type RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { firstIdAt } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { type FeeOperation, getFeeSchedule } from '../../merchants/settings/fee-schedules.js'
import type { Asset } from '../../money/assets.js'
import { computeFee, type FeeSchedule } from '../../money/fees.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

/** What the payouts or payments of the last 30 days cost now, and what they would have cost. */
export type FeePreview = {
  since: Date
  totals: { asset: Asset; count: number; amount: bigint; feeNow: bigint; feeNew: bigint }[]
  /** There were more different amounts than are priced; the most frequent ones are. */
  isPartial: boolean
}

type Group = { asset: Asset; amount: bigint; count: number }

/** Null: what the fee is charged for is not recorded with a payout. */
const sources: Record<FeeOperation, ((environmentId: number, firstId: string) => Sql) | null> = {
  bank_payout: payoutsOf('bank_transfer'),
  crypto_payout: payoutsOf('crypto_transfer'),
  crypto_account_creation: null,
  virtual_account: paymentsOf('virtual_account'),
  dedicated_account: paymentsOf('dedicated_account'),
  crypto_deposit: paymentsOf('crypto_wallet', 'dedicated_crypto_wallet'),
  conversion_from_naira: conversionsOf(sql`source_asset = 'NGN'`),
  conversion_from_coins: conversionsOf(sql`source_asset <> 'NGN'`),
}

function payoutsOf(kind: string) {
  return (environmentId: number, firstId: string) => sql`
    select asset, amount from payouts
    where environment_id = ${environmentId} and id >= ${firstId} and kind = ${kind}`
}

function paymentsOf(...kinds: string[]) {
  return (environmentId: number, firstId: string) => sql`
    select asset, amount_accepted as amount from payments
    where environment_id = ${environmentId} and id >= ${firstId} and source = any(${kinds})
      and amount_accepted > 0`
}

function conversionsOf(condition: Sql) {
  return (environmentId: number, firstId: string) => sql`
    select source_asset as asset, source_amount as amount from conversions
    where environment_id = ${environmentId} and id >= ${firstId} and ${condition}`
}

/** Undefined: this fee cannot be previewed. */
export async function previewFee(
  db: Queryable,
  now: RealTime,
  change: { environmentId: EnvironmentId; operation: FeeOperation; schedule: FeeSchedule },
): Promise<FeePreview | undefined> {
  const { environmentId, operation, schedule } = change
  const { feePreviewMs, feePreviewAmountsMax } = limits.operator
  const since = after(now, -feePreviewMs)
  const source = sources[operation]
  if (!source) return undefined
  const current = await getFeeSchedule(db, { environmentId, operation })
  const groups = await db.rows(sql<Group>`
    select asset, amount, count(*)::int as count
    from (${source(environmentId, firstIdAt(since))}) done
    group by asset, amount order by count(*) desc limit ${feePreviewAmountsMax + 1}`)
  const totals = new Map<Asset, FeePreview['totals'][number]>()
  for (const { asset, amount, count } of groups.slice(0, feePreviewAmountsMax)) {
    const total = totals.get(asset) ?? { asset, count: 0, amount: 0n, feeNow: 0n, feeNew: 0n }
    totals.set(asset, total)
    total.count += count
    total.amount += amount * BigInt(count)
    total.feeNow += computeFee(current, amount) * BigInt(count)
    total.feeNew += computeFee(schedule, amount) * BigInt(count)
  }
  return {
    since,
    totals: [...totals.values()].sort((a, b) => (a.asset < b.asset ? -1 : 1)),
    isPartial: groups.length > feePreviewAmountsMax,
  }
}
