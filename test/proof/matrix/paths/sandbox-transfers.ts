import { setTimeout as sleep } from 'node:timers/promises'
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

const pollMs = 5
const pollsMax = 60

/**
 * Waits a moment, in real time, until the API has sent what it committed. If time passed meanwhile,
 * a worker would send it too, and the run would come by other crash points. After a fault it may
 * never be sent by the API; workers send it then.
 */
export async function untilReceived(world: World, count: number): Promise<void> {
  await untilCounted(world, 'sandbox_transfers', count)
}

/** The same until a payment is booked whose notice the API has got. */
export async function untilBooked(world: World, count: number): Promise<void> {
  await untilCounted(world, 'payments', count)
}

async function untilCounted(world: World, table: string, count: number): Promise<void> {
  for (let polls = 0; polls < pollsMax; polls += 1) {
    const [row] = await world.db.rows(sql<{ count: number }>`
      select count(*)::int as count from ${sql.raw(table)}`)
    if (row!.count >= count) return
    await sleep(pollMs)
  }
}
