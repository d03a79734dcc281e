import { accountNameOf } from '../bank-accounts.js'
import type { ProviderAnswer, ProviderRoute } from '../http-server.js'
import { refuse, succeed } from './answers.js'
import { bankNameOf, type MonnifyState, monnifyBanks } from './state.js'

export function directoryRoutes(state: MonnifyState): ProviderRoute[] {
  return [
    {
      method: 'GET',
      pattern: /^\/api\/v1\/banks$/,
      handle: () =>
        succeed(
          monnifyBanks.map(({ code, name }, index) => ({
            name,
            code,
            ussdTemplate: null,
            baseUssdCode: null,
            transferUssdTemplate: null,
            nipBankCode: String(index + 1).padStart(6, '0'),
          })),
        ),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v1\/disbursements\/account\/validate$/,
      handle: ({ query }) => validate(state, query),
    },
  ]
}

/** An account that exists, or undefined. No bank has the number 0000000000. */
export function holderOf(bankCode: string, accountNumber: string): string | undefined {
  if (bankNameOf(bankCode) === undefined) return undefined
  if (!/^\d{10}$/.test(accountNumber) || accountNumber === '0000000000') return undefined
  return accountNameOf(accountNumber)
}

/** The answer is the same if the account does not exist and if its bank does not answer. */
function validate(state: MonnifyState, query: URLSearchParams): ProviderAnswer {
  const { resolve } = state.faults
  if (resolve === 'limited') return refuse(429, '99', 'Too many requests')
  const accountNumber = query.get('accountNumber') ?? ''
  const bankCode = query.get('bankCode') ?? ''
  const name = resolve === 'fails' ? undefined : holderOf(bankCode, accountNumber)
  if (name === undefined) return refuse(400, '99', 'Invalid account details supplied')
  const accountName = resolve === 'other_name' ? accountNameOf(`other/${accountNumber}`) : name
  return succeed({ accountNumber, accountName, bankCode, currencyCode: 'NGN' })
}
