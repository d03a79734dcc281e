import { coinDecimals } from '../../base/config.js'
import { explainError } from '../../base/log.js'
import { formatCoins, toWire } from '../../money/amounts.js'
import { coins as stablecoins } from '../../money/assets.js'
import type { WatchedFloat } from '../../operations/metrics/watch-floats.js'
import {
  readOpenPayoutTotal,
  type WatchedTreasury,
} from '../../operations/metrics/watch-treasuries.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { sumLiveSweeps } from '../../wallets/store-sweeps.js'
import { drawQr } from '../checkout-page/draw-qr.js'
import type { Route } from '../server/route.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorRoute } from './operator-route.js'

/** Hot wallets and what banks hold for payouts, as the chains and banks report them now. */
export function treasuryRoutes({ db, rails }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/treasuries',
    operation: 'listTreasuries',
    summary: 'Treasuries',
    async handle() {
      const [treasuries, floats] = await Promise.all([
        Promise.all(rails.treasuries.map((treasury) => readTreasury({ db, rails }, treasury))),
        Promise.all(rails.floats.map(readFloat)),
      ])
      return { treasuries, floats }
    },
  })
  return [list]
}

type CoinName = keyof typeof coinDecimals

async function readTreasury(
  { db, rails }: Pick<OperatorParts, 'db' | 'rails'>,
  { mode, rail, floors }: WatchedTreasury,
) {
  const address = rail.treasuryAddress
  const wallet = { mode, address, qr: drawImage(address) }
  try {
    const balances = await rail.treasuryBalances()
    const name = rails.solana[mode]?.name
    const coins = await Promise.all(
      (Object.keys(coinDecimals) as CoinName[]).map(async (coin) => {
        const promised = await readOpenPayoutTotal(db, mode, coin)
        const arriving = await readArriving(db, name, coin)
        const floor = floors[coin]
        const show = (amount: bigint) => showCoins(amount, coin)
        return {
          coin,
          held: show(balances[coin]),
          promised: show(promised),
          floor: floor === undefined ? null : show(floor),
          arriving: show(arriving),
          /** In proportion to floor and need, for a bar: 1 is twice of what is needed. */
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

/** As a file of its own: the console shows it as an image. */
function drawImage(address: string): string {
  const { markup } = drawQr(address, 'Address of the hot wallet')
  return markup.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')
}

function fillOf(held: bigint, needed: bigint): number {
  if (needed === 0n) return held > 0n ? 1 : 0
  return Math.min(1, Number((held * 1_000n) / (2n * needed)) / 1_000)
}

function readArriving(db: Queryable, rail: string | undefined, coin: CoinName): Promise<bigint> {
  const asset = stablecoins.find((one) => one === coin)
  return rail && asset ? sumLiveSweeps(db, rail, asset) : Promise.resolve(0n)
}

function showCoins(amount: bigint, coin: CoinName): string {
  return formatCoins(amount, coin, coinDecimals[coin])
}

/** Null: the bank does not report it. */
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
