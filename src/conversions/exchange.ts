import type { Environment } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { type Asset, isCoin } from '../money/assets.js'
import type { Database } from '../postgres/database.js'
import type { RateBook } from '../rates/rate-book.js'
import { conversionLimits } from './limits.js'
import type { BackCoins } from './ports.js'
import { changeStock, inventoryOf, lockPositions } from './positions.js'

/** What a conversion that pays for a payout needs. */
export type Exchange = {
  rates: RateBook
  /** Test mode on the localnet: mints the coins that a conversion lacks. */
  backCoins: BackCoins | undefined
  /**
   * In test mode, mints the coins that a conversion will sell, because the rail checks that the hot
   * wallet covers a payout before the conversion is committed.
   */
  provideCoins(now: Date, sold: SoldCoins): Promise<void>
}

type SoldCoins = { environment: Environment; asset: Asset; amount: bigint }

type ExchangeDependencies = {
  db: Database
  rates: RateBook
  backCoins: BackCoins | undefined
  mintPending: () => Promise<void>
}

export function createExchange({
  db,
  rates,
  backCoins,
  mintPending,
}: ExchangeDependencies): Exchange {
  return {
    rates,
    backCoins,
    async provideCoins(now, { environment, asset, amount }) {
      if (environment.mode !== 'test' || !isCoin(asset) || !backCoins) return
      await db.transaction(async (tx) => {
        const position = (await lockPositions(tx, 'test', [asset])).get(asset)!
        // Calls that are refused or repeated get here, too: they must not fill it without end.
        if (inventoryOf(position) >= conversionLimits.testStockMax) return
        const id = newId(now)
        const stock = { mode: 'test', asset, amount, givenBy: 'test mode' } as const
        changeStock(tx, now, { ...stock, note: 'Added for a test transfer' })
        backCoins(tx, now, { environmentId: environment.id, id, asset, amount })
      })
      await mintPending()
    },
  }
}
