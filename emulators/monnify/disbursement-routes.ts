import { setTimeout as sleep } from 'node:timers/promises'
import { sessionIdOf } from '../bank-accounts.js'
import { minute, second } from '../clock.js'
import { takeFault } from '../faults.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../http-server.js'
import { readNaira } from '../naira.js'
import { readPage, refuse, succeed, succeedWithPage } from './answers.js'
import type { Disbursement } from './books.js'
import { holderOf } from './directory-routes.js'
import { asNumber, asText } from './json.js'
import { endPayout, processPayout } from './processing.js'
import { missingTexts, readBody, textOf } from './request-body.js'
import { bankNameOf, type MonnifyState } from './state.js'
import { toDigits, toListedTime, toOffsetTime } from './times.js'

/** A second payout of the same amount to the same account is refused within this time. */
const repeatMs = 2 * minute

const notFound = 'Could not find disbursement transaction for given reference'

export function disbursementRoutes(state: MonnifyState): ProviderRoute[] {
  return [
    {
      method: 'POST',
      pattern: /^\/api\/v2\/disbursements\/single$/,
      handle: (request) => disburse(state, request),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v2\/disbursements\/single\/summary$/,
      handle: ({ query }) => {
        const payout = state.disbursementByReference.get(query.get('reference') ?? '')
        if (!payout || takeFault(state.faults, 'hiddenPayouts'))
          return refuse(404, state.faults.missingCode ?? 'D02', notFound)
        return succeed(writeSummary(state, payout))
      },
    },
    {
      method: 'GET',
      pattern: /^\/api\/v2\/disbursements\/single\/transactions$/,
      handle: ({ query }) => list(state, query),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v2\/disbursements\/search-transactions$/,
      handle: ({ query }) =>
        query.get('sourceAccountNumber') === state.settings.sourceAccount
          ? list(state, query)
          : foreignAccount(),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v2\/disbursements\/wallet-balance$/,
      handle: ({ query }) =>
        query.get('accountNumber') === state.settings.sourceAccount
          ? succeed(writeBalance(state))
          : foreignAccount(),
    },
  ]
}

async function disburse(state: MonnifyState, request: ProviderRequest): Promise<ProviderAnswer> {
  const given = readBody(request.body)
  const names = [
    'reference',
    'narration',
    'destinationBankCode',
    'destinationAccountNumber',
    'currency',
    'sourceAccountNumber',
  ]
  const refusal = refuseCaller(state) ?? missingTexts(given, names) ?? refusePayout(state, given)
  if (refusal) return refusal

  const payout = addPayout(state, given)
  processPayout(state, payout)
  if (state.faults.notices === 'early') await endEarly(state, payout)
  if (takeFault(state.faults, 'lostAnswers')) return 'lost'
  if (takeFault(state.faults, 'errorsAfterPayout')) return unexpectedError(payout)
  return succeed({
    amount: asNumber(payout.amount, 0),
    reference: payout.reference,
    status: payout.status,
    dateCreated: toOffsetTime(payout.createdAtMs),
    totalFee: asNumber(payout.fee),
    destinationAccountName: payout.accountName,
    destinationBankName: payout.bankName,
    destinationAccountNumber: payout.accountNumber,
    destinationBankCode: payout.bankCode,
    comment: 'Transaction is being processed',
  })
}

function refuseCaller({ faults }: MonnifyState): ProviderAnswer | undefined {
  if (faults.refusesAddress)
    return refuse(403, 'D06', 'Unauthorized request. Only whitelisted IPs can initiate transfers')
  if (faults.refusesBusiness)
    return refuse(403, '99', 'Merchant is not permitted to perform this operation')
  return undefined
}

function refusePayout(
  state: MonnifyState,
  given: Record<string, unknown>,
): ProviderAnswer | undefined {
  if (given.sourceAccountNumber !== state.settings.sourceAccount) return foreignAccount()
  const amount = readNaira(given.amount)
  if (!amount) return refuse(400, 'D01', 'Invalid amount')
  if (state.disbursementByReference.has(textOf(given.reference)))
    return refuse(422, 'D05', 'Supplied reference already exists!')
  const bankCode = textOf(given.destinationBankCode)
  if (holderOf(bankCode, textOf(given.destinationAccountNumber)) === undefined)
    return refuse(400, 'D03', 'Invalid account details supplied')
  const lastMs = state.lastPayoutMs.get(repeatKey(given, amount)) ?? Number.NEGATIVE_INFINITY
  if (state.nowMs() - lastMs < repeatMs / state.settings.speed)
    return refuse(422, 'D07', 'Duplicate request. Please try again after 2 minutes')
  if (amount + state.settings.payoutFee > state.books.float)
    return refuse(422, 'D04', 'Insufficient wallet balance')
  return undefined
}

function repeatKey(given: Record<string, unknown>, amount: bigint): string {
  return `${given.destinationBankCode}/${given.destinationAccountNumber}/${amount}`
}

function addPayout(state: MonnifyState, given: Record<string, unknown>): Disbursement {
  const nowMs = state.nowMs()
  const number = state.nextNumber()
  const amount = readNaira(given.amount)!
  const bankCode = textOf(given.destinationBankCode)
  const accountNumber = textOf(given.destinationAccountNumber)
  const payout: Disbursement = {
    reference: textOf(given.reference),
    transactionReference: `MFDS${toDigits(nowMs)}${String(number).padStart(9, '0')}`,
    amount,
    fee: state.settings.payoutFee,
    narration: textOf(given.narration),
    bankCode,
    bankName: bankNameOf(bankCode)!,
    accountNumber,
    accountName: holderOf(bankCode, accountNumber)!,
    sessionId: sessionIdOf(`monnify/${number}`, nowMs, '090405'),
    status: state.faults.asksForOtp ? 'PENDING_AUTHORIZATION' : 'PENDING',
    createdAtMs: nowMs,
    completedAtMs: undefined,
  }
  state.books.float -= payout.amount + payout.fee
  state.books.disbursements.push(payout)
  state.disbursementByReference.set(payout.reference, payout)
  state.lastPayoutMs.set(repeatKey(given, amount), nowMs)
  state.changed()
  return payout
}

/** Ends the payout and gives its notice a chance to arrive before the answer. */
async function endEarly(state: MonnifyState, payout: Disbursement): Promise<void> {
  if (payout.status === 'PENDING' && !state.faults.arePayoutsHeld)
    endPayout(state, payout, 'SUCCESS')
  await Promise.race([state.surroundings.outbox.drain(), sleep(second)])
}

/** The code is 99, as text or as a number, or the gateway answers in its own words. */
function unexpectedError(payout: Disbursement): ProviderAnswer {
  const message = 'An unexpected error occurred while processing the transaction'
  const kind = Number(payout.transactionReference.slice(-9)) % 3
  if (kind === 0) return refuse(500, '99', message)
  if (kind === 1) return refuse(200, 99, message)
  return { status: 503, body: '<html>503 Service Temporarily Unavailable</html>' }
}

function foreignAccount(): ProviderAnswer {
  return refuse(400, 'D01', 'Supplied account number does not belong to merchant')
}

/** Newest first, by the time of creation; a reversal does not move a row. */
function list(state: MonnifyState, query: URLSearchParams): ProviderAnswer {
  const from = Number(query.get('startDate') ?? 0)
  const to = Number(query.get('endDate') ?? Number.MAX_SAFE_INTEGER)
  const rows = state.books.disbursements
    .filter(({ createdAtMs }) => createdAtMs >= from && createdAtMs <= to)
    .filter(({ createdAtMs }) => state.isListed(createdAtMs))
    .reverse()
    .map((payout) => writeSummary(state, payout))
  return succeedWithPage(rows, readPage(query, { page: 'pageNo', size: 'pageSize' }))
}

const descriptions: Record<Disbursement['status'], string> = {
  PENDING: 'Transaction processing in progress',
  PENDING_AUTHORIZATION: 'Transaction is awaiting authorization',
  SUCCESS: 'Transaction successful',
  FAILED: 'Rejected by destination institution',
  REVERSED: 'Transaction reversed',
}

function writeSummary(state: MonnifyState, payout: Disbursement) {
  return {
    amount: asNumber(payout.amount),
    reference: payout.reference,
    narration: payout.narration,
    currency: 'NGN',
    fee: asNumber(payout.fee),
    twoFaEnabled: payout.status === 'PENDING_AUTHORIZATION',
    status: payout.status,
    transactionDescription: descriptions[payout.status],
    transactionReference: payout.transactionReference,
    createdOn: toListedTime(payout.createdAtMs),
    sourceAccountNumber: state.settings.sourceAccount,
    destinationAccountNumber: payout.accountNumber,
    destinationAccountName: payout.accountName,
    destinationBankCode: payout.bankCode,
    destinationBankName: payout.bankName,
  }
}

/** Balances are numbers or text. */
function writeBalance({ books, settings }: MonnifyState) {
  const write = settings.isSandbox ? asText : asNumber
  return { availableBalance: write(books.float), ledgerBalance: write(books.float) }
}
