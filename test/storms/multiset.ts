/** Items that the first list has more often than the second. */
export function differenceOf(left: string[], right: string[]): string[] {
  const counts = new Map<string, number>()
  for (const item of right) counts.set(item, (counts.get(item) ?? 0) + 1)
  return left.filter((item) => {
    const count = counts.get(item) ?? 0
    counts.set(item, count - 1)
    return count <= 0
  })
}

export function countBy<Item>(
  items: Item[],
  nameOf: (item: Item) => string,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1
  return counts
}

/** Says of each item whether it is missing or once too often. */
export function differ(what: string, wanted: string[], found: string[]): string[] {
  return [
    ...differenceOf(wanted, found).map((name) => `${what} ${name} is missing`),
    ...differenceOf(found, wanted).map((name) => `${what} ${name} is there once too often`),
  ]
}
