type Entry<Value> = { value: Value; at: number }

/** Keeps values for a limited time, and a limited number of them: the oldest is dropped first. */
export class ExpiringCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #ageMaxMs: number
  readonly #sizeMax: number

  constructor(options: { ageMaxMs: number; sizeMax: number }) {
    this.#ageMaxMs = options.ageMaxMs
    this.#sizeMax = options.sizeMax
  }

  get(key: string, nowMs: number): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && nowMs - entry.at < this.#ageMaxMs ? entry.value : undefined
  }

  /** `at` is when the value was requested: it may already be that old when it arrives. */
  set(key: string, { value, at }: Entry<Value>): void {
    // Deleted first, so that the map stays in order of age.
    this.#entries.delete(key)
    this.#entries.set(key, { value, at })
    if (this.#entries.size <= this.#sizeMax) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  /** Deletes this value only: one that has replaced it stays. */
  delete(key: string, value: Value): void {
    if (this.#entries.get(key)?.value === value) this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  /** For keys that must not stay in memory. `get` returns no expired value in any case. */
  deleteExpired(nowMs: number): void {
    for (const [key, { at }] of this.#entries)
      if (nowMs - at >= this.#ageMaxMs) this.#entries.delete(key)
  }
}
