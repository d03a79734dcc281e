import { beforeEach, describe, expect, test } from 'vitest'
import { approveKyc } from '../../src/merchants/kyc/kyc.js'
import { addBankAccount, makePrimary } from '../../src/merchants/settings/bank-accounts.js'
import type { Merchant } from '../support/open-manilla.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'

const service = await openWithBank()
const { ask, clock, db } = service
const path = '/v1/checkout/sessions'
const order = {
  amount: 1_250_000,
  description: 'Two loaves of agege bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
}

let merchant: Merchant
let shop: ReturnType<typeof payersOf>
beforeEach(async () => {
  merchant = await service.addMerchant('Ada Stores')
  shop = payersOf(service, merchant)
})

// The code names the operation, the reason says why its account was refused.
test('a session whose account is refused has its own code', async () => {
  const headers = { 'idempotency-key': 'refused' }
  const refused = await shop.post(path, { ...order, merchantReference: 'sandbox-refused' }, headers)
  expect([refused.status, refused.json]).toMatchObject([
    422,
    { code: 'checkout_session_failed', reason: 'account_refused' },
  ])
  const again = await shop.post(path, { ...order, merchantReference: 'sandbox-refused' }, headers)
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([refused.text, 'true'])
  const away = await shop.post(path, { ...order, merchantReference: 'sandbox-unreachable' })
  expect([away.status, away.json]).toMatchObject([
    503,
    { code: 'checkout_session_failed', reason: 'rail_unavailable' },
  ])
  expect((await shop.get(path)).json.data.items).toEqual([])
})

test('live mode requires approval, then a bank account, then a bank rail', async () => {
  const environment = merchant.environments.live
  const refusal = async () => {
    const { status, json } = await ask('POST', path, { key: merchant.live.secret, body: order })
    return [status, json.code, json.reason]
  }
  const code = 'checkout_session_failed'
  expect(await refusal()).toEqual([403, code, 'kyc_missing'])
  await db.transaction((tx) => approveKyc(tx, environment.id))
  expect(await refusal()).toEqual([422, code, 'no_bank_account'])
  await db.transaction(async (tx) => {
    const { reference } = await addBankAccount(tx, clock.now(), {
      environmentId: environment.id,
      bankCode: '058',
      accountNumber: '0123456789',
      accountName: 'ADA STORES',
    })
    await makePrimary(tx, { environmentId: environment.id, reference })
  })
  expect(await refusal()).toEqual([503, code, 'rail_unavailable'])
})

describe('validation says what to change', () => {
  const email = (text: string) => ({ customer: { name: 'Ada', email: text } })
  const cases: [object, string, RegExp][] = [
    [{ successUrl: 'https://ada:x@shop.example/' }, 'successUrl', /^must not have a user name/],
    [{ cancelUrl: 'https://shop.example@evil.example/' }, 'cancelUrl', /user name or password/],
    [{ successUrl: 'https://shop.example:99999/a' }, 'successUrl', /^must have a port .* 99999$/],
    [{ successUrl: 'https://' }, 'successUrl', /must be an http or https address such as/],
    [{ successUrl: 'ftp://shop.example:99999' }, 'successUrl', /must be an http or https address/],
    [email('nobody'), 'customer.email', /^must be an email address such as ada@example\.com$/],
  ]
  test.each(cases)('%j', async (change, field, words) => {
    const { status, json } = await shop.post(path, { ...order, ...change })
    expect([status, json.details]).toEqual([400, [{ field, issue: expect.stringMatching(words) }]])
  })
})

describe('texts that payers read', () => {
  const name = (displayName: string) => shop.patch('/v1/settings', { checkout: { displayName } })
  const zeroWidth = ['\u200b', '\u200e', '\u3164', '\u115f\u1160', '\uffa0', '\u2800', '\ufeff']
  const others = ['\u00ad', '\u034f', '\u2060', '\ufe0f', '\u{e0041}', '\u{1d159}', '\u00a0', ' ']
  test.each([...zeroWidth, ...others].map((text) => [escape(text), text]))(
    'cannot be invisible: %s',
    async (_name, text) => {
      expect((await name(text)).json.details[0].field).toBe('checkout.displayName')
      expect((await name(`${text}${text}`)).status).toBe(400)
      const { json } = await shop.post(path, { ...order, description: text })
      expect(json.details[0]).toMatchObject({ field: 'description' })
    },
  )

  // Some scripts and many emoji need joiners.
  test.each(['Ада', '阿達', 'آدا\u200cها', '👩🏾\u200d🍳', '7', '&', 'é', 'Ada\u00a0Stores'])(
    'may be in any script: %s',
    async (text) => {
      expect((await name(text)).json.data.checkout.displayName).toBe(text)
    },
  )
})

describe('sites that may frame the page', () => {
  const set = (frameOrigins: string[]) => shop.patch('/v1/settings', { checkout: { frameOrigins } })
  test.each([
    'https://shop.example:99999',
    'https://shop.example:65536',
    'https://shop.example:0',
    'https://a..b',
    'https://.shop.example',
    'https://shop.example.',
    'https://-shop.example',
    'https://shop-.example',
    `https://${'a.'.repeat(130)}example`,
  ])('cannot be %s', async (origin) => {
    expect((await set([origin])).json.details[0].field).toBe('checkout.frameOrigins.0')
  })

  test.each(['https://shop.example', 'https://a-b.c1.example:65535', 'http://localhost:3000'])(
    'can be %s',
    async (origin) => {
      expect((await set([origin])).status).toBe(200)
    },
  )
})
