import { type Asset, formatDigits } from '../../parts/money-format'

const small = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
  ...['eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen'],
  'nineteen',
]
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const scales = [
  '',
  ' thousand',
  ' million',
  ' billion',
  ' trillion',
  ' quadrillion',
  ' quintillion',
]

function belowThousand(value: number): string {
  const hundreds = value >= 100 ? `${small[Math.floor(value / 100)]} hundred` : ''
  const rest = value % 100
  const ones = rest % 10 === 0 ? '' : `-${small[rest % 10]}`
  const last = rest < 20 ? small[rest] : `${tens[Math.floor(rest / 10)]}${ones}`
  if (hundreds === '') return last!
  return rest === 0 ? hundreds : `${hundreds} and ${last}`
}

export function numberInWords(value: bigint): string {
  if (value === 0n) return 'zero'
  const parts: string[] = []
  for (let rest = value, at = 0; rest > 0n; rest /= 1_000n, at += 1) {
    const group = Number(rest % 1_000n)
    if (group > 0) parts.unshift(`${belowThousand(group)}${scales[at]}`)
  }
  return parts.join(' ')
}

/** `Two million five hundred thousand naira`: a slip of a zero is seen before the money is gone. */
export function amountInWords(units: bigint, asset: Asset): string {
  const [whole = '0', fraction = ''] = formatDigits(units, asset).replaceAll(',', '').split('.')
  const minor = fraction.replace(/0+$/, '')
  const main = `${numberInWords(BigInt(whole))} ${asset === 'NGN' ? 'naira' : asset}`
  const kobo = minor === '' ? 0n : BigInt(fraction.slice(0, 2))
  const cents =
    asset === 'NGN'
      ? kobo > 0n && `${numberInWords(kobo)} kobo`
      : minor !== '' && `${minor} / 1${'0'.repeat(minor.length)}`
  const text = cents ? `${main} and ${cents}` : main
  return text.charAt(0).toUpperCase() + text.slice(1)
}
