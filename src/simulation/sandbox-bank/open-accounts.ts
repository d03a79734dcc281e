import type { RealTime } from '../../base/clock.js'
import type { Outcome } from '../../base/refusal.js'
import type { AccountOpening, OpenedAccount } from '../../collections/ports.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { firstOfEach } from './first-of-each.js'
import { sandboxBankItself } from './magic-accounts.js'
import { refuseAccount } from './magic-references.js'
import { findAccounts, insertSandboxAccounts, type SandboxAccount } from './store-accounts.js'

/**
 * Opens one account per reference, also under concurrent and repeated requests. Each is refused
 * alone. A reference that was opened before keeps its number and name. One statement opens all, so
 * no transaction is needed.
 */
export async function openAccounts(
  db: Queryable,
  now: RealTime,
  openings: AccountOpening[],
): Promise<Outcome<OpenedAccount>[]> {
  const refusals = openings.map(refuseAccount)
  const accepted = openings.filter((_, index) => !refusals[index])
  const accounts = await openAll(
    db,
    now,
    firstOfEach(accepted, ({ reference }) => reference),
  )
  return openings.map(
    ({ reference }, index) => refusals[index] ?? toOpened(accounts.get(reference)!),
  )
}

async function openAll(
  db: Queryable,
  now: RealTime,
  openings: Map<string, AccountOpening>,
): Promise<Map<string, SandboxAccount>> {
  const accounts = new Map<string, SandboxAccount>()
  if (openings.size === 0) return accounts
  for (const opened of await insertSandboxAccounts(db, now, [...openings.values()]))
    accounts.set(opened.reference, opened)
  const others = [...openings.keys()].filter((reference) => !accounts.has(reference))
  for (const existing of await findAccounts(db, others)) accounts.set(existing.reference, existing)
  return accounts
}

function toOpened({ number, name }: SandboxAccount): OpenedAccount {
  const { code, name: bankName } = sandboxBankItself
  return {
    railAccount: number,
    number,
    accountName: name,
    bankCode: code,
    bankName,
    expiresAt: null,
  }
}
