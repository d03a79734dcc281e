import { after } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'
import { listLimits } from '../postgres/limits.js'
import { named } from '../postgres/named.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { subaccountName } from './accounts.js'
import type { StatementEnd } from './book.js'
import type { Purpose } from './purposes.js'
import { findVatRates, vatOfTransfer } from './vat-rates.js'

/** One line of a merchant's statement: the change of the available balance, and its result. */
export type StatementEntry = {
  asset: Asset
  entryNumber: bigint
  /** Negative for spent and held money. */
  change: bigint
  availableAfter: bigint
  purpose: Purpose
  causeId: string
  kind: 'post' | 'hold' | 'release'
  /** What became of the money of a hold; otherwise null. */
  resolution: 'open' | 'settled' | 'released' | null
  /** The part of a released `change` that was held for the fee; otherwise null. */
  releasedFee: bigint | null
  /** The same for the levy. */
  releasedLevy: bigint | null
  /** Of a fee, what was charged before for the same payment, mostly 0; otherwise null. */
  feeBefore: bigint | null
  createdAt: Date
}

/** The balance whose statement it is: the merchant's, or that of a sub-account. */
export type StatementKey = {
  environmentId: EnvironmentId
  asset: Asset
  subaccountId?: string | undefined
}

/** Where a statement is in the ledger. Its entries are numbered without gaps. */
type Place = {
  /** The ledger account whose balance it is. */
  name: Sql
  /** The entries of the statement, of transfers and resolutions. */
  own: Sql
  entryNumber: Sql
  availableAfter: Sql
  /** The first entry at or after a time. */
  firstAt: (time: Date) => Sql
}

/** Where the statement of a balance is in the ledger. */
export function placeOf({ environmentId, asset, subaccountId }: StatementKey): Place {
  if (subaccountId === undefined)
    return {
      name: sql`'available'`,
      own: sql`environment_id = ${environmentId} and asset = ${asset}`,
      entryNumber: sql`entry_number`,
      availableAfter: sql`available_after`,
      firstAt: (time) => sql`first_entry_at(${environmentId}, ${asset}, ${time})`,
    }
  return {
    name: sql`${subaccountName(subaccountId)}`,
    own: sql`environment_id = ${environmentId} and subaccount_id = ${subaccountId}
      and asset = ${asset}`,
    entryNumber: sql`subaccount_entry`,
    availableAfter: sql`subaccount_after`,
    firstAt: (time) =>
      sql`first_subaccount_entry_at(${environmentId}, ${subaccountId}, ${asset}, ${time})`,
  }
}

/** The last number of a statement, and the balance after it. */
export async function findStatementEnd(db: Queryable, key: StatementKey): Promise<StatementEnd> {
  const [end] = await db.rows(sql<StatementEnd>`
    select entry_count as entry_number,
      credits_posted - debits_posted - debits_pending as available
    from ledger_accounts
    where environment_id = ${key.environmentId} and asset = ${key.asset}
      and name = ${placeOf(key).name}`)
  return end ?? { entryNumber: 0n, available: 0n }
}

/** The entries of one type and effect in a part of a statement. */
export type StatementSum = {
  purpose: Purpose
  kind: StatementEntry['kind']
  count: number
  /** Negative if the balance fell. */
  change: bigint
  /** VAT of the fees in `change`, with its sign. */
  vat: bigint
}

/** Sums a part of a statement, both ends included. */
export async function sumStatement(
  db: Queryable,
  { first, last, ...key }: StatementKey & { first: bigint; last: bigint },
): Promise<StatementSum[]> {
  if (first > last) return []
  const { name, own, entryNumber } = placeOf(key)
  const range = sql`${own} and ${entryNumber} between ${first} and ${last}`
  const rates = await findVatRates(db, key.environmentId)
  const vat = vatOfTransfer(rates, 'ledger_transfers')
  const releasedVat =
    rates.length === 0
      ? sql`0`
      : sql`coalesce((
          select ${vatOfTransfer(rates, 'held')} from ledger_transfers held
          where held.environment_id = r.environment_id and held.cause_id = r.cause_id
            and held.is_hold and held.credit = 'fees'), 0)`
  return db.rows(sql<StatementSum>`
    select purpose, kind, count(*)::int as count, sum(change)::int8 as change,
      sum(vat)::int8 as vat
    from (
      select purpose, case when is_hold then 'hold' else 'post' end as kind,
        case when credit = ${name} then amount else -amount end as change,
        case when credit = ${name} then ${vat} else -(${vat}) end as vat
      from ledger_transfers where ${range}
      union all
      select purpose, 'release', amount, ${releasedVat} from ledger_resolutions r
      where ${range}) entries
    group by purpose, kind order by purpose, kind`)
}

/** Where a statement is read: entries from `first` on, below `below`. */
export type StatementRange = StatementKey & { first: bigint; below: bigint }

export type EntryFilter = {
  from?: Date | undefined
  to?: Date | undefined
  purpose?: Purpose | undefined
  causeId?: string | undefined
}

export type StatementPage = {
  /** Newest first. */
  entries: StatementEntry[]
  /** Set if older entries were not searched; all those from here on were. */
  searchedTo: { entryNumber: bigint; createdAt: Date } | undefined
}

/**
 * The entries that pass the filter, newest first. A filter by purpose searches a bounded number of
 * entries, so a page of a rare purpose may be short.
 */
export async function listStatementEntries(
  db: Queryable,
  range: StatementRange,
  { filter = {}, limit }: { filter?: EntryFilter; limit: number },
): Promise<StatementPage> {
  const { purpose, causeId } = filter
  if (causeId !== undefined)
    return { entries: await readEntries(db, range, filter, limit), searchedTo: undefined }
  if (purpose === undefined && !filter.from && !filter.to)
    return { entries: await readEntries(db, range, {}, limit), searchedTo: undefined }
  const within = await boundByTime(db, range, filter)
  const entries: StatementEntry[] = []
  let { below } = within
  for (let scans = 0; scans < listLimits.scansPerPageMax; scans += 1) {
    const windowStart = below - BigInt(listLimits.rowsPerScan)
    const first = windowStart > within.first ? windowStart : within.first
    const wanted = limit - entries.length
    entries.push(...(await readEntries(db, { ...within, first, below }, filter, wanted)))
    if (entries.length >= limit || first <= within.first) return { entries, searchedTo: undefined }
    below = first
  }
  const [last] = await readEntries(db, { ...within, first: below, below: below + 1n }, {}, 1)
  return { entries, searchedTo: last }
}

/** Entries are numbered when they are committed, which may be a moment after their time. */
const disorderMs = 10_000

async function boundByTime(
  db: Queryable,
  range: StatementRange,
  { from, to }: EntryFilter,
): Promise<StatementRange> {
  if (!from && !to) {
    const newest = await readEntries(db, range, {}, 1)
    return { ...range, below: (newest[0]?.entryNumber ?? 0n) + 1n }
  }
  const { environmentId, asset } = range
  const { name, firstAt } = placeOf(range)
  const entryAt = (time: Date | undefined, otherwise: Sql, shiftMs: number) =>
    time ? firstAt(after(time, shiftMs)) : otherwise
  const count = sql`coalesce((
    select entry_count + 1 from ledger_accounts
    where environment_id = ${environmentId} and asset = ${asset} and name = ${name}), 1)`
  const [found] = await db.rows(sql<{ first: bigint; below: bigint }>`
    select ${entryAt(from, sql`1::bigint`, -disorderMs)} as first,
      ${entryAt(to, count, disorderMs)} as below`)
  const { first, below } = found!
  return {
    ...range,
    first: first > range.first ? first : range.first,
    below: below < range.below ? below : range.below,
  }
}

async function readEntries(
  db: Queryable,
  { first, below, ...key }: StatementRange,
  { from, to, purpose, causeId }: EntryFilter,
  limit: number,
): Promise<StatementEntry[]> {
  const { name, own, entryNumber, availableAfter } = placeOf(key)
  const where = sql.join(
    [
      sql`${own} and ${entryNumber} < ${below}`,
      sql`${entryNumber} >= ${first}`,
      from && sql`created_at >= ${from}`,
      to && sql`created_at < ${to}`,
      purpose && sql`purpose = ${purpose}`,
      causeId !== undefined && sql`cause_id = ${causeId}`,
    ].filter((condition): condition is Sql => Boolean(condition)),
    sql` and `,
  )
  return db.rows(
    named(
      key.subaccountId === undefined ? 'list_entries' : 'list_subaccount_entries',
      sql<StatementEntry>`
        with transfers as (
          select asset, ${entryNumber} as entry_number,
            case when credit = ${name} then amount else -amount end as change,
            ${availableAfter} as available_after, purpose, cause_id,
            case when is_hold then 'hold' else 'post' end as kind, ${resolution} as resolution,
            null::bigint as released_fee, null::bigint as released_levy,
            ${feeBefore} as fee_before, created_at
          from ledger_transfers t where ${where} order by ${entryNumber} desc limit ${limit}),
        releases as (
          select asset, ${entryNumber} as entry_number, amount as change,
            ${availableAfter} as available_after, purpose, cause_id,
            'release' as kind, null, ${releasedPart('fees')} as released_fee,
            ${releasedPart('levies')} as released_levy, null::bigint as fee_before, created_at
          from ledger_resolutions r where ${where} order by ${entryNumber} desc limit ${limit})
        select asset, entry_number, change, available_after,
          purpose, cause_id, kind, resolution, released_fee, released_levy, fee_before, created_at
        from (select * from transfers union all select * from releases) entries
        order by entry_number desc limit ${limit}`,
    ),
  )
}

/** What became of a transfer `t` that is a hold. */
const resolution = sql`case when t.is_hold then coalesce((
  select case r.verb when 'settle' then 'settled' else 'released' end from ledger_resolutions r
  where r.environment_id = t.environment_id and r.cause_id = t.cause_id), 'open') end`

/** The fee or the levy of a resolution `r`: a hold has at most one line for each. */
function releasedPart(credit: 'fees' | 'levies'): Sql {
  return sql`coalesce((
    select held.amount from ledger_transfers held
    where held.environment_id = r.environment_id and held.cause_id = r.cause_id
      and held.is_hold and held.credit = ${sql.raw(`'${credit}'`)}), 0)`
}

/** Null unless `t` moves a fee. Only a payment is charged twice: when it arrives, and when kept. */
const feeBefore = sql`case
  when t.purpose = 'payment_accepted_fee' then coalesce((
    select earlier.amount from ledger_transfers earlier
    where earlier.environment_id = t.environment_id and earlier.cause_id = t.cause_id
      and earlier.purpose = 'payment_fee'), 0)
  when 'fees' in (t.debit, t.credit) then 0 end`

/** A part of a statement: the numbers of its entries, and the balance before and after them. */
export type StatementPart = {
  opening: bigint
  closing: bigint
  count: bigint
  firstNumber: bigint | null
  lastNumber: bigint | null
}

/**
 * The entries of a period. It is a range of numbers, so that one period begins where another ends,
 * also where times are out of order.
 */
export async function findStatementPart(
  db: Queryable,
  statement: StatementKey,
  { from, to }: Pick<EntryFilter, 'from' | 'to'>,
): Promise<StatementPart> {
  const end = (await findStatementEnd(db, statement)).entryNumber + 1n
  const first = from ? await findFirstAt(db, statement, { time: from, end }) : 1n
  const below = to ? await findFirstAt(db, statement, { time: to, end }) : end
  const balanceBelow = async (number: bigint) => {
    const [entry] = await readEntries(db, { ...statement, first: 1n, below: number }, {}, 1)
    return entry?.availableAfter ?? 0n
  }
  const opening = await balanceBelow(first)
  const isEmpty = first >= below
  return {
    opening,
    closing: isEmpty ? opening : await balanceBelow(below),
    count: isEmpty ? 0n : below - first,
    firstNumber: isEmpty ? null : first,
    lastNumber: isEmpty ? null : below - 1n,
  }
}

/** The lowest number of an entry at or after a time; `end` if there is none. */
async function findFirstAt(
  db: Queryable,
  key: StatementKey,
  { time, end }: { time: Date; end: bigint },
): Promise<bigint> {
  const { own, entryNumber, firstAt } = placeOf(key)
  const where = sql`${own} and ${entryNumber} >= ${firstAt(after(time, -disorderMs))}
    and created_at >= ${time}`
  const firstOf = (table: Sql) => sql`(
    select ${entryNumber} from ${table} where ${where} order by ${entryNumber} limit 1)`
  const [found] = await db.rows(sql<{ first: bigint | null }>`
    select least(${firstOf(sql`ledger_transfers`)}, ${firstOf(sql`ledger_resolutions`)}) as first`)
  const first = found!.first ?? end
  // Entries that were added since the end was read are not part of any sum.
  return first < end ? first : end
}
