import { coinDecimals } from '../../base/config.js'
import type { Mode } from '../../base/environment.js'

type HotWallet = { mode: Mode; coin: string; free: number; floor: number | undefined }
type Float = { bank: string; naira: number; minNaira: number }

/** What a worker last read of hot wallets and of balances at banks, in whole coins and naira. */
export class FundFigures {
  readonly #hotWallets = new Map<string, HotWallet>()
  readonly #floats = new Map<string, Float>()

  noteHotWallet({
    mode,
    coin,
    free,
    floor,
  }: {
    mode: Mode
    coin: keyof typeof coinDecimals
    free: bigint
    floor: bigint | undefined
  }): void {
    const toCoins = (amount: bigint) => Number(amount) / 10 ** coinDecimals[coin]
    const floorInCoins = floor === undefined ? undefined : toCoins(floor)
    this.#hotWallets.set(`${mode} ${coin}`, {
      mode,
      coin,
      free: toCoins(free),
      floor: floorInCoins,
    })
  }

  /** Amounts in kobo. */
  noteFloat(bank: string, { float, floatMin }: { float: bigint; floatMin: bigint }): void {
    this.#floats.set(bank, {
      bank,
      naira: Number(float) / 100,
      minNaira: Number(floatMin) / 100,
    })
  }

  get hotWallets(): HotWallet[] {
    return [...this.#hotWallets.values()]
  }

  get floats(): Float[] {
    return [...this.#floats.values()]
  }
}
