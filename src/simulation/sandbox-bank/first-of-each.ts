/** By name, the first item that has it, in the order of the list. */
export function firstOfEach<Item>(
  items: Item[],
  nameOf: (item: Item) => string,
): Map<string, Item> {
  const first = new Map<string, Item>()
  for (const item of items) if (!first.has(nameOf(item))) first.set(nameOf(item), item)
  return first
}
