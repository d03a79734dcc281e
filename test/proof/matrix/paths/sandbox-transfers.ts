import { sql } from '../../../../src/postgres/sql.js'
import { toNuban } from '../../../../src/simulation/sandbox-bank/nuban.js'
import type { World } from '../world.js'

/** An ordinary account at the bank with code 058. */
export const accountNumber = (serial: number): string =>
  toNuban({ bankCode: '058', serial: String(serial).padStart(9, '0') })

/** An account whose transfers the sandbox bank treats specially, as docs/reference/test-mode.md says. */
export const magicNumber = (digit: number): string => accountNumber(990_000_000 + digit)

/** Amounts that the sandbox bank has paid. */
export async function listPaid(world: World): Promise<number[]> {
  const rows = await world.db.rows(sql<{ amount: bigint }>`
    select amount from sandbox_transfers where ending = 'completed' order by received_at`)
  return rows.map(({ amount }) => Number(amount))
}
