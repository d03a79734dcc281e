/** A value as JSON, with bigints as text. */
export function show(value: unknown): string {
  return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}` : inner))
}
