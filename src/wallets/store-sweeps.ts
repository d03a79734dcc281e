import { after, type RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import type { LiveSweep, SweptPart } from '../collections/ports.js'
import type { Coin } from '../money/assets.js'
import { claimDue, type DueTable } from '../postgres/due.js'
import { sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import { column, Table } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { sweepLimits } from './limits.js'

/** The amount swept from one token account, and its owner in the books. */
export type SweepPart = SweptPart & { environmentId: EnvironmentId; accountId: string }

const sweeps = new Table('sweeps', {
  rail: column.text(),
  id: column.uuid(),
  asset: column.text<Coin>(),
  amount: column.int8(),
  token: column.text(),
  wire: column.bytea(),
  /** Set for every sweep; only payments of a bank never expire. */
  validUntil: column.int8().orNull(),
  signedSlot: column.int8().orNull(),
  polls: column.int4(),
  createdAt: column.time(),
})

type Sweep = LiveSweep & { rail: string; id: string; amount: bigint }

type SweepState = 'LIVE' | 'LANDED' | 'FAILED' | 'DEAD'

export function sweepReference(id: string): string {
  return toReference(prefixes.sweep, id)
}

const insertParts = listStatement({
  name: 'insert_sweep_parts',
  columns: {
    rail: 'text',
    sweepId: 'uuid',
    tokenAccount: 'text',
    environmentId: 'int4',
    accountId: 'uuid',
    amount: 'int8',
    isClosing: 'bool',
  },
  text: (list, _parameter, names) => `
    insert into sweep_parts (${names}, is_live) select ${names}, true from ${list}`,
})

const lockUnchangedRows = listStatement<
  { rail: 'text'; address: 'text'; amount: 'int8' },
  { address: string }
>({
  name: 'lock_unchanged_token_accounts',
  columns: { rail: 'text', address: 'text', amount: 'int8' },
  text: (list) => `
    select t.address from token_accounts t
    join ${list} on t.rail = list.rail and t.address = list.address and t.amount = list.amount
    where not t.is_unread and not t.has_trouble
    order by t.rail, t.address for no key update of t`,
})

/** Locks the parts' token accounts and returns those unchanged since the sweep was planned. */
export async function lockUnchanged(tx: Tx, rail: string, parts: SweepPart[]): Promise<string[]> {
  const rows = parts.map(({ tokenAccount, amount }) => ({ rail, address: tokenAccount, amount }))
  return (await tx.rows(lockUnchangedRows(rows))).map(({ address }) => address)
}

/** A unique index rejects a token account that another live sweep includes. */
export function insertSweep(tx: Tx, now: RealTime, sweep: Sweep, parts: SweepPart[]): void {
  const { rail, id, signedSlot = null } = sweep
  const dueAt = after(now, sweepLimits.pollIntervalMs)
  const row = { ...sweep, signedSlot, createdAt: now }
  tx.write(sweeps.insert(row, { state: 'LIVE', dueAt }))
  tx.write(insertParts(parts.map((part) => ({ ...part, rail, sweepId: id }))))
  tx.write(sql`
    update token_accounts set unsigned_sweeps = 0, sweep_rests_until = null
    where rail = ${rail} and address = any(${parts.map(({ tokenAccount }) => tokenAccount)})
      and unsigned_sweeps > 0`)
}

const restRows = listStatement({
  name: 'rest_unsigned_token_accounts',
  columns: { rail: 'text', address: 'text' },
  text: (list, parameter) => `
    with own as materialized (
      select t.rail, t.address from token_accounts t
      join ${list} on t.rail = list.rail and t.address = list.address
      order by t.rail, t.address for no key update of t)
    update token_accounts t set unsigned_sweeps = t.unsigned_sweeps + 1,
      sweep_rests_until = ${parameter(0)}::timestamptz + interval '1 ms' * ${parameter(1)}::int
        * power(2, least(t.unsigned_sweeps + 1, ${parameter(2)}::int))
    from own where t.rail = own.rail and t.address = own.address`,
})

/** Backs off exponentially from token accounts whose sweep is not even signed alone. */
export async function restUnsigned(
  db: Queryable,
  now: RealTime,
  accounts: { rail: string; address: string }[],
): Promise<void> {
  if (accounts.length === 0) return
  const { failedRetryDelayMs, refusalsCountedMax } = sweepLimits
  await db.rows(restRows(accounts, now, failedRetryDelayMs, refusalsCountedMax))
}

export const sweepsDue: DueTable = {
  table: 'sweeps',
  keyColumns: ['rail', 'id'],
  openCondition: "state = 'LIVE'",
  ownerColumn: 'rail',
  counterColumn: 'polls',
  returning: String(sweeps.of('job')),
}

export type ClaimedSweep = typeof sweeps.row & { reference: string }

export async function claimSweeps(
  db: Queryable,
  now: RealTime,
  rail: string,
): Promise<ClaimedSweep[]> {
  const { sweepsPerBatchMax: limit } = sweepLimits
  const rows = await claimDue<typeof sweeps.row>(db, sweepsDue, {
    owner: rail,
    now,
    limit,
  })
  return rows.map((row) => ({ ...row, reference: sweepReference(row.id) }))
}

const claimColumns = sweeps.types('rail', 'id', 'polls')

const lockRows = listStatement<typeof claimColumns, { id: string }>({
  name: 'lock_sweeps',
  columns: claimColumns,
  text: (list) => `
    select s.id from sweeps s
    join ${list} on s.rail = list.rail and s.id = list.id and s.polls = list.polls
    where s.state = 'LIVE' order by s.id for no key update of s`,
})

/** The ids of sweeps that no other worker has claimed or concluded since. */
export async function lockSweeps(tx: Tx, claimed: ClaimedSweep[]): Promise<Set<string>> {
  const rows = await tx.rows(lockRows(claimed))
  return new Set(rows.map(({ id }) => id))
}

const postponeRows = listStatement({
  name: 'postpone_sweeps',
  columns: { ...claimColumns, dueAt: 'timestamptz' },
  text: (list) => `
    update sweeps s set due_at = list.due_at
    from ${list} where s.rail = list.rail and s.id = list.id and s.polls = list.polls
      and s.state = 'LIVE'`,
})

export function postponeSweeps(tx: Tx, dueAt: Date, claimed: ClaimedSweep[]): void {
  if (claimed.length === 0) return
  tx.write(postponeRows(claimed.map((sweep) => ({ ...sweep, dueAt }))))
}

export type SweepEnd = Pick<Sweep, 'rail' | 'id'> & {
  state: Exclude<SweepState, 'LIVE'>
  outcome: string | null
}

const endRows = listStatement({
  name: 'end_sweeps',
  columns: { rail: 'text', id: 'uuid', state: 'text', outcome: 'text' },
  text: (list, parameter) => `
    update sweeps s set state = list.state, outcome = list.outcome,
      ended_at = ${parameter(0)}::timestamptz
    from ${list} where s.rail = list.rail and s.id = list.id and s.state = 'LIVE'`,
})

const sweepColumns = { rail: 'text', id: 'uuid' } as const

const endParts = listStatement({
  name: 'end_sweep_parts',
  columns: sweepColumns,
  text: (list) => `
    update sweep_parts p set is_live = false
    from ${list} where p.rail = list.rail and p.sweep_id = list.id and p.is_live`,
})

/** Swept histories must be read even if the balance does not change. */
const markUnread = listStatement({
  name: 'unread_swept_token_accounts',
  columns: sweepColumns,
  text: (list, parameter) => `
    with swept as materialized (
      select t.rail, t.address from token_accounts t
      join sweep_parts p on p.rail = t.rail and p.token_account = t.address
      join ${list} on p.rail = list.rail and p.sweep_id = list.id
      order by t.rail, t.address for no key update of t)
    update token_accounts t set is_unread = true, polls = t.polls + 1,
      due_at = ${parameter(0)}::timestamptz
    from swept where t.rail = swept.rail and t.address = swept.address`,
})

/** The sweeps must be locked. */
export function endSweeps(tx: Tx, now: RealTime, ends: SweepEnd[]): void {
  if (ends.length === 0) return
  tx.write(endRows(ends, now))
  tx.write(markUnread(ends, now))
  tx.write(endParts(ends))
}

type Share = { id: string; environmentId: EnvironmentId; amount: bigint }

const shareRows = listStatement<typeof sweepColumns, Share>({
  name: 'share_sweeps',
  columns: sweepColumns,
  text: (list) => `
    select p.sweep_id as id, p.environment_id, sum(p.amount)::bigint as amount
    from sweep_parts p join ${list} on p.rail = list.rail and p.sweep_id = list.id
    group by p.sweep_id, p.environment_id`,
})

/** The amount of each environment in each sweep. */
export async function shareSweeps(tx: Tx, sweeps: Sweep[]): Promise<Share[]> {
  if (sweeps.length === 0) return []
  return tx.rows(shareRows(sweeps))
}

export async function sumLiveSweeps(db: Queryable, rail: string, asset: Coin): Promise<bigint> {
  const [row] = await db.rows(sql<{ amount: bigint }>`
    select coalesce(sum(amount), 0)::bigint as amount from sweeps
    where rail = ${rail} and asset = ${asset} and state = 'LIVE'`)
  return row!.amount
}
