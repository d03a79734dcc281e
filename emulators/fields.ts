import { readNaira } from './naira.js'

/** Fields of a JSON body. Anything but an object has none. */
export class Fields {
  readonly #values: Record<string, unknown>

  constructor(value: unknown) {
    const isObject = typeof value === 'object' && value !== null
    this.#values = isObject ? (value as Record<string, unknown>) : {}
  }

  static parse(body: string): Fields {
    try {
      return new Fields(JSON.parse(body))
    } catch {
      return new Fields(undefined)
    }
  }

  raw(name: string): unknown {
    return this.#values[name]
  }

  inner(name: string): Fields {
    return new Fields(this.#values[name])
  }

  /** Undefined if it is missing or empty. A number is read as text. */
  text(name: string): string | undefined {
    const value = this.#values[name]
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  /** Empty if it is missing or no text. */
  textOnly(name: string): string {
    const value = this.#values[name]
    return typeof value === 'string' ? value : ''
  }

  /** Whole kobo, as a number or as text. */
  kobo(name: string): bigint | undefined {
    const digits = this.text(name)
    return digits !== undefined && /^\d{1,15}$/.test(digits) ? BigInt(digits) : undefined
  }

  naira(name: string): bigint | undefined {
    return readNaira(this.#values[name])
  }
}
