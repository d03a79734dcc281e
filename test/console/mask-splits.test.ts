import { expect, test } from 'vitest'
import { maskSplits } from '../../src/api/auth/mask-splits.js'

const masked = (value: object) => JSON.parse(maskSplits(JSON.stringify(value)))

test('shares and splits are left out wherever they are', () => {
  const shares = [{ subaccount: 'sub_1', amount: 5 }]
  const payment = { reference: 'pay_1', shares, refund: { reference: 'rf_1', splits: shares } }
  const left = { reference: 'pay_1', refund: { reference: 'rf_1' } }
  expect(masked({ data: { items: [payment, payment] } })).toEqual({ data: { items: [left, left] } })
})

test('they are left out of bodies that the request log keeps, also of cut ones', () => {
  const body = JSON.stringify({ amount: 5, splits: { lines: [{ subaccount: 'sub_1' }] } })
  const { requestBody, responseBody } = masked({
    requestBody: body,
    responseBody: body.slice(0, -4),
  })
  expect(requestBody).toBe('{"amount":5}')
  expect(responseBody).toBe('{"amount":5,')
})

test('an answer without them keeps its bytes', () => {
  const body = '{ "amount": 5.0 }'
  expect(maskSplits(body)).toBe(body)
})
