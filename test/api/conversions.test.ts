import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { minute } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { listPositions } from '../../src/conversions/positions.js'
import { conversionProofs } from '../../src/conversions/proofs.js'
import { formatDecimal } from '../../src/money/amounts.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { ask, merchant, db, clock } = service
const key = merchant.test.secret

const post = (path: string, body: object, headers = {}) =>
  ask('POST', path, { key, body, headers: { 'idempotency-key': randomUUID(), ...headers } })
const read = async (path: string) => (await ask('GET', path, { key })).json.data
const fund = (asset: string, amount: number | string) =>
  post('/v1/test/balances/fund', { asset, amount })
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'
const quote = (body: object) => post('/v1/conversions/quotes', body)
const convert = (reference: string, headers = {}) =>
  post('/v1/conversions', { quote: reference }, headers)

async function available(asset: string) {
  const { items } = await read('/v1/balances')
  return items.find((one: { asset: string }) => one.asset === asset).available
}

await service.chain.advance(40)
await fund('NGN', 200_000_000)
await fund('USDC', '1000')
// The hot wallet has coins of other merchants, too.
const other = await service.addMerchant('Bola Foods')
await ask('POST', '/v1/test/balances/fund', {
  key: other.test.secret,
  body: { asset: 'USDT', amount: '1000' },
  headers: { 'idempotency-key': randomUUID() },
})
await service.chain.advance(2)

describe('a quote', () => {
  test('prices an amount at the current rate, with the fee', async () => {
    const rates = await read('/v1/rates')
    const usdc = rates.items.find((one: { asset: string }) => one.asset === 'USDC')
    const reply = await quote({ from: 'NGN', to: 'USDC', amount: 100_000_000 })
    expect(reply.status, reply.text).toBe(201)
    const { rate, fee, sourceAmount, targetAmount } = reply.json.data
    expect(rate).toBe(usdc.sell)
    expect([sourceAmount, fee]).toEqual([100_000_000, 500_000])
    expect(Number(targetAmount)).toBeCloseTo(995_000 / Number(rate), 5)
    const back = await quote({ from: 'USDC', to: 'NGN', amount: '25.50' })
    expect(back.json.data).toMatchObject({ rate: usdc.buy, fee: '0.1275', sourceAmount: '25.5' })
  })

  test('prices the amount to receive', async () => {
    const reply = await quote({ from: 'NGN', to: 'USDC', targetAmount: '25' })
    expect(reply.json.data).toMatchObject({ targetAmount: '25' })
    const { sourceAmount } = reply.json.data
    const less = await quote({ from: 'NGN', to: 'USDC', amount: sourceAmount - 1 })
    expect(Number(less.json.data.targetAmount)).toBeLessThan(25)
  })

  test.each([
    [{ from: 'NGN', to: 'NGN', amount: 1 }, 'to must be USDC or USDT.'],
    [{ from: 'USDC', to: 'USDT', amount: '1' }, 'to must be NGN.'],
    [{ from: 'NGN', to: 'USDC' }, 'amount must be sent, or `targetAmount` instead.'],
    [
      { from: 'NGN', to: 'USDC', amount: 100, targetAmount: '25' },
      'targetAmount cannot be sent together with `amount`; send one of them.',
    ],
    [{ from: 'NGN', to: 'USDC', amount: '25.50' }, 'amount must be an integer in kobo.'],
    [{ from: 'NGN', to: 'USDC', targetAmount: 25 }, 'targetAmount must be a decimal string'],
  ])('of %j is refused', async (body, message) => {
    const reply = await quote(body)
    expect(reply.status).toBe(400)
    expect(reply.json.message).toContain(message)
  })

  // One side is naira, which JSON writes as a number up to 2^53 − 1.
  test.each([
    { from: 'USDC', to: 'NGN', amount: '60000000000' },
    { from: 'NGN', to: 'USDC', targetAmount: '60000000000' },
  ])('of %j is too large', async (body) => {
    const reply = await quote(body)
    expect([reply.status, reply.json.reason, reply.json.message]).toEqual([
      422,
      'amount_too_large',
      'The conversion exceeds ₦90,071,992,547,409.91. Convert less.',
    ])
  })

  test('of too little is refused', async () => {
    const reply = await quote({ from: 'USDC', to: 'NGN', amount: '0.000001' })
    expect(reply.json).toMatchObject({ code: 'conversion_failed', reason: 'amount_too_small' })
  })
})

describe('a conversion', () => {
  test('changes both balances by the quote, once', async () => {
    const [naira, coins] = [await available('NGN'), await available('USDC')]
    const quoted = (await quote({ from: 'NGN', to: 'USDC', amount: 100_000_000 })).json.data
    const headers = { 'idempotency-key': randomUUID() }
    const made = await convert(quoted.reference, headers)
    expect(made.status, made.text).toBe(201)
    const { sourceAmount, targetAmount, fee, rate } = quoted
    const expected = { status: 'COMPLETED', quote: quoted.reference, from: 'NGN', to: 'USDC' }
    const price = { sourceAmount, targetAmount, fee, rate, transferReference: null }
    expect(made.json.data).toMatchObject({ ...expected, ...price })
    expect(await available('NGN')).toBe(naira - 100_000_000)
    expect(Number(await available('USDC'))).toBeCloseTo(Number(coins) + Number(targetAmount), 6)

    const again = await convert(quoted.reference, headers)
    expect(again.text).toBe(made.text)
    const used = await convert(quoted.reference)
    expect(used.json).toMatchObject({ code: 'conversion_failed', reason: 'quote_used' })

    const { reference } = made.json.data
    expect(await read(`/v1/conversions/${reference}`)).toEqual(made.json.data)
    expect((await read('/v1/conversions')).items).toContainEqual(made.json.data)
    const events = await read(`/v1/events?resource=${reference}`)
    expect(events.items.map(({ type }: { type: string }) => type)).toEqual(['conversion.completed'])
    const lines = await read('/v1/balance-entries?asset=NGN&limit=2')
    const shown = lines.items.map((one: { type: string; reference: string }) => [
      one.type,
      one.reference,
    ])
    expect(shown).toEqual([
      ['conversion_fee', reference],
      ['conversion', reference],
    ])
  })

  test('with an expired quote is refused', async () => {
    const { reference } = (await quote({ from: 'NGN', to: 'USDC', amount: 100_000 })).json.data
    clock.advance(minute)
    const late = await convert(reference)
    expect(late.json).toMatchObject({ code: 'conversion_failed', reason: 'quote_expired' })
    expect(late.status).toBe(409)
  })

  test('of more than the balance is refused and changes nothing', async () => {
    const before = [await available('NGN'), await available('USDC')]
    const { reference } = (await quote({ from: 'USDC', to: 'NGN', amount: '9999999' })).json.data
    expect((await convert(reference)).json).toMatchObject({ code: 'insufficient_balance' })
    expect([await available('NGN'), await available('USDC')]).toEqual(before)
  })

  test('by concurrent calls with one quote is made once', async () => {
    const { reference } = (await quote({ from: 'USDC', to: 'NGN', amount: '10' })).json.data
    const before = Number(await available('USDC'))
    const replies = await Promise.all(Array.from({ length: 8 }, () => convert(reference)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(Number(await available('USDC'))).toBeCloseTo(before - 10, 6)
  })

  test('cannot exceed its rate, by a constraint of the database', async () => {
    const { id } = merchant.environments.test
    const tooMuch = db.rows(sql`
      insert into conversions (environment_id, id, source_asset, target_asset, source_amount, fee,
        target_amount, rate, created_at)
      values (${id}, ${randomUUID()}, 'NGN', 'USDC', 160000, 0, 1000001, 1600000000, now())`)
    await expect(tooMuch).rejects.toThrow('conversion_gives_no_more_than_its_rate')
  })
})

describe('a transfer that another balance pays for', () => {
  const toWallet = { asset: 'USDT', network: 'SOLANA', destinationAddress: wallet }
  const toBank = { bankCode: '058', accountNumber: '0123456789' }

  test('converts exactly what it needs, in the same transaction', async () => {
    const naira = await available('NGN')
    const fundFrom = { asset: 'NGN', maxRate: '1700' }
    const headers = { 'idempotency-key': randomUUID() }
    const body = { ...toWallet, amount: '25', fundFrom }
    const reply = await post('/v1/disbursements/crypto', body, headers)
    expect(reply.status, reply.text).toBe(201)
    const { reference, status } = reply.json.data
    expect(status).toBe('SUBMITTED')
    const made = (await read('/v1/conversions?limit=100')).items.find(
      (one: { transferReference: string }) => one.transferReference === reference,
    )
    const { totalDebit } = reply.json.data
    expect(made).toMatchObject({ transferReference: reference, quote: null, from: 'NGN' })
    expect(made.targetAmount).toBe(totalDebit)
    expect(await available('NGN')).toBe(naira - made.sourceAmount)
    expect(await available('USDT')).toBe('0')
    const again = await post('/v1/disbursements/crypto', body, headers)
    expect(again.text).toBe(reply.text)
    expect((await read('/v1/conversions?limit=100')).items).toContainEqual(made)
    await service.settle()
    expect(await read(`/v1/disbursements/crypto/${reference}`)).toMatchObject({
      status: 'CONFIRMED',
    })
  })

  test('with a quote converts the whole quote', async () => {
    const quoted = await quote({ from: 'USDC', to: 'NGN', targetAmount: 2_000_000 })
    const fundFrom = { asset: 'USDC', quote: quoted.json.data.reference }
    const [naira, coins] = [await available('NGN'), Number(await available('USDC'))]
    const body = { ...toBank, amount: 1_900_000, fundFrom }
    const reply = await post('/v1/disbursements/bank-transfer', body)
    expect(reply.status, reply.text).toBe(201)
    const { totalDebit } = reply.json.data
    expect(await available('NGN')).toBe(naira + 2_000_000 - totalDebit)
    const left = coins - Number(quoted.json.data.sourceAmount)
    expect(Number(await available('USDC'))).toBeCloseTo(left, 6)
    // A quote for less than the transfer needs: the balance covers the rest.
    const part = await quote({ from: 'USDC', to: 'NGN', targetAmount: 100_000 })
    const before = await available('NGN')
    const partly = { ...body, fundFrom: { asset: 'USDC', quote: part.json.data.reference } }
    expect((await post('/v1/disbursements/bank-transfer', partly)).status).toBe(201)
    expect(await available('NGN')).toBe(before + 100_000 - totalDebit)
    const used = await post('/v1/disbursements/bank-transfer', body)
    expect(used.json).toMatchObject({ code: 'conversion_failed', reason: 'quote_used' })
    await service.settle()
  })

  // What a merchant cannot pay for must not reveal what the hot wallet holds.
  test('is priced although the treasury has fewer coins, and refused for want of balance', async () => {
    const body = { ...toWallet, amount: '400000' }
    for (const more of [{}, { fundFrom: { asset: 'NGN' } }])
      expect(
        (await post('/v1/disbursements/crypto/quote', { ...body, ...more })).json.data,
      ).toMatchObject({ amount: '400000' })
    const fundFrom = { asset: 'NGN', maxRate: '1700' }
    for (const more of [{}, { fundFrom }])
      expect((await post('/v1/disbursements/crypto', { ...body, ...more })).json).toMatchObject({
        code: 'insufficient_balance',
      })
  })

  test('is not made if it cannot be paid, and then nothing is converted', async () => {
    const count = (await read('/v1/conversions?limit=100')).items.length
    const before = [await available('NGN'), await available('USDC'), await available('USDT')]
    const refusals = [
      [{ ...toWallet, amount: '25', fundFrom: { asset: 'NGN', maxRate: '1' } }, 'rate_exceeded'],
      [{ ...toWallet, amount: '700', fundFrom: { asset: 'NGN', maxRate: '1700' } }, undefined],
    ] as const
    for (const [body, reason] of refusals) {
      const headers = { 'idempotency-key': randomUUID() }
      const reply = await post('/v1/disbursements/crypto', body, headers)
      expect(reply.status, reply.text).toBeGreaterThanOrEqual(400)
      expect(reply.json.reason).toBe(reason)
      expect((await post('/v1/disbursements/crypto', body, headers)).text).toBe(reply.text)
      if (reason) expect(reply.json.nextStep).toContain('new `Idempotency-Key`')
    }
    // The conversion is covered, the transfer is not: the quote is too small for it.
    const { reference } = (await quote({ from: 'NGN', to: 'USDT', amount: 100_000 })).json.data
    const small = { ...toWallet, amount: '25', fundFrom: { asset: 'NGN', quote: reference } }
    expect((await post('/v1/disbursements/crypto', small)).json).toMatchObject({
      code: 'insufficient_balance',
    })
    expect((await convert(reference)).status).toBe(201)
    const [last] = (await read('/v1/conversions')).items
    expect((await read('/v1/conversions?limit=100')).items).toHaveLength(count + 1)
    expect(await available('NGN')).toBe(before[0] - last.sourceAmount)
    expect(await available('USDC')).toBe(before[1])
  })

  test.each([
    [{ asset: 'USDC', maxRate: '1' }, 'fundFrom.asset must be NGN.'],
    [{ asset: 'NGN' }, 'fundFrom must have either'],
    [{ asset: 'NGN', maxRate: 'cheap' }, 'fundFrom.maxRate must be a decimal'],
  ])('from %j is refused', async (fundFrom, message) => {
    const reply = await post('/v1/disbursements/crypto', { ...toWallet, amount: '1', fundFrom })
    expect(reply.status).toBe(400)
    expect(reply.json.message).toContain(message)
  })
})

test('calls that convert nothing do not fill the stock of test mode without end', async () => {
  const largest = formatDecimal(limits.money.wireMax, 'USDC')
  const toWallet = { asset: 'USDC', network: 'SOLANA', destinationAddress: wallet }
  const body = { ...toWallet, amount: largest, fundFrom: { asset: 'NGN', maxRate: '1' } }
  const stock = async () =>
    (await listPositions(db, 'test')).find(({ asset }) => asset === 'USDC')!.stock
  for (let calls = 0; calls < 10; calls += 1) await post('/v1/disbursements/crypto', body)
  const full = await stock()
  await service.chain.advance(2)
  const refused = await post('/v1/disbursements/crypto', body)
  expect(refused.json).toMatchObject({ code: 'conversion_failed', reason: 'rate_exceeded' })
  expect(await stock()).toBe(full)
})

test('in live mode, only what the operator has is sold', async () => {
  const live = { key: merchant.live.secret, headers: { 'idempotency-key': randomUUID() } }
  const body = { from: 'NGN', to: 'USDC', amount: 1_000_000 }
  const none = await ask('POST', '/v1/conversions/quotes', { ...live, body })
  expect(none.status).toBe(503)
  expect(none.json).toMatchObject({ code: 'conversion_failed', reason: 'rate_unavailable' })
})

test('the coins of conversions are on the chain, and the books are sound', async () => {
  await service.settle()
  await expectAllProofs(db)
})

describe('verify-ledger finds', () => {
  const damages: [string, string, string][] = [
    [
      'a conversion that moved another amount',
      'Every conversion moved exactly its amounts, out of one balance and into the other',
      'update conversions set source_amount = source_amount + 1 where id = (select max(id::text)::uuid from conversions)',
    ],
    [
      'another purpose in the exchange account',
      'The exchange accounts hold conversions only, and nothing in them is pending',
      "update ledger_transfers set purpose = 'operator_credit' where purpose = 'conversion_credit'",
    ],
    [
      'a position that was raised',
      "The operator's positions equal the exchange accounts of all merchants, and their stock",
      "update exchange_positions set stock = stock + 1 where mode = 'test' and asset = 'USDC'",
    ],
    [
      'money sold that was not there',
      'The operator never sold more than was bought or put in',
      'alter table exchange_positions drop constraint only_existing_money_is_sold; update exchange_positions set stock = stock - 1000000000000000',
    ],
    [
      'a conversion above its rate',
      'No conversion gave more than its rate gives',
      "alter table conversions drop constraint conversion_gives_no_more_than_its_rate; update conversions set rate = rate * 2 where source_asset = 'NGN'",
    ],
    [
      'a conversion for a transfer that is not there',
      'Every conversion for a transfer belongs to a transfer in the asset that it bought',
      'update conversions set payout_id = id where payout_id is not null',
    ],
  ]
  test.each(damages)('%s', async (_, claim, damage) => {
    const broken: string[] = []
    const damaged = db.transaction(async (tx) => {
      tx.write(sql`set local session_replication_role = replica`)
      for (const text of damage.split(';')) await tx.count({ text, values: [] })
      for (const proof of conversionProofs) {
        const found = await tx.rows({ text: proof.counterexamples, values: [] })
        if (found.length > 0) broken.push(proof.claim)
      }
      throw new Error('undone')
    })
    await expect(damaged).rejects.toThrow('undone')
    expect(broken).toContain(claim)
    expect(conversionProofs.map((proof) => proof.claim)).toEqual(damages.map(([, one]) => one))
  })
})
