import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { type Provider, providers } from '../../../src/base/config.js'
import { sql } from '../../../src/postgres/sql.js'
import { readFeeInKobo, readFeeInNaira } from '../../../src/rails/bank/naira.js'
import { openWithProviders } from '../../support/open-with-providers.js'
import { addPerson } from '../../support/people.js'
import { until } from '../../support/sessions.js'
import { expectAllProofs } from '../../support/sound-books.js'

test.each([
  ['0', 0n],
  ['1075', 1_075n],
  ['1075.00', 1_075n],
  ['1075.5', null],
  ['-1', null],
  ['1e3', null],
  ['free', null],
  ['', null],
  [null, null],
  [undefined, null],
  [{ amount: '1' }, null],
  ['9'.repeat(40), null],
])('a fee of %j kobo is %s', (written, kobo) => {
  expect(readFeeInKobo(written)).toBe(kobo)
})

test.each([
  ['0', 0n],
  ['10.75', 1_075n],
  // Fractions of a kobo are rounded half up.
  ['26.875', 2_688n],
  ['26.8749', 2_687n],
  ['0.995', 100n],
  ['-0.01', null],
  ['1,000', null],
  ['1e3', null],
  ['free', null],
  ['', null],
  [null, null],
  [[], null],
  ['9'.repeat(40), null],
])('a fee of %j naira is %s kobo', (written, kobo) => {
  expect(readFeeInNaira(written)).toBe(kobo)
})

/** What the emulators charge for a payment of ₦5,000 and for a payout of ₦10,000, in kobo. */
const charges: Record<Provider, { payment: bigint; payout: bigint }> = {
  paystack: { payment: 17_500n, payout: 2_500n },
  monnify: { payment: 1_000n, payout: 1_000n },
  // 1.4 %, and ₦26.875.
  flutterwave: { payment: 7_000n, payout: 2_688n },
}

/** The fields in which each provider names its fee. */
const feeFields: Record<Provider, RegExp> = {
  paystack: /"(fees|fee_charged)":[^,}]*/g,
  monnify: /"(settlementAmount|fee)":[^,}]*/g,
  flutterwave: /"(app_fee|fee)":[^,}]*/g,
}

describe.each(providers)('%s', async (provider) => {
  const service = await openWithProviders(provider)
  const { db, clock, emulators, work, post, mutate } = service
  const emulator = emulators[provider]
  afterEach(() => expectAllProofs(db))

  const feesOf = (table: 'payments' | 'payouts') =>
    db.rows(sql<{ amount: bigint | null; rail: string | null }>`
      select f.amount, f.rail from ${sql.identifier(table)} p
      left join provider_fees f on f.environment_id = p.environment_id and f.cause_id = p.id
      order by p.id`)

  async function pay(): Promise<void> {
    const opened = await post('/v1/collections/virtual-accounts', {
      merchantReference: randomUUID(),
      amount: 500_000,
    })
    expect([opened.status, opened.text]).toEqual([201, opened.text])
    const { reference, accountNumber } = opened.json.data
    await emulator.pay({ accountNumber, amount: 500_000n, copies: 2 })
    await emulator.drainNotices()
    await until(async () => {
      await work()
      const account = await service.get(`/v1/collections/virtual-accounts/${reference}`)
      return account.json.data.status === 'PAID'
    })
    clock.advance(1_000)
  }

  let serial = 0
  async function payOut(): Promise<void> {
    serial += 1
    const reply = await post('/v1/disbursements/bank-transfer', {
      amount: 1_000_000,
      bankCode: '058',
      accountNumber: `012345678${serial}`,
    })
    expect([reply.status, reply.text]).toEqual([201, reply.text])
    await until(async () => {
      clock.advance(60_000)
      await work()
      const path = `/v1/disbursements/bank-transfer/${reply.json.data.reference}`
      return (await service.get(path)).json.data.status === 'COMPLETED'
    })
  }

  test('reports what it charges for a payment and a payout, and it is recorded once', async () => {
    await post('/v1/test/balances/fund', { asset: 'NGN', amount: 100_000_000 })
    await pay()
    await payOut()
    const rail = `${provider}-test`
    expect(await feesOf('payments')).toEqual([{ rail, amount: charges[provider].payment }])
    expect(await feesOf('payouts')).toEqual([{ rail, amount: charges[provider].payout }])
    await expect(db.rows(sql`update provider_fees set amount = 0`)).rejects.toThrow()
  })

  // The money counts, whatever the provider writes about its fee.
  test.each(['-5', '"free"', 'null', '{}', '1e400'])(
    'reports %s as its fee: unknown, and nothing else changes',
    async (written) => {
      const [payments, payouts] = [await feesOf('payments'), await feesOf('payouts')]
      mutate(provider, (_call, answer) => ({
        ...answer,
        body: answer.body.replace(feeFields[provider], (_, name) => `"${name}":${written}`),
      }))
      await pay()
      await payOut()
      mutate(provider, undefined)
      const unknown = { amount: null, rail: null }
      expect(await feesOf('payments')).toEqual([...payments, unknown])
      expect(await feesOf('payouts')).toEqual([...payouts, unknown])
    },
  )

  test('an answer without a fee leaves it unknown', async () => {
    mutate(provider, (_call, answer) => ({
      ...answer,
      body: answer.body.replace(feeFields[provider], (_, name) => `"other_${name}":1`),
    }))
    await pay()
    await payOut()
    mutate(provider, undefined)
    expect((await feesOf('payments')).at(-1)!.amount).toBeNull()
    expect((await feesOf('payouts')).at(-1)!.amount).toBeNull()
  })

  test('the margin is what remains after VAT and the known costs', async () => {
    const operator = await addPerson(service, { isOperator: true })
    const days = 'from=2026-01-01&to=2026-01-31'
    const { json } = await operator.ask('GET', `/operator/v1/margins?mode=test&${days}`)
    const { payment, payout } = charges[provider]
    const items = json.data.items as Record<string, number | string>[]
    const sum = (name: string) => items.reduce((all, item) => all + Number(item[name]), 0)
    expect(items.every(({ rail }) => rail === `${provider}-test`)).toBe(true)
    // Seven payments of ₦5,000 at 1 %, and seven payouts at ₦25.
    expect(sum('fees')).toBe(7 * 5_000 + 7 * 2_500)
    expect(sum('providerFees')).toBe(Number(payment + payout))
    expect(sum('unknown')).toBe(12)
    expect(sum('margin')).toBe(sum('fees') - sum('vat') - sum('providerFees'))
  })
})
