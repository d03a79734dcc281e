import { strict as assert } from 'node:assert'
import { sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import { environmentKey, throwIfHeld } from '../postgres/transactions/busy.js'
import { CommitFirst, type Tx } from '../postgres/transactions/tx.js'
import {
  type LedgerAccount,
  type LedgerAccountKey,
  type LedgerAccountName,
  ledgerAccounts,
} from './accounts.js'
import { Book, ledgerKeyOf } from './book.js'

const columns = ledgerAccounts.types('environmentId', 'asset', 'name')

const lockText = (list: string) => `
    select ${ledgerAccounts.of('a')}
    from ledger_accounts a join ${list} using (environment_id, asset, name)
    order by a.environment_id, a.asset, a.name
    for no key update of a`

/** Always in the same order, so that two batches never deadlock. */
const lock = listStatement<typeof columns, LedgerAccount>({
  name: 'lock_accounts',
  columns,
  text: lockText,
})

const lockUnheld = listStatement<typeof columns, LedgerAccount>({
  name: 'lock_unheld_accounts',
  columns,
  text: (list) => `${lockText(list)} skip locked`,
})

const find = listStatement<typeof columns, LedgerAccountKey>({
  name: 'find_accounts',
  columns,
  text: (list, _parameter, names) => `
    select ${names} from ledger_accounts join ${list} using (${names})`,
})

const open = listStatement({
  name: 'open_accounts',
  columns,
  text: (list, _parameter, names) => `
    insert into ledger_accounts (${names}) select ${names} from ${list} order by 1, 2, 3
    on conflict do nothing`,
})

const locking = new WeakSet<Tx>()

/**
 * Locks the accounts of a batch. Throws `CommitFirst` if some do not exist yet: they are opened and
 * the transaction runs again. If it may not wait for locks, throws `Busy` with the environments
 * whose accounts another transaction has locked. `ifAny` are locked if they exist.
 */
export async function lockLedgerAccounts(
  tx: Tx,
  keys: LedgerAccountKey[],
  ifAny: LedgerAccountKey[] = [],
): Promise<Book> {
  assert(!locking.has(tx), 'a transaction locks its accounts once: twice could be out of order')
  locking.add(tx)
  const wanted = withoutCopies(keys)
  const all = ifAny.length === 0 ? wanted : withoutCopies([...keys, ...ifAny])
  const accounts = await tx.rows(tx.waitsForLocks ? lock(all) : lockUnheld(all))
  if (accounts.length < all.length) {
    if (!tx.waitsForLocks) throwIfAnyHeld(accounts, await tx.rows(find(all)))
    const locked = new Set(accounts.map(ledgerKeyOf))
    // Opened by a transaction of its own: opening some while holding others would break the order.
    if (!wanted.every((key) => locked.has(ledgerKeyOf(key)))) throw new CommitFirst(open(wanted))
  }
  return new Book(accounts)
}

/**
 * Locks the accounts with these names of all environments, in the same order, until the transaction
 * ends. Only for rare changes that concern all merchants.
 */
export async function lockLedgerAccountsOfAll(tx: Tx, names: LedgerAccountName[]): Promise<void> {
  assert(!locking.has(tx), 'a transaction locks its accounts once: twice could be out of order')
  locking.add(tx)
  await tx.rows(sql`
    select from ledger_accounts where name = any (${names}::text[])
    order by environment_id, asset, name for no key update`)
}

function withoutCopies(keys: LedgerAccountKey[]): LedgerAccountKey[] {
  return [...new Map(keys.map((key) => [ledgerKeyOf(key), key])).values()]
}

/** An existing account that could not be locked is locked by another transaction. */
function throwIfAnyHeld(locked: LedgerAccountKey[], existing: LedgerAccountKey[]): void {
  const ours = new Set(locked.map(ledgerKeyOf))
  throwIfHeld(
    existing.map((key) => ({ ...key, isHeld: !ours.has(ledgerKeyOf(key)) })),
    ({ environmentId }) => environmentKey(environmentId),
  )
}
