import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/tx.js'

/**
 * Brings forward when the open accounts of an environment fall due, as its clock is moved: they are
 * due in the time of the world. All of them in one transaction, and therefore only so many: where
 * there are more it refuses, before it writes.
 */
export async function advanceAccounts(
  tx: Tx,
  { environmentId, byMs }: { environmentId: EnvironmentId; byMs: number },
): Promise<void> {
  const open = sql`environment_id = ${environmentId} and status = 'ACTIVE'
    and kind in ('virtual_account', 'crypto_wallet')`
  // In id order, so that whoever takes payments meanwhile never waits for us in a circle. A lock
  // joined to the update would be one statement, and minutes of nested loops without statistics.
  const [locked] = await tx.rows(sql<{ count: bigint }>`
    select count(*) as count from (
      select from collection_accounts where ${open}
      order by id limit ${limits.testClock.openAccounts + 1} for no key update) account`)
  if (locked!.count > limits.testClock.openAccounts) throw tooMany()

  tx.write(sql`
    update collection_accounts
    set due_at = due_at - ${byMs}::float8 * interval '1 millisecond' where ${open}`)
}

function tooMany(): Refusal {
  return new Refusal('validation_failed', {
    message: `The clock cannot be moved while more than ${limits.testClock.openAccounts} virtual accounts and crypto wallets are open. Cancel some, or wait until they expire.`,
  })
}
