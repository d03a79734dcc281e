export function groupBy<Item>(items: Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const name = nameOf(item)
    const group = groups.get(name)
    if (group) group.push(item)
    else groups.set(name, [item])
  }
  return groups
}

export function sumOf<Item>(items: Item[], amountOf: (item: Item) => bigint): bigint {
  return items.reduce((sum, item) => sum + amountOf(item), 0n)
}
