import { beforeEach, describe, expect, test } from 'vitest'
import { approveKyc } from '../../src/merchants/kyc/kyc.js'
import type { Merchant, Reply } from '../support/open-manilla.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'

const service = await openWithWallets()
const { ask, db, clock } = service
const temporary = '/v1/collections/crypto-wallets'
const dedicated = '/v1/collections/dedicated-crypto-wallets'
const order = { merchantReference: 'order-1', asset: 'USDC', network: 'SOLANA', amount: '25' }
const customer = { externalReference: 'customer-1', network: 'SOLANA' }

let merchant: Merchant
let shop: ReturnType<typeof shopOf>
beforeEach(async () => {
  merchant = await service.addMerchant('Ada')
  shop = shopOf(service, merchant)
})

const refusalOf = ({ status, json }: Reply) => [status, json.code, json.details?.[0]?.field]

describe('a wallet for one amount', () => {
  test.each([
    ['merchantReference', { merchantReference: undefined }],
    ['merchantReference', { merchantReference: '' }],
    ['asset', { asset: 'NGN' }],
    ['asset', { asset: 'SOL' }],
    ['asset', { asset: undefined }],
    ['network', { network: 'ETHEREUM' }],
    ['network', { network: undefined }],
    ['amount', { amount: 25 }],
    ['amount', { amount: '0' }],
    ['amount', { amount: '-1' }],
    ['amount', { amount: '0.0000001' }],
    ['amount', { amount: '1e3' }],
    ['amount', { amount: '99999999999999' }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['expiresAt', { expiresAt: '2999-01-01T00:00:00Z' }],
    ['metadata', { metadata: [] }],
    ['accountNumber', { accountNumber: '0123456789' }],
  ])('is refused for its %s: %j', async (field, change) => {
    const reply = await shop.post(temporary, { ...order, ...change })
    expect(refusalOf(reply)).toEqual([400, 'validation_failed', field])
    expect((await shop.get(temporary)).items).toEqual([])
  })

  test('is listed newest first, by reference and by status, a page at a time', async () => {
    const made: string[] = []
    for (const merchantReference of ['a', 'b', 'b']) {
      clock.advance(10)
      made.unshift((await shop.open({ merchantReference })).json.data.reference)
    }
    const references = async (query: string) =>
      (await shop.get(`${temporary}?${query}`)).items.map(
        ({ reference }: { reference: string }) => reference,
      )
    expect(await references('')).toEqual(made)
    expect(await references('merchantReference=b')).toEqual(made.slice(0, 2))
    const { nextCursor } = await shop.get(`${temporary}?limit=2`)
    expect(await references(`limit=2&cursor=${nextCursor}`)).toEqual(made.slice(2))
    await shop.post(`${temporary}/${made[0]}/cancel`, {})
    expect(await references('status=CANCELLED')).toEqual(made.slice(0, 1))
  })

  test('belongs to one environment', async () => {
    const { reference, address } = (await shop.open()).json.data
    const stranger = shopOf(service, await service.addMerchant('Bola'))
    const key = stranger.post
    expect((await key(`${temporary}/${reference}/cancel`, {})).status).toBe(404)
    expect((await key(`${temporary}/${reference}/requery`, {})).status).toBe(404)
    expect((await stranger.deposit(address, '1')).status).toBe(404)
    const asDedicated = await ask('GET', `${dedicated}/${reference}`, { key: merchant.test.secret })
    expect(asDedicated.status).toBe(404)
  })
})

describe('a dedicated wallet', () => {
  test.each([
    ['externalReference', { externalReference: undefined }],
    ['externalReference', { externalReference: 'x'.repeat(101) }],
    ['network', { network: 'solana' }],
    ['metadata', { metadata: 'text' }],
    ['asset', { asset: 'USDC' }],
  ])('is refused for its %s: %j', async (field, change) => {
    const reply = await shop.post(dedicated, { ...customer, ...change })
    expect(refusalOf(reply)).toEqual([400, 'validation_failed', field])
  })

  test('is unique per reference, also under concurrent requests', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => shop.post(dedicated, customer)),
    )
    const made = replies.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    const rest = replies.filter(({ status }) => status !== 201)
    expect(new Set(rest.map(({ json }) => json.reason))).toEqual(new Set(['duplicate_reference']))
    const { reference } = made[0]!.json.data
    expect(await shop.get(`${dedicated}/${reference}`)).toEqual(made[0]!.json.data)
    const listed = await shop.get(`${dedicated}?externalReference=customer-1`)
    expect(listed.items).toEqual([made[0]!.json.data])
  })
})

test('live mode requires KYC approval, then a chain', async () => {
  const key = merchant.live.secret
  const refusals = async () => {
    const replies = [
      await ask('POST', temporary, { key, body: order }),
      await ask('POST', dedicated, { key, body: customer }),
    ]
    return replies.map(({ status, json }) => [status, json.code, json.reason])
  }
  const codes = ['crypto_wallet_creation_failed', 'dedicated_crypto_wallet_creation_failed']
  expect(await refusals()).toEqual(codes.map((code) => [403, code, 'kyc_missing']))
  await db.transaction((tx) => approveKyc(tx, merchant.environments.live.id))
  expect(await refusals()).toEqual(codes.map((code) => [503, code, 'rail_unavailable']))
  const body = { address: 'x', asset: 'USDC', amount: '1' }
  const deposit = await ask('POST', '/v1/test/crypto-deposits', { key, body })
  expect([deposit.status, deposit.json.reason]).toEqual([403, 'test_mode_only'])
})

// PostgreSQL cannot store NUL: it must be refused, not end in an internal error.
test.each([
  ['\u0000', 400],
  ['a\u0007', 400],
  ['x', 404],
  ['\ud800', 400],
])('coins sent to %j are refused', async (address, expected) => {
  const body = { address, asset: 'USDC', amount: '1' }
  const { status } = await ask('POST', '/v1/test/crypto-deposits', {
    key: merchant.test.secret,
    body,
  })
  expect(status).toBe(expected)
})
