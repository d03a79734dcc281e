import { accountNameOf } from '../bank-accounts.js'
import { type Bank, nigerianBanks } from '../banks.js'
import type { Faults } from '../faults.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../http-server.js'
import { fail, readFields, readText, succeed } from './answers.js'

/** Not sorted, and with codes that are not numbers. */
const banks: readonly Bank[] = [
  { code: '560', name: 'Page MFBank' },
  { code: '035A', name: 'ALAT by WEMA' },
  ...nigerianBanks.toReversed(),
  { code: '090110', name: 'VFD Microfinance Bank' },
  { code: 'FLW001', name: 'Flutterwave Technology Solutions Limited' },
]

const byCode = new Map(banks.map((bank) => [bank.code, bank]))

export function findBank(code: string): Bank | undefined {
  return byCode.get(code)
}

/** A number that no bank has, for tests. */
const unknownNumber = '0000000000'

/** Banks and the names of account holders. */
export function directoryRoutes(faults: Faults): ProviderRoute[] {
  function resolve({ body }: ProviderRequest): ProviderAnswer {
    const fields = readFields(body)
    const number = readText(fields.account_number)
    const bankCode = readText(fields.account_bank)
    if (!number) return fail('account_number is required')
    if (!bankCode) return fail('account_bank is required')
    if (faults.resolve === 'limited') return fail('Too many requests', 429)
    const isKnown = findBank(bankCode) && /^\d{10}$/.test(number) && number !== unknownNumber
    if (faults.resolve === 'fails' || !isKnown)
      return fail('Sorry, that account number is invalid, please check and try again')
    const holder = faults.resolve === 'other_name' ? `other/${number}` : number
    return succeed('Account details fetched', {
      account_number: number,
      account_name: accountNameOf(holder),
    })
  }

  return [
    {
      method: 'GET',
      pattern: /^\/v3\/banks\/NG$/,
      handle() {
        const rows = banks.map(({ code, name }, index) => ({ id: 132 + index, code, name }))
        return succeed('Banks fetched successfully', rows)
      },
    },
    { method: 'POST', pattern: /^\/v3\/accounts\/resolve$/, handle: resolve },
  ]
}
