import type { EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'

/**
 * Brings forward the due time of an environment's open accounts when its test clock moves: `due_at`
 * is in real time. All accounts change in one transaction, so it refuses if there are too many.
 */
export async function advanceAccounts(
  tx: Tx,
  { environmentId, byMs }: { environmentId: EnvironmentId; byMs: number },
): Promise<void> {
  const open = sql`environment_id = ${environmentId} and status = 'ACTIVE'
    and kind in ('virtual_account', 'crypto_wallet')`
  // Lock in id order, so that this cannot deadlock with a batch of payments. Joining the lock to
  // the update takes minutes of nested loops while the table has no statistics.
  const [locked] = await tx.rows(sql<{ count: bigint }>`
    select count(*) as count from (
      select from collection_accounts where ${open}
      order by id limit ${limits.testClock.openAccountsMax + 1} for no key update) account`)
  if (locked!.count > limits.testClock.openAccountsMax) throw tooMany()

  tx.write(sql`
    update collection_accounts
    set due_at = due_at - ${byMs}::float8 * interval '1 millisecond' where ${open}`)
}

function tooMany(): Refusal {
  return new Refusal('clock_advance_failed', {
    reason: 'invalid_state',
    message: `The clock cannot be advanced while more than ${limits.testClock.openAccountsMax} virtual accounts and crypto wallets are open. Cancel some or wait until they expire.`,
  })
}
