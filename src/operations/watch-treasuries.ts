import type { SolanaConfig } from '../base/config.js'
import type { Mode } from '../base/environment.js'
import type { Logger } from '../base/log.js'
import { readOpenAmount } from '../payouts/treasury-books.js'
import type { Database } from '../postgres/database.js'
import type { SolanaRail } from '../rails/solana/rail.js'

/** A hot wallet and the amounts below which somebody must fill it, in the smallest units. */
export type WatchedTreasury = {
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
  { mode, rail, floors }: WatchedTreasury,
): Promise<number> {
  let alarms = 0
  const { treasuryAddress } = rail
  const balances = await rail.treasuryBalances()
  for (const [coin, floor] of Object.entries(floors) as [keyof typeof balances, bigint][]) {
    const free = balances[coin] - (await readOpenCommitments(db, mode, coin))
    if (free >= floor) continue
    alarms += 1
    logger.error({ mode, coin, free, floor, treasuryAddress }, 'the hot wallet is low: fill it')
  }
  return alarms
}

/** What open payouts will take of a hot wallet; lamports are promised to nobody. */
export async function readOpenCommitments(
  db: Database,
  mode: Mode,
  coin: keyof SolanaConfig['floors'],
): Promise<bigint> {
  return coin === 'SOL' ? 0n : readOpenAmount(db, { mode, asset: coin })
}
