import type { BookedShare, Books } from './books.js'
import type { ExpectedEvents } from './expected-events.js'
import { groupBy, sumOf } from './group-by.js'
import type { Merchant } from './merchant.js'
import type { Violations } from './violations.js'

/**
 * What a sub-account gets of payments to an account. `all`: everything, and it bears the fee; a
 * refund takes back what it pays. `part`: a third of what is accepted; such payments are not
 * refunded, because roundings depend on the order of refunds, which is unknown outside.
 */
export type ToldSplit = { seller: string; kind: 'all' | 'part' }

const partInBasisPoints = 3_333n

/** As the request writes a split. */
export function writeSplit({ seller, kind }: ToldSplit): object {
  if (kind === 'all')
    return { feeBearer: 'subaccounts', lines: [{ subaccount: seller, remainder: true }] }
  return { lines: [{ subaccount: seller, percent: '33.33', releaseAfterDays: 1 }] }
}

/** What the sub-account has of a payment in the end. */
export function netOfSplit(
  { kind }: ToldSplit,
  { accepted, fee }: { accepted: bigint; fee: bigint },
): bigint {
  return kind === 'all' ? accepted - fee : (accepted * partInBasisPoints) / 10_000n
}

/** Naira that sub-accounts must have, less what they owe. */
export class SellerPurse {
  readonly #amounts = new Map<string, bigint>()

  add(seller: string, amount: bigint): void {
    this.#amounts.set(seller, this.of(seller) + amount)
  }

  of(seller: string): bigint {
    return this.#amounts.get(seller) ?? 0n
  }
}

type Comparison = {
  merchants: Merchant[]
  books: Books
  sellers: SellerPurse
  events: ExpectedEvents
  violations: Violations
}

/** What a failed refund took and is about to be given back: the merchant may lack the money. */
const waitingOf = (seller: { waiting: bigint }) => seller.waiting

/** What every sub-account has and owes, and the events about it. */
export function compareSplits(comparison: Comparison): void {
  const { merchants, books, sellers, events, violations } = comparison
  const owner = new Map(
    merchants.flatMap((merchant) => merchant.sellers.map((seller) => [seller, merchant] as const)),
  )
  violations.expectEqual(
    'sub-accounts',
    [...owner.keys()].sort(),
    books.sellers.map(({ reference }) => reference).sort(),
  )
  for (const seller of books.sellers) {
    const { reference, environmentId, available, held, pending, owed, debts } = seller
    violations.expectEqual(`held of ${reference}`, 0n, held)
    violations.expectEqual(
      `money of ${reference}`,
      sellers.of(reference) - waitingOf(seller),
      available + pending - owed,
    )
    events.expect(environmentId, 'subaccount.created', reference)
    if (debts > 0) events.expect(environmentId, 'subaccount.receivable', reference, debts)
  }
  expectShareEvents(books.shares, events)
}

/** One for each part of a payment that was split, and for each share that was released. */
function expectShareEvents(shares: BookedShare[], events: ExpectedEvents): void {
  const parts = groupBy(shares, ({ payment, part }) => `${payment} ${part}`)
  for (const [share] of parts.values())
    events.expect(share!.environmentId, 'split.posted', share!.account)
  for (const { environmentId, reference, isReleased } of shares)
    if (isReleased) events.expect(environmentId, 'split.released', reference)
}

/** By how much the naira of a merchant differ because sub-accounts owe or wait for money. */
export function advancedBy({ sellers }: Books, environmentId: number): bigint {
  const own = sellers.filter((seller) => seller.environmentId === environmentId)
  return sumOf(own, ({ owed }) => owed) - sumOf(own, waitingOf)
}
