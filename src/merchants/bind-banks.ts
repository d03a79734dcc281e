import type { EnvironmentId } from '../base/environment.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/tx.js'

/** Null: the bank of the configuration. */
export type BankBinding = { collectBank: string | null; payoutBank: string | null }

/**
 * Chooses the banks of one merchant for what begins from now on. Accounts and payouts that exist
 * stay where they are.
 */
export function bindBanks(
  tx: Tx,
  id: EnvironmentId,
  { collectBank, payoutBank }: BankBinding,
): void {
  tx.write(sql`
    update environments set collect_bank = ${collectBank}, payout_bank = ${payoutBank}
    where id = ${id}`)
}
