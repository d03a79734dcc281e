import { strict as assert } from 'node:assert'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import type { Account, AccountKey } from './accounts.js'
import { Book, keyOf } from './book.js'

const columns = { environment_id: 'int4', asset: 'text', name: 'text' } as const

/** In one order, always, so that two batches can never wait for each other. */
const lock = listStatement<typeof columns, Account>({
  name: 'lock_accounts',
  columns,
  text: (list) => `
    select a.environment_id as "environmentId", a.asset, a.name,
      a.debits_pending as "debitsPending", a.debits_posted as "debitsPosted",
      a.credits_pending as "creditsPending", a.credits_posted as "creditsPosted",
      a.entry_count as "entryCount"
    from ledger_accounts a join ${list} using (environment_id, asset, name)
    order by a.environment_id, a.asset, a.name
    for no key update of a`,
})

const open = listStatement({
  name: 'open_accounts',
  columns,
  text: (list) => `
    insert into ledger_accounts (environment_id, asset, name)
    select environment_id, asset, name from ${list} order by 1, 2, 3
    on conflict do nothing`,
})

const locking = new WeakSet<Tx>()

/** Locks the accounts of a batch; an account that was never used before is opened on the way. */
export async function lockAccounts(tx: Tx, keys: AccountKey[]): Promise<Book> {
  assert(!locking.has(tx), 'a transaction locks its accounts once: twice could be out of order')
  locking.add(tx)
  const wanted = [...new Map(keys.map((key) => [keyOf(key), key])).values()]
  const rows = wanted.map((key) => ({ environment_id: key.environmentId, ...key }))
  tx.write({ text: 'savepoint accounts', values: [] })
  let accounts = await tx.rows(lock(rows))
  if (accounts.length < wanted.length) {
    // Gives the locks back: whoever holds one while it waits to open another is out of order.
    tx.write({ text: 'rollback to savepoint accounts', values: [] })
    tx.write(open(rows))
    accounts = await tx.rows(lock(rows))
  }
  assert.equal(accounts.length, wanted.length, 'every account of the batch is locked')
  return new Book(accounts)
}
