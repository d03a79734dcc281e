import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { hour } from '../../../src/base/clock.js'
import { Rails } from '../../../src/collections/rails.js'
import { expireClaims } from '../../../src/payouts/claims/end-claims.js'
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

type Known = { reference: string; path: string; amount: number }

const funded = 5_000_000
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

  async function create(): Promise<void> {
    const amount = random.integer(50_000, 300_000)
    const hours = random.pick([1, 3, 24])
    const expiresAt = new Date(clock.now().getTime() + hours * hour).toISOString()
    const { status, json } = await post('/v1/claims', { amount, description: 'x', expiresAt })
    if (status !== 201) return
    const { reference, url } = json.data
    claims.push({ reference, path: new URL(url).pathname, amount })
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
      const step = random.integer(1, 10)
      if (!known || step <= 3) return create()
      if (step <= 7) return claimOften(known)
      if (step === 8) return post(`/v1/claims/${known.reference}/cancel`)
      if (step === 9) return expireClaims(db, clock.now())
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
  for (const { reference, amount } of claims) {
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
  // The run met every way.
  expect(Object.values(seen).every((count) => count > 0)).toBe(true)
}, 120_000)
