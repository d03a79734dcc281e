import { after, type Clock, day } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import type { BankFinding } from '../../collections/ports.js'
import { formatMoney } from '../../money/amounts.js'
import { asFields, asList, readText } from '../bank/read-fields.js'
import type { PaystackBanks } from './banks.js'
import type { PaystackAnswer, PaystackCalls } from './calls.js'
import { dedicatedBanks } from './open-accounts.js'
import { needKobo } from './read-payment.js'

export type ExamineDependencies = {
  calls: PaystackCalls
  banks: PaystackBanks
  clock: Clock
  mode: Mode
  payerEmail: string
}

/** Reads how our account at Paystack is set up. Changes nothing. */
export async function examinePaystack(dependencies: ExamineDependencies): Promise<BankFinding[]> {
  const { calls, banks } = dependencies
  const answer = await calls.ask({ method: 'GET', path: '/balance' })
  if (!answer.isOk) return [refusedKey(answer)]
  const listed = await banks.list()
  return [
    judgeBalance(answer),
    ok(`lists ${listed.length} banks`),
    ...(await findResolving(dependencies)),
    await findWaiting(dependencies),
    await findDedicated(dependencies),
    ...(await findStuckRefunds(dependencies)),
    ...judgeEmail(dependencies),
    ok(
      'sends wrong, late and second transfers to temporary accounts back to the payer: ' +
        'the policies underpayment, overpayment, latePayment and duplicatePayment never apply',
    ),
  ]
}

function ok(message: string): BankFinding {
  return { level: 'ok', message: `Paystack ${message}`, fix: '' }
}

function refusedKey({ status, message }: PaystackAnswer): BankFinding {
  const isAddress = /\bip\b/i.test(message)
  return {
    level: 'failure',
    message: `Paystack refuses our calls: ${status} ${message}`,
    fix: isAddress
      ? "Add this machine's address to the IP whitelist in Paystack's dashboard (Settings, API)."
      : "Copy the secret key from Paystack's dashboard (Settings, API Keys & Webhooks).",
  }
}

export function readBalance({ data }: Pick<PaystackAnswer, 'data'>): bigint {
  const naira = asList(data).find(({ currency }) => currency === 'NGN')
  return needKobo(asFields(naira).balance, 'balance')
}

function judgeBalance(answer: PaystackAnswer): BankFinding {
  const balance = readBalance(answer)
  const message = `accepts the key; the balance for payouts is ${formatMoney(balance, 'NGN')}`
  if (balance > 0n) return ok(message)
  return {
    level: 'warning',
    message: `Paystack ${message}`,
    fix: "Top up the balance in Paystack's dashboard: payouts and refunds are paid from it.",
  }
}

/** Test mode has a bank of which every account resolves. */
async function findResolving({ calls, mode }: ExamineDependencies): Promise<BankFinding[]> {
  if (mode === 'live') return []
  const query = { account_number: '0000000000', bank_code: '001' }
  const { isOk, status, message } = await calls.ask({ method: 'GET', path: '/bank/resolve', query })
  if (isOk) return [ok('resolves account names')]
  return [
    {
      level: 'warning',
      message: `Paystack does not resolve the test account: ${status} ${message}`,
      fix: 'Test mode resolves few accounts a day. Use bank 001, or try again tomorrow.',
    },
  ]
}

/** OTP cannot be read, but transfers that wait for one can. */
async function findWaiting({ calls, clock }: ExamineDependencies): Promise<BankFinding> {
  const from = after(clock.now(), -7 * day).toISOString()
  const { rows } = await calls.list({
    path: '/transfer',
    query: { status: 'otp', from },
    after: undefined,
  })
  if (rows.length === 0) return ok('has no transfers that wait for a one-time password')
  return {
    level: 'failure',
    message: `Paystack holds ${rows.length} transfers until a one-time password is typed`,
    fix: "Switch off 'Confirm transfers before sending' in Paystack's dashboard (Preferences).",
  }
}

async function findDedicated({ calls, mode }: ExamineDependencies): Promise<BankFinding> {
  const path = '/dedicated_account/available_providers'
  const { isOk, data, message } = await calls.ask({ method: 'GET', path })
  const slugs = asList(data).map(({ provider_slug }) => readText(provider_slug))
  const slug = dedicatedBanks[mode]
  if (isOk && (slugs.length === 0 || slugs.includes(slug)))
    return ok(`opens dedicated accounts at ${slug}`)
  return {
    level: 'warning',
    message: `Paystack opens no dedicated accounts at ${slug}: ${isOk ? 'not offered' : message}`,
    fix: 'Ask Paystack to switch on dedicated accounts. It needs a registered business.',
  }
}

/** Paystack refuses addresses that cannot exist. */
function judgeEmail({ payerEmail }: ExamineDependencies): BankFinding[] {
  const host = payerEmail.slice(payerEmail.lastIndexOf('@') + 1)
  if (/[a-z]/i.test(host) && host.includes('.') && host !== 'example.com') return []
  return [
    {
      level: 'warning',
      message: `Paystack may refuse ${payerEmail} as the email of payers`,
      fix: 'Set BANK_PAYER_EMAIL to an address of yours.',
    },
  ]
}

/** Searches the newest refunds only. */
async function findStuckRefunds({ calls }: ExamineDependencies): Promise<BankFinding[]> {
  const { rows } = await calls.list({ path: '/refund', query: {}, after: undefined })
  const stuck = rows.filter(({ status }) => status === 'needs-attention')
  if (stuck.length === 0) return []
  return [
    {
      level: 'warning',
      message: `Paystack needs the payer's bank account for ${stuck.length} refunds`,
      fix: "Enter the account in Paystack's dashboard (Refunds, needs attention).",
    },
  ]
}
