import { timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'

/**
 * A text that must not be seen. However it is printed, it says `[secret]`; only `reveal` shows it.
 */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  reveal(): string {
    return this.#text
  }

  equals(other: Secret): boolean {
    const [left, right] = [Buffer.from(this.#text), Buffer.from(other.#text)]
    return left.length === right.length && timingSafeEqual(left, right)
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
