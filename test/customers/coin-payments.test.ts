import { expect, test } from 'vitest'
import { customerProofs } from '../../src/customers/proofs.js'
import { sql } from '../../src/postgres/sql.js'
import { magicWallets } from '../../src/simulation/magic-wallets.js'
import { newWallet } from '../simulation/localnet/transfers.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { expectAllProofs } from '../support/sound-books.js'

// Invoices in naira that are paid in coins, through a checkout session.

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock } = service
const failing = magicWallets[0]!.address

let calls = 0
async function openShop() {
  const merchant = await service.addMerchant('Ada Stores')
  const key = merchant.test.secret
  const send = (method: string, path: string, body?: object) => {
    calls += 1
    clock.advance(1)
    const headers = { 'idempotency-key': `call ${calls}` }
    return service.ask(method, path, { key, headers, ...(body && { body }) })
  }
  const ask = async (method: string, path: string, body?: object) => {
    const reply = await send(method, path, body)
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.json.data
  }
  const customer = await ask('POST', '/v1/customers', { name: 'Chidi Eze' })
  const paymentsOf = async ({ cryptoWallet }: { cryptoWallet: string }) =>
    (await ask('GET', `/v1/collections/payments?accountReference=${cryptoWallet}`)).items
  return {
    merchant,
    send,
    ask,
    customer,
    invoice: async (unitAmount: number, more: object = {}) => {
      const lines = [{ description: 'Fabric', unitAmount }]
      const draft = { customer: customer.reference, lines, ...more }
      const { reference } = await ask('POST', '/v1/invoices', draft)
      return ask('POST', `/v1/invoices/${reference}/finalize`)
    },
    /** Presses a button for coins, and returns the session it leads to. */
    press: async ({ url }: { url: string }, coin = 'USDC all') => {
      const answer = await press(url, coin)
      expect(answer.status).toBe(303)
      const location = answer.headers.get('location')!
      expect(location).toMatch(/^\/checkout\/cs_\w{39}$/)
      return ask('GET', `/v1/checkout/sessions/${location.slice('/checkout/'.length)}`)
    },
    /** Sends coins, and returns the payment. */
    pay: async (session: Session, amount: string) => {
      const { asset, address } = session.crypto
      await ask('POST', '/v1/test/crypto-deposits', { address, asset, amount })
      await service.settle()
      const [newest] = await paymentsOf(session)
      expect(newest.amount).toBe(trim(amount))
      return newest
    },
    refund: (payment: Named, body: object) =>
      ask('POST', `/v1/collections/payments/${payment.reference}/refund`, body),
    read: ({ reference }: Named) => ask('GET', `/v1/invoices/${reference}`),
    allocationsOf: ({ reference }: Named) =>
      ask('GET', `/v1/collections/payments/${reference}/allocations`),
    credit: async (): Promise<Record<string, unknown>> => {
      const { credit } = await ask('GET', `/v1/customers/${customer.reference}`)
      return Object.fromEntries(
        credit.map(({ asset, amount }: { asset: string; amount: unknown }) => [asset, amount]),
      )
    },
    statement: async (asset: string) =>
      (await ask('GET', `/v1/customers/${customer.reference}/statement?asset=${asset}`)).items,
  }
}

type Named = { reference: string }
type Session = Named & {
  crypto: { asset: string; amount: string; address: string }
  cryptoWallet: string
}

const press = (url: string, coin: string) =>
  fetch(`${service.url}${new URL(url).pathname}/pay`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `coin=${encodeURIComponent(coin)}`,
  })
const pageOf = async ({ url }: { url: string }) =>
  (await service.ask('GET', new URL(url).pathname)).text
const trim = (decimal: string) => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal)
/** A part of a price in hundredths, as a decimal with six places. */
const partOf = (price: string, numerator: bigint, denominator: bigint) => {
  const units = (BigInt(price.replace('.', '')) * 10_000n * numerator) / denominator
  const digits = String(units).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}
const unitsOf = (decimal: string) => {
  const [whole, fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

// First: blocks carry real time, and later tests put the clock ahead of it, which moves time only
// for blocks after the move.
test('the price holds until the session ends: late coins are credit in the coin', async () => {
  const { ask, invoice, press, pay, read, credit } = await openShop()
  const made = await invoice(500_000)
  const session = await press(made)
  // Blocks carry real time, and the clock of the service may be some seconds ahead of it.
  await ask('POST', '/v1/test/clock/advance', { seconds: 7_200 })
  await service.work()
  await pay(session, session.crypto.amount)
  expect(await read(made)).toMatchObject({ amountPaid: 0, amountDue: 500_000 })
  expect(await credit()).toMatchObject({ NGN: 0, USDC: trim(session.crypto.amount) })
  // The next press gives a new price.
  expect((await press(made)).reference).not.toBe(session.reference)
  await expectAllProofs(db)
})

test('exactly the quoted coins pay the invoice to the kobo; the merchant has the coins', async () => {
  const { ask, invoice, press, pay, read, credit, allocationsOf } = await openShop()
  // A price that is no multiple of the smallest price in coins.
  const made = await invoice(1_234_567)
  expect(await pageOf(made)).toContain('Pay ₦12,345.67 in USDC')
  const session = await press(made)
  expect(session).toMatchObject({ amount: 1_234_567, crypto: { asset: 'USDC' } })
  expect(session).toMatchObject({ invoiceReference: made.reference })
  expect(session).not.toHaveProperty('virtualAccount')
  const payment = await pay(session, session.crypto.amount)
  expect(await read(made)).toMatchObject({ status: 'PAID', amountDue: 0, amountPaid: 1_234_567 })
  expect(await credit()).toEqual({ NGN: 0, USDC: '0', USDT: '0' })
  expect(await allocationsOf(payment)).toMatchObject({
    asset: 'USDC',
    items: [
      {
        invoice: made.reference,
        amount: trim(session.crypto.amount),
        worth: { asset: 'NGN', amount: 1_234_567 },
      },
    ],
  })
  const { items: balances } = await ask('GET', '/v1/balances')
  const available = (asset: string) =>
    balances.find((one: { asset: string }) => one.asset === asset).available
  const kept = unitsOf(payment.amountAccepted) - unitsOf(payment.fee)
  expect([available('NGN'), unitsOf(available('USDC'))]).toEqual([0, kept])
  const paid = await ask('GET', `/v1/checkout/sessions/${session.reference}`)
  expect(paid.status).toBe('paid')
  const { items } = await ask('GET', `/v1/timeline/${made.reference}`)
  expect(items).toContainEqual(
    expect.objectContaining({
      kind: 'invoice_paid',
      title: expect.stringMatching(/^₦12,345\.67 paid in coins: [\d.]+ USDC$/),
    }),
  )
  await expectAllProofs(db)
})

test('parts pay their share, rounded down, and together all of it', async () => {
  const { invoice, press, pay, read, ask } = await openShop()
  const made = await invoice(1_000_003)
  const session = await press(made)
  const third = partOf(session.crypto.amount, 1n, 3n)
  await pay(session, third)
  const price = unitsOf(session.crypto.amount)
  const share = (unitsOf(third) * 1_000_003n) / price
  expect(await read(made)).toMatchObject({
    status: 'PARTIALLY_PAID',
    amountPaid: Number(share),
    amountDue: 1_000_003 - Number(share),
  })
  const page = (await service.ask('GET', `/checkout/${session.reference}`)).text
  expect(page).toContain('is still to be paid, to the same address.')
  expect(page).not.toMatch(/[Ee]xactly/)
  const left = price - unitsOf(third)
  const rest = `${left / 1_000_000n}.${String(left % 1_000_000n).padStart(6, '0')}`
  await pay(session, rest)
  expect(await read(made)).toMatchObject({ status: 'PAID', amountPaid: 1_000_003 })
  expect((await ask('GET', `/v1/checkout/sessions/${session.reference}`)).status).toBe('paid')
  await expectAllProofs(db)
})

test('coins beyond the price are credit in the coin, and pay the next invoice in it', async () => {
  const { invoice, press, pay, read, credit, statement } = await openShop()
  const made = await invoice(500_000)
  const session = await press(made, 'USDT all')
  expect(session.crypto.asset).toBe('USDT')
  const more = `${Number(session.crypto.amount.split('.')[0]) + 5}.${session.crypto.amount.split('.')[1]}`
  const payment = await pay(session, more)
  expect(payment).toMatchObject({ variance: 'OVERPAID', amountAccepted: trim(more) })
  expect(await read(made)).toMatchObject({ status: 'PAID', amountPaid: 500_000 })
  expect(await credit()).toEqual({ NGN: 0, USDC: '0', USDT: '5' })
  const [paid, written] = await statement('NGN')
  expect([written, paid]).toMatchObject([
    { type: 'invoice', amount: 500_000, balance: 500_000 },
    { type: 'payment', amount: -500_000, balance: 0, payment: payment.reference },
  ])
  expect(await statement('USDT')).toMatchObject([{ type: 'payment', amount: '-5', balance: '-5' }])
  const inCoins = { asset: 'USDT', lines: [{ description: 'Design', unitAmount: '4' }] }
  expect(await invoice(0, inCoins)).toMatchObject({ status: 'PAID', amountPaid: '4' })
  await expectAllProofs(db)
})

test('an instalment is paid in coins; more than its price pays the next one', async () => {
  const { invoice, press, pay, read } = await openShop()
  const dueAt = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString()
  const instalments = [10, 40].map((days) => ({ amount: 300_000, dueAt: dueAt(days) }))
  const made = await invoice(600_000, { instalments })
  const session = await press(made, 'USDC next')
  expect(session).toMatchObject({ amount: 300_000 })
  await pay(session, partOf(session.crypto.amount, 3n, 2n))
  expect(await read(made)).toMatchObject({ status: 'PARTIALLY_PAID', amountPaid: 450_000 })
  await expectAllProofs(db)
})

test('coins for an invoice that needs them no more are credit', async () => {
  const { invoice, press, pay, ask, credit } = await openShop()
  const made = await invoice(500_000)
  const session = await press(made)
  expect((await press(made)).reference).toBe(session.reference)
  await ask('POST', `/v1/invoices/${made.reference}/void`)
  await pay(session, session.crypto.amount)
  expect(await credit()).toMatchObject({ NGN: 0, USDC: trim(session.crypto.amount) })
  await expectAllProofs(db)
})

test('a refund takes the naira share of its coins, and all of it with the last coin', async () => {
  const { ask, invoice, press, pay, read, refund, statement } = await openShop()
  await ask('POST', '/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
  await service.settle()
  const made = await invoice(1_000_003)
  const session = await press(made)
  const payment = await pay(session, session.crypto.amount)
  const destination = { address: await newWallet() }
  const third = partOf(session.crypto.amount, 1n, 3n)
  await refund(payment, { amount: third, destination })
  const share = Number((unitsOf(third) * 1_000_003n) / unitsOf(session.crypto.amount))
  expect(await read(made)).toMatchObject({
    status: 'PAID',
    amountDue: 0,
    amountPaid: 1_000_003 - share,
    amountRefunded: share,
  })
  await expectAllProofs(db)
  await service.settle()
  await service.settle()
  // All that is left.
  await refund(payment, { destination })
  expect(await read(made)).toMatchObject({ amountPaid: 0, amountRefunded: 1_000_003 })
  const [last] = await statement('NGN')
  expect(last).toMatchObject({ balance: 0 })
  await expectAllProofs(db)
})

test('a refund that fails leaves everything as before', async () => {
  const { ask, invoice, press, pay, read, refund, credit } = await openShop()
  await ask('POST', '/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
  await service.settle()
  const made = await invoice(1_000_003)
  const session = await press(made)
  const payment = await pay(session, partOf(session.crypto.amount, 3n, 2n))
  const before = [await read(made), await credit()]
  await refund(payment, { destination: { address: failing } })
  expect(await read(made)).toMatchObject({ amountPaid: 0, amountRefunded: 1_000_003 })
  expect(await credit()).toMatchObject({ USDC: '0' })
  await expectAllProofs(db)
  for (let turn = 0; turn < 6; turn += 1) await service.settle()
  expect([await read(made), await credit()]).toEqual(before)
  await expectAllProofs(db)
})

test('credit in naira that a credit note made of coins is taken back, also if it was used', async () => {
  const { ask, invoice, press, pay, read, refund, credit } = await openShop()
  await ask('POST', '/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
  await service.settle()
  const made = await invoice(800_000)
  const session = await press(made)
  const payment = await pay(session, session.crypto.amount)
  await ask('POST', `/v1/invoices/${made.reference}/credit`, { amount: 300_000 })
  expect(await credit()).toMatchObject({ NGN: 300_000, USDC: '0' })
  const other = await invoice(200_000)
  expect(other).toMatchObject({ status: 'PAID', amountPaid: 200_000 })
  await expectAllProofs(db)
  const before = [await read(made), await read(other), await credit()]
  await refund(payment, { destination: { address: failing } })
  expect(await read(made)).toMatchObject({ amountPaid: 0, amountRefunded: 500_000 })
  expect(await read(other)).toMatchObject({ amountPaid: 0, amountRefunded: 200_000 })
  expect(await credit()).toMatchObject({ NGN: 0 })
  await expectAllProofs(db)
  for (let turn = 0; turn < 6; turn += 1) await service.settle()
  expect([await read(made), await read(other), await credit()]).toEqual(before)
  await expectAllProofs(db)
})

test('what coins pay in naira cannot be moved to another invoice', async () => {
  const { send, invoice, press, pay } = await openShop()
  const made = await invoice(500_000)
  const other = await invoice(500_000)
  const session = await press(made)
  const { reference } = await pay(session, session.crypto.amount)
  const path = `/v1/collections/payments/${reference}/allocations`
  const allocations = [{ invoice: other.reference, amount: '1' }]
  for (const wanted of [allocations, []]) {
    const { status, json } = await send('POST', path, { allocations: wanted })
    expect([status, json]).toMatchObject([
      409,
      { code: 'payment_action_failed', reason: 'invalid_state' },
    ])
    expect(json.message).toContain('Refund the payment or credit the invoice instead.')
  }
})

test('only coins that are enabled and offered open a session', async () => {
  const { ask, invoice } = await openShop()
  const made = await invoice(500_000)
  for (const coin of ['BTC all', 'NGN all', 'usdc', '', '[object Object]']) {
    // Opens a session by bank transfer, as without a coin.
    const answer = await press(made.url, coin)
    const reference = answer.headers.get('location')!.slice('/checkout/'.length)
    expect(await ask('GET', `/v1/checkout/sessions/${reference}`)).not.toHaveProperty('crypto')
  }
  await ask('PATCH', '/v1/settings', { paymentMethods: { bankTransfer: false, crypto: true } })
  expect(await pageOf(made)).toContain('Pay ₦5,000.00 in USDT')
  await ask('PATCH', '/v1/settings', { paymentMethods: { bankTransfer: true, crypto: false } })
  expect(await pageOf(made)).not.toContain('USDC')
  const answer = await press(made.url, 'USDC all')
  const reference = answer.headers.get('location')!.slice('/checkout/'.length)
  expect(await ask('GET', `/v1/checkout/sessions/${reference}`)).not.toHaveProperty('crypto')
})

const rollback = new Error('undo the damage')

/** Damages a sound database, without triggers, and returns the claims that are untrue then. */
async function claimsBrokenBy(damage: string): Promise<string[]> {
  const broken: string[] = []
  const damaging = db.transaction(async (tx) => {
    await tx.rows(sql`select set_config('session_replication_role', 'replica', true)`)
    const changed = await tx.rows({ text: `${damage} returning 1`, values: [] })
    expect(changed.length, 'the damage must change a row').toBeGreaterThan(0)
    for (const { claim, counterexamples } of customerProofs)
      if ((await tx.rows({ text: counterexamples, values: [] })).length > 0) broken.push(claim)
    throw rollback
  })
  await expect(damaging).rejects.toBe(rollback)
  return broken
}

const claims = {
  allocated: 'All accepted money of a payment of a customer paid invoices or is credit',
  kept: 'What a customer paid and was not refunded is credit, or what invoices say was paid',
  invoiced: 'Every invoice was paid, credited and refunded what payments, credit and notes say',
  overdrawn: 'No allocation was refunded and moved beyond its amount',
  priced: 'Coins paid only the invoice in naira of their checkout session, at the price of it',
  inAsset: 'Payments paid invoices in their own asset, or say which coins they took',
}
const ofCoins = 'payment_allocations set'
const inCoins = 'where paid_asset is not null'

test.each([
  ['one coin more', `update ${ofCoins} paid_amount = paid_amount + 1 ${inCoins}`, claims.allocated],
  ['one coin less', `update ${ofCoins} paid_amount = paid_amount - 1 ${inCoins}`, claims.kept],
  ['one kobo more', `update ${ofCoins} amount = amount + 1 ${inCoins}`, claims.invoiced],
  ['more than the price', `update ${ofCoins} amount = amount + 1 ${inCoins}`, claims.priced],
  ['less than the price', `update ${ofCoins} amount = amount - 9 ${inCoins}`, claims.priced],
  ['another coin', `update ${ofCoins} paid_asset = 'USDT' ${inCoins}`, claims.priced],
  ['a session without a rate', 'update checkout_sessions set crypto_rate = null', claims.priced],
  ['a cheaper session', 'update checkout_sessions set amount = amount / 2', claims.priced],
  ['an invoice in coins', `update invoices set asset = 'USDC' where asset = 'NGN'`, claims.inAsset],
  [
    'coins as kobo',
    `update ${ofCoins} paid_asset = null, paid_amount = null ${inCoins}`,
    claims.inAsset,
  ],
  [
    'a refund of coins that were not there',
    'update allocation_refunds set paid_amount = paid_amount * 9 where paid_amount > 0',
    claims.overdrawn,
  ],
  [
    'kobo that a refund of all coins left',
    `update allocation_refunds set of_invoice = of_invoice - 1
      where paid_amount > 0 and of_invoice > 0 and state = 'TAKEN'`,
    claims.overdrawn,
  ],
])('%s is found', async (_, damage, claim) => {
  expect(await claimsBrokenBy(damage)).toContain(claim)
})

test.each([
  ['allocation_of_coins_is_whole', `update ${ofCoins} paid_asset = null ${inCoins}`],
  ['coins_pay_an_invoice', `update ${ofCoins} invoice_id = null ${inCoins}`],
  ['coins_pay_an_invoice', `update ${ofCoins} paid_amount = 0 ${inCoins}`],
  ['coins_pay_an_invoice', `update ${ofCoins} paid_asset = 'NGN' ${inCoins}`],
  [
    'allocation_of_coins_is_not_moved',
    `update ${ofCoins} reallocation_id = gen_random_uuid() ${inCoins}`,
  ],
  ['allocation_refund_has_an_amount', 'update allocation_refunds set paid_amount = -1'],
])('the constraint %s refuses %s', async (constraint, damage) => {
  const damaging = db.transaction(async (tx) => {
    await tx.rows(sql`select set_config('session_replication_role', 'replica', true)`)
    await tx.rows({ text: damage, values: [] })
  })
  await expect(damaging).rejects.toThrow(constraint)
})
