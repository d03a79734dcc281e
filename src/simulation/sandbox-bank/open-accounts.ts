import type { Outcome } from '../../base/refusal.js'
import type { AccountOpening, OpenedAccount } from '../../collections/ports.js'
import type { Tx } from '../../postgres/tx.js'
import { firstOfEach } from './first-of-each.js'
import { sandboxBankItself } from './magic-accounts.js'
import { refuseAccount } from './magic-references.js'
import {
  findAccounts,
  insertSandboxAccounts,
  reserveAccountNumbers,
  type SandboxAccount,
} from './store-accounts.js'

/**
 * Opens one account per reference, also under concurrent and repeated requests. Each is refused
 * alone. A reference that was opened before keeps its number and name.
 */
export async function openAccounts(
  tx: Tx,
  now: Date,
  openings: AccountOpening[],
): Promise<Outcome<OpenedAccount>[]> {
  const refusals = openings.map(refuseAccount)
  const accepted = openings.filter((_, index) => !refusals[index])
  const accounts = await openAll(
    tx,
    now,
    firstOfEach(accepted, ({ reference }) => reference),
  )
  return openings.map(
    ({ reference }, index) => refusals[index] ?? toOpened(accounts.get(reference)!),
  )
}

async function openAll(
  tx: Tx,
  now: Date,
  openings: Map<string, AccountOpening>,
): Promise<Map<string, SandboxAccount>> {
  if (openings.size === 0) return new Map()
  const numbers = await reserveAccountNumbers(tx, openings.size)
  const candidates = [...openings.values()].map(({ reference, name }, index) => ({
    reference,
    name,
    number: numbers[index]!,
  }))
  const inserted = await insertSandboxAccounts(tx, now, candidates)
  const opened = candidates.filter(({ reference }) => inserted.has(reference))
  const existing = await findAccounts(
    tx,
    [...openings.keys()].filter((reference) => !inserted.has(reference)),
  )
  return new Map([...opened, ...existing].map((account) => [account.reference, account]))
}

function toOpened({ number, name }: SandboxAccount): OpenedAccount {
  const { code, name: bankName } = sandboxBankItself
  return { number, accountName: name, bankCode: code, bankName }
}
