import type { RealTime } from '../../base/clock.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { StoredAccount } from './driver.js'

const openedAccounts = new Table('opened_bank_accounts', {
  reference: column.text(),
  number: column.text(),
  accountName: column.text(),
  bankCode: column.text(),
  bankName: column.text(),
  amount: column.int8().orNull(),
  expiresAt: column.time().orNull(),
  details: column.json<StoredAccount['details']>(),
})

const named = { rail: 'text', reference: 'text' } as const

const findByReference = listStatement<typeof named, typeof openedAccounts.readRow>({
  name: 'find_opened_bank_accounts',
  columns: named,
  // A plan made while the table is empty may use the index on numbers.
  isReplanned: true,
  text: (list) => `
    select ${openedAccounts.of('a')} from ${list}
    join opened_bank_accounts a on a.rail = list.rail and a.reference = list.reference`,
})

export async function findOpenedAccounts(
  db: Queryable,
  rail: string,
  references: string[],
): Promise<Map<string, StoredAccount>> {
  if (references.length === 0) return new Map()
  const wanted = [...new Set(references)].map((reference) => ({ rail, reference }))
  const rows = await db.rows(findByReference(wanted))
  return new Map(rows.map((row) => [row.reference, openedAccounts.read(row)]))
}

const numbered = { rail: 'text', number: 'text', at: 'timestamptz' } as const

const findByNumber = listStatement<
  typeof numbered,
  { number: string; at: Date; reference: string }
>({
  name: 'find_opened_bank_accounts_by_number',
  columns: numbered,
  text: (list) => `
      select list.number, list.at, own.reference from ${list}
      cross join lateral (
        select a.reference from opened_bank_accounts a
        where a.rail = list.rail and a.number = list.number
        order by (a.created_at <= list.at) desc, a.created_at desc limit 1) own`,
})

type NumberAt = { number: string; at: Date }

/**
 * The references of the accounts that had these numbers at these times: the number of an expired
 * account may belong to another one later.
 */
export async function findReferencesByNumber(
  db: Queryable,
  rail: string,
  numbers: NumberAt[],
): Promise<Map<string, string>> {
  if (numbers.length === 0) return new Map()
  const rows = await db.rows(findByNumber(numbers.map(({ number, at }) => ({ rail, number, at }))))
  return new Map(rows.map((row) => [numberKey(row), row.reference]))
}

export function numberKey({ number, at }: NumberAt): string {
  return `${number}/${at.getTime()}`
}

/** Stores the account, unless a concurrent request has. Returns the stored one. */
export async function storeOpenedAccount(
  db: Queryable,
  now: RealTime,
  { rail, account }: { rail: string; account: StoredAccount },
): Promise<StoredAccount> {
  const { reference } = account
  const opened = openedAccounts.insert(account, { rail, createdAt: now })
  await db.rows(sql`${opened} on conflict do nothing`)
  return (await findOpenedAccounts(db, rail, [reference])).get(reference)!
}
