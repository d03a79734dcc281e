export const coins = ['USDC', 'USDT'] as const

export type Coin = (typeof coins)[number]

const unitsPerCoin = 1_000_000n

/** Millionths of a coin, as the API writes them. */
export function showUnits(units: bigint): string {
  return `${units / unitsPerCoin}.${String(units % unitsPerCoin).padStart(6, '0')}`
}

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
