import { expect } from 'vitest'
import { limits } from '../../../../src/base/limits.js'
import { Refusal } from '../../../../src/base/refusal.js'
import { sql } from '../../../../src/postgres/sql.js'
import type { World } from '../open-world.js'
import type { Scenario } from '../scenario.js'
import type { Account, Shop } from '../shop.js'

const { expiryDefaultMs } = limits.collections

export const accountScenarios: Scenario[] = [
  {
    name: 'an account is opened once for its reference, also under races',
    async run({ bank, clock, open }) {
      const lifetimeMs = expiryDefaultMs
      const opening = {
        reference: `va-${'a1'.repeat(16)}`,
        name: 'Ada',
        purpose: 'order',
        expected: {
          amount: 500_000n,
          expiresAt: new Date(clock.now().getTime() + lifetimeMs),
          lifetimeMs,
        },
        customer: null,
      }
      const racing = Array.from({ length: 6 }, () => bank.rail.openAccounts([opening]))
      const [first, ...others] = (await Promise.all(racing)).flat()
      expect(first).not.toBeInstanceOf(Refusal)
      for (const other of others) expect(other).toEqual(first)
      expect(await bank.rail.openAccounts([opening])).toEqual([first])

      const shop = await open()
      const change = { merchantReference: 'one order' }
      const ask = () => shop.askForAccount(500_000, change, 'one key')
      const replies = await Promise.all([ask(), ask(), ask(), ask()])
      replies.push(await ask())
      const opened = replies.filter(({ status }) => status === 201)
      expect(opened.length).toBeGreaterThan(0)
      expect(new Set(opened.map(({ text }) => text)).size).toBe(1)
      const rows = await shop.get('/v1/collections/virtual-accounts?limit=100')
      expect(rows.items).toHaveLength(1)
    },
  },
  {
    name: 'an opening whose answer was lost is repeated by the retry',
    needs: ['loses openings'],
    async run({ bank, clock, open }) {
      const shop = await open()
      const change = { merchantReference: 'lost order' }
      bank.faults.lostOpenings = 1
      const ask = () => shop.askForAccount(500_000, change, 'lost answer')
      const lost = await ask()
      expect([lost.status, lost.json.reason]).toEqual([503, 'rail_unavailable'])
      clock.advance(limits.banks.probeIntervalMs)
      const { status, json } = await ask()
      expect(status).toBe(201)
      const { accountNumber, reference } = json.data
      await shop.pay(accountNumber, 500_000)
      await shop.untilPayments(1)
      expect(await shop.readAccount(reference)).toMatchObject({ status: 'PAID' })
    },
  },
  {
    name: 'a number that is used again leads to the account that has it now',
    needs: ['reuses numbers'],
    async run(world) {
      const { bank, clock, work, fetchMissed, open } = world
      const shop = await open()
      const first = await shop.openAccount()
      clock.advance(Math.max(bank.rail.limits.expiryMinMs, expiryDefaultMs) + 1_000)
      await work()
      expect(await shop.readAccount(first.reference)).toMatchObject({ status: 'EXPIRED' })

      const second = await openWithUsedNumber(world, shop)
      await shop.pay(second.accountNumber, 500_000)
      await shop.untilPayments(1)
      expect(await shop.readAccount(second.reference)).toMatchObject({ status: 'PAID' })

      // Neither a query for the old account nor a list credits it again.
      const requery = `/v1/collections/virtual-accounts/${first.reference}/requery`
      expect((await shop.send('POST', requery, {})).status).toBe(200)
      await fetchMissed()
      expect(await shop.readAccount(first.reference)).toMatchObject({ amountReceived: 0 })
      expect(await shop.payments()).toHaveLength(1)
    },
  },
]

/** The bank may first give away numbers of accounts whose openings raced. */
async function openWithUsedNumber({ db, bank }: World, shop: Shop): Promise<Account> {
  for (let tries = 0; tries < 20; tries += 1) {
    const account = await shop.openAccount()
    const sharing = await db.rows(sql`
      select from opened_bank_accounts
      where rail = ${bank.rail.name} and number = ${account.accountNumber}`)
    if (sharing.length > 1) return account
  }
  return expect.fail('the bank uses no number again')
}
