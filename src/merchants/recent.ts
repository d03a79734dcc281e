type Entry<Value> = { value: Value; at: number }

/** Remembers values for a short while and only so many of them: the oldest makes room. */
export class Recent<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #ageMs: number
  readonly #most: number

  constructor(options: { ageMs: number; most: number }) {
    this.#ageMs = options.ageMs
    this.#most = options.most
  }

  get(key: string, nowMs: number): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && nowMs - entry.at < this.#ageMs ? entry.value : undefined
  }

  /** `at` is when the value was asked for, not when it came: it may be as old as the question. */
  set(key: string, { value, at }: Entry<Value>): void {
    // Removed first, so that the order of the map is the order of age.
    this.#entries.delete(key)
    this.#entries.set(key, { value, at })
    if (this.#entries.size <= this.#most) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  /** Only this value: what has taken its place since then stays. */
  forget(key: string, value: Value): void {
    if (this.#entries.get(key)?.value === value) this.#entries.delete(key)
  }
}
