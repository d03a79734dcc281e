import type { RealTime } from '../base/clock.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/transactions/tx.js'
import type { LedgerAccountKey } from './accounts.js'
import type { Book } from './book.js'
import { lockLedgerAccounts } from './lock-accounts.js'
import type { Moved, Movement, NotMoved } from './movement.js'
import { writeBook } from './write-book.js'

/**
 * The time of the environment, whose test clock can be ahead. It is read under the lock of the
 * balance and clocks only move forward, so the times of a statement follow its numbers.
 */
export function environmentTime(now: string): string {
  return `${now}::timestamptz + (select e.clock_offset_ms from environments e
    where e.id = list.environment_id) * interval '1 millisecond'`
}

const columns = {
  environmentId: 'int4',
  causeId: 'uuid',
  purpose: 'text',
  asset: 'text',
  debit: 'text',
  credit: 'text',
  amount: 'int8',
  isHold: 'bool',
  entryNumber: 'int8',
  availableAfter: 'int8',
} as const

const insertText = (list: string, parameter: (index: number) => string, names: string) => `
    insert into ledger_transfers (${names}, created_at)
    select ${names}, ${environmentTime(parameter(0))} from ${list}`

const insertTransfers = listStatement({ name: 'insert_transfers', columns, text: insertText })

/** Of sub-accounts: merchants without any do not pay for the columns. */
const insertSubaccountTransfers = listStatement({
  name: 'insert_subaccount_transfers',
  columns: {
    ...columns,
    subaccountId: 'uuid',
    subaccountEntry: 'int8',
    subaccountAfter: 'int8',
  },
  text: insertText,
})

/** Locks the accounts of the movements. Call it once per transaction. */
export function lockForAll(tx: Tx, movements: Movement[]): Promise<Book> {
  return lockLedgerAccounts(tx, movements.flatMap(accountsOf))
}

/**
 * Moves money for a list of causes, in list order. Each movement is made whole or refused alone.
 * Call it once per transaction: a second call could lock out of order.
 */
export async function moveAll(
  tx: Tx,
  now: RealTime,
  movements: Movement[],
): Promise<(Moved | NotMoved)[]> {
  return moveWith(tx, now, await lockForAll(tx, movements), movements)
}

/** The same with accounts that are already locked. */
export function moveWith(
  tx: Tx,
  now: RealTime,
  book: Book,
  movements: Movement[],
): (Moved | NotMoved)[] {
  const outcomes = movements.map((movement) => book.move(movement))
  writeMovements(tx, now, book, { movements, outcomes })
  return outcomes
}

/** Writes what was decided in the book. Only for the first write of a book. */
export function writeMovements(tx: Tx, now: RealTime, book: Book, decided: Decided): void {
  writeBook(tx, book)
  insertMoved(tx, now, decided)
}

type Decided = { movements: Movement[]; outcomes: (Moved | NotMoved)[] }

/** Writes the transfers only. The caller writes the book, with what else it decides in it. */
export function insertMoved(tx: Tx, now: RealTime, { movements, outcomes }: Decided): void {
  const transfers = movements.flatMap((movement, index) => toRows(movement, outcomes[index]!))
  const own = transfers.filter(({ ofSubaccount }) => !ofSubaccount)
  if (own.length > 0) tx.write(insertTransfers(own, now))
  if (own.length === transfers.length) return
  const ofSubaccounts = transfers.flatMap(({ ofSubaccount, ...transfer }) =>
    ofSubaccount ? [{ ...transfer, ...ofSubaccount }] : [],
  )
  tx.write(insertSubaccountTransfers(ofSubaccounts, now))
}

export function accountsOf({ environmentId, asset, lines }: Movement): LedgerAccountKey[] {
  return lines
    .flatMap((line) => [line.debit, line.credit])
    .map((name) => ({ environmentId, asset, name }))
}

function toRows(movement: Movement, outcome: Moved | NotMoved) {
  if (!outcome.isMoved) return []
  return movement.lines.map((line, index) => ({
    environmentId: movement.environmentId,
    causeId: movement.causeId,
    purpose: line.purpose,
    asset: movement.asset,
    debit: line.debit,
    credit: line.credit,
    amount: line.amount,
    isHold: movement.isHold,
    entryNumber: outcome.entries[index]!.entryNumber,
    availableAfter: outcome.entries[index]!.availableAfter,
    ofSubaccount: outcome.entries[index]!.ofSubaccount,
  }))
}
