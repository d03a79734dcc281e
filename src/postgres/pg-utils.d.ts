declare module 'pg/lib/utils.js' {
  /** Converts a value to text, or to a Buffer that is sent as it is. */
  export function prepareValue(value: unknown): string | Buffer | null
}
