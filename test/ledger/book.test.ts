import { expect, test } from 'vitest'
import { toEnvironmentId } from '../../src/base/environment.js'
import { limits } from '../../src/base/limits.js'
import type { LedgerAccount, LedgerAccountName } from '../../src/ledger/accounts.js'
import { Book } from '../../src/ledger/book.js'
import type { Movement } from '../../src/ledger/movement.js'
import { toWire } from '../../src/money/amounts.js'
import { type Asset, assets } from '../../src/money/assets.js'
import { fundingOf, holdOf } from '../support/movements.js'

const environmentId = toEnvironmentId(1)
const { ledgerMax, wireMax } = limits.money

function emptyBook(asset: Asset): Book {
  const names: LedgerAccountName[] = [
    'available',
    'suspense',
    'fees',
    'exchange',
    assets[asset].holder,
  ]
  const zero = {
    debitsPending: 0n,
    debitsPosted: 0n,
    creditsPending: 0n,
    creditsPosted: 0n,
    entryCount: 0n,
  }
  return new Book(names.map((name): LedgerAccount => ({ environmentId, asset, name, ...zero })))
}

// The last unit that fits is accepted; one more is refused and changes nothing.
test('sums go up to the largest the ledger can hold, and no further', () => {
  const book = emptyBook('USDC')
  const place = { environmentId, asset: 'USDC' } as const
  expect(book.move(fundingOf(place, ledgerMax)).isMoved).toBe(true)
  const before = book.changes()
  expect(book.move(fundingOf(place, 1n))).toMatchObject({ isMoved: false, why: 'beyond_limit' })
  expect(book.changes()).toEqual(before)
})

// Naira are JSON integers in the API, so a larger balance could not be written exactly.
test('a naira balance stays where JSON integers are exact', () => {
  const book = emptyBook('NGN')
  const place = { environmentId, asset: 'NGN' } as const
  expect(book.move(fundingOf(place, wireMax)).isMoved).toBe(true)
  expect(book.move(fundingOf(place, 1n))).toMatchObject({ isMoved: false, why: 'beyond_limit' })
})

// A release cannot be refused. If held money did not count towards the limit, a release could
// create a balance that cannot be written.
test('held money counts towards the limit, so that it can always be released', () => {
  const book = emptyBook('NGN')
  const place = { environmentId, asset: 'NGN' } as const
  const hold = holdOf(place, wireMax)
  expect(book.move(fundingOf(place, wireMax)).isMoved).toBe(true)
  expect(book.move(hold).isMoved).toBe(true)
  expect(book.move(fundingOf(place, 1n))).toMatchObject({ isMoved: false, why: 'beyond_limit' })
  const { availableAfter } = book.resolve(hold, 'release')
  expect(toWire(availableAfter!, 'NGN')).toBe(Number(wireMax))
})

// A resolution has one debit account and one amount, so it cannot describe a hold on two accounts.
test('a hold on two accounts is a bug', () => {
  const book = emptyBook('USDC')
  const mixed: Movement = {
    ...holdOf({ environmentId, asset: 'USDC' }, 1n),
    lines: [
      { debit: 'available', credit: 'treasury', amount: 1n, purpose: 'crypto_payout' },
      { debit: 'suspense', credit: 'fees', amount: 1n, purpose: 'crypto_payout_fee' },
    ],
  }
  expect(() => book.move(mixed)).toThrow('a hold debits one account')
})

test.each([0n, -1n])('a transfer of %s is a bug', (amount) => {
  const book = emptyBook('USDC')
  const movement = fundingOf({ environmentId, asset: 'USDC' }, amount)
  expect(() => book.move(movement)).toThrow('a transfer has an amount')
})

test('an account that was not locked is a bug', () => {
  const book = emptyBook('USDC')
  const elsewhere = fundingOf({ environmentId: toEnvironmentId(2), asset: 'USDC' }, 1n)
  expect(() => book.move(elsewhere)).toThrow('is locked before it is used')
})

// Only differences are written; an account that ends where it started is not updated.
test('movements that cancel out within a batch write only their statement lines', () => {
  const book = emptyBook('USDC')
  const hold = holdOf({ environmentId, asset: 'USDC' }, 7n, 3n)
  book.move(fundingOf({ environmentId, asset: 'USDC' }, 10n))
  expect(book.move(hold).isMoved).toBe(true)
  expect(book.resolve(hold, 'release')).toEqual({ entryNumber: 4n, availableAfter: 10n })
  expect(book.changes().map(({ name }) => name)).toEqual(['available', 'treasury'])
  expect(book.changes()[0]).toMatchObject({
    debitsPending: 0n,
    debitsPosted: 0n,
    creditsPosted: 10n,
    entryCount: 4n,
  })
})
