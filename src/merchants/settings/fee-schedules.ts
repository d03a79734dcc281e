import { strict as assert } from 'node:assert'
import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import type { Asset } from '../../money/assets.js'
import type { FeeSchedule } from '../../money/fees.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { lockEnvironment } from '../environments.js'
import { parseFeeSchedule, toFeeDocument } from './fee-document.js'

const free: FeeSchedule = { flat: 0n, basisPoints: 0, floor: 0n, cap: null, tiers: [] }

/**
 * Operations with a fee: the asset in whose smallest unit the fee is written (USDC also for USDT),
 * and the default fee.
 */
export const feeOperations = {
  virtual_account: { unit: 'NGN', defaultFee: { ...free, basisPoints: 100, cap: 200_000n } },
  dedicated_account: { unit: 'NGN', defaultFee: { ...free, basisPoints: 100, cap: 30_000n } },
  bank_payout: {
    unit: 'NGN',
    defaultFee: {
      ...free,
      flat: 5_000n,
      tiers: [
        { upTo: 500_000n, flat: 1_000n, basisPoints: 0 },
        { upTo: 5_000_000n, flat: 2_500n, basisPoints: 0 },
      ],
    },
  },
  crypto_payout: { unit: 'USDC', defaultFee: { ...free, flat: 500_000n } },
  /** On top of a crypto payout whose destination has no token account yet. */
  crypto_account_creation: { unit: 'USDC', defaultFee: { ...free, flat: 500_000n } },
  crypto_deposit: { unit: 'USDC', defaultFee: { ...free, basisPoints: 50 } },
  /** The merchant's part of the spread, of the converted amount. */
  conversion_from_naira: { unit: 'NGN', defaultFee: { ...free, basisPoints: 50 } },
  conversion_from_coins: { unit: 'USDC', defaultFee: { ...free, basisPoints: 50 } },
} as const satisfies Record<string, { unit: Asset; defaultFee: FeeSchedule }>

export type FeeOperation = keyof typeof feeOperations

export const feeOperationNames = Object.keys(feeOperations) as FeeOperation[]

export type FeeName = { environmentId: EnvironmentId; operation: FeeOperation }

/** Version 0 is the default fee. */
export type VersionedFee = FeeSchedule & { version: number }

const columns = { environmentId: 'int4', operation: 'text' } as const

type Row = { environmentId: number; operation: string; version: number; schedule: string }

const selectLatest = listStatement<typeof columns, Row>({
  name: 'find_fee_schedules',
  columns,
  text: (list) => `
    select distinct on (f.environment_id, f.operation) f.environment_id as environment_id,
      f.operation, f.version, f.schedule
    from fee_schedules f join ${list} using (environment_id, operation)
    order by f.environment_id, f.operation, f.version desc`,
})

/** The current fees, in the order of the names. */
export async function getFeeSchedules(db: Queryable, names: FeeName[]): Promise<VersionedFee[]> {
  const asked = names.map((name) => ({ environment_id: name.environmentId, ...name }))
  const rows = await db.rows(selectLatest(asked))
  const set = new Map(rows.map((row) => [`${row.environmentId}/${row.operation}`, toFee(row)]))
  return names.map(
    ({ environmentId, operation }) =>
      set.get(`${environmentId}/${operation}`) ?? {
        ...feeOperations[operation].defaultFee,
        version: 0,
      },
  )
}

export async function getFeeSchedule(db: Queryable, name: FeeName): Promise<VersionedFee> {
  const [fee] = await getFeeSchedules(db, [name])
  return fee!
}

/** Every version that was set, newest first. */
export async function listFeeVersions(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<{ operation: FeeOperation; fee: VersionedFee; createdAt: Date }[]> {
  const rows = await db.rows(sql<Row & { createdAt: Date }>`
    select environment_id, operation, version, schedule::text as schedule, created_at
    from fee_schedules where environment_id = ${environmentId}
    order by created_at desc, operation, version desc limit ${limits.operator.rowsListedDefault}`)
  return rows.map((row) => ({
    operation: row.operation as FeeOperation,
    fee: toFee(row),
    createdAt: row.createdAt,
  }))
}

/** Adds a version. Earlier versions stay, so that every charged fee can be explained. */
export async function setFeeSchedule(
  tx: Tx,
  now: RealTime,
  { environmentId, operation, schedule }: FeeName & { schedule: FeeSchedule },
): Promise<VersionedFee> {
  const document = toFeeDocument(schedule)
  const parsed = parseFeeSchedule(document)
  if ('issue' in parsed) throw new Refusal('validation_failed', { message: parsed.issue })
  await lockEnvironment(tx, environmentId)
  const [row] = await tx.rows(sql<{ version: number }>`
    insert into fee_schedules (environment_id, operation, version, schedule, created_at)
    select ${environmentId}, ${operation}, coalesce(max(version), 0) + 1,
      ${JSON.stringify(document)}::json, ${now}::timestamptz
    from fee_schedules where environment_id = ${environmentId} and operation = ${operation}
    returning version`)
  return { ...parsed, version: row!.version }
}

function toFee({ environmentId, operation, version, schedule }: Row): VersionedFee {
  const parsed = parseFeeSchedule(JSON.parse(schedule))
  assert(!('issue' in parsed), `fee ${environmentId}/${operation}/${version} can be read`)
  return { ...parsed, version }
}
