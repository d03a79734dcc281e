import type { SolanaConfig } from './config.js'
import type { Mode } from './environment.js'
import type { Logger } from './log.js'
import type { Asset } from './money/assets.js'
import { readOpenAmount } from './payouts/treasury-books.js'
import type { Database } from './postgres/database.js'
import type { SolanaRail } from './rails/solana/rail.js'

/** A hot wallet and the amounts below which somebody must fill it, in the smallest units. */
export type Treasury = {
  mode: Mode
  rail: Pick<SolanaRail, 'treasuryBalances' | 'treasuryAddress'>
  floors: SolanaConfig['floors']
}

/**
 * Raises an alarm for everything of which a hot wallet holds too little: of coins, besides what is
 * promised; of lamports, for fees and rent. Says how many alarms there were.
 */
export async function watchTreasury(
  { db, logger }: { db: Database; logger: Logger },
  { mode, rail, floors }: Treasury,
): Promise<number> {
  let alarms = 0
  const balances = await rail.treasuryBalances()
  for (const [coin, floor] of Object.entries(floors) as [keyof typeof balances, bigint][]) {
    const open = coin === 'SOL' ? 0n : await readOpenAmount(db, { mode, asset: coin as Asset })
    const free = balances[coin] - open
    if (free >= floor) continue
    alarms += 1
    const { treasuryAddress } = rail
    logger.error({ mode, coin, free, floor, treasuryAddress }, 'the hot wallet is low: fill it')
  }
  return alarms
}
