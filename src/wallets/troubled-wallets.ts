import type { WalletRail } from '../collections/ports.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'

/** Token accounts with transactions that cannot be read and may hide deposits, by rail. */
export async function countTroubledWallets(
  db: Queryable,
): Promise<{ rail: string; count: number }[]> {
  const rows = await db.rows(sql<{ rail: string; count: bigint }>`
    select rail, count(*) as count from token_accounts where has_trouble group by rail`)
  return rows.map(({ rail, count }) => ({ rail, count: Number(count) }))
}

/**
 * Throws when the seed is not the one that existing wallets were derived from: it could not sweep
 * them. The operator must know before anyone pays.
 */
export async function assertSameSeed(db: Queryable, rail: WalletRail): Promise<void> {
  if (!(await rail.isChainKnown())) return
  const [last] = await db.rows(sql<{ address: string; number: number }>`
    select address, number from wallets where rail = ${rail.name} order by number desc limit 1`)
  if (!last) return
  const [derived] = await rail.deriveWallets([last.number])
  if (derived!.address === last.address) return
  throw new Error(
    `The seed is not the one that wallet ${last.address} was derived from, so it cannot be swept. ` +
      'Start with the original seed.',
  )
}
