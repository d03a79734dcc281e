import type { Clock } from '../../base/clock.js'
import type { ProviderConfigs } from '../../base/config.js'
import type { Mode } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import type { BankDriver } from '../bank/driver.js'
import { ProviderClient, Unknown } from '../bank/provider-client.js'
import { asFields, needName, readText } from '../bank/read-fields.js'
import { PaystackBanks } from './banks.js'
import { PaystackCalls } from './calls.js'
import { examinePaystack, readBalance } from './examine.js'
import { paystackLimits } from './limits.js'
import { readNotice } from './notices.js'
import { closeAccount, openDedicated, openTemporary } from './open-accounts.js'
import { fetchPayment, findPayments, listPayments } from './payments.js'
import { findRefund, listRefunds, sendRefund } from './refunds.js'
import {
  createRecipient,
  findTransfer,
  listReversedTransfers,
  listTransfers,
  sendTransfer,
} from './transfers.js'

type Config = NonNullable<ProviderConfigs['paystack']>
/** Paystack: charges by bank transfer, dedicated accounts, transfers and refunds. */
export function createPaystackDriver(
  { secretKey, url }: Config,
  {
    payerEmail,
    mode,
    clock,
    logger,
  }: { payerEmail: string; mode: Mode; clock: Clock; logger: Logger },
): BankDriver {
  const client = new ProviderClient({ name: `paystack-${mode}`, url, clock, logger })
  const calls = new PaystackCalls(client, secretKey)
  const banks = new PaystackBanks(calls, clock)
  const opening = { calls, banks, clock, mode, payerEmail }
  const payments = { calls, payerEmail, clock }
  return {
    provider: 'paystack',
    limits: paystackLimits,

    openAccount: (account) =>
      account.expected ? openTemporary(opening, account) : openDedicated(opening, account),
    closeAccount: (account) => closeAccount(calls, account),

    readNotice: (request) => readNotice(secretKey, request),
    fetchPayment: (key) => fetchPayment(payments, key),
    findPayments: (account) => findPayments(payments, account),
    listPayments: (period) => listPayments(payments, period),

    listBanks: () => banks.list(),
    resolveName: (account) => resolveName(calls, account),

    prepareInstruction: (instruction) => createRecipient(calls, instruction),
    sendPayout: (instruction) => sendTransfer(calls, instruction),
    findPayout: (instruction) => findTransfer(calls, instruction),
    listPayouts: (period) => listTransfers(calls, period),
    listReversed: (since) => listReversedTransfers(calls, since),

    sendRefund: (instruction) => sendRefund(calls, instruction),
    findRefund: (instruction) => findRefund(calls, instruction),
    listRefunds: (period) => listRefunds(calls, period),

    readFloat: async () =>
      readBalance({ data: await calls.fetch({ method: 'GET', path: '/balance' }) }),
    examine: () => examinePaystack({ calls, banks, clock, mode, payerEmail }),
  }
}

/** A number in the answer may have lost its leading zeros. */
async function resolveName(
  calls: PaystackCalls,
  { accountNumber, bankCode }: { accountNumber: string; bankCode: string },
): Promise<{ accountName: string } | undefined> {
  const path = '/bank/resolve'
  const query = { account_number: accountNumber, bank_code: bankCode }
  const { isOk, status, message, data } = await calls.ask({
    method: 'GET',
    path,
    query,
    isEarly: true,
  })
  if (status === 422) return undefined
  if (!isOk) throw new Unknown(`paystack: GET ${path}: ${status} ${message}`)
  const { account_number, account_name } = asFields(data)
  if ((readText(account_number) ?? accountNumber).padStart(10, '0') !== accountNumber)
    throw new Unknown(`paystack: GET ${path} answers another account`)
  return { accountName: needName(account_name, 'account_name') }
}
