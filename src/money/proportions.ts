import { strict as assert } from 'node:assert'

/**
 * Divides a total by weights without losing a unit: each part is the difference of two rounded
 * sums, so it is less than one unit off. No part exceeds its weight if the total does not exceed
 * all weights.
 */
export function divideInProportion(total: bigint, weights: bigint[]): bigint[] {
  const all = sum(weights)
  if (all === 0n) {
    assert(total === 0n, 'there is a weight to divide by')
    return weights.map(() => 0n)
  }
  let weightSoFar = 0n
  let dividedSoFar = 0n
  return weights.map((weight) => {
    weightSoFar += weight
    const part = (total * weightSoFar) / all - dividedSoFar
    dividedSoFar += part
    return part
  })
}

/** Neither is negative. */
export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor)
}

export function sum(amounts: bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
