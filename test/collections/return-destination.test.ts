import { expect, test } from 'vitest'
import type { BankLimits } from '../../src/collections/ports.js'
import { destinationOf } from '../../src/collections/returns/return-destination.js'

const known = { name: 'ADA OBI', accountNumber: '0123456789', bankCode: '058', bankName: 'GTBank' }
const masked = { ...known, accountNumber: '******6789' }
const byId = { limits: { refundsById: true } as BankLimits }
const byNumber = { limits: { refundsById: false } as BankLimits }

test('naira is sent back to its account, or by payment id if the account is masked', () => {
  expect(destinationOf({ id: 'p1', sender: known }, byId)).toMatchObject({
    kind: 'bank_account',
    accountNumber: '0123456789',
    bankCode: '058',
    accountName: '',
  })
  expect(destinationOf({ id: 'p1', sender: masked }, byId)).toMatchObject({ refundOf: 'p1' })
  expect(destinationOf({ id: 'p1', sender: masked }, byNumber)).toBeUndefined()
  expect(destinationOf({ id: 'p1', sender: null }, byId)).toBeUndefined()
})

test.each(['HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk', null])(
  'coins from %s are never sent back automatically',
  (address) => {
    expect(destinationOf({ id: 'p1', sender: { address } }, byId)).toBeUndefined()
  },
)
