import { strict as assert } from 'node:assert'
import type { Static } from 'typebox'
import { after, day, hour, minute } from '../../base/clock.js'
import { firstIdAt, timeOf } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import type { Controls, VelocityLimit } from '../../merchants/settings/settings-document.js'
import { formatMoney } from '../../money/amounts.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { toUnits } from '../approvals/approval-rule.js'
import { destinationKey } from '../describe-destination.js'
import { type Payout, payoutKinds, referenceOf, transferKindOf } from '../payout.js'
import type { Destination } from '../ports.js'
import { paidTo } from '../requests/recipient-history.js'
import type { WaitReason } from './wait.js'

export type CountedPayout = Pick<
  Payout,
  'environmentId' | 'asset' | 'amount' | 'createdByKey' | 'createdByUser'
> & {
  /** Null: not chosen yet. */
  destination: Destination | null
}

/** A payout to be made, and those of its transaction that are not written yet. */
type NewSent = CountedPayout & { at: Date; besides: CountedPayout[] }

type Limit = Static<typeof VelocityLimit>

const windows: Record<Limit['window'], number> = { hour, day, month: 30 * day }

/** Decides whether a payout exceeds a limit, by what was sent in its window. */
export function exceedsLimit(
  { currency, amount, count }: Pick<Limit, 'currency' | 'amount' | 'count'>,
  payout: Pick<CountedPayout, 'asset' | 'amount'>,
  sent: { count: number; amount: bigint },
): boolean {
  if (payout.asset !== currency) return false
  if (count !== null && sent.count + 1 > count) return true
  return amount !== null && sent.amount + payout.amount > toUnits(amount, currency)
}

const windowTexts: Record<Limit['window'], string> = {
  hour: '60 minutes',
  day: '24 hours',
  month: '30 days',
}

/**
 * Throws the refusal of a limit; of several, the one that refuses for longest. Returns whether one
 * asks for members.
 */
export async function judgeVelocity(
  db: Queryable,
  limits: NonNullable<Controls['velocity']>,
  payout: NewSent,
): Promise<boolean> {
  let waits = false
  let refused: Refused | undefined
  for (const limit of limits) {
    if (limit.currency !== payout.asset || !concerns(limit, payout)) continue
    const sent = await sumSent(db, limit, payout)
    if (!exceedsLimit(limit, payout, sent)) continue
    if (limit.above === 'refuse') {
      const next = { limit, sent, fitsFrom: await findFit(db, limit, { payout, sent }) }
      if (!refused || isLater(next.fitsFrom, refused.fitsFrom)) refused = next
    } else waits = true
  }
  if (refused) throw aboveLimit(refused, payout)
  return waits
}

/** Members have no key, and API keys are no members. */
function concerns({ per }: Limit, { createdByKey, createdByUser, destination }: NewSent): boolean {
  if (per === 'key') return createdByKey !== null
  if (per === 'recipient') return destination !== null
  return per !== 'member' || createdByUser !== null
}

type Sent = { count: number; amount: bigint }

/**
 * What members and API keys sent in the window; failed payouts moved nothing. Counted row by row,
 * so that no payout of a merchant without such limits pays for counters.
 */
async function sumSent(db: Queryable, { per, window }: Limit, payout: NewSent): Promise<Sent> {
  const { environmentId, asset, at, besides } = payout
  const since = firstIdAt(after(at, -windows[window]))
  const [row] = await db.rows(sql<{ count: number; amount: bigint }>`
    select count(*)::int4 as count, coalesce(sum(p.amount), 0)::int8 as amount
    from ${sentSince(per, payout, since)} p
    where p.asset = ${asset} and ${isCounted}`)
  const unwritten = besides.filter(
    (other) =>
      other.environmentId === environmentId &&
      other.asset === asset &&
      scopeOf(per, other) === scopeOf(per, payout),
  )
  return {
    count: row!.count + unwritten.length,
    amount: unwritten.reduce((sum, { amount }) => sum + amount, row!.amount),
  }
}

/**
 * From when on the payout fits, if nothing else is sent; null: never. The oldest payouts leave the
 * window first.
 */
async function findFit(
  db: Queryable,
  { per, window, currency, amount, count }: Limit,
  { payout, sent }: { payout: NewSent; sent: Sent },
): Promise<Date | null> {
  const most = amount === null ? null : toUnits(amount, currency)
  if (most !== null && payout.amount > most) return null
  const since = firstIdAt(after(payout.at, -windows[window]))
  const [last] = await db.rows(sql<{ id: string }>`
    select p.id from (
      select p.id, count(*) over oldest as count, sum(p.amount) over oldest as amount
      from ${sentSince(per, payout, since)} p
      where p.asset = ${payout.asset} and ${isCounted}
      window oldest as (order by p.id)) p
    where (${count}::int8 is null or ${sent.count}::int8 + 1 - p.count <= ${count}::int8)
      and (${most}::int8 is null
        or ${sent.amount}::int8 + ${payout.amount}::int8 - p.amount <= ${most}::int8)
    order by p.id limit 1`)
  // What is not written yet is the newest.
  const leaves = last ? timeOf(last.id) : payout.at
  return after(leaves, windows[window] + 1)
}

/** Null is never. */
function isLater(time: Date | null, other: Date | null): boolean {
  return other !== null && (time === null || time > other)
}

/** Failed payouts moved nothing, and settlements of the merchant have no creator. */
const isCounted = sql`(
  p.status <> 'FAILED' and (p.created_by_key is not null or p.created_by_user is not null))`

/** Each scope is read by its own index. */
function sentSince(per: Limit['per'], payout: CountedPayout, since: string): Sql {
  const { environmentId, createdByKey, createdByUser, destination } = payout
  const own = sql`select * from payouts where environment_id = ${environmentId} and id >= ${since}`
  if (per === 'merchant') return sql`(${own})`
  if (per === 'recipient') {
    assert(destination, 'what is sent to a recipient has one')
    return sentTo({ environmentId, destination }, since)
  }
  return per === 'key'
    ? sql`(${own} and created_by_key = ${createdByKey})`
    : sql`(${own} and created_by_user = ${createdByUser})`
}

/** Found by the search terms of payouts, as the history of a recipient is. */
function sentTo(
  { environmentId, destination }: Pick<Payout, 'environmentId' | 'destination'>,
  since: string,
): Sql {
  const { term, isSame } = paidTo(destination)
  return sql`(
    select found_payouts.* from (
      select id from search_terms
      where environment_id = ${environmentId} and kind = 'payout' and term = ${term}
        and id >= ${since}) found
    cross join lateral (
      select * from payouts p
      where p.environment_id = ${environmentId} and p.id = found.id and ${isSame}
      offset 0) found_payouts)`
}

/** Equal for payouts that a limit counts together. */
function scopeOf(
  per: Limit['per'],
  { createdByKey, createdByUser, destination }: CountedPayout,
): string | null {
  if (per === 'merchant') return null
  if (per === 'key') return createdByKey
  return per === 'member' ? createdByUser : destination && destinationKey(destination)
}

type Refused = { limit: Limit; sent: Sent; fitsFrom: Date | null }

function aboveLimit(
  { limit: { per, window, currency, amount, count }, sent, fitsFrom }: Refused,
  payout: Pick<CountedPayout, 'amount'>,
): Refusal {
  const countOf = (many: number) => `${many} ${many === 1 ? 'transfer' : 'transfers'}`
  const allowed = [
    ...(amount === null ? [] : [formatMoney(toUnits(amount, currency), currency)]),
    ...(count === null ? [] : [countOf(count)]),
  ].join(' and ')
  const wanted = `A transfer of ${formatMoney(payout.amount, currency)}`
  const next = fitsFrom
    ? `${wanted} fits from ${fitsFrom.toISOString()}.`
    : `${wanted} never fits: send less.`
  return new Refusal(payoutKinds[transferKindOf({ asset: currency })].refusal, {
    reason: 'velocity_limit',
    message: `Your rules allow ${allowed} per ${per} in ${windowTexts[window]}; ${formatMoney(sent.amount, currency)} was sent in ${countOf(sent.count)}. ${next}`,
  })
}

type Duplicates = NonNullable<Controls['duplicates']>

/**
 * Finds a transfer of the same amount to the same recipient in the last minutes. Throws the refusal
 * that asks the caller to confirm it; those that cannot, such as batches, wait for members.
 */
export async function judgeDuplicates(
  db: Queryable,
  { minutes, requires }: Duplicates,
  payout: NewSent & { destination: Destination; confirmsDuplicate?: boolean | undefined },
): Promise<WaitReason | undefined> {
  const { asset, amount, at, besides, confirmsDuplicate } = payout
  if (requires === 'confirmation' && confirmsDuplicate === true) return undefined
  const since = firstIdAt(after(at, -minutes * minute))
  const [found] = await db.rows(sql<Pick<Payout, 'id' | 'kind'>>`
    select p.id, p.kind from ${sentTo(payout, since)} p
    where p.asset = ${asset} and p.amount = ${amount} and ${isCounted}
    order by p.id desc limit 1`)
  const isRepeated = besides.some(
    (other) =>
      other.asset === asset &&
      other.amount === amount &&
      other.destination !== null &&
      destinationKey(other.destination) === destinationKey(payout.destination),
  )
  if (!found && !isRepeated) return undefined
  if (requires === 'approval' || confirmsDuplicate === undefined) return 'duplicate'
  throw new Refusal(payoutKinds[transferKindOf(payout)].refusal, {
    reason: 'possible_duplicate',
    message: `${found ? referenceOf(found) : 'A transfer before it'} sent the same amount to the same recipient less than ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago. Send confirmDuplicate: true if this is another one.`,
  })
}
