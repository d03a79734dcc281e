import { strict as assert } from 'node:assert'
import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/transactions/tx.js'
import type { LedgerAccountKey } from './accounts.js'
import type { Book } from './book.js'
import { DecidedMovements } from './decided-movements.js'
import { lockLedgerAccounts } from './lock-accounts.js'
import { accountsOf, environmentTime } from './move.js'
import type { Movement, MovementEntry, MovementLine } from './movement.js'
import { writeBook } from './write-book.js'

export type Resolution = {
  environmentId: EnvironmentId
  causeId: string
  verb: 'settle' | 'release'
}

type HoldRow = Pick<Movement, 'environmentId' | 'causeId' | 'asset'> & MovementLine

const causes = { environmentId: 'int4', causeId: 'uuid' } as const

/** Sorted by purpose, so that `bank_payout` comes before `bank_payout_fee`. */
const findHolds = listStatement<typeof causes, HoldRow>({
  name: 'find_holds',
  columns: causes,
  text: (list) => `
    select t.environment_id, t.cause_id, t.asset, t.debit, t.credit,
      t.amount, t.purpose
    from ledger_transfers t join ${list} using (environment_id, cause_id)
    where t.is_hold order by t.purpose`,
})

const findResolved = listStatement<typeof causes, { causeId: string; environmentId: number }>({
  name: 'find_resolved',
  columns: causes,
  text: (list) => `
    select environment_id, cause_id
    from ledger_resolutions join ${list} using (environment_id, cause_id)`,
})

const columns = {
  environmentId: 'int4',
  causeId: 'uuid',
  verb: 'text',
  purpose: 'text',
  asset: 'text',
  debit: 'text',
  amount: 'int8',
  entryNumber: 'int8',
  availableAfter: 'int8',
} as const

const insertText = (list: string, parameter: (index: number) => string, names: string) => `
    insert into ledger_resolutions (${names}, created_at)
    select ${names}, ${environmentTime(parameter(0))} from ${list}`

const insertResolutions = listStatement({ name: 'insert_resolutions', columns, text: insertText })

/** Holds that sub-accounts get back. */
const insertSubaccountReleases = listStatement({
  name: 'insert_subaccount_releases',
  columns: {
    ...columns,
    subaccountId: 'uuid',
    subaccountEntry: 'int8',
    subaccountAfter: 'int8',
  },
  text: insertText,
})

/** Movements that spend what resolutions have released, in the same transaction. */
export type MovementsAfter = {
  accounts: LedgerAccountKey[]
  decide: (movements: DecidedMovements) => void
}

/**
 * Settles or releases the holds of a list of causes. Returns false for a cause that was resolved
 * before, which is left unchanged. A cause without a hold is a bug. Call it once per transaction.
 */
export async function resolveAll(
  tx: Tx,
  now: RealTime,
  resolutions: Resolution[],
  after?: MovementsAfter,
): Promise<boolean[]> {
  // Without duplicates: a cause listed twice would have its holds found, and moved, twice.
  const rows = [
    ...new Map(resolutions.map((resolution) => [keyOf(resolution), resolution])).values(),
  ]
  const holds = groupHolds(await tx.rows(findHolds(rows)))
  const accounts = [...holds.values()].flatMap(accountsOf)
  const book = await lockLedgerAccounts(tx, [...accounts, ...(after?.accounts ?? [])])
  // Read under the locks: an earlier resolution of these causes has committed by now.
  const resolved = new Set((await tx.rows(findResolved(rows))).map(keyOf))

  const fresh = resolutions.map((resolution) => {
    assert(holds.has(keyOf(resolution)), `cause ${resolution.causeId} holds money`)
    const isFresh = !resolved.has(keyOf(resolution))
    resolved.add(keyOf(resolution))
    return isFresh
  })
  const ends = resolutions
    .filter((_, index) => fresh[index])
    .map((resolution) => ({ hold: holds.get(keyOf(resolution))!, verb: resolution.verb }))
  if (!after) {
    resolveWith(tx, now, book, ends)
    return fresh
  }
  resolveInBook(tx, now, book, ends)
  const movements = new DecidedMovements(tx, book)
  after.decide(movements)
  movements.write(now)
  return fresh
}

export type HoldEnd = { hold: Movement; verb: Resolution['verb'] }

/** The same with holds that are known and accounts that are already locked. */
export function resolveWith(tx: Tx, now: RealTime, book: Book, ends: HoldEnd[]): void {
  const rows = resolveRows(book, ends)
  writeBook(tx, book)
  insertRows(tx, now, rows)
}

/** Writes the resolutions only. The caller writes the book, with what else it decides in it. */
export function resolveInBook(tx: Tx, now: RealTime, book: Book, ends: HoldEnd[]): void {
  insertRows(tx, now, resolveRows(book, ends))
}

function resolveRows(book: Book, ends: HoldEnd[]) {
  return ends.map(({ hold, verb }) => toInsert(hold, verb, book.resolve(hold, verb)))
}

function insertRows(tx: Tx, now: RealTime, rows: ReturnType<typeof toInsert>[]): void {
  const own = rows.filter(({ ofSubaccount }) => !ofSubaccount)
  if (own.length > 0) tx.write(insertResolutions(own, now))
  if (own.length === rows.length) return
  const released = rows.flatMap(({ ofSubaccount, ...row }) =>
    ofSubaccount ? [{ ...row, ...ofSubaccount }] : [],
  )
  tx.write(insertSubaccountReleases(released, now))
}

function groupHolds(rows: HoldRow[]): Map<string, Movement> {
  const holds = new Map<string, Movement>()
  for (const { environmentId, causeId, asset, ...line } of rows) {
    const hold = holds.get(keyOf({ environmentId, causeId }))
    if (hold) hold.lines.push(line satisfies MovementLine)
    else
      holds.set(keyOf({ environmentId, causeId }), {
        environmentId,
        causeId,
        asset,
        isHold: true,
        lines: [line],
      })
  }
  return holds
}

function toInsert(hold: Movement, verb: Resolution['verb'], entry: MovementEntry) {
  return {
    environmentId: hold.environmentId,
    causeId: hold.causeId,
    verb,
    purpose: hold.lines[0]!.purpose,
    asset: hold.asset,
    debit: hold.lines[0]!.debit,
    amount: hold.lines.reduce((sum, line) => sum + line.amount, 0n),
    entryNumber: entry.entryNumber,
    availableAfter: entry.availableAfter,
    ofSubaccount: entry.ofSubaccount,
  }
}

function keyOf({ environmentId, causeId }: { environmentId: number; causeId: string }): string {
  return `${environmentId}/${causeId}`
}
