import type { RealTime } from '../../base/clock.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { sandboxBankItself } from './magic-accounts.js'
import { nubanSql } from './nuban.js'

/** An account that payers can pay into. */
export type SandboxAccount = { reference: string; number: string; name: string }

const named = { reference: 'text' } as const
const opening = { ...named, name: 'text' } as const
const numbered = { number: 'text' } as const

/** A rollback or a repeated reference leaves gaps but never hands out a number twice. */
const insert = listStatement<typeof opening, SandboxAccount>({
  name: 'insert_sandbox_accounts',
  columns: opening,
  text: (list, parameter) => `
    insert into sandbox_accounts (reference, name, number, opened_at)
    select reference, name, ${nubanSql(sandboxBankItself.code, 'serial')},
      ${parameter(0)}::timestamptz
    from (select reference, name, nextval('sandbox_serials') as serial from ${list}) numbered
    on conflict (reference) do nothing returning reference, number, name`,
})

const find = listStatement<typeof named, SandboxAccount>({
  name: 'find_sandbox_accounts',
  columns: named,
  text: (list) => `
    select reference, number, name from sandbox_accounts
    where reference in (select list.reference from ${list})`,
})

const close = listStatement({
  name: 'close_sandbox_accounts',
  columns: numbered,
  text: (list, parameter) => `
    with open as materialized (
      select reference from sandbox_accounts
      where number in (select list.number from ${list}) and closed_at is null
      order by reference for no key update)
    update sandbox_accounts a set closed_at = ${parameter(0)}::timestamptz
    from open where a.reference = open.reference and a.closed_at is null`,
})

/**
 * Returns the accounts that were new, with their numbers. Inserts in sorted order, so that batches
 * cannot deadlock.
 */
export function insertSandboxAccounts(
  db: Queryable,
  now: RealTime,
  openings: Pick<SandboxAccount, 'reference' | 'name'>[],
): Promise<SandboxAccount[]> {
  return db.rows(
    insert(
      openings.toSorted((left, right) => (left.reference < right.reference ? -1 : 1)),
      now,
    ),
  )
}

export async function findAccounts(db: Queryable, references: string[]): Promise<SandboxAccount[]> {
  if (references.length === 0) return []
  return db.rows(find(references.map((reference) => ({ reference }))))
}

export function closeAccounts(tx: Tx, now: RealTime, numbers: string[]): void {
  if (numbers.length > 0)
    tx.write(
      close(
        numbers.map((number) => ({ number })),
        now,
      ),
    )
}
