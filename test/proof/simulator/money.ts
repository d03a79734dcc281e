import { needsTokenAccount } from './chain.js'

export const coins = ['USDC', 'USDT'] as const

export type Coin = (typeof coins)[number]

const unitsPerCoin = 1_000_000n

/** Millionths of a coin, as the API writes them. */
export function showUnits(units: bigint): string {
  return `${units / unitsPerCoin}.${String(units % unitsPerCoin).padStart(6, '0')}`
}

/** Also for rates, which are naira for a coin with at most six decimals. */
export function toUnits(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole) * unitsPerCoin + BigInt(fraction.padEnd(6, '0'))
}

/** Amounts in the smallest unit: kobo are numbers in the API, coins are texts. */
export function readAmount(amount: number | string): bigint {
  return typeof amount === 'number' ? BigInt(amount) : toUnits(amount)
}

/** The published default fees, rounded half up. */
export const fees = {
  /** 10 naira up to 5,000, 25 up to 50,000, then 50. */
  bankPayout(amount: bigint): bigint {
    if (amount <= 500_000n) return 1_000n
    return amount <= 5_000_000n ? 2_500n : 5_000n
  },
  /** Half a coin, and as much for a new token account. */
  cryptoPayout: (isNewAccount: boolean): bigint => (isNewAccount ? 1_000_000n : 500_000n),
  collection(kind: string, accepted: bigint): bigint {
    if (kind === 'virtual_account') return least(percentOf(accepted, 100n), 200_000n)
    if (kind === 'dedicated_account') return least(percentOf(accepted, 100n), 30_000n)
    return percentOf(accepted, 50n)
  },
  conversion: (amount: bigint): bigint => percentOf(amount, 50n),
}

function percentOf(amount: bigint, basisPoints: bigint): bigint {
  return (amount * basisPoints + 5_000n) / 10_000n
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** The fee of a payout to a bank account, or to the wallet with the address `recipient`. */
export function transferFee(
  kind: 'bank_transfer' | 'crypto_transfer',
  amount: bigint,
  recipient: string,
): bigint {
  return kind === 'bank_transfer'
    ? fees.bankPayout(amount)
    : fees.cryptoPayout(needsTokenAccount(recipient))
}

/** What one conversion takes and gives. `fee` is part of `sourceAmount`. */
export type Price = { rate: bigint; sourceAmount: bigint; fee: bigint; targetAmount: bigint }

type Direction = { source: string; target: string }

const micro = 1_000_000n

/** A kobo for a millionth of a coin is a rate of 10,000 naira for a coin. */
const rateOfUnits = 10_000n * micro

/**
 * Rates of test mode in millionths of a naira: within four hours they rise by 60 naira and fall
 * again, half a naira a minute. Merchants buy coins for ten naira more, and sell them for ten less.
 */
function rateAt({ source, target }: Direction, at: Date): bigint {
  const lowest = (source === 'USDC' || target === 'USDC' ? 1_560n : 1_558n) * micro
  const minutes = Math.floor(at.getTime() / 60_000) % 240
  const halfNairas = BigInt(Math.min(minutes, 240 - minutes))
  const middle = lowest + (halfNairas * micro) / 2n
  return source === 'NGN' ? middle + 10n * micro : middle - 10n * micro
}

/** What a merchant gets for an amount; fractions of the smallest unit are cut off. */
export function priceOfSource(direction: Direction, at: Date, sourceAmount: bigint): Price {
  const rate = rateAt(direction, at)
  const fee = fees.conversion(sourceAmount)
  const net = sourceAmount - fee
  const targetAmount =
    direction.source === 'NGN' ? (net * rateOfUnits) / rate : (net * rate) / rateOfUnits
  return { rate, sourceAmount, fee, targetAmount }
}

/** The least that a merchant pays for an amount: one unit less would give less. */
export function priceOfTarget(direction: Direction, at: Date, targetAmount: bigint): Price {
  const gives = (sourceAmount: bigint) => priceOfSource(direction, at, sourceAmount)
  let [low, high] = [0n, 1n]
  while (gives(high).targetAmount < targetAmount) [low, high] = [high, high * 2n]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (gives(middle).targetAmount < targetAmount) low = middle
    else high = middle
  }
  return { ...gives(high), targetAmount }
}
