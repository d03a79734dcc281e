import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Mode } from '../../src/base/environment.js'
import { insertNotices } from '../../src/collections/notices/store-notices.js'
import { recordPayments } from '../../src/collections/payments/record-payments.js'
import type { ReportedPayment } from '../../src/collections/ports.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db, clock, bank } = service
const rails = new Map([[bank.name, bank]])
let shop: ReturnType<typeof payersOf>
beforeEach(async () => {
  shop = payersOf(service, await service.addMerchant('Ada'))
})

type NoticeChange = { id: string; mode?: Mode } & Partial<ReportedPayment>

/** Stores notices and judges them in one batch. */
async function judgeTogether(accountNumber: string, changes: NoticeChange[]): Promise<string[]> {
  const notices = changes.map(({ id, mode = 'test', ...change }) => {
    const payment: ReportedPayment = {
      id,
      railAccount: accountNumber,
      amount: 500_000n,
      currency: 'NGN',
      sender: null,
      bankSessionId: null,
      narration: null,
      receivedAt: clock.now(),
      ...change,
    }
    return { rail: bank.name, mode, id, reported: payment, body: null }
  })
  await db.transaction(async (tx) =>
    insertNotices(tx, { now: clock.now(), dueAt: clock.now() }, notices),
  )
  await db.transaction((tx) => recordPayments(tx, clock.now(), { names: notices, rails }))
  const rows = await db.rows(sql<{ state: string }>`
    select state from notices where id = any(${changes.map(({ id }) => id)}) order by id`)
  return rows.map(({ state }) => state)
}

// A rail may have the same name in both modes. Money of one mode must never be credited in the
// other, not even if both notices are in one batch.
test('a live notice does not match a test account with the same number', async () => {
  const { reference, accountNumber } = (await shop.openVirtual()).json.data
  const states = await judgeTogether(accountNumber, [
    { id: 'mode-1', mode: 'live' },
    { id: 'mode-2', mode: 'test' },
    { id: 'mode-3', mode: 'live' },
  ])
  expect(states).toEqual(['UNMATCHED', 'BOOKED', 'UNMATCHED'])
  expect(await shop.verify(reference)).toMatchObject({ status: 'PAID', amountReceived: 500_000 })
})

// The index of search terms has no room for it.
test('a payment with a very long session id is recorded', async () => {
  const { accountNumber } = (await shop.openVirtual()).json.data
  const bankSessionId = randomBytes(8_000).toString('hex')
  expect(await judgeTogether(accountNumber, [{ id: 'long', bankSessionId }])).toEqual(['BOOKED'])
})

// They are written together, but each is judged against the account as the one before left it.
test('payments of one batch are judged one after another', async () => {
  const { reference, accountNumber } = (await shop.openVirtual()).json.data
  await judgeTogether(accountNumber, [
    { id: 'batch-1', amount: 499_999n },
    { id: 'batch-2', amount: 500_001n },
    { id: 'batch-3' },
    { id: 'batch-3' },
  ])
  const shown = await shop.verify(reference)
  expect(shown).toMatchObject({
    status: 'PAID',
    variance: 'DUPLICATE',
    amountReceived: 1_500_000,
    amountAccepted: 500_000,
    amountHeld: 1_000_000,
  })
  const judged = shown.payments.map((payment: { amount: number; variance: string }) => [
    payment.amount,
    payment.variance,
  ])
  expect(judged.toSorted()).toEqual([
    [499_999, 'UNDERPAID'],
    [500_000, 'DUPLICATE'],
    [500_001, 'OVERPAID'],
  ])
  expect(await shop.eventsOf(reference)).toEqual([
    'virtual_account.underpaid',
    'virtual_account.overpaid',
    'virtual_account.paid',
    'virtual_account.duplicate_payment',
  ])
})

// The notices arrive in another order: the customer who paid first must count as the payer.
test('payments of one batch are judged in the order the bank received them', async () => {
  const { reference, accountNumber } = (await shop.openVirtual()).json.data
  const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000)
  const notices = [3, 1, 5, 0, 4, 2].map((seconds, index) => ({
    id: `value-${index}`,
    receivedAt: at(seconds),
    amount: 500_000n,
  }))
  await judgeTogether(accountNumber, notices)
  const { payments } = await shop.verify(reference)
  const newestFirst = payments.map((one: { receivedAt: string }) => one.receivedAt)
  expect(newestFirst).toEqual([5, 4, 3, 2, 1, 0].map((seconds) => at(seconds).toISOString()))
  expect(payments.at(-1)).toMatchObject({ status: 'ACCEPTED', variance: 'NONE' })
  const { json } = await shop.get('/v1/collections/payments')
  expect(json.data.items).toMatchObject(payments)
})

test('invalid notices are refused and kept, and do not affect others in the batch', async () => {
  const { accountNumber } = (await shop.openVirtual()).json.data
  const states = await judgeTogether(accountNumber, [
    { id: 'odd-1', amount: 0n },
    { id: 'odd-2', amount: -500_000n },
    { id: 'odd-3', currency: 'USD' },
    { id: 'odd-4', amount: 9_007_199_254_740_992n },
    { id: 'odd-5' },
    { id: 'odd-6', railAccount: '9999999999' },
  ])
  expect(states).toEqual(['REFUSED', 'REFUSED', 'REFUSED', 'REFUSED', 'BOOKED', 'UNMATCHED'])
})

test('the ledger verifies', () => expectAllProofs(db))
