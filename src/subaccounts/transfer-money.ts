import type { RealTime } from '../base/clock.js'
import { Refusal } from '../base/refusal.js'
import { type LedgerAccountName, owedName, subaccountName } from '../ledger/accounts.js'
import type { Book } from '../ledger/book.js'
import { DecidedMovements } from '../ledger/decided-movements.js'
import { lockLedgerAccounts } from '../ledger/lock-accounts.js'
import type { Movement, MovementLine, NotMoved } from '../ledger/movement.js'
import { formatMoney, smallerOf } from '../money/amounts.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { owedBy, receivableAccounts, recoverFirst } from './receivables.js'
import { type SubaccountTransfer, subaccountTransfers } from './subaccount.js'

/**
 * Moves money between the merchant and sub-accounts, all or nothing. The caller has locked
 * the sub-accounts. Refuses more than is available.
 */
export async function transferAll(
  tx: Tx,
  now: RealTime,
  transfers: SubaccountTransfer[],
): Promise<void> {
  transferWith(tx, now, await lockForTransfers(tx, transfers), transfers)
}

/** The same with ledger accounts that are already locked. */
export function transferWith(
  tx: Tx,
  now: RealTime,
  book: Book,
  transfers: SubaccountTransfer[],
): void {
  const movements = new DecidedMovements(tx, book)
  for (const transfer of transfers) {
    const outcome = movements.move(toMovement(transfer, movements.book))
    // Before anything is written: the transaction of a refused request is committed.
    if (!outcome.isMoved) throw notTransferred(transfer, outcome)
  }
  movements.write(now)
  for (const transfer of transfers) tx.write(subaccountTransfers.insert(transfer))
}

function lockForTransfers(tx: Tx, transfers: SubaccountTransfer[]): Promise<Book> {
  const keys = transfers.flatMap(({ environmentId, asset, ...ends }) =>
    endsOf(ends).map((name) => ({ environmentId, asset, name })),
  )
  const receivables = transfers.flatMap(({ fromSubaccountId, toSubaccountId, ...place }) =>
    // One of them is a sub-account. Money between two does not pay what the giver owes.
    receivableAccounts(place, [toSubaccountId ?? fromSubaccountId!]),
  )
  return lockLedgerAccounts(tx, keys, receivables)
}

type Ends = Pick<SubaccountTransfer, 'fromSubaccountId' | 'toSubaccountId'>

function endsOf({ fromSubaccountId, toSubaccountId }: Ends): LedgerAccountName[] {
  const names: LedgerAccountName[] = ['available']
  if (fromSubaccountId !== null) names.push(subaccountName(fromSubaccountId))
  if (toSubaccountId !== null) names.push(subaccountName(toSubaccountId))
  return names
}

function notTransferred(transfer: SubaccountTransfer, { why, available }: NotMoved): Refusal {
  const { asset, amount, fromSubaccountId } = transfer
  if (why === 'beyond_limit')
    return new Refusal('subaccount_failed', {
      reason: 'balance_limit',
      message: 'The transfer would exceed the largest balance. Move less.',
    })
  const whose = fromSubaccountId === null ? 'your balance' : 'the sub-account'
  const [needed, has] = [amount, available].map((value) => formatMoney(value, asset))
  return new Refusal('insufficient_balance', {
    message: `The transfer needs ${needed}; ${has} is available in ${whose}.`,
  })
}

function toMovement(transfer: SubaccountTransfer, book: Book): Movement {
  const { environmentId, asset, id, amount, fromSubaccountId, toSubaccountId } = transfer
  const lines: MovementLine[] = fromSubaccountId === null ? [] : toBack(transfer).lines
  if (toSubaccountId === null) {
    const owed = owedBy(book, { environmentId, asset }, fromSubaccountId!)
    if (owed > 0n)
      lines.push({
        debit: 'receivables',
        credit: owedName(fromSubaccountId!),
        amount: smallerOf(owed, amount),
        purpose: 'transfer_receivable_ended',
      })
  } else {
    lines.push({
      debit: 'available',
      credit: subaccountName(toSubaccountId),
      amount,
      purpose: 'subaccount_transfer',
    })
    const owed = owedBy(book, { environmentId, asset }, toSubaccountId)
    lines.push(
      ...recoverFirst(
        { subaccountId: toSubaccountId, amount, owed },
        { money: 'transfer_recovered', debt: 'transfer_receivable_ended' },
      ),
    )
  }
  return { environmentId, asset, causeId: id, isHold: false, lines }
}

/** The part of a transfer that takes the money from a sub-account. */
export function toBack(transfer: SubaccountTransfer): Movement {
  const { environmentId, asset, id, amount, fromSubaccountId } = transfer
  const line: MovementLine = {
    debit: subaccountName(fromSubaccountId!),
    credit: 'available',
    amount,
    purpose: 'subaccount_transfer_back',
  }
  return { environmentId, asset, causeId: id, isHold: false, lines: [line] }
}
