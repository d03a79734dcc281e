import type { Emulator } from '../../../emulators/emulator.js'
import type { Database } from '../../../src/postgres/database.js'
import { sql } from '../../../src/postgres/sql.js'

type AtBank = { reference: string; accountNumber: string }

/** Transfers that the bank made to another account than the payout with their reference names. */
export async function findWrongRecipients(
  db: Database,
  emulator: Emulator | undefined,
): Promise<string[]> {
  const rows = await db.rows(sql<AtBank>`
    select a.token as reference, p.destination ->> 'accountNumber' as account_number
    from payout_attempts a
    join payouts p on p.environment_id = a.environment_id and p.id = a.payout_id
    where p.destination ->> 'kind' = 'bank_account'`)
  const asked = new Map(rows.map(({ reference, accountNumber }) => [reference, accountNumber]))
  const made = emulator ? emulator.books().payouts : await listSandboxTransfers(db)
  return made
    .filter(({ reference, accountNumber }) => asked.get(reference) !== accountNumber)
    .map(({ reference, accountNumber }) => `transfer ${reference} went to ${accountNumber}`)
}

function listSandboxTransfers(db: Database): Promise<AtBank[]> {
  return db.rows(sql<AtBank>`
    select reference, instruction::json ->> 'accountNumber' as account_number
    from sandbox_transfers`)
}
