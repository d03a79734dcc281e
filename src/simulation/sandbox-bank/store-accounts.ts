import { listStatement } from '../../postgres/statement.js'
import type { Tx } from '../../postgres/tx.js'
import { sandboxBankItself } from './magic-accounts.js'
import { toNuban } from './nuban.js'

/** An account that payers can pay into. */
export type SandboxAccount = { reference: string; number: string; name: string }

const named = { reference: 'text' } as const
const whole = { ...named, number: 'text', name: 'text', opened_at: 'timestamptz' } as const
const numbered = { number: 'text' } as const

const insert = listStatement<typeof whole, { reference: string }>({
  name: 'insert_sandbox_accounts',
  columns: whole,
  text: (list, _parameter, names) => `
    insert into sandbox_accounts (${names}) select ${names} from ${list}
    on conflict (reference) do nothing returning reference`,
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

/** Unused numbers. A rollback leaves gaps but never hands out a number twice. */
export async function reserveAccountNumbers(tx: Tx, count: number): Promise<string[]> {
  const rows = await tx.rows<{ serial: bigint }>({
    name: 'take_sandbox_serials',
    text: `select nextval('sandbox_serials') as serial from generate_series(1, $1::integer)`,
    values: [count],
  })
  const bankCode = sandboxBankItself.code
  return rows.map(({ serial }) => toNuban({ bankCode, serial: serial.toString() }))
}

/**
 * Returns the references that were new. Inserts in sorted order, so that batches cannot deadlock.
 */
export async function insertSandboxAccounts(
  tx: Tx,
  now: Date,
  accounts: SandboxAccount[],
): Promise<Set<string>> {
  const rows = accounts
    .map((account) => ({ ...account, opened_at: now }))
    .sort((one, other) => (one.reference < other.reference ? -1 : 1))
  const inserted = await tx.rows(insert(rows))
  return new Set(inserted.map(({ reference }) => reference))
}

export async function findAccounts(tx: Tx, references: string[]): Promise<SandboxAccount[]> {
  if (references.length === 0) return []
  return tx.rows(find(references.map((reference) => ({ reference }))))
}

export function closeAccounts(tx: Tx, now: Date, numbers: string[]): void {
  if (numbers.length > 0)
    tx.write(
      close(
        numbers.map((number) => ({ number })),
        now,
      ),
    )
}
