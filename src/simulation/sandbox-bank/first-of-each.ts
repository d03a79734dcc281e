/** The first item of each key, in list order. */
export function firstOfEach<Item>(items: Item[], keyOf: (item: Item) => string): Map<string, Item> {
  const first = new Map<string, Item>()
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item)
  return first
}
