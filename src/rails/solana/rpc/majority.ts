/**
 * How many nodes must agree: more than half of those configured, whether they respond or not.
 * A single node is trusted; of two, both must agree.
 */
export function majorityOf(nodes: number): number {
  return Math.floor(nodes / 2) + 1
}

/** The value that enough nodes returned; `keyOf` decides which values are equal. */
export function findAgreed<Value>(
  values: Value[],
  needed: number,
  keyOf: (value: Value) => string,
): Value | undefined {
  const counts = new Map<string, number>()
  for (const value of values) {
    const key = keyOf(value)
    const count = (counts.get(key) ?? 0) + 1
    if (count >= needed) return value
    counts.set(key, count)
  }
  return undefined
}

/** The highest number that enough nodes have reached. */
export function reachedBy(numbers: bigint[], needed: number): bigint | undefined {
  return numbers.toSorted((left, right) => (left < right ? 1 : -1))[needed - 1]
}
