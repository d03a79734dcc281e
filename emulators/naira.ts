/** Kobo of a decimal such as "1500", "1500.5" or "-1500.50". Undefined: not whole kobo. */
export function koboOfNaira(text: string): bigint | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,2})0*)?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const kobo = BigInt(whole + fraction.padEnd(2, '0'))
  return sign ? -kobo : kobo
}

/** Naira in a request, as a number or as text, in kobo. Undefined: no amount of whole kobo. */
export function readNaira(value: unknown): bigint | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const kobo = koboOfNaira(String(value))
  return kobo === undefined || kobo < 0n ? undefined : kobo
}

/** A decimal with no more trailing zeros than `decimalsMin` asks for. */
export function formatUnits(amount: bigint, decimals: number, decimalsMin = 0): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '').padEnd(decimalsMin, '0')
  const sign = amount < 0n ? '-' : ''
  return sign + digits.slice(0, -decimals) + (fraction && `.${fraction}`)
}
