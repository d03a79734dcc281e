/** Kobo in a decimal text of naira, such as Medusa computes; parts of a kobo are rounded half up. */
export function toKobo(naira: string): number {
  const [, whole, part = ''] = /^(\d+)(?:\.(\d+))?$/.exec(naira) ?? []
  if (whole === undefined) throw new RangeError(`${naira} is not an amount of naira.`)
  const tenths = BigInt(`${whole}${part.slice(0, 3).padEnd(3, '0')}`)
  const kobo = (tenths + 5n) / 10n
  if (kobo > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`${naira} naira is too much.`)
  return Number(kobo)
}

/** Naira as Medusa reads them, such as `12500.00`. */
export function toNaira(kobo: number): string {
  const digits = String(kobo).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
