/** A least-recently-used cache. */
export class BoundedMap<Key, Value> {
  readonly #sizeMax: number
  readonly #values = new Map<Key, Value>()

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
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
    if (this.#values.size > this.#sizeMax) this.#values.delete(this.#values.keys().next().value!)
  }

  get size(): number {
    return this.#values.size
  }
}
