import { expect } from 'vitest'
import { limits } from '../../../../src/base/limits.js'
import { Refusal } from '../../../../src/base/refusal.js'
import { collectionLimits } from '../../../../src/collections/limits.js'
import { sql } from '../../../../src/postgres/sql.js'
import type { World } from '../open-world.js'
import type { Scenario } from '../scenario.js'
import type { Account, Shop } from '../shop.js'

const { expiryDefaultMs } = collectionLimits

export const accountScenarios: Scenario[] = [
  {
    name: 'a requery while the bank does not answer is refused, and may be repeated',
    needs: ['is remote'],
    async run({ bank, clock, open }) {
      const shop = await open()
      const { reference } = await shop.openAccount()
      const path = `/v1/collections/virtual-accounts/${reference}/requery`
      bank.faults.down = 'unavailable'
      const refused = await shop.send('POST', path, {})
      expect(refused).toMatchObject({ status: 503, json: { reason: 'rail_unavailable' } })
      bank.faults.down = 'no'
      clock.advance(limits.banks.probeIntervalMs)
      expect((await shop.send('POST', path, {})).status).toBe(200)
    },
  },
  {
    name: 'accounts at a bank that the provider does not list are opened, shown and paid into',
    needs: ['is remote'],
    async run({ bank, open }) {
      const shop = await open()
      bank.faults.accountBank = 'Mock Bank'
      const temporary = await shop.askForAccount(500_000)
      expect([temporary.status, temporary.json.message]).toEqual([201, temporary.json.message])
      expect(temporary.json.data).toMatchObject({ bankName: 'Mock Bank', bankCode: '' })
      const dedicated = await shop.openDedicated()
      expect(dedicated).toMatchObject({ bankName: 'Mock Bank', bankCode: '' })
      await shop.pay(temporary.json.data.accountNumber, 500_000)
      await shop.pay(dedicated.accountNumber, 700_000)
      await shop.untilPayments(2)
    },
  },
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
    name: 'an expiry that the bank cannot keep is refused, and the real one is shown',
    async run({ bank, clock, open }) {
      const shop = await open()
      const { expiryMinMs, expiryMaxMs } = bank.rail.limits
      const at = (durationMs: number) => new Date(clock.now().getTime() + durationMs).toISOString()
      const refused = await shop.askForAccount(500_000, { expiresAt: at(expiryMaxMs + 60_000) })
      expect(refused.json).toMatchObject({ code: 'validation_failed' })
      expect(refused.text).toContain('expiresAt')
      const expiresAt = at(Math.max(expiryMinMs, expiryMaxMs / 2))
      const account = await shop.openAccount(500_000, { expiresAt })
      expect(account.expiresAt).toBe(expiresAt)
    },
  },
  {
    name: 'a dedicated account without what the bank must know of its customer is refused',
    async run({ bank, open, note }) {
      const shop = await open()
      const { customerNeeds } = bank.rail.limits
      const body = { externalReference: 'nobody' }
      const { status, json, text } = await shop.send(
        'POST',
        '/v1/collections/dedicated-accounts',
        body,
      )
      if (customerNeeds.length === 0) {
        expect(status).toBe(201)
        return note('needs nothing')
      }
      expect(json.code).toBe('validation_failed')
      for (const need of customerNeeds)
        expect(text).toContain(`customer.${need === 'bvn_or_nin' ? 'bvn' : need}`)
      note(`needs ${customerNeeds.join(', ')}`)
    },
  },
  {
    name: 'a payment into a cancelled account is sent back by the bank, or judged as late',
    async run({ db, bank, work, open, note }) {
      const shop = await open()
      const body = { policies: { bank: { latePayment: 'hold' } } }
      expect((await shop.send('PATCH', '/v1/settings', body)).status).toBe(200)
      const { reference, accountNumber } = await shop.openAccount()
      const cancel = `/v1/collections/virtual-accounts/${reference}/cancel`
      expect((await shop.send('POST', cancel, {})).status).toBe(200)
      // The service tells the bank after its answer. To repeat that is harmless.
      const [row] = await db.rows(sql<{ railAccount: string }>`
        select rail_account from collection_accounts
        where rail = ${bank.rail.name} and number = ${accountNumber}
        order by created_at desc limit 1`)
      await bank.rail.closeAccounts([row!.railAccount])
      const { result } = await shop.pay(accountNumber, 500_000)
      await bank.drainNotices()
      if (result === 'rejected') {
        await work()
        expect(await shop.payments()).toEqual([])
        return note('sent back by the bank')
      }
      const [payment] = await shop.untilPayments(1)
      expect(payment).toMatchObject({ variance: 'LATE', status: 'HELD' })
      note('judged by policy')
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
