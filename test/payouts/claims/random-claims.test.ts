import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { hour } from '../../../src/base/clock.js'
import { fromReference, prefixes, toReference } from '../../../src/base/ids.js'
import { Rails } from '../../../src/collections/rails.js'
import { followReturns } from '../../../src/collections/returns/follow-returns.js'
import { expireClaims } from '../../../src/payouts/claims/end-claims.js'
import { sql } from '../../../src/postgres/sql.js'
import { openManilla } from '../../support/open-manilla.js'
import { openWithBank } from '../../support/open-with-bank.js'
import { seededRandom } from '../../support/seed.js'
import { expectAllProofs } from '../../support/sound-books.js'
import { confirm, enter, ticketIn } from './recipient.js'

const service = await openWithBank()
const { db, clock, bank, secret } = service
const beside = await openManilla({
  beside: { db, clock, secret },
  rails: new Rails({ test: { payoutBank: bank, collectBank: bank } }),
})
const key = service.merchant.test.secret
const urls = [service.url, beside.url]

async function post(path: string, body: object = {}) {
  const headers = { 'idempotency-key': randomUUID() }
  return service.ask('POST', path, { key, body, headers })
}

/** `payment`: the one whose money it returns. */
type Known = { reference: string; path: string; amount: number; payment?: string }

const funded = 5_000_000

async function openAccount(externalReference: string) {
  const { json, text } = await post('/v1/collections/dedicated-accounts', { externalReference })
  expect(json.data, text).toHaveProperty('accountNumber')
  return json.data
}

/** In kobo, of the bank's own books: what it carried out for a claim. */
async function sumReceived(claim: string): Promise<number> {
  const paid = await db.rows(sql<{ payoutId: string }>`
    select payout_id from claim_holds
    where claim_id = ${fromReference(prefixes.claim, claim)!} and payout_id is not null`)
  // The bank writes references with a dash.
  const references = paid.map(({ payoutId }) =>
    toReference(prefixes.paymentReturn, payoutId).replace('_', '-'),
  )
  const [row] = await db.rows(sql<{ sum: bigint }>`
    select coalesce(sum(amount), 0)::int8 as sum from sandbox_transfers
    where reference = any(${references}::text[]) and ending = 'completed'`)
  return Number(row!.sum)
}
const accounts = [
  { bankCode: '058', accountNumber: '0123456789' },
  { bankCode: '058', accountNumber: '0123456789' },
  // Closed: the payout fails.
  { bankCode: '999', accountNumber: '9900000027' },
]

// Two services on one database, each claim claimed many times at once while merchants cancel it,
// workers expire it, payouts fail, and others spend what is free. Every claim pays at most once and
// holds its money exactly while it is open, whatever the order.
test('random operations on claims at two services never pay a claim twice', async () => {
  const random = seededRandom('random claims')
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: funded })
  const claims: Known[] = []
  const seen = { claimed: 0, failed: 0, expired: 0, cancelled: 0, spent: 0 }
  const ways = { refunds: 0, returns: 0, returned: 0, givenBack: 0 }
  const [open, closed] = [await openAccount('open'), await openAccount('closed')]
  const deactivate = `/v1/collections/dedicated-accounts/${closed.accountReference}/deactivate`
  expect((await post(deactivate)).status).toBe(200)

  async function create(): Promise<void> {
    const amount = random.integer(50_000, 300_000)
    const hours = random.pick([1, 3, 24])
    const expiresAt = new Date(clock.now().getTime() + hours * hour).toISOString()
    const { status, json } = await post('/v1/claims', { amount, description: 'x', expiresAt })
    if (status !== 201) return
    const { reference, url } = json.data
    claims.push({ reference, path: new URL(url).pathname, amount })
  }

  const payments: { reference: string; isHeld: boolean }[] = []

  /** Payments into the closed account are held; others are accepted. */
  async function receive(): Promise<void> {
    const isHeld = random.integer(1, 2) === 1
    const { accountNumber } = isHeld ? closed : open
    const amount = random.integer(100_000, 300_000)
    const { json } = await post('/v1/test/bank-transfers', { accountNumber, amount })
    payments.push({ reference: json.data.reference, isHeld })
  }

  /** Twice at once: only what was accepted or held can be returned. */
  async function returnByClaim(): Promise<void> {
    if (payments.length === 0) return receive()
    const { reference: payment, isHeld } = random.pick(payments)
    const hours = random.pick([1, 3, 24])
    const expiresAt = new Date(clock.now().getTime() + hours * hour).toISOString()
    const by = { by: 'claim', claim: { expiresAt } }
    const path = `/v1/collections/payments/${payment}`
    const make = () =>
      isHeld
        ? post(`${path}/resolve`, { action: 'return', ...by })
        : post(`${path}/refund`, { amount: random.integer(10_000, 200_000), ...by })
    for (const { status, json, text } of await Promise.all([make(), make()])) {
      expect([200, 201, 402, 409, 422], text).toContain(status)
      if (status > 201) continue
      const { reference, url, amount } = json.data.claim
      claims.push({ reference, path: new URL(url).pathname, amount, payment })
      if (isHeld) ways.returns += 1
      else ways.refunds += 1
    }
  }

  /** The same confirmation several times, at both services at once. */
  async function claimOften({ path }: Known): Promise<void> {
    const question = await enter(random.pick(urls) + path, random.pick(accounts))
    if (!question.text.includes('name="ticket"')) return
    const ticket = ticketIn(question)
    await Promise.all(
      [...urls, ...urls, ...urls].map(async (url) => {
        const { status } = await confirm(url + path, ticket)
        expect([200, 303, 422]).toContain(status)
      }),
    )
  }

  async function spend(): Promise<void> {
    const body = { amount: random.integer(100_000, 400_000), ...accounts[0]! }
    const { status } = await post('/v1/disbursements/bank-transfer', body)
    if (status === 201) seen.spent += 1
  }

  for (let round = 0; round < 25; round += 1) {
    clock.advance(random.integer(1, 40) * 60_000)
    const steps = Array.from({ length: random.integer(3, 8) }, (): Promise<unknown> => {
      const known = claims.length > 0 ? random.pick(claims) : undefined
      const step = random.integer(1, 14)
      if (!known || step <= 3) return create()
      if (step <= 7) return claimOften(known)
      if (step === 8) return post(`/v1/claims/${known.reference}/cancel`)
      if (step === 11 || step === 12) return receive()
      if (step > 12) return returnByClaim()
      if (step === 9) return expireClaims({ db, follow: followReturns }, clock.now())
      return spend()
    })
    await Promise.all(steps)
    if (round % 2 === 1) await service.pass(random.integer(1, 6))
    if (round % 5 === 4) await expectAllProofs(db)
  }
  await service.pass(20)
  await expectAllProofs(db)

  // Apart from the proofs: what the bank received for each claim.
  const listed = await service.ask('GET', '/v1/disbursements/bank-transfer?limit=100', { key })
  expect(listed.json.data.nextCursor).toBe(null)
  type Listed = { merchantReference: string | null; status: string; amount: number }
  const transfers: Listed[] = listed.json.data.items
  for (const { reference, amount } of claims.filter(({ payment }) => !payment)) {
    const { json } = await service.ask('GET', `/v1/claims/${reference}`, { key })
    const own = transfers.filter(({ merchantReference }) =>
      merchantReference?.startsWith(reference),
    )
    const paid = own.filter(({ status }) => status !== 'FAILED')
    expect(paid.map((transfer) => transfer.amount)).toEqual(
      json.data.status === 'CLAIMED' ? [amount] : [],
    )
    seen.claimed += paid.length
    seen.failed += own.length - paid.length
    if (json.data.status === 'EXPIRED') seen.expired += 1
    if (json.data.status === 'CANCELLED') seen.cancelled += 1
  }
  for (const { reference } of payments) await checkPayment(reference)
  // The run met every way.
  const counts = Object.entries({ ...seen, ...ways })
  expect(counts.filter(([, count]) => count === 0)).toEqual([])

  /** What the bank received for a payment is what it says was returned, claim by claim. */
  async function checkPayment(payment: string): Promise<void> {
    const path = `/v1/collections/payments/${payment}`
    const { json } = await service.ask('GET', path, { key })
    const { amount, amountAccepted, amountHeld, amountReturning, amountReturned } = json.data
    expect(amountAccepted + amountHeld + amountReturning + amountReturned).toBe(amount)
    let [waiting, arrived] = [0, 0]
    for (const known of claims.filter((claim) => claim.payment === payment)) {
      const found = await service.ask('GET', `/v1/claims/${known.reference}`, { key })
      const { status } = found.json.data
      const received = await sumReceived(known.reference)
      expect([0, known.amount]).toContain(received)
      expect(received > 0).toBe(status === 'CLAIMED')
      arrived += received
      if (status === 'OPEN') waiting += known.amount
      if (status === 'CLAIMED') ways.returned += 1
      if (status === 'EXPIRED' || status === 'CANCELLED') ways.givenBack += 1
    }
    expect([amountReturning, amountReturned]).toEqual([waiting, arrived])
  }
}, 120_000)
