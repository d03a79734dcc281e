/** A flat part plus a part in basis points (hundredths of a percent). */
export type FeeRate = { flat: bigint; basisPoints: number }

/** The first tier that covers the amount applies, or else the base rate; then floor and cap. */
export type FeeSchedule = FeeRate & {
  floor: bigint
  cap: bigint | null
  tiers: (FeeRate & { upTo: bigint })[]
}

/** Rounds half up to the smallest unit. */
export function computeFee(schedule: FeeSchedule, amount: bigint): bigint {
  const rate = schedule.tiers.find((tier) => amount <= tier.upTo) ?? schedule
  const proportional = (amount * BigInt(rate.basisPoints) + 5_000n) / 10_000n
  const fee = rate.flat + proportional
  const floored = fee < schedule.floor ? schedule.floor : fee
  return schedule.cap !== null && floored > schedule.cap ? schedule.cap : floored
}
