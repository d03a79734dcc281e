import { type Bank, nigerianBanks } from '../banks.js'

/** Not sorted, and with codes that are not numbers. */
export const banks: readonly Bank[] = [
  { code: '560', name: 'Page MFBank' },
  { code: '035A', name: 'ALAT by WEMA' },
  ...nigerianBanks.toReversed(),
  { code: '090110', name: 'VFD Microfinance Bank' },
  { code: 'FLW001', name: 'Flutterwave Technology Solutions Limited' },
]

export function findBank(code: string): Bank | undefined {
  return banks.find((bank) => bank.code === code)
}
