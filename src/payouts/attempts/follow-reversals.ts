import { strict as assert } from 'node:assert'
import { toEnvironmentTime } from '../../base/clock.js'
import { newId } from '../../base/ids.js'
import type { Logger } from '../../base/log.js'
import { emitAll } from '../../events/emit.js'
import { type LedgerAccountKey, subaccountIdOf } from '../../ledger/accounts.js'
import type { Book } from '../../ledger/book.js'
import { DecidedMovements } from '../../ledger/decided-movements.js'
import { lockLedgerAccounts } from '../../ledger/lock-accounts.js'
import { accountsOf } from '../../ledger/move.js'
import type { Moved, Movement, MovementLine, NotMoved } from '../../ledger/movement.js'
import { assets } from '../../money/assets.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { listStatement, unindexed } from '../../postgres/statement.js'
import { insertInto } from '../../postgres/table.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { lockPayingSubaccounts } from '../../subaccounts/lock-paying-subaccounts.js'
import { owedBy, receivableAccounts, recoverFirst } from '../../subaccounts/receivables.js'
import { type SubaccountTransfer, subaccountTransfers } from '../../subaccounts/subaccount.js'
import { toBack } from '../../subaccounts/transfer-money.js'
import { nextSequence, type Payout, payoutKinds, purposesOf, referenceOf } from '../payout.js'
import type { ReversingRail } from '../ports.js'
import { type PayoutRow, payoutColumns, toPayout } from '../records/find-payouts.js'
import { showPayout } from '../resource.js'
import { followSettlements, toSettlementEvent } from '../settlements/settlement-events.js'
import { type FollowReturns, lockFollowedReturns } from './followed-returns.js'
import { logPayouts } from './log-payouts.js'
import { bankPayoutId } from './poll-now.js'
import {
  deleteWaitingReversals,
  listWaitingReversals,
  storeWaitingReversals,
} from './waiting-reversals.js'

type ReversalDependencies = {
  db: Database
  rail: ReversingRail
  logger: Logger
  follow?: FollowReturns
}

/**
 * Books what a rail reversed after completion: amount, fee and levy return to the balance, once.
 * The cursor moves in the same transaction. A reversal that cannot be booked yet is stored and
 * retried, so that it does not block the others. Returns how many the rail reported after the
 * cursor.
 */
export async function followReversals(
  dependencies: ReversalDependencies,
  now: Date,
): Promise<number> {
  const { db, rail } = dependencies
  const position = await readCursor(db, rail.name)
  const { cursor, references } = await rail.findReversed(position)
  const waiting = await listWaitingReversals(db, now, rail.name)
  if (references.length === 0 && waiting.length === 0) return 0
  const named = references.map((reference) => ({ reference, id: bankPayoutId(reference) }))
  return db.transaction(async (tx) => {
    const rows = await lockPayouts(tx, rail.name, [...named.map(({ id }) => id), ...waiting])
    reportUnknown(dependencies, named, rows)
    await reversePayouts(dependencies, { tx, now }, rows)
    tx.write(sql`
      ${insertInto('rail_cursors', { rail: rail.name, subject: 'reversals', position: cursor })}
      on conflict (rail, subject) do update set position = excluded.position
      where rail_cursors.position < excluded.position`)
    // A rail without a cursor reports the same ones again: that is no reason to hurry.
    return cursor > position ? references.length : 0
  })
}

/** Books the reversal of a payout that its rail has just confirmed. */
export async function bookReversal(
  dependencies: Omit<ReversalDependencies, 'rail'>,
  now: Date,
  { rail, id }: { rail: string; id: string },
): Promise<void> {
  await dependencies.db.transaction(async (tx) =>
    reversePayouts(dependencies, { tx, now }, await lockPayouts(tx, rail, [id])),
  )
}

async function readCursor(db: Database, rail: string): Promise<bigint> {
  const [row] = await db.rows<{ position: bigint }>({
    name: 'find_reversals_cursor',
    text: `select position from rail_cursors where rail = $1 and subject = 'reversals'`,
    values: [rail],
  })
  return row?.position ?? 0n
}

type Row = PayoutRow & { clockOffsetMs: number }

function lockPayouts(tx: Tx, rail: string, ids: (string | undefined)[]): Promise<Row[]> {
  const known = ids.filter((id) => id !== undefined)
  return tx.rows(sql<Row>`
    select ${payoutColumns}, e.clock_offset_ms::float8 as clock_offset_ms
    from payouts p join environments e on e.id = p.environment_id
    where p.rail = ${rail} and p.id = any(${known}::uuid[])
    order by p.environment_id, p.id for no key update of p`)
}

/** The bank reversed a transfer that is not in the books: an operator must find out whose it is. */
function reportUnknown(
  { rail, logger }: ReversalDependencies,
  named: { reference: string; id: string | undefined }[],
  rows: PayoutRow[],
): void {
  const found = new Set<string | undefined>(rows.map(({ id }) => id))
  for (const { id, reference } of named)
    if (!found.has(id))
      logger.error(
        { rail: rail.name, reference },
        'a bank reversed a transfer that is no payout of ours',
      )
}

const reverseRows = listStatement({
  name: 'reverse_payouts',
  columns: {
    environmentId: 'int4',
    id: 'uuid',
    reversedAt: 'timestamptz',
    eventSequence: 'int4',
  },
  text: (list) => `
    update payouts p set status = 'REVERSED', reversed_at = list.reversed_at,
      event_sequence = list.event_sequence
    from ${list} where p.environment_id = list.environment_id and p.id = list.id
      and ${unindexed('p.status')} = 'COMPLETED'`,
})

/**
 * A payout that is not completed yet must be settled first. One that does not fit into the balance
 * keeps its state: REVERSED means that the money is back.
 */
async function reversePayouts(
  { db, follow, logger }: Omit<ReversalDependencies, 'rail'>,
  { tx, now }: { tx: Tx; now: Date },
  rows: Row[],
): Promise<void> {
  const payouts = rows.map(toTimed)
  const early = payouts.filter(({ status }) => status === 'SUBMITTED')
  const completed = payouts.filter(({ status }) => status === 'COMPLETED')
  const wanted = completed.map((payout) => reverse(now, payout))
  const endReturns = await lockFollowedReturns(tx, wanted, follow)
  const findSettlements = await followSettlements(tx, wanted)
  const transfers = await findTransfersToMerchant(tx, wanted)
  const outcomes = wanted.length > 0 ? await moveBack(tx, now, { wanted, transfers }) : []
  const reversed = wanted.filter((_, index) => outcomes[index]!.isMoved)
  const unbooked = wanted.filter((_, index) => !outcomes[index]!.isMoved)
  for (const payout of unbooked)
    logger.error({ reference: referenceOf(payout) }, 'a reversal does not fit into the balance')

  for (const [index, { payout, transfer }] of transfers.entries()) {
    if (!reversed.includes(payout)) continue
    assert(outcomes[wanted.length + index]!.isMoved, 'a closed sub-account keeps no money')
    tx.write(subaccountTransfers.insert(transfer))
  }

  tx.afterCommit(() => logPayouts({ db, logger }, reversed))
  if (reversed.length > 0) tx.write(reverseRows(reversed.map(toReversedRow)))
  emitAll(tx, now, [
    ...reversed.flatMap(toEvent),
    ...findSettlements(reversed).map(toSettlementEvent),
  ])
  endReturns(now, reversed)
  deleteWaitingReversals(tx, payouts)
  storeWaitingReversals(tx, now, { early, unbooked })
}

type TransferToMerchant = { payout: Payout; transfer: SubaccountTransfer }

/** A sub-account pays what it owes first, unless it is closed: then all goes to the merchant. */
async function moveBack(
  tx: Tx,
  now: Date,
  { wanted, transfers }: { wanted: Payout[]; transfers: TransferToMerchant[] },
): Promise<(Moved | NotMoved)[]> {
  const reversals = wanted.map(toMovement)
  const back = transfers.map(({ transfer }) => toBack(transfer))
  const book = await lockLedgerAccounts(
    tx,
    [...reversals, ...back].flatMap(accountsOf),
    wanted.flatMap(accountsOfDebt),
  )
  const closed = new Set(transfers.map(({ payout }) => payout))
  const movements = new DecidedMovements(tx, book)
  const outcomes = [
    ...wanted.map((payout, index) => {
      const movement = reversals[index]!
      const lines = closed.has(payout) ? [] : recover(movements.book, payout)
      return movements.move({ ...movement, lines: [...movement.lines, ...lines] })
    }),
    ...back.map((movement) => movements.move(movement)),
  ]
  movements.write(now)
  return outcomes
}

/** Only sub-accounts owe. */
function accountsOfDebt({ environmentId, asset, takesFrom }: Payout): LedgerAccountKey[] {
  const subaccountId = subaccountIdOf(takesFrom)
  if (subaccountId === undefined) return []
  const balance = { environmentId, asset, name: 'available' as const }
  return [balance, ...receivableAccounts({ environmentId, asset }, [subaccountId])]
}

function recover(book: Book, payout: Payout): MovementLine[] {
  const subaccountId = subaccountIdOf(payout.takesFrom)
  if (subaccountId === undefined) return []
  const owed = owedBy(book, payout, subaccountId)
  return recoverFirst(
    { subaccountId, amount: totalOf(payout), owed },
    { money: 'payout_recovered', debt: 'payout_receivable_ended' },
  )
}

function totalOf({ amount, fee, levy }: Payout): bigint {
  return amount + fee + levy
}

type Timed = Payout & { clockOffsetMs: number }

function toTimed({ clockOffsetMs, ...row }: Row): Timed {
  return { ...toPayout(row), clockOffsetMs }
}

/** In the time of its environment, or it would be reversed before it was completed. */
function reverse(now: Date, { clockOffsetMs, ...payout }: Timed): Payout {
  const reversedAt = toEnvironmentTime(now, clockOffsetMs)
  return { ...payout, status: 'REVERSED', reversedAt, eventSequence: nextSequence(payout) }
}

/** What a closed sub-account gets back goes to the merchant, as its money did when it closed. */
async function findTransfersToMerchant(tx: Tx, reversed: Payout[]): Promise<TransferToMerchant[]> {
  const paying = await lockPayingSubaccounts(tx, reversed)
  return reversed.flatMap((payout) => {
    const subaccountId = subaccountIdOf(payout.takesFrom)
    if (subaccountId === undefined || paying.get(subaccountId)!.status !== 'CLOSED') return []
    const { environmentId, asset, reversedAt } = payout
    const transfer: SubaccountTransfer = {
      environmentId,
      id: newId(reversedAt!),
      fromSubaccountId: subaccountId,
      toSubaccountId: null,
      asset,
      amount: totalOf(payout),
      note: `${referenceOf(payout)} was returned after the sub-account was closed`,
      createdByKey: null,
      createdByUser: null,
      createdAt: reversedAt!,
    }
    return [{ payout, transfer }]
  })
}

function toReversedRow({ environmentId, id, reversedAt, eventSequence }: Payout) {
  return {
    environmentId,
    id,
    reversedAt,
    eventSequence,
  }
}

function toMovement(payout: Payout): Movement {
  const { environmentId, asset, id, amount, fee, levy, takesFrom: credit } = payout
  const { reversal } = purposesOf(payout)
  assert(reversal, 'only bank payouts are reversed')
  const lines: MovementLine[] = [
    { debit: assets[asset].holder, credit, amount, purpose: reversal.amount },
  ]
  if (fee > 0n) lines.push({ debit: 'fees', credit, amount: fee, purpose: reversal.fee })
  if (levy > 0n) lines.push({ debit: 'levies', credit, amount: levy, purpose: reversal.levy })
  return { environmentId, asset, causeId: id, isHold: false, lines }
}

function toEvent(payout: Payout) {
  const { environmentId, id, kind, eventSequence: sequence } = payout
  if (kind !== 'bank_transfer') return []
  const type = payoutKinds[kind].events.reversed
  const data = showPayout(payout, [])
  return [{ environmentId, type, resourceId: id, causeId: id, sequence, data }]
}
