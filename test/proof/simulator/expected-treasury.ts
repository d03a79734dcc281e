import type { SimulatedChain } from './chain.js'
import { type Coin, coins } from './money.js'
import type { Violations } from './violations.js'

type Comparison = {
  chain: SimulatedChain
  /** As answers told the merchants. */
  fundings: { reference: string; asset: string; amount: bigint }[]
  /** Coins that belong to merchants: available, or held for them. */
  owed: (coin: Coin) => bigint
  violations: Violations
}

/** Deposits are in the treasury, and it covers what belongs to merchants. */
export function compareTreasury({ chain, fundings, owed, violations }: Comparison): void {
  for (const { wallet, asset, amount } of chain.listUnswept())
    violations.report(`${amount} ${asset} were not swept from ${wallet}`)
  for (const { reference, asset, amount } of fundings)
    if (asset !== 'NGN')
      violations.expectEqual(
        `coins minted for ${reference}`,
        { asset, amount },
        chain.minted.get(reference),
      )
  for (const coin of coins) {
    const treasury = chain.treasury.get(coin) ?? 0n
    if (treasury < owed(coin))
      violations.report(`the treasury has ${treasury} ${coin}, and merchants have ${owed(coin)}`)
  }
}
