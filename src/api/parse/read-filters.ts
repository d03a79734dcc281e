import { invalidField, Refusal } from '../../base/refusal.js'
import { parseDecimal } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { Count } from '../../postgres/lists/find-ids.js'
import type { TimeRange } from '../../postgres/lists/key-range.js'
import type { AmountRange } from '../../postgres/lists/list.js'
import { readTimeFrom, readTimeTo } from './read-time.js'

export function readTimeRange(query: { from?: string; to?: string }): TimeRange {
  const from = query.from === undefined ? undefined : readTimeFrom('from', query.from)
  const to = query.to === undefined ? undefined : readTimeTo('to', query.to)
  if (from && to && from > to)
    throw new Refusal('validation_failed', {
      message: 'from must not be after to.',
      details: [{ field: 'from', issue: 'must not be after `to`' }],
    })
  return { from, to }
}

/**
 * Amounts are in the unit of the currency; without one, of the assets of the list. A list of naira
 * and coins takes them as kobo, and then lists naira only.
 */
export function readAmountRange(
  query: { currency?: string; minAmount?: string; maxAmount?: string },
  assetsOfList: readonly Asset[] = ['NGN'],
): { currency: Asset | undefined; amounts: AmountRange | undefined } {
  const { minAmount, maxAmount } = query
  const sent = query.currency as Asset | undefined
  if (minAmount === undefined && maxAmount === undefined)
    return { currency: sent, amounts: undefined }
  const assets = sent ? [sent] : assetsOfList
  const read = (field: string, text: string | undefined) =>
    text === undefined ? undefined : readAmountFilter(field, text, assets[0]!)
  return {
    currency: assets.length === 1 ? assets[0] : undefined,
    amounts: { assets, min: read('minAmount', minAmount), max: read('maxAmount', maxAmount) },
  }
}

/** An amount in a query: kobo, or a decimal of coins. */
export function readAmountFilter(field: string, text: string, currency: Asset): bigint {
  if (/^0+(\.0+)?$/.test(text)) return 0n
  if (currency !== 'NGN') {
    const amount = parseDecimal(text, currency)
    if (typeof amount === 'bigint') return amount
    throw invalidField(field, amount.issue)
  }
  if (/^\d{1,18}$/.test(text)) return BigInt(text)
  throw invalidField(field, 'must be a whole number of kobo')
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
