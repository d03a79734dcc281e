import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { ledgerAccounts } from './accounts.js'
import type { Book } from './book.js'

const update = listStatement({
  name: 'update_accounts',
  columns: ledgerAccounts.typesWithout(),
  text: (list) => `
    update ledger_accounts a set
      debits_pending = a.debits_pending + list.debits_pending,
      debits_posted = a.debits_posted + list.debits_posted,
      credits_pending = a.credits_pending + list.credits_pending,
      credits_posted = a.credits_posted + list.credits_posted,
      entry_count = a.entry_count + list.entry_count
    from ${list}
    where a.environment_id = list.environment_id and a.asset = list.asset and a.name = list.name`,
})

/**
 * Adds differences instead of setting sums. With locked accounts both are the same; without, adding
 * would still not undo the update of another transaction.
 */
export function writeBook(tx: Tx, book: Book): void {
  const changes = book.changes()
  if (changes.length > 0) tx.write(update(changes))
}
