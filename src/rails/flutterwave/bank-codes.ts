import { nigerianBanks } from '../banks.js'

const fillers = new Set(['BANK', 'PLC', 'NIGERIA', 'OF', 'LIMITED', 'LTD', 'MICROFINANCE', 'MFB'])

/**
 * Flutterwave names the bank of an account, without its code. It writes names in capitals, and
 * with words that others leave out.
 */
const codes = new Map<string, string>([
  ...nigerianBanks.map(({ code, name }): [string, string] => [toKey(name), code]),
  ['GTBANK', '058'],
  ['FCMB', '214'],
  ['UBA', '033'],
])

/** Empty if the name is unknown. */
export function bankCodeOf(bankName: string): string {
  return codes.get(toKey(bankName)) ?? ''
}

function toKey(name: string): string {
  const words = name.toUpperCase().match(/[A-Z0-9]+/g) ?? []
  const distinctive = words.filter((word) => !fillers.has(word))
  return distinctive.join(' ')
}
