/** Remembers so many; what was not asked for the longest goes first. */
export class BoundedMap<Key, Value> {
  readonly #most: number
  readonly #values = new Map<Key, Value>()

  constructor(most: number) {
    this.#most = most
  }

  find(key: Key): Value | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value!)
  }

  get size(): number {
    return this.#values.size
  }
}
