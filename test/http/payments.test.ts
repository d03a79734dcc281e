import { beforeEach, expect, test } from 'vitest'
import { customersOf, openBankHouse } from '../support/bank-house.js'
import { expectSoundBooks } from '../support/sound-books.js'

const house = await openBankHouse()
let shop: ReturnType<typeof customersOf>
beforeEach(async () => {
  shop = customersOf(house, await house.hire('Ada'))
})

async function open(change: object = {}) {
  return (await shop.openVirtual(change)).json.data
}

test('the exact amount is accepted, less its fee', async () => {
  const { reference, accountNumber } = await open()
  const { status, json } = await shop.payIn(accountNumber)
  expect([status, json.data]).toMatchObject([
    201,
    { source: 'virtual_account', accountReference: reference, status: 'ACCEPTED', fee: 5_000 },
  ])
  expect(await shop.verify(reference)).toMatchObject({
    ...{ status: 'PAID', variance: 'NONE', amountReceived: 500_000, amountAccepted: 500_000 },
    payments: [json.data],
  })
  expect(await shop.naira()).toMatchObject({ available: 495_000, held: 0, pending: 0 })
  expect(await shop.eventsOf(reference)).toEqual(['virtual_account.paid'])
  await expectSoundBooks(house.db)
})

test('an underpayment goes back to the sender, free of charge', async () => {
  const { reference, accountNumber } = await open()
  const paid = (await shop.payIn(accountNumber, { amount: 499_999 })).json.data
  expect(paid).toMatchObject({ status: 'RETURNING', variance: 'UNDERPAID', fee: 0 })
  expect(await shop.naira()).toMatchObject({ available: 0, held: 0, pending: 499_999 })
  await house.pass(5)
  expect(await shop.payment(paid.reference)).toMatchObject({
    ...{ status: 'RETURNED', amountReturned: 499_999, amountReturning: 0 },
  })
  expect(await shop.verify(reference)).toMatchObject({
    ...{ status: 'ACTIVE', variance: 'UNDERPAID', amountReturned: 499_999 },
  })
  expect(await shop.eventsOf(paid.reference)).toEqual(['payment.returning', 'payment.returned'])
  expect(await shop.naira()).toMatchObject({ available: 0, held: 0, pending: 0 })
  await expectSoundBooks(house.db)
})
