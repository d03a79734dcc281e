import { expect, test } from 'vitest'
import { type Provider, providers } from '../../src/base/config.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { emptyForm, type KycForm } from '../../src/merchants/kyc/kyc-form.js'
import { saveKyc } from '../../src/merchants/kyc/kyc-submissions.js'
import { resealMerchants } from '../../src/merchants/reseal-merchants.js'
import { sql } from '../../src/postgres/sql.js'
import { openEmulatedBank } from '../rails/contract/emulated-bank.js'
import { openWorld } from '../rails/contract/open-world.js'

const path = '/v1/collections/dedicated-accounts'
const person = { position: 'owner', dateOfBirth: '1990-01-02', sharePercent: 100 } as const
const form: KycForm = {
  ...emptyForm,
  contact: { name: 'Ngozi Eze', email: 'ngozi@shop.example', phone: '+2348099999999' },
  people: [{ ...person, name: 'Chidi Eze', bvn: '22200000017' }],
}
const needs: Record<Provider, string[]> = {
  paystack: ['name', 'phone'],
  monnify: ['bvn'],
  flutterwave: ['name', 'email', 'bvn'],
}

async function openLive(provider: Provider) {
  const world = await openWorld((tools) => openEmulatedBank(provider, tools))
  const shop = await world.open()
  const { service, db, clock } = world
  const merchant = await service.db
    .rows(sql<{ id: string }>`
      select merchant_id as id from environments where id = ${shop.environmentId}`)
    .then(([row]) => row!.id)
  /** What the merchant states; its KYC stays approved. */
  async function state(stated: KycForm) {
    const status = (to: string) =>
      db.rows(sql`update environments set kyc_status = ${to} where id = ${shop.environmentId}`)
    await status('DRAFT')
    await db.transaction((tx) =>
      saveKyc(tx, clock.now(), { merchantId: merchant, seal: service.seal, form: stated }),
    )
    await status('APPROVED')
  }
  const open = (externalReference: string) => shop.send('POST', path, { externalReference })
  const set = (defaultCustomer: object) =>
    shop.send('PATCH', '/v1/settings', { dedicatedAccounts: { defaultCustomer } })
  return { ...world, ...shop, state, open, set }
}

test.each(providers)(
  'the request of the specification opens a live dedicated account at %s',
  async (provider) => {
    const { open, state, set, lines } = await openLive(provider)
    // Nothing is known of a customer: the refusal names the setting and the field.
    const { status, json } = await open('customer-1')
    expect([status, json.code]).toEqual([400, 'validation_failed'])
    expect(json.details.map(({ field }: { field: string }) => field)).toEqual(
      needs[provider].map((field) => `customer.${field}`),
    )
    for (const field of needs[provider])
      expect(json.message).toContain(`dedicatedAccounts.defaultCustomer.${field}`)

    await state(form)
    const opened = await open('customer-1')
    expect([opened.status, opened.json.data?.externalReference]).toEqual([201, 'customer-1'])
    await state(emptyForm)
    await set({
      name: 'Ada Obi',
      email: 'ada@shop.example',
      phone: '+2348012345678',
      bvn: '22212345678',
    })
    expect((await open('customer-2')).status).toBe(201)
    expect(lines.join('')).not.toMatch(/22200000017|22212345678/)
  },
)

test('the default customer is stored sealed, shown masked, and changed field by field', async () => {
  const { set, get, send, db, service } = await openLive('paystack')
  const shown = async () => (await get('/v1/settings')).dedicatedAccounts.defaultCustomer
  const none = { name: null, email: null, phone: null, bvn: null, nin: null }
  expect(await shown()).toEqual(none)
  const first = await set({ name: 'Ada Obi', bvn: '22212345678' })
  expect(first.json.data.dedicatedAccounts.defaultCustomer).toMatchObject({ bvn: '*******5678' })
  expect(first.text).not.toContain('22212345678')
  await set({ phone: '+2348012345678' })
  // All settings sent back as they were read change nothing.
  const all = await get('/v1/settings')
  expect((await send('PATCH', '/v1/settings', all)).status).toBe(200)
  const known = { ...none, name: 'Ada Obi', phone: '+2348012345678', bvn: '*******5678' }
  expect(await shown()).toEqual(known)
  for (const wrong of [{ bvn: '*******0000' }, { bvn: '1' }, { nin: '*******5678' }, { pin: '1' }])
    expect((await set(wrong)).status).toBe(400)

  const stored = () => db.rows(sql<{ row: string }>`select d::text as row from default_customers d`)
  expect((await stored()).map(({ row }) => row).join()).not.toMatch(/Ada|22212345678/)
  const both = createSeal(new Secret('n'.repeat(32)), { old: service.secret })
  expect([await resealMerchants(db, both), await resealMerchants(db, both)]).toEqual([1, 0])
})
