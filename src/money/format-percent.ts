/** Basis points as a percentage without trailing zeros: 1250 is 12.5. */
export function formatPercent(basisPoints: number): string {
  const digits = String(basisPoints).padStart(3, '0')
  const fraction = digits.slice(-2).replace(/0+$/, '')
  return digits.slice(0, -2) + (fraction && `.${fraction}`)
}
