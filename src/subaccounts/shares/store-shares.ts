import { after } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { sql } from '../../postgres/sql.js'
import { listStatement, unindexed } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { Proportion } from './proportions.js'
import { paymentShares, type Share, shareTakeBacks, type TakeBack } from './share.js'

/** One job claims the due rows of a mode. */
const modeOf = '(select e.mode from environments e where e.id = list.environment_id)'

const insert = listStatement({
  name: 'insert_payment_shares',
  columns: { ...paymentShares.typesWithout(), dueAt: 'timestamptz' },
  text: (list, _parameter, names, values) => `
    insert into payment_shares (${names}, mode) select ${values}, ${modeOf} from ${list}`,
})

/** A share with the offset of its environment's clock: rows are due in real time. */
export type NewShare = { share: Share; clockOffsetMs: number }

export function insertShares(tx: Tx, shares: NewShare[]): void {
  if (shares.length === 0) return
  const rows = shares.map(({ share, clockOffsetMs }) => ({
    ...share,
    dueAt: share.status === 'PENDING' ? after(share.releaseAt!, -clockOffsetMs) : null,
  }))
  tx.write(insert(rows))
}

const ofPayment = { environmentId: 'int4', id: 'uuid' } as const

const find = listStatement<typeof ofPayment, Share>({
  name: 'find_payment_shares',
  columns: ofPayment,
  text: (list) => `
    select ${paymentShares.of('s')} from ${list}
    join payment_shares s on s.environment_id = list.environment_id and s.payment_id = list.id
    order by s.payment_id, s.part, s.line`,
})

/** By payment, in the order of parts and lines. The row of a payment protects its shares. */
export async function findShares(
  db: Queryable,
  payments: { environmentId: EnvironmentId; id: string }[],
): Promise<Map<string, Share[]>> {
  const found = new Map<string, Share[]>()
  if (payments.length === 0) return found
  for (const row of await db.rows(find(payments))) {
    const shares = found.get(row.paymentId)
    if (shares) shares.push(row)
    else found.set(row.paymentId, [row])
  }
  return found
}

const named = { environmentId: 'int4', id: 'uuid' } as const

const lock = listStatement<typeof named, Share>({
  name: 'lock_payment_shares',
  columns: named,
  text: (list) => `
    select ${paymentShares.of('s')} from payment_shares s
    join ${list} on s.environment_id = list.environment_id and s.id = list.id
    order by s.environment_id, s.id for no key update of s`,
})

export async function lockShares(tx: Tx, names: Pick<Share, 'environmentId' | 'id'>[]) {
  return names.length === 0 ? [] : tx.rows(lock(names))
}

/** The shares of a payment, locked: a release must not happen meanwhile. */
export async function lockSharesOf(
  tx: Tx,
  payment: { environmentId: EnvironmentId; id: string },
): Promise<Share[]> {
  const found = (await findShares(tx, [payment])).get(payment.id) ?? []
  const locked = await lockShares(tx, found)
  return locked.sort((left, right) => left.part - right.part || left.line - right.line)
}

const takeFrom = listStatement({
  name: 'take_back_shares',
  columns: { ...named, takenBack: 'int8', takenPending: 'int8' },
  text: (list) => `
    update payment_shares s set taken_back = s.taken_back + list.taken_back,
      taken_pending = s.taken_pending + list.taken_pending from ${list}
    where s.environment_id = list.environment_id and s.id = list.id`,
})

/** Adds to what was taken back; negative if it is given back. */
export function addTakenBack(
  tx: Tx,
  shares: Pick<Share, 'environmentId' | 'id' | 'takenBack' | 'takenPending'>[],
): void {
  if (shares.length > 0) tx.write(takeFrom(shares))
}

const proportions = listStatement({
  name: 'write_share_proportions',
  columns: { ...named, amount: 'int8', accepted: 'int8', kept: 'int8' },
  text: (list) => `
    update payment_shares s set proportion_amount = list.amount,
      proportion_accepted = list.accepted, proportion_kept = list.kept from ${list}
    where s.environment_id = list.environment_id and s.id = list.id`,
})

/** What the next refund in proportion divides. */
export function writeProportions(tx: Tx, changed: ({ share: Share } & Proportion)[]): void {
  const rows = changed.map(({ share: { environmentId, id }, amount, accepted, kept }) => ({
    environmentId,
    id,
    amount,
    accepted,
    kept,
  }))
  if (rows.length > 0) tx.write(proportions(rows))
}

const release = listStatement({
  name: 'release_shares',
  columns: { ...named, releasedAt: 'timestamptz' },
  text: (list) => `
    update payment_shares s set status = 'POSTED', due_at = null, released_at = list.released_at
    from ${list} where s.environment_id = list.environment_id and s.id = list.id`,
})

export function markReleased(tx: Tx, shares: Share[]): void {
  const rows = shares.map(({ environmentId, id, releasedAt }) => ({
    environmentId,
    id,
    releasedAt,
  }))
  if (rows.length > 0) tx.write(release(rows))
}

/** When the test clock of an environment moves: `due_at` is in real time. */
export function advanceShares(
  tx: Tx,
  { environmentId, byMs }: { environmentId: EnvironmentId; byMs: number },
): void {
  tx.write(sql`
    update payment_shares set due_at = due_at - ${byMs}::float8 * interval '1 millisecond'
    where environment_id = ${environmentId} and status = 'PENDING'`)
}

const insertTaken = listStatement({
  name: 'insert_share_take_backs',
  columns: shareTakeBacks.typesWithout(),
  text: (list, _parameter, names, values) => `
    insert into share_take_backs (${names}, mode) select ${values}, ${modeOf} from ${list}`,
})

export function insertTakeBacks(tx: Tx, takeBacks: TakeBack[]): void {
  if (takeBacks.length > 0) tx.write(insertTaken(takeBacks))
}

const ofReturn = { environmentId: 'int4', returnId: 'uuid' } as const

const giveBack = listStatement({
  name: 'give_back_shares',
  columns: ofReturn,
  text: (list, parameter) => `
    update share_take_backs t set state = 'GIVING_BACK', due_at = ${parameter(0)}::timestamptz
    from ${list} where t.environment_id = list.environment_id and t.return_id = list.return_id
      and t.state = 'TAKEN'`,
})

/** The take-backs of shares that a worker has yet to give back, locked. The shares are locked. */
export async function lockGivingBack(tx: Tx, shares: Share[]): Promise<TakeBack[]> {
  if (shares.length === 0) return []
  const ids = shares.map(({ id }) => id)
  return tx.rows(sql<TakeBack>`
    select ${shareTakeBacks.of('t')} from share_take_backs t
    where environment_id = ${shares[0]!.environmentId} and share_id = any (${ids}::uuid[])
      and ${sql.raw(unindexed('t.state'))} = 'GIVING_BACK'
    order by id for no key update`)
}

const endGiving = listStatement({
  name: 'end_giving_back',
  columns: { ...named, state: 'text' },
  text: (list) => `
    update share_take_backs t set state = list.state, due_at = null from ${list}
    where t.environment_id = list.environment_id and t.id = list.id`,
})

export function endGivingBack(
  tx: Tx,
  ended: { environmentId: EnvironmentId; id: string; state: 'TAKEN' | 'GIVEN_BACK' }[],
): void {
  if (ended.length > 0) tx.write(endGiving(ended))
}

/** The refunds failed or came back: a worker gives the sub-accounts what was taken from them. */
export function startGivingBack(
  tx: Tx,
  now: Date,
  refunds: { environmentId: EnvironmentId; returnId: string }[],
): void {
  if (refunds.length > 0) tx.write(giveBack(refunds, now))
}
