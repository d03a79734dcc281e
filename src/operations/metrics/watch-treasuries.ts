import type { Clock } from '../../base/clock.js'
import { coinDecimals, type SolanaConfig } from '../../base/config.js'
import type { Mode } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import { formatCoins } from '../../money/amounts.js'
import { createOpenPayoutTotals } from '../../payouts/reconciliation/treasury-books.js'
import type { Database } from '../../postgres/database.js'
import type { SolanaRail } from '../../rails/solana/rail.js'
import { alertOnceADay } from '../alert-operators.js'
import type { FundFigures } from './fund-figures.js'

/** A hot wallet and its minimum balances, in the smallest unit. */
export type WatchedTreasury = {
  mode: Mode
  rail: Pick<SolanaRail, 'treasuryBalances' | 'treasuryAddress' | 'watchChains'>
  floors: SolanaConfig['floors']
}

/**
 * Logs an error for every coin of which a hot wallet holds less than its floor after open payouts,
 * and for SOL, which pays fees and rent. Returns the number of errors.
 */
export async function watchTreasury(
  {
    db,
    clock,
    logger,
    figures,
  }: { db: Database; clock: Clock; logger: Logger; figures: FundFigures },
  { mode, rail, floors }: WatchedTreasury,
): Promise<number> {
  let alarms = 0
  const { treasuryAddress } = rail
  // While nothing else queries a node, a chain that changed behind its URL would stay unnoticed.
  await rail.watchChains()
  const balances = await rail.treasuryBalances()
  for (const coin of Object.keys(balances) as (keyof typeof balances)[]) {
    const floor = floors[coin]
    const free = balances[coin] - (await readOpenPayoutTotal(db, mode, coin))
    figures.noteHotWallet({ mode, coin, free, floor })
    if (floor === undefined || free >= floor) continue
    alarms += 1
    const show = (amount: bigint) => formatCoins(amount, coin, coinDecimals[coin])
    logger.error(
      { mode, coin, free: show(free), floor: show(floor), treasuryAddress },
      'hot wallet below its floor: top it up',
    )
    await alertOnceADay(db, clock.now(), {
      name: `treasury/${mode}/${coin}`,
      subject: `Hot wallet of ${mode} mode is below its floor`,
      blocks: [
        { type: 'amount', label: 'Free after open payouts', amount: show(free) },
        {
          type: 'facts',
          facts: [
            ['Floor', show(floor)],
            ['Hot wallet', treasuryAddress],
          ],
        },
        { type: 'paragraph', text: 'Top it up. Payouts that it does not cover are refused.' },
      ],
      path: '/operator/treasury',
    })
  }
  return alarms
}

/** What open payouts will take from a hot wallet. They take no SOL. */
export async function readOpenPayoutTotal(
  db: Database,
  mode: Mode,
  coin: keyof SolanaConfig['floors'],
): Promise<bigint> {
  return coin === 'SOL' ? 0n : createOpenPayoutTotals(db, mode).sum(coin)
}
