import { after } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import type { Asset } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'

export type TreasuryShortfall = { rail: string; asset: Asset; refusals: bigint; refusedAt: Date }

/**
 * For a payout that the merchant can afford and the treasury, or the account at the bank, cannot
 * cover: counts it for metrics and `manilla doctor`, and logs an alarm at most once a minute per
 * treasury and asset, whichever process finds it.
 */
export async function reportShortfall(
  { db, logger }: { db: Queryable; logger: Logger },
  now: Date,
  { rail, asset }: { rail: string; asset: Asset },
): Promise<void> {
  const alarmBefore = after(now, -payoutLimits.shortfallAlarmIntervalMs)
  const [row] = await db.rows(sql<{ isAlarm: boolean; refusals: bigint }>`
    insert into treasury_shortfalls as known
      (rail, asset, refusals, refused_at, alarmed_at, alarmed_refusal)
    values (${rail}, ${asset}, 1, ${now}, ${now}, 1)
    on conflict (rail, asset) do update set
      refusals = known.refusals + 1,
      refused_at = greatest(known.refused_at, excluded.refused_at),
      (alarmed_at, alarmed_refusal) = (
        select case when is_due then excluded.alarmed_at else known.alarmed_at end,
          case when is_due then known.refusals + 1 else known.alarmed_refusal end
        from (select known.alarmed_at <= ${alarmBefore} as is_due) due)
    returning alarmed_refusal = refusals as is_alarm, refusals`)
  if (row!.isAlarm)
    logger.error(
      { rail, asset, refusals: Number(row!.refusals) },
      'the treasury is short: payouts that merchants can afford are refused; top it up',
    )
}

export function listShortfalls(db: Queryable): Promise<TreasuryShortfall[]> {
  return db.rows(sql<TreasuryShortfall>`
    select rail, asset, refusals, refused_at from treasury_shortfalls
    order by rail, asset`)
}
