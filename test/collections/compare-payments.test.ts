import { beforeEach, describe, expect, test } from 'vitest'
import { after, day } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { collectionLimits } from '../../src/collections/limits.js'
import { comparePayments } from '../../src/collections/notices/compare-payments.js'
import { fetchMissedPayments } from '../../src/collections/notices/fetch-missed-payments.js'
import type { CollectionRail } from '../../src/collections/ports.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db, bank, clock } = service
const logger = createLogger('silent')
let shop: ReturnType<typeof payersOf>
let count = 0
beforeEach(async () => {
  shop = payersOf(service, await service.addMerchant('Ada'))
})

const open = async () => (await shop.openVirtual()).json.data

/** The bank receives the money but sends no notice. */
function paySilently(accountNumber: string) {
  const id = `sbp_silent${count++}`
  const payment = { id, accountNumber, amount: 500_000n, paidAt: clock.now(), copies: 1 }
  return bank.receivePayment({ ...payment, isSilent: true })
}

async function compare() {
  const period = { from: new Date(0), to: after(clock.now(), day) }
  const { differences } = await comparePayments(db, { rail: bank, mode: 'test' }, period)
  return differences.map(({ kind, name }) => [kind, name])
}

describe('books and bank', () => {
  test('agree on payments with a notice, whatever the verdict', async () => {
    for (const amount of [500_000, 499_999, 500_001])
      await shop.payIn((await open()).accountNumber, { amount, copies: 3 })
    expect(await compare()).toEqual([])
  })

  // The worker fetches the missed payment and it is judged.
  test('differ by a payment without a notice, until the worker fetches it', async () => {
    const { reference, accountNumber } = await open()
    const silent = await paySilently(accountNumber)
    clock.advance(collectionLimits.missedPaymentsAgeMinMs)
    expect(await compare()).toEqual([['not_in_books', silent!.id]])
    // The notice may still arrive.
    expect(await fetchMissedPayments({ db, rail: bank, mode: 'test', logger }, clock.now())).toBe(0)
    clock.advance(1_000)
    expect(await fetchMissedPayments({ db, rail: bank, mode: 'test', logger }, clock.now())).toBe(1)
    await service.work()
    expect(await shop.verify(reference)).toMatchObject({ status: 'PAID', amountReceived: 500_000 })
    expect(await compare()).toEqual([])
    expect(await fetchMissedPayments({ db, rail: bank, mode: 'test', logger }, clock.now())).toBe(0)
    await expectAllProofs(db)
  })

  // Flutterwave lists whole days, and payments without their sender.
  test('leave a payment to its notice if the bank lists more than the period', async () => {
    const { accountNumber } = await open()
    const silent = await paySilently(accountNumber)
    const rail: CollectionRail = {
      ...bank,
      listPayments: async () => ({ payments: [silent!], next: null, unreadable: 0 }),
    }
    const fetch = () => fetchMissedPayments({ db, rail, mode: 'test', logger }, clock.now())
    expect(await fetch()).toBe(0)
    clock.advance(collectionLimits.missedPaymentsAgeMinMs + 1)
    expect(await fetch()).toBe(1)
    await service.work()
    await expectAllProofs(db)
  })

  // A worker that stood still for days, or a bank that lost its notices for as long.
  test('agree again however old a payment without a notice is, in several runs', async () => {
    const { reference, accountNumber } = await open()
    await paySilently(accountNumber)
    for (let more = 0; more < 14; more += 1) await paySilently((await open()).accountNumber)
    const agreed = after(clock.now(), -day)
    clock.advance(30 * day)
    await db.rows(sql`
      insert into reconciliations (rail, due_at, agreed_at) values (${bank.name}, now(), ${agreed})
      on conflict (rail) do update set agreed_at = ${agreed}`)
    // A bank that lists one payment a page.
    const listed: string[] = []
    const rail: CollectionRail = {
      ...bank,
      async listPayments({ from, to, after: place = '0' }) {
        const { payments } = await bank.listPayments({ from, to, after: undefined })
        listed.push(place)
        const next = Number(place) + 1
        return {
          payments: payments.slice(Number(place), next),
          next: next < payments.length ? `${next}` : null,
          unreadable: 0,
        }
      },
    }
    const runs: number[] = []
    for (let run = 0; run < 40 && runs.reduce((sum, found) => sum + found, 0) < 15; run += 1) {
      listed.length = 0
      runs.push(await fetchMissedPayments({ db, rail, mode: 'test', logger }, clock.now()))
      // The recent payments, and a bounded number of pages further back.
      expect(listed.length).toBeLessThanOrEqual(1 + collectionLimits.missedPagesPerRunMax)
      clock.advance(collectionLimits.missedPaymentsIntervalMs)
    }
    expect(runs.filter((found) => found > 0).length).toBeGreaterThan(1)
    await service.work()
    expect(await shop.verify(reference)).toMatchObject({ status: 'PAID' })
    expect(await compare()).toEqual([])
    await expectAllProofs(db)
  })

  test('differ by a payment unknown to the bank and by an amount', async () => {
    const paid = (await shop.payIn((await open()).accountNumber)).json.data
    const other = (await shop.payIn((await open()).accountNumber)).json.data
    expect(paid.status).toBe('ACCEPTED')
    const ids = await db.rows(sql<{ id: string }>`
      select rail_id as id from payments order by id desc limit 2`)
    const [second, first] = ids.map(({ id }) => id)
    await db.rows(sql`alter table sandbox_payments disable trigger user`)
    await db.rows(sql`update sandbox_payments set id = 'sbp_renamed' where id = ${first}`)
    await db.rows(sql`update sandbox_payments set amount = 7 where id = ${second}`)
    expect((await compare()).sort()).toEqual([
      ['amount_differs', second],
      ['not_at_rail', first],
      ['not_in_books', 'sbp_renamed'],
    ])
    expect(other.status).toBe('ACCEPTED')
  })
})
