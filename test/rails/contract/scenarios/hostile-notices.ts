import { expect } from 'vitest'
import { sql } from '../../../../src/postgres/sql.js'
import type { RelayedNotice } from '../notice-relay.js'
import type { World } from '../open-world.js'
import type { Scenario } from '../scenario.js'
import type { Account, Shop } from '../shop.js'

const paid = 500_000

/** A genuine notice of a payment, which has not arrived yet. */
async function intercept(world: World, shop: Shop, { accountNumber }: Account) {
  world.relay.hold()
  await shop.pay(accountNumber, paid)
  await world.bank.drainNotices()
  const notices = world.relay.release()
  expect(notices.length).toBeGreaterThan(0)
  return notices[0]!
}

async function countStored({ db, bank }: World): Promise<number> {
  const rows = await db.rows(sql`
    select from notices where rail = ${bank.rail.name}
    union all select from notice_hints where rail = ${bank.rail.name}`)
  return rows.length
}

function forge({ headers, body }: RelayedNotice): RelayedNotice {
  const forged = Object.entries(headers).map(([name, value]) => [
    name,
    name === 'content-type' ? value : value.replace(/^./, (first) => (first === '1' ? '2' : '1')),
  ])
  return { headers: Object.fromEntries(forged), body }
}

/** The same notice with every amount ten times as high, as kobo and as naira. */
function inflate(body: string): string {
  const inflated = body.replaceAll(/\b(500000|5000)\b/g, '$10')
  expect(inflated).not.toBe(body)
  return inflated
}

async function isCreditedOnce(shop: Shop): Promise<void> {
  const [payment] = await shop.untilPayments(1)
  expect(payment).toMatchObject({ amount: paid, amountAccepted: paid })
}

export const hostileScenarios: Scenario[] = [
  {
    name: 'a notice with a wrong or missing signature is refused, and nothing is stored',
    async run(world) {
      const shop = await world.open()
      const notice = await intercept(world, shop, await shop.openAccount())
      const before = await countStored(world)
      const unsigned = { headers: { 'content-type': 'application/json' }, body: notice.body }
      for (const hostile of [forge(notice), unsigned])
        expect((await world.post(hostile)).status).toBe(401)
      expect(await countStored(world)).toBe(before)
      expect(await shop.payments()).toEqual([])
      expect((await world.post(notice)).status).toBe(200)
      await isCreditedOnce(shop)
    },
  },
  {
    name: 'a replayed notice changes nothing',
    async run(world) {
      const shop = await world.open()
      const notice = await intercept(world, shop, await shop.openAccount())
      for (let copy = 0; copy < 3; copy += 1) {
        expect((await world.post(notice)).status).toBe(200)
        await isCreditedOnce(shop)
        world.clock.advance(3_600_000)
      }
    },
  },
  {
    name: 'a notice to the other mode is refused, and nothing is stored',
    async run(world) {
      const shop = await world.open()
      const notice = await intercept(world, shop, await shop.openAccount())
      const before = await countStored(world)
      const other = world.bank.mode === 'live' ? 'test' : 'live'
      const { status } = await world.post(notice, other)
      expect(status).toBe(world.bank.otherRail ? 401 : 404)
      expect(await countStored(world)).toBe(before)
      expect((await world.post(notice)).status).toBe(200)
      await isCreditedOnce(shop)
    },
  },
  {
    name: 'a notice changed after it was signed credits what the bank received, or nothing',
    async run(world) {
      const shop = await world.open()
      const notice = await intercept(world, shop, await shop.openAccount())
      const changed = { headers: notice.headers, body: inflate(notice.body) }
      const { status } = await world.post(changed)
      expect([200, 401]).toContain(status)
      if (status === 401) expect(await shop.payments()).toEqual([])
      expect((await world.post(notice)).status).toBe(200)
      await isCreditedOnce(shop)
    },
  },
  {
    name: 'a signed notice that lies about the amount credits what the API reports',
    needs: ['hints'],
    async run(world) {
      const shop = await world.open()
      const notice = await intercept(world, shop, await shop.openAccount())
      const body = inflate(notice.body)
      const { 'content-type': type = '' } = notice.headers
      const headers = { 'content-type': type, ...world.bank.sign(body) }
      expect((await world.post({ headers, body })).status).toBe(200)
      await isCreditedOnce(shop)
    },
  },
]
