import { limits } from '../../base/limits.js'
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
import { type Fields, needId, needList, readRows, readText } from '../bank/read-fields.js'
import type { FlutterwaveApi } from './api.js'
import { dayOf, daysOf } from './days.js'
import { listFlutterwavePage } from './pages.js'

const narrationLengthMax = 100

/** Flutterwave accepts a transfer that our balance does not cover, and fails it later. */
export async function sendFlutterwavePayout(
  api: FlutterwaveApi,
  instruction: BankInstruction,
): Promise<SendAnswer> {
  const { isDone, message } = await api.call({
    method: 'POST',
    path: '/transfers',
    body: {
      account_bank: instruction.bankCode,
      account_number: instruction.accountNumber,
      // Whole naira: the rail has refused other amounts.
      amount: Number(instruction.amount / 100n),
      currency: 'NGN',
      debit_currency: 'NGN',
      beneficiary_name: instruction.accountName,
      reference: instruction.reference,
      narration: (instruction.narration ?? instruction.reference).slice(0, narrationLengthMax),
    },
  })
  if (isDone) return 'accepted'
  if (/already exists/i.test(message)) return 'exists'
  if (/insufficient/i.test(message)) return { failure: 'insufficient_float' }
  if (/invalid account_(number|bank)|account number is invalid/i.test(message))
    return { failure: 'account_not_found' }
  return { unclear: message }
}

/** The filter by reference is not exact, and a transfer that it does not find may exist. */
export async function findFlutterwavePayout(
  api: FlutterwaveApi,
  { reference }: BankInstruction,
): Promise<DriverPayout | undefined> {
  const path = '/transfers'
  const reply = await api.call({ method: 'GET', path, query: { reference } })
  if (reply.isMissing) return undefined
  if (!reply.isDone) throw new Unknown(`flutterwave: GET ${path}: ${reply.message}`)
  const found = needList(reply.data, 'data')
    .filter((row) => row.reference === reference)
    .map(toPayout)
  // If there are ever two, the one that moved money counts.
  return certainty.flatMap((state) => found.filter((payout) => payout.state === state))[0]
}

const certainty = ['success', 'reversed', 'review', 'open', 'failed'] as const

export async function listFlutterwavePayouts(
  api: FlutterwaveApi,
  { from, to, after }: DriverPeriod,
): Promise<DriverPage<DriverPayout>> {
  const query = daysOf({ from, to })
  const { items, next } = await listFlutterwavePage(api, '/transfers', { query, after })
  return { ...readRows(items.filter(isNaira), toPayout), next }
}

/**
 * How Flutterwave shows a reversal is not documented. REVERSED was observed; a transfer that was
 * successful and is now FAILED means the same. Transfers that failed without completing are also
 * reported; they change nothing.
 */
export async function listFlutterwaveReversals(
  api: FlutterwaveApi,
  now: Date,
  since: Date,
): Promise<string[]> {
  const days = daysOf({ from: since, to: now })
  const found = await Promise.all(
    ['reversed', 'failed'].map((status) => listByStatus(api, { ...days, status })),
  )
  return [...new Set(found.flat())]
}

async function listByStatus(
  api: FlutterwaveApi,
  query: { from: string; to: string; status: string },
): Promise<string[]> {
  const references: string[] = []
  for (let page = 1; page <= limits.banks.reversalPagesMax; page += 1) {
    const { rows, hasMore } = await api.list('/transfers', query, page)
    const matching = readRows(rows.filter(isNaira), toPayout).items.filter(({ state }) =>
      isUndone.has(state),
    )
    references.push(...matching.map(({ reference }) => reference))
    // If the filter by day is ignored, older rows end the search.
    const oldest = rows.at(-1)
    if (!hasMore || (oldest && readDay(oldest) < query.from)) break
  }
  return references
}

const isUndone = new Set<DriverPayout['state']>(['reversed', 'failed'])

/** Other programs may pay other currencies from the same Flutterwave account. */
function isNaira({ currency }: Fields): boolean {
  return (readText(currency) ?? 'NGN') === 'NGN'
}

function readDay(row: Fields): string {
  const time = new Date(readText(row.created_at) ?? '')
  return Number.isNaN(time.getTime()) ? '' : dayOf(time)
}

function toPayout(row: Fields): DriverPayout {
  const reference = needId(row.reference, 'reference')
  const state = readState(row)
  const message = readText(row.complete_message) ?? ''
  return {
    id: readText(row.id) ?? reference,
    reference,
    amount: koboOfNaira(readText(row.amount) ?? '') ?? null,
    levy: koboOfNaira(readText(row.stamp_duty) ?? '') ?? null,
    state,
    failure: state === 'failed' ? readFailure(message) : null,
    providerFee: readFeeInNaira(row.fee),
  }
}

/** Unknown words leave a payout open. */
function readState(row: Fields): DriverPayout['state'] {
  switch (readText(row.status)?.toUpperCase()) {
    case 'SUCCESSFUL':
      return 'success'
    case 'FAILED':
      return 'failed'
    case 'REVERSED':
      return 'reversed'
    default:
      return row.requires_approval === '1' && row.is_approved === '0' ? 'review' : 'open'
  }
}

function readFailure(message: string): BankFailure {
  if (/insufficient/i.test(message)) return 'insufficient_float'
  if (/(invalid|unknown|no such).*account|account.*(invalid|not found)/i.test(message))
    return 'account_not_found'
  if (/account.*(closed|dormant|inactive)/i.test(message)) return 'account_closed'
  return 'bank_declined'
}
