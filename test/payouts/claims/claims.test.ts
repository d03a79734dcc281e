import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { day } from '../../../src/base/clock.js'
import { Rails } from '../../../src/collections/rails.js'
import { followReturns } from '../../../src/collections/returns/follow-returns.js'
import { expireClaims } from '../../../src/payouts/claims/end-claims.js'
import { sql } from '../../../src/postgres/sql.js'
import { magicAccounts } from '../../../src/simulation/sandbox-bank/magic-accounts.js'
import { openManilla } from '../../support/open-manilla.js'
import { openShop } from '../../support/open-shop.js'
import { openWithBank } from '../../support/open-with-bank.js'
import { openSession, untilInTheWay } from '../../support/sessions.js'
import { expectAllProofs } from '../../support/sound-books.js'
import { claimMoney, confirm, enter, openPage, ticketIn } from './recipient.js'

const service = await openWithBank()
const { db, clock } = service
const account = { bankCode: '058', accountNumber: '0123456789' }
const closedAccount = {
  bankCode: '999',
  accountNumber: magicAccounts.find(({ serial }) => serial === '990000002')!.number,
}
const funded = 10_000_000

async function openFundedShop() {
  const shop = await openShop(service)
  const { ask, make } = shop
  await make('/v1/test/balances/fund', { asset: 'NGN', amount: funded })
  const claim = (more: object = {}) =>
    make('/v1/claims', { amount: 1_000_000, description: 'Refund of order 1001', ...more })
  const read = async ({ reference }: { reference: string }) =>
    (await ask('GET', `/v1/claims/${reference}`)).json.data
  const payouts = async () => (await ask('GET', '/v1/disbursements/bank-transfer')).json.data.items
  const naira = async (): Promise<{ available: number; held: number }> => {
    const { items } = (await ask('GET', '/v1/balances')).json.data
    const { available, held } = items.find(({ asset }: { asset: string }) => asset === 'NGN')
    return { available, held }
  }
  const eventsOf = ({ reference }: { reference: string }) => shop.eventsOf(reference)
  return { ...shop, claim, read, payouts, naira, eventsOf }
}

test('money is set aside from creation until it is cancelled', async () => {
  const { ask, make, claim, read, naira, eventsOf } = await openFundedShop()
  const created = await claim({
    recipientName: 'Ada Obi',
    email: 'ada@example.com',
    merchantReference: 'refund-1',
    metadata: { order: 1001 },
  })
  expect(created).toMatchObject({
    status: 'OPEN',
    asset: 'NGN',
    amount: 1_000_000,
    feeMax: 2_500,
    hasSecretWord: false,
    locked: false,
    payout: null,
    metadata: { order: 1001 },
  })
  expect(created.url).toMatch(/\/claim\/[\w-]{43}$/)
  expect(await naira()).toEqual({ available: funded - 1_002_500, held: 1_002_500 })
  await expectAllProofs(db)
  // The link is shown once.
  expect(await read(created)).toEqual({ ...created, url: null })

  const cancelled = await make(`/v1/claims/${created.reference}/cancel`)
  expect(cancelled).toMatchObject({ status: 'CANCELLED', endedAt: expect.any(String) })
  expect(await naira()).toEqual({ available: funded, held: 0 })
  expect(await make(`/v1/claims/${created.reference}/cancel`)).toEqual(cancelled)
  const { json } = await ask('POST', `/v1/claims/${created.reference}/unlock`)
  expect(json).toMatchObject({ code: 'claim_failed', reason: 'invalid_state' })
  expect(await eventsOf(created)).toEqual(['claim.created', 'claim.cancelled'])
  expect((await openPage(created.url)).text).toContain('This link was cancelled')
  await expectAllProofs(db)
})

test('a claim that the balance does not cover is refused, and sets nothing aside', async () => {
  const { ask, naira } = await openFundedShop()
  const body = { amount: funded, description: 'Too much' }
  const { status, json } = await ask('POST', '/v1/claims', body)
  expect([status, json.code]).toEqual([402, 'insufficient_balance'])
  expect(await naira()).toEqual({ available: funded, held: 0 })
  await expectAllProofs(db)
})

test('a repeat with the same key gets the same link, and sets money aside once', async () => {
  const { ask, naira } = await openFundedShop()
  const body = { amount: 1_000_000, description: 'Refund', secretWord: 'harmattan' }
  const key = randomUUID()
  const answers = await Promise.all([1, 2, 3].map(() => ask('POST', '/v1/claims', body, key)))
  const created = answers.find(({ status }) => status === 201)!
  const again = await ask('POST', '/v1/claims', body, key)
  expect(again.text).toBe(created.text)
  expect(await naira()).toEqual({ available: funded - 1_002_500, held: 1_002_500 })
  const refused = await ask('POST', '/v1/claims', { ...body, amount: 5 }, key)
  expect(refused.json.reason).toBe('idempotency_key_reused')
})

test('a reference of the merchant names one claim', async () => {
  const { ask, claim, naira } = await openFundedShop()
  await claim({ merchantReference: 'refund-1' })
  const body = { amount: 1_000, description: 'Again', merchantReference: 'refund-1' }
  const { status, json } = await ask('POST', '/v1/claims', body)
  expect([status, json.reason]).toEqual([409, 'duplicate_reference'])
  expect((await naira()).held).toBe(1_002_500)
  const found = await ask('GET', '/v1/claims?merchantReference=refund-1')
  expect(found.json.data.items).toHaveLength(1)
})

// Such a payout would keep the claim from being paid: references of payouts are unique.
test('a payout of the merchant cannot have the reference of a claim', async () => {
  const { ask, claim, payouts } = await openFundedShop()
  const { reference: merchantReference, url } = await claim()
  const item = { amount: 50_000, ...account, merchantReference }
  const wallet = { destinationAddress: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK' }
  const coins = { amount: '5', asset: 'USDC', network: 'SOLANA', ...wallet, merchantReference }
  const sent = [
    ['/v1/disbursements/bank-transfer', item, 'merchantReference'],
    ['/v1/disbursements/crypto', coins, 'merchantReference'],
    [
      '/v1/disbursements/batches',
      { kind: 'bank_transfer', items: [item] },
      'items.0.merchantReference',
    ],
  ] as const
  for (const [path, body, field] of sent) {
    const { status, json, text } = await ask('POST', path, body)
    expect(status, text).toBe(400)
    const issue = 'must not start with clm_: transfers of claims do'
    expect(json.details, path).toEqual([{ field, issue }])
  }
  await claimMoney(url, account)
  expect(await payouts()).toMatchObject([{ merchantReference }])
})

test('claims of other merchants are not found', async () => {
  const mine = await openFundedShop()
  const others = await openFundedShop()
  const { reference } = await mine.claim()
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/cancel'],
    ['POST', '/unlock'],
  ])
    expect((await others.ask(method!, `/v1/claims/${reference}${path}`)).status).toBe(404)
  expect((await others.ask('GET', '/v1/claims')).json.data.items).toEqual([])
})

test('the recipient sees whose account it is, confirms it and is paid', async () => {
  const { claim, read, payouts, naira, eventsOf } = await openFundedShop()
  const created = await claim({ recipientName: 'Ada Obi' })
  const page = await openPage(created.url)
  expect(page.status).toBe(200)
  expect(page.text).toContain('₦10,000')
  expect(page.text).toContain('Refund of order 1001')
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  expect(page.headers.get('cache-control')).toContain('no-store')

  const question = await enter(created.url, account)
  expect(question.text).toContain('Is this your account?')
  expect(await payouts()).toEqual([])
  const done = await confirm(created.url, ticketIn(question))
  expect([done.status, done.headers.get('location')]).toEqual([303, new URL(created.url).pathname])
  const [payout] = await payouts()
  expect(payout).toMatchObject({ amount: 1_000_000, fee: 2_500, ...account })
  expect(payout.merchantReference).toBe(created.reference)
  expect(await read(created)).toMatchObject({ status: 'CLAIMED', payout: payout.reference })
  expect(await naira()).toEqual({ available: funded - 1_002_500, held: 1_002_500 })
  expect((await openPage(created.url)).text).toContain('On its way')
  await expectAllProofs(db)

  await service.pass(10)
  expect((await openPage(created.url)).text).toContain('The money has arrived')
  expect(await naira()).toEqual({ available: funded - 1_002_500, held: 0 })
  expect(await eventsOf(created)).toEqual(['claim.created', 'claim.claimed'])
  await expectAllProofs(db)
})

// Forty requests of one link at two services that share a database, then a race with its end.
test('however many requests claim at once, one payout is made', async () => {
  const { make, claim, read, payouts } = await openFundedShop()
  const beside = await openManilla({
    beside: { db, clock, secret: service.secret },
    rails: new Rails({ test: { payoutBank: service.bank, collectBank: service.bank } }),
  })
  const atBoth = ({ url }: { url: string }) => [url, beside.url + new URL(url).pathname]
  const open = await claim()
  const ticket = ticketIn(await enter(open.url, account))
  const many = Array.from({ length: 20 }, () =>
    atBoth(open).map((url) => confirm(url, ticket)),
  ).flat()
  const answers = await Promise.all(many)
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status !== 303 && status !== 200)).toEqual([])
  expect(await payouts()).toHaveLength(1)
  expect(await read(open)).toMatchObject({ status: 'CLAIMED' })

  const raced = await claim()
  const own = ticketIn(await enter(raced.url, account))
  await Promise.all([
    ...atBoth(raced).map((url) => confirm(url, own)),
    make(`/v1/claims/${raced.reference}/cancel`).catch(() => {}),
    ...atBoth(raced).map((url) => confirm(url, own)),
  ])
  const { status } = await read(raced)
  expect(await payouts()).toHaveLength(status === 'CLAIMED' ? 2 : 1)
  await expectAllProofs(db)
})

test('the claim opens again if its payout fails, and its money is never free in between', async () => {
  const { ask, claim, read, payouts, naira, eventsOf } = await openFundedShop()
  const created = await claim()
  await claimMoney(created.url, closedAccount)
  // Everything else is spent: only the hold of the claim keeps the money.
  const { available } = await naira()
  const body = { amount: available - 5_000, ...account }
  expect((await ask('POST', '/v1/disbursements/bank-transfer', body)).status).toBe(201)
  await service.pass(10)
  const failed = (await payouts()).find(({ status }: { status: string }) => status === 'FAILED')
  expect(failed).toMatchObject({ merchantReference: created.reference })
  expect(await read(created)).toMatchObject({ status: 'OPEN', payout: null, claimedAt: null })
  expect((await naira()).held).toBe(1_002_500)
  expect((await openPage(created.url)).text).toContain('The last transfer failed')
  await expectAllProofs(db)

  await claimMoney(created.url, account)
  await service.pass(10)
  expect(await read(created)).toMatchObject({ status: 'CLAIMED' })
  const own = (await payouts()).filter(({ merchantReference }: { merchantReference: string }) =>
    merchantReference?.startsWith(created.reference),
  )
  expect(own.map(({ status }: { status: string }) => status).sort()).toEqual([
    'COMPLETED',
    'FAILED',
  ])
  expect((await naira()).held).toBe(0)
  expect(await eventsOf(created)).toEqual([
    'claim.created',
    'claim.claimed',
    'claim.reopened',
    'claim.claimed',
  ])
  await expectAllProofs(db)
})

// The page reads the claim first and its payout later, which may fail in between.
test('a payout that fails while the page is read shows the claim, which is open again', async () => {
  const { claim } = await openFundedShop()
  const created = await claim()
  await claimMoney(created.url, closedAccount)
  const blocker = await openSession(db)
  await blocker.query('begin; lock table environment_settings in access exclusive mode')
  const page = openPage(created.url)
  await untilInTheWay(db, blocker)
  await service.pass(10)
  await blocker.query('rollback')
  const { status, text } = await page
  expect([status, text]).toEqual([200, expect.stringContaining('The last transfer failed')])
})

test('a claim expires, and one whose payout fails after its time expires, too', async () => {
  const { claim, read, naira, eventsOf } = await openFundedShop()
  const expiresAt = new Date(clock.now().getTime() + day).toISOString()
  const waiting = await claim({ expiresAt })
  const failing = await claim({ expiresAt })
  clock.advance(day - 1_000)
  await claimMoney(failing.url, closedAccount)
  clock.advance(1_000)
  // Its time is over before a worker has released the money.
  expect((await openPage(waiting.url)).text).toContain('This link has expired')
  const late = await enter(waiting.url, account)
  expect(late.text).toContain('This link has expired')
  expect(await read(waiting)).toMatchObject({ status: 'OPEN' })
  expect(await expireClaims({ db, follow: followReturns }, clock.now())).toBe(1)
  expect(await read(waiting)).toMatchObject({ status: 'EXPIRED' })
  await service.pass(10)
  expect(await read(failing)).toMatchObject({ status: 'EXPIRED', payout: null })
  expect(await naira()).toEqual({ available: funded, held: 0 })
  expect(await eventsOf(failing)).toEqual(['claim.created', 'claim.claimed', 'claim.expired'])
  await expectAllProofs(db)
})

test('guesses at the secret word are counted, also those that are sent at once', async () => {
  const { make, claim, read, payouts } = await openFundedShop()
  const created = await claim({ secretWord: 'harmattan' })
  expect(created).toMatchObject({ hasSecretWord: true })
  const guesses = await Promise.all(
    Array.from({ length: 12 }, () => enter(created.url, { ...account, word: 'wrong' })),
  )
  const compared = guesses.filter(({ status }) => status === 422)
  expect(compared).toHaveLength(5)
  expect(await read(created)).toMatchObject({ locked: true, status: 'OPEN' })
  // The right word comes too late.
  const right = { ...account, word: 'harmattan' }
  expect((await enter(created.url, right)).text).toContain('This link is locked')
  expect(await make(`/v1/claims/${created.reference}/unlock`)).toMatchObject({ locked: false })
  for (const word of ['one', 'two', 'three', 'four'])
    expect((await enter(created.url, { ...account, word })).status).toBe(422)
  expect((await claimMoney(created.url, right)).status).toBe(303)
  expect(await payouts()).toHaveLength(1)
  await expectAllProofs(db)
})

// The page trims what the recipient enters, so a word with blanks around it must match, too.
test('blanks around the secret word do not matter, and a word of blanks is refused', async () => {
  const { ask, claim } = await openFundedShop()
  const { url } = await claim({ secretWord: ' Harmattan wind ' })
  expect((await enter(url, { ...account, word: 'harmattan wind' })).status).toBe(422)
  expect((await claimMoney(url, { ...account, word: 'Harmattan wind  ' })).status).toBe(303)
  for (const secretWord of ['    ', ' abc ', '\u00a0\u00a0abc']) {
    const body = { amount: 1_000_000, description: 'Refund of order 1001', secretWord }
    const { status, json } = await ask('POST', '/v1/claims', body)
    expect([status, json.details[0].field]).toEqual([400, 'secretWord'])
  }
})

test('look-ups of accounts are limited', async () => {
  const { claim, read } = await openFundedShop()
  const created = await claim()
  for (let lookups = 1; lookups < 20; lookups += 1)
    expect((await enter(created.url, account)).text).toContain('Is this your account?')
  expect((await enter(created.url, account)).text).toContain('This link is locked')
  expect(await read(created)).toMatchObject({ locked: true })
})

test('only what was shown can be confirmed, for the claim it was shown for', async () => {
  const { claim, read } = await openFundedShop()
  const one = await claim()
  const other = await claim()
  const ticket = ticketIn(await enter(one.url, account))
  for (const wrong of ['', 'x', service.seal.seal('{}'), ticket.slice(0, -8)])
    expect((await confirm(one.url, wrong)).status).toBe(422)
  expect((await confirm(other.url, ticket)).status).toBe(422)
  clock.advance(16 * 60_000)
  expect((await confirm(one.url, ticket)).status).toBe(422)
  expect(await read(one)).toMatchObject({ status: 'OPEN' })
})

test('the link is sent to the address that was given, and readers of mails do not see it', async () => {
  const { ask, claim } = await openFundedShop()
  const { url } = await claim({ email: 'ada@example.com', recipientName: 'Ada Obi' })
  await claim()
  const { items } = (await ask('GET', '/v1/mails?kind=claim')).json.data
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({ kind: 'claim', subject: 'Test: ₦10,000.00 from Ada Stores' })
  const [mail] = await db.rows(sql<{ sealedContent: string }>`
    select sealed_content from mails where kind = 'claim' and recipient = 'ada@example.com'
    order by id desc limit 1`)
  expect(service.seal.open(mail!.sealedContent)).toContain(url)
  const shown = await ask('GET', `/v1/mails/${items[0].reference}`)
  expect(shown.text).toContain('Refund of order 1001')
  expect(shown.text).not.toContain(url.split('/').at(-1))
})

test('unknown and malformed links get the same page', async () => {
  const answers = await Promise.all(
    ['a'.repeat(43), 'x', '%00', 'a'.repeat(300)].map((token) =>
      openPage(`${service.url}/claim/${token}`),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  for (const { text } of answers) expect(text).toContain('Link not found')
})

test('the token is stored as a hash only, and in no log', async () => {
  const { claim, ask } = await openFundedShop()
  const { url } = await claim({ email: 'ada@example.com', secretWord: 'harmattan' })
  const token = url.split('/').at(-1)
  await openPage(url)
  await enter(url, { ...account, word: 'harmattan' })
  await fetch(`${url}/unknown`)
  await expect
    .poll(async () => (await ask('GET', '/v1/request-logs?method=POST')).text)
    .toContain('/v1/claims')
  const logged = service.log.join('\n')
  expect(logged).toContain('/claim/:token')
  expect(logged).not.toContain(token)
  expect(logged).not.toContain('harmattan')
  const tables = await db.rows(sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`)
  for (const { name } of tables) {
    const found = await db.rows(sql`
      select from ${sql.raw(name)} r where r::text like ${`%${token}%`}
        or r::text like '%harmattan%' limit 1`)
    expect(found, name).toEqual([])
  }
})
