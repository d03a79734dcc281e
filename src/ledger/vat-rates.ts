import { strict as assert } from 'node:assert'
import { after, minute, type RealTime, second } from '../base/clock.js'
import type { EnvironmentId, Mode } from '../base/environment.js'
import { firstIdAt } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import { formatPercent } from '../money/percent.js'
import { type VatRate, vatRates } from '../money/vat.js'
import { type Sql, sql } from '../postgres/sql.js'
import { insertInto } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'

/** How often a process reads the rates. */
export const vatReadIntervalMs = 10 * second

/** A new rate begins at least this long after it was set: every process knows it by then. */
const noticeMs = 10 * minute
assert(noticeMs >= 10 * vatReadIntervalMs, 'a rate is known in time although some reads fail')

/** Environments are not committed in the order of their ids, so the last ones are read again. */
const environmentsReadAgain = 1_000

export type StoredVatRate = VatRate & { mode: Mode; givenBy: string; createdAt: Date }

/** Of both modes, newest first. */
export function listVatRates(db: Queryable): Promise<StoredVatRate[]> {
  return db.rows(sql<StoredVatRate>`
    select mode, holds_from, basis_points, given_by, created_at from vat_rates
    order by holds_from desc, mode`)
}

/** The rates of the mode of an environment, newest first. */
export function findVatRates(db: Queryable, environmentId: EnvironmentId): Promise<VatRate[]> {
  return db.rows(sql<VatRate>`
    select v.holds_from, v.basis_points from vat_rates v
    join environments e on e.mode = v.mode where e.id = ${environmentId}
    order by v.holds_from desc`)
}

/** Reads the rates, and the environments made since the last call, into memory. */
export function createVatReader(db: Queryable): () => Promise<void> {
  let lastId = 0
  return async () => {
    const rates = await listVatRates(db)
    if (rates.length > 0) {
      const environments = await db.rows(sql<{ id: EnvironmentId; mode: Mode }>`
        select id, mode from environments where id > ${lastId - environmentsReadAgain} order by id`)
      for (const environment of environments) vatRates.noteEnvironment(environment)
      lastId = environments.at(-1)?.id ?? lastId
    }
    vatRates.replace(rates)
  }
}

export type NewVatRate = {
  mode: Mode
  basisPoints: number
  /** Undefined: as soon as possible. */
  holdsFrom: Date | undefined
  givenBy: string
}

/**
 * Sets the rate from a time on. Refuses a time at which fees may have been charged, and one before
 * the last rate that was set: what was shown to merchants stays true.
 */
export async function addVatRate(
  tx: Tx,
  now: RealTime,
  { mode, basisPoints, holdsFrom: wanted, givenBy }: NewVatRate,
): Promise<StoredVatRate> {
  await tx.rows(sql`lock table vat_rates in share row exclusive mode`)
  const earliest = await findEarliestStart(tx, now, mode)
  const holdsFrom = wanted ?? (earliest === null ? now : earliest)
  if (earliest !== null && holdsFrom < earliest) throw tooEarly(earliest)
  const newest = (await listVatRates(tx)).find((rate) => rate.mode === mode)
  if (newest && holdsFrom <= newest.holdsFrom) throw beforeNewest(newest)
  const rate = { mode, basisPoints, holdsFrom, givenBy, createdAt: now }
  tx.write(insertInto('vat_rates', rate))
  return rate
}

/**
 * Ids contain the time of their environment, so a rate of test mode begins after the clock that is
 * furthest ahead. Null: no fee was charged in this mode yet, so that any time will do.
 */
async function findEarliestStart(db: Queryable, now: RealTime, mode: Mode): Promise<Date | null> {
  const [found] = await db.rows(sql<{ hasFees: boolean; offsetMs: number }>`
    select exists (select from ledger_accounts a join environments e on e.id = a.environment_id
        where e.mode = ${mode} and a.name = 'fees') as has_fees,
      (select coalesce(max(clock_offset_ms), 0)::float8 from environments
        where mode = ${mode}) as offset_ms`)
  const { hasFees, offsetMs } = found!
  return hasFees ? after(now, noticeMs + offsetMs) : null
}

function tooEarly(earliest: Date): Refusal {
  const time = earliest.toISOString()
  return new Refusal('validation_failed', {
    message: `Fees were already charged. The rate can hold from ${time} on, or later.`,
    details: [{ field: 'from', issue: `must be at least ${time}` }],
  })
}

function beforeNewest({ holdsFrom, basisPoints }: VatRate): Refusal {
  const time = holdsFrom.toISOString()
  return new Refusal('validation_failed', {
    message: `A rate of ${formatPercent(basisPoints)} % was set from ${time} on. Choose a later time.`,
    details: [{ field: 'from', issue: `must be after ${time}` }],
  })
}

/** VAT of a fee in SQL, as `computeVat` computes it. `causeId` is what was charged. */
export function vatInSql(rates: VatRate[], { fee, causeId }: { fee: Sql; causeId: Sql }): Sql {
  if (rates.length === 0) return sql`0::bigint`
  const cases = rates.map(({ holdsFrom, basisPoints }) => {
    const whole = sql.raw(String(10_000 + basisPoints))
    const rate = sql.raw(String(basisPoints))
    return sql`when ${causeId} >= ${firstIdAt(holdsFrom)}::uuid
      then div(2 * ${fee}::numeric * ${rate} + ${whole}, 2 * ${whole})::bigint`
  })
  return sql`case ${sql.join(cases, sql` `)} else 0 end`
}

/**
 * VAT of a row of `ledger_transfers`; 0 unless it moves a fee. A payment can be charged twice: the
 * second time, VAT is what the sum of both fees contains, less that of the first. So the entries of
 * a payment add up to the `feeVat` that it shows.
 */
export function vatOfTransfer(rates: VatRate[], transfer: string): Sql {
  if (rates.length === 0) return sql`0::bigint`
  const [amount, causeId] = ['amount', 'cause_id'].map((name) => sql.raw(`${transfer}.${name}`))
  const of = sql.raw(transfer)
  const vatOf = (fee: Sql) => vatInSql(rates, { fee, causeId: causeId! })
  return sql`case
    when ${of}.purpose = 'payment_accepted_fee' then (
      select ${vatOf(sql`(${amount} + coalesce(sum(earlier.amount), 0))`)}
        - ${vatOf(sql`coalesce(sum(earlier.amount), 0)`)}
      from ledger_transfers earlier where earlier.environment_id = ${of}.environment_id
        and earlier.cause_id = ${causeId} and earlier.purpose = 'payment_fee')
    when 'fees' in (${of}.debit, ${of}.credit) then ${vatOf(amount!)}
    else 0 end`
}
