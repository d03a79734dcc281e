import { expect } from 'vitest'
import type { Scenario } from '../scenario.js'

export const noticeScenarios: Scenario[] = [
  {
    name: 'a payment into a temporary account is credited',
    async run({ open }) {
      const shop = await open()
      const { reference, accountNumber } = await shop.openAccount()
      await shop.pay(accountNumber, 500_000)
      const [payment] = await shop.untilPayments(1)
      expect(payment).toMatchObject({ amount: 500_000, status: 'ACCEPTED', variance: 'NONE' })
      expect(await shop.readAccount(reference)).toMatchObject({ status: 'PAID' })
    },
  },
  {
    name: 'a dedicated account takes several payments, also of equal amounts',
    async run({ open }) {
      const shop = await open()
      const { accountNumber } = await shop.openDedicated()
      for (const amount of [70_000, 70_000, 30_000]) await shop.pay(accountNumber, amount)
      const payments = await shop.untilPayments(3)
      expect(payments.map(({ amount }) => amount).sort()).toEqual([30_000, 70_000, 70_000])
    },
  },
  {
    name: 'copies of a notice credit one payment',
    async run({ bank, relay, post, open }) {
      const shop = await open()
      const { accountNumber } = await shop.openAccount()
      relay.hold()
      await shop.pay(accountNumber, 500_000, { copies: 2 })
      await bank.drainNotices()
      const notices = relay.release()
      expect(notices.length).toBeGreaterThan(0)
      const copies = Array.from({ length: 4 }, () => notices).flat()
      const replies = await Promise.all(copies.map((notice) => post(notice)))
      for (const { status } of replies) expect(status).toBe(200)
      await shop.untilPayments(1)
    },
  },
  {
    name: 'notices in reverse order credit every payment',
    async run({ bank, relay, post, open }) {
      const shop = await open()
      const { accountNumber } = await shop.openDedicated()
      relay.hold()
      for (const amount of [10_000, 20_000, 30_000]) {
        await shop.pay(accountNumber, amount)
        await bank.drainNotices()
      }
      for (const notice of relay.release().reverse()) expect((await post(notice)).status).toBe(200)
      const payments = await shop.untilPayments(3)
      expect(payments.map(({ amount }) => amount).sort()).toEqual([10_000, 20_000, 30_000])
    },
  },
  {
    name: 'a payment without a notice is found by a query and by listing',
    async run({ fetchMissed, open }) {
      const shop = await open()
      const [queried, listed] = [await shop.openAccount(), await shop.openAccount()]
      const dedicated = await shop.openDedicated()
      for (const { accountNumber } of [queried, listed, dedicated])
        await shop.pay(accountNumber, 500_000, { isSilent: true })
      expect(await shop.payments()).toEqual([])
      const requery = `/v1/collections/virtual-accounts/${queried.reference}/requery`
      expect((await shop.send('POST', requery, {})).status).toBe(200)
      expect(await shop.payments()).toHaveLength(1)
      expect(await fetchMissed()).toBe(2)
      await shop.untilPayments(3)
      expect(await shop.readAccount(listed.reference)).toMatchObject({ status: 'PAID' })
      expect(await fetchMissed()).toBe(0)
    },
  },
  {
    name: 'a notice after the payment was listed changes nothing',
    async run({ bank, relay, post, fetchMissed, work, open }) {
      const shop = await open()
      const { accountNumber } = await shop.openAccount()
      relay.hold()
      await shop.pay(accountNumber, 500_000)
      await bank.drainNotices()
      const notices = relay.release()
      expect(await fetchMissed()).toBe(1)
      const [before] = await shop.untilPayments(1)
      for (const notice of notices) expect((await post(notice)).status).toBe(200)
      await work()
      expect(await shop.payments()).toEqual([before])
    },
  },
  {
    name: 'a notice of a payout before the answer of its call completes it once',
    needs: ['payout notices'],
    async run({ bank, open }) {
      const shop = await open()
      await shop.earn()
      bank.faults.notices = 'early'
      await shop.untilPayout(await shop.payOut(), 'COMPLETED')
    },
  },
]
