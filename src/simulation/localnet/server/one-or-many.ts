/**
 * A multimap that allocates no list for a single value: most of the millions of addresses occur in
 * one transaction.
 */
export class OneOrMany<K, V extends number | string> {
  private map = new Map<K, V | V[]>()

  add(key: K, value: V): void {
    const found = this.map.get(key)
    if (found === undefined) this.map.set(key, value)
    else if (Array.isArray(found)) found.push(value)
    else this.map.set(key, [found, value])
  }

  get(key: K): readonly V[] {
    const found = this.map.get(key)
    if (found === undefined) return []
    return Array.isArray(found) ? found : [found]
  }
}
