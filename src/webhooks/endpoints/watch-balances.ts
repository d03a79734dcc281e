import { createHash } from 'node:crypto'
import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { newId, toUuid } from '../../base/ids.js'
import { toJson } from '../../base/json-text.js'
import { emitAll, type NewEvent } from '../../events/emit.js'
import { showLowBalance } from '../../ledger/balance-resource.js'
import { listBalancesOf } from '../../ledger/balances.js'
import { queueTeamMail } from '../../mail/team-mails.js'
import { lowBalanceLimits } from '../../merchants/limits.js'
import { type LowBalanceSettings, listLowBalances } from '../../merchants/settings/settings.js'
import { formatMoney, parseDecimal } from '../../money/amounts.js'
import { type Asset, assetNames } from '../../money/assets.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'

type Level = {
  environmentId: EnvironmentId
  asset: Asset
  available: bigint
  /** Without a threshold, a balance is never low. */
  threshold: bigint | undefined
}
type StoredLevel = { environmentId: EnvironmentId; asset: Asset; isLow: boolean }

/**
 * Emits `balance.low` when an available balance falls below the merchant's threshold, once per
 * fall. Processes may run concurrently: the one that changes the row emits. Returns the number of
 * events.
 */
export async function watchBalances(db: Database, now: RealTime): Promise<number> {
  let emitted = 0
  for (let last = 0; ; ) {
    const watched = await listLowBalances(db, last)
    const changed = await findChanged(db, watched)
    if (changed.length > 0) emitted += await recordLevels(db, now, changed)
    if (watched.length < lowBalanceLimits.environmentsPerBatchMax) return emitted
    last = watched.at(-1)!.environmentId
  }
}

/** Balances that became low, or recovered, since they were last recorded. */
async function findChanged(db: Queryable, watched: LowBalanceSettings[]): Promise<Level[]> {
  const ids = watched.map(({ environmentId }) => environmentId)
  const balances = await listBalancesOf(db, ids)
  const stored = await db.rows(sql<StoredLevel>`
    select environment_id, asset, is_low from low_balances
    where environment_id = any(${ids})`)
  const wasLow = new Map(stored.map((row) => [keyOf(row), row.isLow]))
  const available = new Map(balances.map((row) => [keyOf(row), row.available]))
  return watched.flatMap(({ environmentId, thresholds }) => {
    return assetNames.flatMap((asset) => {
      const threshold = readThreshold(thresholds[asset], asset)
      const key = keyOf({ environmentId, asset })
      const level = { environmentId, asset, available: available.get(key) ?? 0n, threshold }
      return isLow(level) === (wasLow.get(key) ?? false) ? [] : [level]
    })
  })
}

function readThreshold(value: number | string | null | undefined, asset: Asset) {
  if (value === null || value === undefined) return undefined
  const amount = typeof value === 'number' ? BigInt(value) : parseDecimal(value, asset)
  return typeof amount === 'bigint' ? amount : undefined
}

type LevelChange = StoredLevel & { sequence: number }

const columns = { environmentId: 'int4', asset: 'text', isLow: 'bool' } as const

/** Returns only the rows that it changed, so that one process emits each event. */
const changeLevels = listStatement<typeof columns, LevelChange>({
  name: 'change_low_balances',
  columns,
  text: (list, parameter, names) => `
    insert into low_balances (${names}, event_sequence, changed_at)
    select ${names}, 1, ${parameter(0)}::timestamptz from ${list}
    on conflict (environment_id, asset) do update
    set is_low = excluded.is_low, event_sequence = low_balances.event_sequence + 1,
      changed_at = excluded.changed_at
    where low_balances.is_low <> excluded.is_low
    returning environment_id, asset, is_low,
      event_sequence as sequence`,
})

async function recordLevels(db: Database, now: RealTime, levels: Level[]): Promise<number> {
  const rows = levels.map((level) => ({
    environmentId: level.environmentId,
    asset: level.asset,
    isLow: isLow(level),
  }))
  const byKey = new Map(levels.map((level) => [keyOf(level), level]))
  return db.transaction(async (tx) => {
    const changes = await tx.rows(changeLevels(rows, now))
    const falls = changes.filter((change) => change.isLow)
    const events = falls.map((fall) => toEvent(now, byKey.get(keyOf(fall))!, fall.sequence))
    emitAll(tx, now, events)
    for (const [index, fall] of falls.entries())
      await mailLowBalance(tx, now, byKey.get(keyOf(fall))!, events[index]!.causeId)
    return falls.length
  })
}

async function mailLowBalance(
  tx: Tx,
  now: RealTime,
  { environmentId, asset, available, threshold }: Level,
  causeId: string,
): Promise<void> {
  await queueTeamMail(tx, now, {
    environmentId,
    kind: 'balance_low',
    causeId,
    subject: `${asset} balance is low`,
    heading: `Your ${asset} balance is low`,
    blocks: [
      { type: 'amount', label: 'Available', amount: formatMoney(available, asset) },
      {
        type: 'paragraph',
        text: `It fell below your threshold of ${formatMoney(threshold!, asset)}. Transfers that it does not cover are refused.`,
      },
      { type: 'page', label: 'See balances', path: '/balances' },
    ],
    because: 'you may create transfers',
  })
}

function toEvent(now: Date, level: Level, sequence: number): NewEvent {
  const { environmentId, asset, available, threshold } = level
  // A balance has no id of its own, so one is derived from environment and asset.
  const digest = createHash('sha256')
    .update(`balance/${keyOf(level)}`)
    .digest()
  return {
    environmentId,
    type: 'balance.low',
    resourceId: toUuid(digest.subarray(0, 16).toString('hex')),
    causeId: newId(now),
    sequence,
    data: toJson(showLowBalance({ asset, available, threshold: threshold! })),
  }
}

function isLow({ available, threshold }: Level): boolean {
  return threshold !== undefined && available < threshold
}

function keyOf({ environmentId, asset }: { environmentId: number; asset: Asset }): string {
  return `${environmentId}/${asset}`
}
