import { expect, test } from 'vitest'
import { destinationOf } from '../../src/collections/return-destination.js'

const known = { name: 'ADA OBI', accountNumber: '0123456789', bankCode: '058', bankName: 'GTBank' }
const masked = { ...known, accountNumber: '******6789' }
const byId = { refundsById: true }

test('naira goes back to the account that it came from, or by the name of the payment', () => {
  expect(destinationOf({ id: 'p1', sender: known }, byId)).toMatchObject({
    kind: 'bank_account',
    accountNumber: '0123456789',
    bankCode: '058',
    accountName: '',
  })
  expect(destinationOf({ id: 'p1', sender: masked }, byId)).toMatchObject({ refundOf: 'p1' })
  expect(destinationOf({ id: 'p1', sender: masked }, { refundsById: false })).toBeUndefined()
  expect(destinationOf({ id: 'p1', sender: null }, byId)).toBeUndefined()
})

test.each(['HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk', null])(
  'coins of %s never go back by themselves',
  (address) => {
    expect(destinationOf({ id: 'p1', sender: { address } }, byId)).toBeUndefined()
  },
)
