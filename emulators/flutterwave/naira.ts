import { formatUnits } from '../naira.js'

/** As Flutterwave writes amounts: a JSON number of naira, with as many decimals as it needs. */
export function toNaira(kobo: bigint): number {
  return Number(formatUnits(kobo, 2))
}

/** The same for thousandths of a naira. */
export function milsToNaira(mils: bigint): number {
  return Number(formatUnits(mils, 3))
}

/** 1.4 % of a payment, at most ₦2,000. */
export function collectionFee(kobo: bigint): bigint {
  const fee = (kobo * 14n + 999n) / 1_000n
  return fee < 200_000n ? fee : 200_000n
}

/** Of a transfer, in thousandths of a naira. */
export function transferFeeMils(kobo: bigint): bigint {
  if (kobo <= 500_000n) return 10_750n
  return kobo <= 5_000_000n ? 26_875n : 53_750n
}
