import { after } from '../../base/clock.js'
import type { EnvironmentId, Mode } from '../../base/environment.js'
import { writeTerms } from '../../postgres/lists/write-terms.js'
import { assigned, listStatement, unindexed } from '../../postgres/statement.js'
import { environmentKey, throwIfHeld } from '../../postgres/transactions/busy.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { type CollectionAccount, collectionAccounts } from './account.js'

export const accountColumns = collectionAccounts.of('a')

const insert = listStatement({
  name: 'insert_collection_accounts',
  columns: {
    ...collectionAccounts.typesWithout(
      'status',
      'variance',
      'amountReceived',
      'amountAccepted',
      'amountHeld',
      'amountReturning',
      'amountReturned',
      'paidAt',
      'endedAt',
      'cancellationReason',
    ),
    dueAt: 'timestamptz',
  },
  text: (list, _parameter, names, values) => `
    insert into collection_accounts (${names}, status) select ${values}, 'ACTIVE' from ${list}`,
})

const environments = { environmentId: 'int4' } as const

type ClockRow = { environmentId: EnvironmentId; clockOffsetMs: bigint }

const lockClock = listStatement<typeof environments, ClockRow>({
  name: 'lock_clocks',
  columns: environments,
  text: (list) => `
    select e.id as environment_id, e.clock_offset_ms
    from environments e join ${list} on e.id = list.environment_id
    where ${unindexed('e.mode')} = 'test' order by e.id for share of e`,
})

/** Also returns the environments that another transaction holds, without their offset. */
const lockUnheldClock = listStatement<typeof environments, ClockRow & { isHeld: boolean }>({
  name: 'lock_unheld_clocks',
  columns: environments,
  text: (list) => `
    select e.id as environment_id, own.clock_offset_ms, own.id is null as is_held
    from ${list} join environments e on e.id = list.environment_id
      and ${unindexed('e.mode')} = 'test'
    left join lateral (
      select same.id, same.clock_offset_ms from environments same where same.id = e.id
      for share skip locked) own on true`,
})

/** How far the clocks of environments are ahead, in milliseconds. Only test clocks are. */
export type ClockOffsets = ReadonlyMap<EnvironmentId, number>

/**
 * Before inserting accounts that expire: the lock makes a concurrent clock move either include an
 * account or be included in its due time. If this transaction may not wait for locks, throws `Busy`
 * with the environments whose clock another one is moving.
 */
export async function lockClocks(tx: Tx, accounts: CollectionAccount[]): Promise<ClockOffsets> {
  const ids = new Set<EnvironmentId>()
  for (const { environmentId, expiresAt } of accounts)
    if (expiresAt !== null) ids.add(environmentId)
  if (ids.size === 0) return new Map()
  const wanted = [...ids].map((id) => ({ environmentId: id as number }))
  const rows = tx.waitsForLocks
    ? await tx.rows(lockClock(wanted))
    : await lockUnheldClocks(tx, wanted)
  return new Map(rows.map((row) => [row.environmentId, Number(row.clockOffsetMs)]))
}

async function lockUnheldClocks(tx: Tx, wanted: { environmentId: number }[]): Promise<ClockRow[]> {
  const rows = await tx.rows(lockUnheldClock(wanted))
  throwIfHeld(rows, ({ environmentId }) => environmentKey(environmentId))
  return rows
}

/** Sorted by account, so that two batches cannot deadlock. The caller has locked the clocks. */
export function insertCollectionAccounts(
  tx: Tx,
  clocks: ClockOffsets,
  accounts: CollectionAccount[],
): void {
  if (accounts.length === 0) return
  const rows = accounts.map((account) => ({
    ...account,
    dueAt: account.expiresAt && after(account.expiresAt, -(clocks.get(account.environmentId) ?? 0)),
  }))
  tx.write(insert(rows.sort((a, b) => (a.railAccount < b.railAccount ? -1 : 1))))
  const dedicated = accounts.filter(({ kind }) => kind === 'dedicated_account')
  writeTerms(
    tx,
    'account',
    dedicated.map(({ environmentId, id, accountName }) => ({
      environmentId,
      id,
      name: accountName,
      exact: [],
    })),
  )
}

const named = { environmentId: 'int4', id: 'uuid' } as const

const changing = collectionAccounts.types(
  'status',
  'variance',
  'amountReceived',
  'amountAccepted',
  'amountHeld',
  'amountReturning',
  'amountReturned',
  'eventSequence',
  'paidAt',
  'endedAt',
  'cancellationReason',
)

const update = listStatement({
  name: 'update_collection_accounts',
  columns: { ...named, ...changing },
  text: (list) => `
    update collection_accounts a set ${assigned(changing)},
      due_at = case when list.status = 'ACTIVE' then a.due_at end
    from ${list} where a.environment_id = list.environment_id and a.id = list.id`,
})

/** The caller has locked the accounts. */
export function updateCollectionAccounts(tx: Tx, accounts: CollectionAccount[]): void {
  if (accounts.length === 0) return
  tx.write(update(accounts))
}

/**
 * Selects the accounts of `own` and their counterparts (counterparts.ts). One statement locks all,
 * so they are locked in one order. Counterparts never change, so reading them needs no lock. The
 * ids are materialized and joined by equality: otherwise, while the table has no statistics, the
 * planner scans an environment's whole index for every account.
 */
const withCounterparts = (own: string) => `
    with own as materialized (${own}),
    named as materialized (
      select environment_id, id, mode, wanted_rail, wanted_account from own
      union select own.environment_id, pair.id, own.mode, wanted_rail, wanted_account from own
      join checkout_sessions s on s.environment_id = own.environment_id and s.id = own.session_id
      cross join lateral (values (s.account_id), (s.wallet_id)) pair (id)
      where pair.id is not null)`

/** Sorted by id, so that two batches cannot deadlock. */
const lockWithCounterparts = (own: string, moreColumns = '') => `${withCounterparts(own)}
    select ${accountColumns}${moreColumns} from named
    join collection_accounts a on a.environment_id = named.environment_id and a.id = named.id
    order by a.environment_id, a.id for no key update of a`

const lockById = listStatement<typeof named, CollectionAccount>({
  name: 'lock_collection_accounts',
  columns: named,
  text: (list) =>
    lockWithCounterparts(`
      select n.environment_id, n.id, n.session_id, null as mode, n.rail as wanted_rail,
        n.rail_account as wanted_account from ${list}
      join collection_accounts n on n.environment_id = list.environment_id and n.id = list.id`),
})

/** Locks the accounts and their counterparts, and returns them by id. */
export async function lockCollectionAccounts(
  tx: Tx,
  names: Pick<CollectionAccount, 'environmentId' | 'id'>[],
): Promise<Map<string, CollectionAccount>> {
  const unique = [...new Map(names.map((name) => [name.id, name])).values()]
  const rows = await tx.rows(lockById(unique))
  return new Map(rows.map((row) => [row.id, row]))
}

const railAccounts = { rail: 'text', mode: 'text', railAccount: 'text' } as const

/** A notice names an account but no environment. An account of the other mode does not match. */
const ownByRailAccount = (list: string) => `
      select n.environment_id, n.id, n.session_id, e.mode, n.rail as wanted_rail,
        n.rail_account as wanted_account from ${list}
      join collection_accounts n on n.rail = list.rail and n.rail_account = list.rail_account
      join environments e on e.id = n.environment_id and e.mode = list.mode`

const lockHeld = listStatement<typeof railAccounts, CollectionAccount & { mode: Mode }>({
  name: 'lock_collection_accounts_by_rail',
  columns: railAccounts,
  text: (list) => lockWithCounterparts(ownByRailAccount(list), ', named.mode'),
})

/** Also returns the accounts that another transaction holds, as the fields of `Wanted` only. */
const lockUnheld = listStatement<typeof railAccounts, CollectionAccount & Wanted>({
  name: 'lock_unheld_collection_accounts_by_rail',
  columns: railAccounts,
  text: (list) => `${withCounterparts(ownByRailAccount(list))}
    select ${accountColumns}, named.mode, wanted_rail, wanted_account, named.environment_id as
      wanted_environment_id, a.id is null as is_held
    from named left join lateral (
      select same.* from collection_accounts same
      where same.environment_id = named.environment_id and same.id = named.id
      for no key update skip locked) a on true`,
})

/** The name by which an account was wanted: its own or that of its counterpart. */
type Wanted = {
  mode: Mode
  wantedRail: string
  wantedAccount: string
  wantedEnvironmentId: number
  isHeld: boolean
}

export type RailAccount = { rail: string; mode: Mode; railAccount: string }

/**
 * Locks the accounts that rails name so and their counterparts, and returns them by
 * `railAccountKey`. If the transaction may not wait for locks, throws `Busy` with the
 * `railAccountKey` of each wanted one whose account or counterpart another transaction holds; the
 * group is the environment.
 */
export async function lockByRailAccount(
  tx: Tx,
  wanted: RailAccount[],
): Promise<Map<RailAccountKey, CollectionAccount>> {
  const unique = [...new Map(wanted.map((one) => [railAccountKey(one), one])).values()]
  const rows = tx.waitsForLocks
    ? await tx.rows(lockHeld(unique.map(toListed)))
    : await lockUnheldAccounts(tx, unique)
  return new Map(rows.map((row) => [railAccountKey(row), row]))
}

async function lockUnheldAccounts(
  tx: Tx,
  wanted: RailAccount[],
): Promise<(CollectionAccount & { mode: Mode })[]> {
  const rows = await tx.rows(lockUnheld(wanted.map(toListed)))
  throwIfHeld(
    rows,
    ({ wantedRail: rail, mode, wantedAccount: railAccount }) =>
      railAccountKey({ rail, mode, railAccount }),
    ({ wantedEnvironmentId }) => environmentKey(wantedEnvironmentId),
  )
  return rows
}

export type RailAccountKey = `account ${string}`

/** Includes the mode, so that a notice of the other mode in the same batch does not match. */
export function railAccountKey({ rail, mode, railAccount }: RailAccount): RailAccountKey {
  return `account ${rail}/${mode}/${railAccount}`
}

function toListed({ rail, mode, railAccount }: RailAccount) {
  return { rail, mode, railAccount }
}
