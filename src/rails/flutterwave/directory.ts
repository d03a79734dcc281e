import type { Bank } from '../../payouts/ports.js'
import type { BankAccountNumber } from '../bank/driver.js'
import { Unknown } from '../bank/provider-client.js'
import { asFields, needList, needName, needText, readBanks } from '../bank/read-fields.js'
import type { FlutterwaveApi } from './api.js'

/** Codes are texts: some contain letters, many begin with zero. */
export async function listFlutterwaveBanks(api: FlutterwaveApi): Promise<Bank[]> {
  const { data } = await api.need({ method: 'GET', path: '/banks/NG', isEarly: true })
  return readBanks(needList(data, 'data'))
}

export async function resolveFlutterwaveName(
  api: FlutterwaveApi,
  { bankCode, accountNumber }: BankAccountNumber,
): Promise<{ accountName: string } | undefined> {
  const path = '/accounts/resolve'
  const { isDone, message, data } = await api.call({
    method: 'POST',
    path,
    body: { account_number: accountNumber, account_bank: bankCode },
    isEarly: true,
  })
  if (isDone) return { accountName: needName(asFields(data).account_name, 'account_name') }
  if (/invalid|could not be resolved|not found/i.test(message)) return undefined
  throw new Unknown(`flutterwave: POST ${path}: ${message}`)
}

/** Rounded down: Flutterwave charges fees of half kobo. */
export async function readFlutterwaveFloat(api: FlutterwaveApi): Promise<bigint> {
  const { data } = await api.need({ method: 'GET', path: '/balances/NGN' })
  const text = needText(asFields(data).available_balance, 'available_balance')
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,20}))?$/.exec(text) ?? []
  if (whole === undefined) throw new Unknown('flutterwave: available_balance is not an amount')
  const kobo = BigInt(whole + fraction.padEnd(2, '0').slice(0, 2))
  return sign ? -kobo : kobo
}
