import { strict as assert } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import type { EnvironmentTime } from '../../base/clock.js'
import { toRealTime } from '../../base/clock.js'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { type Detail, invalidField, Refusal } from '../../base/refusal.js'
import { parseDecimal } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { addressIssue, findAddressBytes } from '../../money/solana-address.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import { gather } from '../../postgres/transactions/gather.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { lockEnvironment } from '../environments.js'
import { lowBalanceLimits, settingsLimits } from '../limits.js'
import {
  type Approvals,
  defaultSettings,
  destinationOf,
  hasRule,
  mergeSettings,
  type Settings,
  type SettingsPatch,
  type SettlementChoice,
} from './settings-document.js'
import {
  rescheduleSubaccounts,
  type SettlementSettings,
  scheduleSettlement,
} from './settlement-schedule.js'

export async function getSettings(db: Queryable, environment: Environment): Promise<Settings> {
  return mergeSettings(defaultSettings(environment), await readStored(db, environment.id))
}

const columns = { environmentId: 'int4' } as const

const selectStored = listStatement<
  typeof columns,
  { environmentId: EnvironmentId; document: string }
>({
  name: 'find_settings',
  columns,
  text: (list) => `
    select environment_id, document
    from environment_settings join ${list} using (environment_id)`,
})

/** Like `getSettings`; concurrent calls share one query. */
export function createSettingsReader(
  db: Queryable,
): (environment: Environment) => Promise<Settings> {
  return gather(async (environments: Environment[]) => {
    const ids = [...new Set(environments.map(({ id }) => id))]
    const rows = await db.rows(selectStored(ids.map((id) => ({ environmentId: id as number }))))
    const stored = new Map(rows.map((row) => [row.environmentId, JSON.parse(row.document)]))
    return environments.map((environment) =>
      mergeSettings(defaultSettings(environment), stored.get(environment.id) ?? {}),
    )
  })
}

/**
 * Applies a patch and returns the full settings. Only what a merchant sets is stored, so that
 * improved defaults reach everyone else. Refuses thresholds with more digits than the asset has.
 */
export async function patchSettings(
  tx: Tx,
  now: EnvironmentTime,
  environment: Environment,
  patch: SettingsPatch,
): Promise<Settings> {
  const details = judgePatch(patch)
  if (details.length > 0)
    throw new Refusal('validation_failed', {
      message: `${details[0]!.field} ${details[0]!.issue}.`,
      details,
    })
  await lockEnvironment(tx, environment.id)
  const before = await readStored(tx, environment.id)
  const { approvals, ...rest } = patch
  const defaults = defaultSettings(environment)
  if (approvals) refuseOtherRule(mergeSettings(defaults, before).approvals, approvals)
  const stored = mergeSettings(before, rest)
  const settings = mergeSettings(defaults, stored)
  judgeDestination(environment, destinationOf(mergeSettings(defaults, before)), settings)
  writeStored(tx, now, { environmentId: environment.id, stored })
  const { settlement } = settings
  const changed = changedTimes(mergeSettings(defaults, before).settlement, settlement)
  const change = { environment, settings: settlement }
  const realNow = toRealTime(now, environment.clockOffsetMs)
  if (changed.length > 0) await scheduleSettlement(tx, realNow, change)
  // Sub-accounts have schedules of their own.
  if (changed.some((name) => name !== 'schedule')) await rescheduleSubaccounts(tx, realNow, change)
  return settings
}

/** A caller that sends all settings back may include the rule as it is. */
function refuseOtherRule(current: Approvals, sent: Approvals): void {
  if (isDeepStrictEqual(current, sent)) return
  throw new Refusal('forbidden', {
    reason: 'console_only',
    message:
      'The approval rule is changed in the console only, by an owner: an API key must not loosen the rule that may hold its own transfers.',
  })
}

/**
 * In live mode, and under an approval rule, only members change where settlements go, with a wait:
 * see settlement-wallets.ts.
 */
function judgeDestination(
  { mode }: Environment,
  before: SettlementChoice,
  settings: Settings,
): void {
  const destination = destinationOf(settings)
  if (isDeepStrictEqual(before, destination)) return
  if (mode === 'live' || hasRule(settings.approvals))
    throw new Refusal('forbidden', {
      reason: 'console_only',
      message:
        'In live mode, and under an approval rule, only an owner or admin can change the destination of settlements, in the console. An API key cannot.',
    })
  const { payTo, walletAddress } = destination
  const issue =
    walletAddress === null
      ? payTo === 'wallet' && 'is required to settle to a wallet'
      : !findAddressBytes(walletAddress) && addressIssue
  if (issue) throw invalidField('settlement.walletAddress', issue)
}

/** Writes where settlements go. The caller has locked the environment and checked the change. */
export async function writeDestination(
  tx: Tx,
  now: EnvironmentTime,
  environmentId: EnvironmentId,
  destination: SettlementChoice,
): Promise<void> {
  const before = await readStored(tx, environmentId)
  const stored = mergeSettings(before, { settlement: destination })
  writeStored(tx, now, { environmentId, stored })
}

/** Writes the approval rule. The caller has locked the environment and checked the change. */
export async function writeApprovals(
  tx: Tx,
  now: EnvironmentTime,
  environmentId: EnvironmentId,
  approvals: Approvals,
): Promise<void> {
  const before = await readStored(tx, environmentId)
  writeStored(tx, now, { environmentId, stored: { ...before, approvals } })
}

/** A change of reserve or minimum must not skip a settlement that waits for the bank. */
function changedTimes(before: SettlementSettings, now: SettlementSettings) {
  return (['schedule', 'weekday', 'time'] as const).filter((name) => before[name] !== now[name])
}

/** Checks the decimal places of thresholds, which the schema cannot. */
function judgePatch({ lowBalance = {} }: SettingsPatch): Detail[] {
  return (['USDC', 'USDT'] as const).flatMap((asset) => {
    const threshold = lowBalance[asset]
    const amount = typeof threshold === 'string' ? parseDecimal(threshold, asset) : 0n
    return typeof amount === 'bigint' ? [] : [{ field: `lowBalance.${asset}`, issue: amount.issue }]
  })
}

async function readStored(db: Queryable, environmentId: EnvironmentId): Promise<SettingsPatch> {
  const [row] = await db.rows(sql<{ document: string }>`
    select document from environment_settings where environment_id = ${environmentId}`)
  return row ? JSON.parse(row.document) : {}
}

function writeStored(
  tx: Tx,
  now: EnvironmentTime,
  { environmentId, stored }: { environmentId: EnvironmentId; stored: SettingsPatch },
): void {
  const document = JSON.stringify(stored)
  assert(Buffer.byteLength(document) <= settingsLimits.documentBytesMax, 'settings stay small')
  tx.write(sql`
    insert into environment_settings (environment_id, document, version, updated_at)
    values (${environmentId}, ${document}, 1, ${now})
    on conflict (environment_id) do update set document = excluded.document,
      version = environment_settings.version + 1, updated_at = excluded.updated_at`)
}

export type LowBalanceSettings = {
  environmentId: EnvironmentId
  thresholds: Partial<Record<Asset, number | string | null>>
}

/** A page of low-balance thresholds, by environment id, for environments that ever set one. */
export async function listLowBalances(db: Queryable, after: number): Promise<LowBalanceSettings[]> {
  const rows = await db.rows(sql<{ environmentId: EnvironmentId; thresholds: string }>`
    select environment_id, document -> 'lowBalance' as thresholds
    from environment_settings
    where document -> 'lowBalance' is not null and environment_id > ${after}
    order by environment_id limit ${lowBalanceLimits.environmentsPerBatchMax}`)
  return rows.map(({ environmentId, thresholds }) => ({
    environmentId,
    thresholds: JSON.parse(thresholds),
  }))
}

/** Whether refunds that a sub-account cannot cover are refused. */
export async function mustSubaccountsCover(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<boolean> {
  const [row] = await db.rows(sql<{ mustCover: boolean }>`
    select document #>> '{refunds,subaccountsMustCover}' = 'true' as must_cover
    from environment_settings where environment_id = ${environmentId}`)
  return row?.mustCover === true
}

export type CollectionPolicies = Settings['policies'] & { clockOffsetMs: number }

/** Payment policies and clock offsets of many environments. */
export async function listPolicies(
  db: Queryable,
  ids: EnvironmentId[],
): Promise<Map<EnvironmentId, CollectionPolicies>> {
  const rows = await db.rows<{ id: EnvironmentId; clockOffsetMs: bigint; patch: string | null }>({
    name: 'list_policies',
    text: `
      select e.id, e.clock_offset_ms, s.document -> 'policies' as patch
      from environments e left join environment_settings s on s.environment_id = e.id
      where e.id = any($1)`,
    values: [ids],
  })
  return new Map(
    rows.map(({ id, clockOffsetMs, patch }) => {
      const policies = patch === null ? {} : (JSON.parse(patch) as SettingsPatch['policies'])
      const merged = mergeSettings(defaultSettings({ merchantName: '' }), { policies })
      return [id, { ...merged.policies, clockOffsetMs: Number(clockOffsetMs) }]
    }),
  )
}
