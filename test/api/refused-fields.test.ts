import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { detailOf, reasons } from '../../src/base/refusals.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const key = service.merchant.test.secret

const post = (path: string, body: object, idempotencyKey = randomUUID()) =>
  service.ask('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } })

const account = (serial: number) => toNuban({ bankCode: '058', serial: String(serial) })
const transfer = { amount: 100_000, bankCode: '058', accountNumber: '0123456789' }
const coins = {
  amount: '5',
  asset: 'USDC',
  network: 'SOLANA',
  destinationAddress: 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ',
}
const usdcMint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const bank = '/v1/disbursements/bank-transfer'
const crypto = '/v1/disbursements/crypto'
const dedicated = '/v1/collections/dedicated-accounts'

beforeAll(async () => {
  await service.chain.advance(40)
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 1_000_000 })
  await post('/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
  await service.chain.advance(2)
  await post(bank, { ...transfer, merchantReference: 'rent' })
  await post(dedicated, { externalReference: 'ada' })
})

const tooMuch = { ...transfer, amount: 10_000_000 }
const unusable = {
  code: { ...transfer, bankCode: '777' },
  number: { ...transfer, accountNumber: account(990_000_008) },
  name: { ...transfer, accountName: 'NOBODY ELSE' },
}

test.each<[string, object, number, string | undefined, string]>([
  [bank, tooMuch, 402, undefined, 'amount'],
  [crypto, { ...coins, amount: '5000' }, 402, undefined, 'amount'],
  [bank, unusable.code, 422, 'unknown_bank', 'bankCode'],
  [bank, unusable.number, 422, 'account_not_found', 'accountNumber'],
  [bank, unusable.name, 422, 'name_mismatch', 'accountName'],
  [
    bank,
    { ...transfer, merchantReference: 'rent' },
    409,
    'duplicate_reference',
    'merchantReference',
  ],
  [dedicated, { externalReference: 'ada' }, 409, 'duplicate_reference', 'externalReference'],
  [
    crypto,
    { ...coins, destinationAddress: usdcMint },
    422,
    'destination_is_mint',
    'destinationAddress',
  ],
  [`${bank}/quote`, unusable.code, 422, 'unknown_bank', 'bankCode'],
  ['/v1/settlements', { amount: 90_000_000 }, 422, 'no_bank_account', ''],
])('%s %j', async (path, body, status, reason, field) => {
  const idempotencyKey = randomUUID()
  const reply = await post(path, body, idempotencyKey)
  expect([reply.status, reply.json.reason, reply.text]).toEqual([status, reason, reply.text])
  const fields = (reply.json.details ?? []).map((detail: { field: string }) => detail.field)
  expect(fields).toEqual(field === '' ? [] : [field])
  for (const { issue } of reply.json.details ?? []) expect(issue).toMatch(/^(is|must|cannot) /)
  if (!path.endsWith('quote'))
    expect((await post(path, body, idempotencyKey)).text).toBe(reply.text)
})

test('a quote that expired is named where it was sent', async () => {
  const quoted = await post('/v1/conversions/quotes', { from: 'NGN', to: 'USDC', amount: 100_000 })
  const { reference } = quoted.json.data
  service.clock.advance(120_000)
  const { json } = await post('/v1/conversions', { quote: reference })
  expect(json).toMatchObject({ reason: 'quote_expired', details: [{ field: 'quote' }] })
  const fundFrom = { asset: 'NGN', quote: reference }
  const funded = await post(crypto, { ...coins, fundFrom })
  expect(funded.json).toMatchObject({
    reason: 'quote_expired',
    details: [{ field: 'fundFrom.quote' }],
  })
})

test('a key that was used for another request is named', async () => {
  const idempotencyKey = randomUUID()
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 5 }, idempotencyKey)
  const { json } = await post('/v1/test/balances/fund', { asset: 'NGN', amount: 6 }, idempotencyKey)
  expect(json.details).toMatchObject([{ field: 'Idempotency-Key' }])
})

test('a field that the request does not have is not named', () => {
  expect(detailOf('bank_transfer_failed', 'account_not_found', undefined)).toBeUndefined()
  expect(detailOf('bank_transfer_failed', 'account_not_found', { amount: 5 })).toBeUndefined()
  const nested = { destination: { accountNumber: '0123456789' } }
  expect(detailOf('payment_action_failed', 'account_not_found', nested)).toMatchObject({
    field: 'destination.accountNumber',
  })
  for (const [reason, row] of Object.entries(reasons))
    expect([reason, 'fields' in row]).toEqual([reason, 'issue' in row])
})
