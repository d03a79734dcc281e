import { Refusal } from '../../base/refusal.js'
import { parseDecimal } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { Count, TimeRange } from '../../postgres/filtered-ids.js'
import { readTime } from './read-time.js'

export function readTimeRange({ from, to }: { from?: string; to?: string }): TimeRange {
  return {
    from: from === undefined ? undefined : readTime('from', from),
    to: to === undefined ? undefined : readTime('to', to),
  }
}

type AmountRange = {
  currency: Asset | undefined
  amountMin: bigint | undefined
  amountMax: bigint | undefined
}

/**
 * Without a currency, amounts are in kobo, which makes it a filter by currency, too; or in coins,
 * where a list has nothing else: all coins have the same unit.
 */
export function readAmountRange(
  query: { currency?: string; minAmount?: string; maxAmount?: string },
  { isOfCoins = false } = {},
): AmountRange {
  const { minAmount, maxAmount } = query
  const hasAmount = minAmount !== undefined || maxAmount !== undefined
  const implied = hasAmount && !isOfCoins ? 'NGN' : undefined
  const currency = (query.currency ?? implied) as Asset | undefined
  const read = (field: string, text: string | undefined) =>
    text === undefined ? undefined : readAmount(field, text, currency ?? 'USDC')
  return {
    currency,
    amountMin: read('minAmount', minAmount),
    amountMax: read('maxAmount', maxAmount),
  }
}

function readAmount(field: string, text: string, currency: Asset): bigint {
  if (/^0+(\.0+)?$/.test(text)) return 0n
  if (currency !== 'NGN') {
    const amount = parseDecimal(text, currency)
    if (typeof amount === 'bigint') return amount
    throw wrongAmount(field, amount.issue)
  }
  if (/^\d{1,18}$/.test(text)) return BigInt(text)
  throw wrongAmount(field, 'must be a whole number of kobo')
}

function wrongAmount(field: string, issue: string): Refusal {
  return new Refusal('validation_failed', {
    message: `${field} ${issue}.`,
    details: [{ field, issue }],
  })
}

export function showCount({ count, isComplete }: Count): number | string {
  return isComplete ? count : `${count}+`
}

/** Reads one count after the other: a list may hold only one connection at a time. */
export async function countByStatus<Status extends string>(
  statuses: readonly Status[],
  count: (status: Status) => Promise<Count>,
) {
  const byStatus: Record<string, number | string> = {}
  const total = { count: 0, isComplete: true }
  for (const status of statuses) {
    const found = await count(status)
    byStatus[status] = showCount(found)
    total.count += found.count
    total.isComplete &&= found.isComplete
  }
  return { total: showCount(total), byStatus }
}
