import type { Bank } from '../../payouts/ports.js'
import type { BankAccountNumber } from '../bank/driver.js'
import { Unknown } from '../bank/provider-client.js'
import { asFields, needList, needName, readBanks } from '../bank/read-fields.js'
import { type MonnifyCalls, unexpected } from './calls.js'

export async function listBanks(calls: MonnifyCalls): Promise<Bank[]> {
  const body = await calls.need({ method: 'GET', path: '/api/v1/banks', isEarly: true })
  return readBanks(needList(body, 'the list of banks'))
}

/**
 * Monnify answers 99 for an account that does not exist and for a bank that does not answer; only
 * the message distinguishes them.
 */
export async function resolveName(
  calls: MonnifyCalls,
  { bankCode, accountNumber }: BankAccountNumber,
): Promise<{ accountName: string } | undefined> {
  const call = {
    method: 'GET',
    path: '/api/v1/disbursements/account/validate',
    query: { accountNumber, bankCode },
    isEarly: true,
  } as const
  const answer = await calls.call(call)
  if (answer.code !== '0') {
    if (/invalid account/i.test(answer.message)) return undefined
    throw unexpected(call, answer)
  }
  const found = asFields(answer.body)
  if (found.accountNumber !== accountNumber) throw new Unknown('monnify: another account')
  return { accountName: needName(found.accountName, 'accountName') }
}
