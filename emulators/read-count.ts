/** A page number or size in a query: a positive integer, or the default of the provider. */
export function readCount(text: string | null, otherwise: number): number {
  const count = Number(text)
  return text !== null && Number.isSafeInteger(count) && count > 0 ? count : otherwise
}
