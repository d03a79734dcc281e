import { expect } from 'vitest'
import type { Scenario } from '../scenario.js'
import { countAtBank } from './payouts.js'

const minute = 60_000

export const refundScenarios: Scenario[] = [
  {
    name: 'a payment is refunded in full, once',
    async run(world) {
      const shop = await world.open()
      await shop.earn()
      const { reference } = await shop.receive()
      expect((await shop.refund(reference)).status).toBe(201)
      await world.passUntil(async () => (await shop.readPayment(reference)).status === 'RETURNED')
      const [sent] = await shop.returnsOf(reference)
      expect(await countAtBank(world, sent!.reference)).toBe(1)
    },
  },
  {
    name: 'a payment is refunded in parts',
    async run(world) {
      const shop = await world.open()
      await shop.earn()
      const { reference } = await shop.receive()
      for (const amount of [100_000, 150_000]) {
        expect((await shop.refund(reference, { amount })).status).toBe(201)
        await world.passUntil(async () => {
          const returns = await shop.returnsOf(reference)
          return returns.every(({ status }) => status === 'RETURNED')
        })
      }
      const payment = await shop.readPayment(reference)
      expect(payment).toMatchObject({ amountAccepted: 250_000 })
      const returns = await shop.returnsOf(reference)
      expect(returns.map(({ amount }) => amount).sort()).toEqual([100_000, 150_000])
    },
  },
  {
    name: 'money that a policy returns goes back to its sender, once',
    needs: ['reports wrong amounts'],
    async run(world) {
      const shop = await world.open()
      await shop.earn()
      const { bounces } = world.bank.rail.limits
      const variance = bounces.includes('overpayment') ? 'underpayment' : 'overpayment'
      const body = { policies: { bank: { [variance]: 'return' } } }
      expect((await shop.send('PATCH', '/v1/settings', body)).status).toBe(200)
      const { accountNumber } = await shop.openAccount()
      await shop.pay(accountNumber, variance === 'overpayment' ? 600_000 : 400_000)
      const payments = await shop.untilPayments(2)
      const { reference } = payments.find((one) => one.variance !== 'NONE')!
      await world.passUntil(async () => {
        const returns = await shop.returnsOf(reference)
        return returns.length === 1 && returns[0]!.status === 'RETURNED'
      })
      const [sent] = await shop.returnsOf(reference)
      expect(await countAtBank(world, sent!.reference)).toBe(1)
    },
  },
  {
    name: 'a refund whose answer was lost, and that lists show late, is not made twice',
    needs: ['loses answers'],
    async run(world) {
      const { bank } = world
      const shop = await world.open()
      await shop.earn()
      const { reference } = await shop.receive()
      bank.faults.lostAnswers = 1
      bank.faults.listDelayMs = minute
      expect((await shop.refund(reference)).status).toBe(201)
      await world.passUntil(async () => (await shop.readPayment(reference)).status === 'RETURNED', {
        stepMs: 15_000,
      })
      expect(bank.faults.lostAnswers).toBe(0)
      const [sent] = await shop.returnsOf(reference)
      expect(await countAtBank(world, sent!.reference)).toBe(1)
    },
  },
  {
    name: 'a refund that could not be searched for is sent within seconds, once',
    needs: ['is remote'],
    async run(world) {
      const { bank, clock } = world
      const shop = await world.open()
      await shop.earn()
      const { reference } = await shop.receive()
      bank.faults.failedRefundQueries = 2
      const begunMs = clock.now().getTime()
      expect((await shop.refund(reference)).status).toBe(201)
      await world.passUntil(async () => (await shop.readPayment(reference)).status === 'RETURNED')
      expect(bank.faults.failedRefundQueries).toBe(0)
      expect(clock.now().getTime() - begunMs).toBeLessThan(minute)
      const [sent] = await shop.returnsOf(reference)
      expect(await countAtBank(world, sent!.reference)).toBe(1)
    },
  },
  {
    name: 'payouts and refunds that are unknown in other words are sent, once',
    needs: ['is remote'],
    async run(world) {
      const { bank } = world
      const shop = await world.open()
      await shop.earn()
      const { reference } = await shop.receive()
      bank.faults.missingCode = '99'
      bank.faults.hiddenPayouts = 1
      const payout = await shop.payOut()
      expect((await shop.refund(reference)).status).toBe(201)
      await shop.untilPayout(payout, 'COMPLETED')
      await world.passUntil(async () => (await shop.readPayment(reference)).status === 'RETURNED')
      const [sent] = await shop.returnsOf(reference)
      expect(await countAtBank(world, sent!.reference)).toBe(1)
      expect(await countAtBank(world, payout)).toBe(1)
    },
  },
  {
    name: 'a refund that the bank declines leaves the money here',
    async run(world) {
      const { bank } = world
      const shop = await world.open()
      await shop.earn()
      const { reference } = await shop.receive()
      bank.recipient('held')
      expect((await shop.refund(reference)).status).toBe(201)
      const [sent] = await shop.returnsOf(reference)
      // The request sends it after its answer.
      await world.passUntil(async () => (await countAtBank(world, sent!.reference)) === 1)
      expect(await bank.settle(sent!.reference, 'failed')).toBe(true)
      await world.passUntil(async () => {
        const [ended] = await shop.returnsOf(reference)
        return ended!.status === 'FAILED'
      })
      expect((await shop.readPayment(reference)).status).not.toBe('RETURNED')
    },
  },
]
