import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { BankFailure } from '../../payouts/attempts/failure-reasons.js'
import type {
  BankInstruction,
  DriverPage,
  DriverPayout,
  DriverPeriod,
  SendAnswer,
} from '../bank/driver.js'
import { koboOfNaira, readFeeInNaira } from '../bank/naira.js'
import { Unknown } from '../bank/provider-client.js'
import {
  asFields,
  type Fields,
  lookUp,
  needId,
  needText,
  readRows,
  readText,
} from '../bank/read-fields.js'
import { needKobo, toNairaNumber } from './amounts.js'
import { isNotFound, type MonnifyCalls, readPage, unexpected } from './calls.js'

type PayoutDependencies = { calls: MonnifyCalls; sourceAccount: string; logger: Logger }

const rowsPerPage = 100

export async function sendPayout(
  { calls, sourceAccount }: PayoutDependencies,
  instruction: BankInstruction,
): Promise<SendAnswer> {
  const call = {
    method: 'POST',
    path: '/api/v2/disbursements/single',
    body: {
      amount: toNairaNumber(instruction.amount),
      reference: instruction.reference,
      narration: instruction.narration || 'Transfer',
      destinationBankCode: instruction.bankCode,
      destinationAccountNumber: instruction.accountNumber,
      destinationAccountName: instruction.accountName,
      currency: 'NGN',
      sourceAccountNumber: sourceAccount,
      // Otherwise the answer waits for the receiving bank.
      async: true,
    },
  } as const
  const answer = await calls.call(call)
  if (answer.code === '0') return readAccepted(asFields(answer.body))
  const known = lookUp(sendAnswers, answer.code)
  if (known !== undefined) return known
  const isForbidden = answer.status === 401 || answer.status === 403
  if (answer.code === 'D01' || isForbidden)
    return { unclear: `Monnify refused the payout: ${answer.message}` }
  throw unexpected(call, answer)
}

const otpAdvice =
  'Monnify requires a one-time password for every payout. Ask its support to switch OTP off.'

/** By response code. D01 only repeats its message; 99 leaves the outcome unknown. */
const sendAnswers: Record<string, SendAnswer> = {
  D03: { failure: 'account_not_found' },
  D04: { failure: 'insufficient_float' },
  D05: 'exists',
  D06: {
    unclear:
      "This server's address is not allowed to pay out. " +
      "Ask Monnify's support to put it on the list.",
  },
  D07: {
    unclear:
      'Monnify refuses the same amount to the same account within two minutes. ' +
      'Its support can lift this.',
  },
}

function readAccepted({ status }: Fields): SendAnswer {
  return isWaitingForOtp(status) ? { unclear: otpAdvice } : 'accepted'
}

function isWaitingForOtp(status: unknown): boolean {
  return status === 'PENDING_AUTHORIZATION' || status === 'OTP_EMAIL_DISPATCH_FAILED'
}

export async function findPayout(
  { calls }: PayoutDependencies,
  { reference }: BankInstruction,
): Promise<DriverPayout | undefined> {
  const path = '/api/v2/disbursements/single/summary'
  const call = { method: 'GET', path, query: { reference } } as const
  const answer = await calls.call(call)
  if (isNotFound(answer)) return undefined
  if (answer.code !== '0') throw unexpected(call, answer)
  const payout = readPayout(asFields(answer.body))
  if (payout.reference !== reference) throw new Unknown(`monnify: another payout than ${reference}`)
  return payout
}

/** Everything else is open. Whether an expired payout can still move is not documented. */
const states: Record<string, DriverPayout['state']> = {
  SUCCESS: 'success',
  COMPLETED: 'success',
  FAILED: 'failed',
  REVERSED: 'reversed',
  PENDING_AUTHORIZATION: 'review',
  OTP_EMAIL_DISPATCH_FAILED: 'review',
  EXPIRED: 'review',
}

function readPayout(fields: Fields): DriverPayout {
  const state = lookUp(states, needText(fields.status, 'status')) ?? 'open'
  return {
    // Monnify refuses a second one with our reference.
    id: needId(fields.reference, 'reference'),
    reference: needId(fields.reference, 'reference'),
    amount: needKobo(fields.amount, 'amount'),
    levy: koboOfNaira(readText(fields.stampDuty) ?? '') ?? null,
    state,
    failure: failureOf(state, readText(fields.transactionDescription) ?? ''),
    sessionId: readText(fields.sessionId) ?? null,
    providerFee: readFeeInNaira(fields.fee),
  }
}

function failureOf(state: DriverPayout['state'], description: string): BankFailure | null {
  if (state === 'reversed') return 'bank_returned'
  if (state !== 'failed') return null
  if (/invalid (destination )?account|could not be validated/i.test(description))
    return 'account_not_found'
  return /insufficient wallet/i.test(description) ? 'insufficient_float' : 'bank_declined'
}

/** Newest first, by when they began. */
export async function listPayouts(
  { calls, sourceAccount }: PayoutDependencies,
  { from, to, after: page = '0' }: DriverPeriod,
): Promise<DriverPage<DriverPayout>> {
  const body = await calls.need({
    method: 'GET',
    path: '/api/v2/disbursements/search-transactions',
    query: {
      sourceAccountNumber: sourceAccount,
      startDate: `${from.getTime()}`,
      endDate: `${to.getTime()}`,
      pageNo: page,
      pageSize: `${rowsPerPage}`,
    },
  })
  const { rows, isLast } = readPage(body)
  return { ...readRows(rows, readPayout), next: isLast ? null : `${Number(page) + 1}` }
}

export async function listReversed(
  dependencies: PayoutDependencies,
  { from, to }: Pick<DriverPeriod, 'from' | 'to'>,
): Promise<string[]> {
  const reversed: string[] = []
  let after: string | undefined
  for (let pages = 0; pages < limits.banks.reversalPagesMax; pages += 1) {
    const { items, next } = await listPayouts(dependencies, { from, to, after })
    for (const { reference, state } of items) if (state === 'reversed') reversed.push(reference)
    if (next === null) return reversed
    after = next
  }
  dependencies.logger.warn({ from }, 'monnify: more payouts than are searched for reversals')
  return reversed
}
