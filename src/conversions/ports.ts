import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import type { Coin } from '../money/assets.js'
import type { Tx } from '../postgres/transactions/tx.js'

/** Records coins that the localnet mints for a test conversion after the commit. */
export type BackCoins = (
  tx: Tx,
  now: RealTime,
  backing: { environmentId: EnvironmentId; id: string; asset: Coin; amount: bigint },
) => void
