import Type from 'typebox'
import { coinDecimals } from '../../base/config.js'
import { explainError } from '../../base/log.js'
import { orNull, resource } from '../../base/shapes.js'
import { formatCoins, toWire } from '../../money/amounts.js'
import { coins as stablecoins } from '../../money/assets.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { sumLiveSweeps } from '../../wallets/store-sweeps.js'
import { type Action, type RouteCall, route } from '../definitions/definition.js'
import { amount, mode } from '../definitions/views.js'
import type { WatchedFloat } from '../metrics/watch-floats.js'
import { readOpenPayoutTotal, type WatchedTreasury } from '../metrics/watch-treasuries.js'

const treasuries = resource('Treasuries', {
  treasuries: Type.Array(
    resource('Treasury', {
      mode,
      address: Type.String(),
      qr: Type.String(),
      rail: orNull(Type.String()),
      coins: Type.Array(
        resource('TreasuryCoin', {
          coin: Type.Enum(['SOL', 'USDC', 'USDT']),
          held: Type.String(),
          promised: Type.String(),
          floor: orNull(Type.String()),
          arriving: Type.String(),
          /** In proportion to floor and need, for a bar: 1 is twice of what is needed. */
          fill: Type.Number(),
          isShort: Type.Boolean(),
        }),
      ),
      failure: orNull(Type.String()),
    }),
  ),
  floats: Type.Array(
    resource('Float', {
      rail: Type.String(),
      provider: Type.String(),
      floor: amount,
      /** Null: the bank does not report it. */
      float: orNull(amount),
      isShort: Type.Boolean(),
      failure: orNull(Type.String()),
    }),
  ),
})

/** Hot wallets and what banks hold for payouts, as the chains and banks report them now. */
export const treasuryActions: Action[] = [
  route({
    request: 'GET /treasuries',
    operation: 'listTreasuries',
    summary: 'Treasuries',
    view: treasuries,
    async run(call) {
      const [treasuries, floats] = await Promise.all([
        Promise.all(call.rails.treasuries.map((treasury) => readTreasury(call, treasury))),
        Promise.all(call.rails.floats.map(readFloat)),
      ])
      return { treasuries, floats }
    },
  }),
]

type CoinName = keyof typeof coinDecimals

async function readTreasury(
  { db, rails, drawQr }: RouteCall,
  { mode, rail, floors }: WatchedTreasury,
) {
  const address = rail.treasuryAddress
  const wallet = { mode, address, qr: drawQr(address, 'Address of the hot wallet') }
  try {
    const balances = await rail.treasuryBalances()
    const name = rails.solana[mode]?.name
    const coins = await Promise.all(
      (Object.keys(coinDecimals) as CoinName[]).map(async (coin) => {
        const promised = await readOpenPayoutTotal(db, mode, coin)
        const arriving = await readArriving(db, name, coin)
        const floor = floors[coin]
        const show = (amount: bigint) => formatCoins(amount, coin, coinDecimals[coin])
        return {
          coin,
          held: show(balances[coin]),
          promised: show(promised),
          floor: floor === undefined ? null : show(floor),
          arriving: show(arriving),
          fill: fillOf(balances[coin], promised + (floor ?? 0n)),
          isShort: balances[coin] < promised + (floor ?? (coin === 'SOL' ? 1n : 0n)),
        }
      }),
    )
    return { ...wallet, rail: name ?? null, coins, failure: null }
  } catch (error) {
    return { ...wallet, rail: null, coins: [], failure: explainError(error) }
  }
}

function fillOf(held: bigint, needed: bigint): number {
  if (needed === 0n) return held > 0n ? 1 : 0
  return Math.min(1, Number((held * 1_000n) / (2n * needed)) / 1_000)
}

function readArriving(db: Queryable, rail: string | undefined, coin: CoinName): Promise<bigint> {
  const asset = stablecoins.find((known) => known === coin)
  return rail && asset ? sumLiveSweeps(db, rail, asset) : Promise.resolve(0n)
}

async function readFloat({ bank, floatMin }: WatchedFloat) {
  const { name, provider } = bank
  const known = { rail: name, provider, floor: toWire(floatMin, 'NGN') }
  try {
    const float = await bank.readFloat()
    const isShort = float !== null && float < floatMin
    return { ...known, float: float === null ? null : toWire(float, 'NGN'), isShort, failure: null }
  } catch (error) {
    return { ...known, float: null, isShort: false, failure: explainError(error) }
  }
}
