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
 * Opens one account for each reference, however often it is ordered and by how many at once. What
 * the bank refuses is refused alone. A reference that was opened before keeps number and name.
 */
export async function openAccounts(
  tx: Tx,
  now: Date,
  orders: AccountOpening[],
): Promise<Outcome<OpenedAccount>[]> {
  const refusals = orders.map(refuseAccount)
  const welcome = orders.filter((_, index) => !refusals[index])
  const accounts = await openAll(
    tx,
    now,
    firstOfEach(welcome, ({ reference }) => reference),
  )
  return orders.map(({ reference }, index) => refusals[index] ?? toOpened(accounts.get(reference)!))
}

async function openAll(
  tx: Tx,
  now: Date,
  orders: Map<string, AccountOpening>,
): Promise<Map<string, SandboxAccount>> {
  if (orders.size === 0) return new Map()
  const numbers = await reserveAccountNumbers(tx, orders.size)
  const wanted = [...orders.values()].map(({ reference, name }, index) => {
    return { reference, name, number: numbers[index]! }
  })
  const opened = await insertSandboxAccounts(tx, now, wanted)
  const known = [...orders.keys()].filter((reference) => !opened.has(reference))
  const found = await findAccounts(tx, known)
  const isNew = ({ reference }: SandboxAccount) => opened.has(reference)
  return new Map([...wanted.filter(isNew), ...found].map((account) => [account.reference, account]))
}

function toOpened({ number, name }: SandboxAccount): OpenedAccount {
  const { code, name: bankName } = sandboxBankItself
  return { number, accountName: name, bankCode: code, bankName }
}
