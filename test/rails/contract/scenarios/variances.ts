import { expect } from 'vitest'
import { collectionLimits } from '../../../../src/collections/limits.js'
import { type PaymentVariance, paymentVariances } from '../../../../src/collections/ports.js'
import { sql } from '../../../../src/postgres/sql.js'
import type { World } from '../open-world.js'
import type { Scenario } from '../scenario.js'

const shown: Record<PaymentVariance, string> = {
  underpayment: 'UNDERPAID',
  overpayment: 'OVERPAID',
  latePayment: 'LATE',
  duplicatePayment: 'DUPLICATE',
}

const amounts: Record<PaymentVariance, number> = {
  underpayment: 400_000,
  overpayment: 600_000,
  latePayment: 500_000,
  duplicatePayment: 500_000,
}

export const varianceScenarios: Scenario[] = paymentVariances.map((variance) => ({
  name: `${variance}: judged by policy, or sent back by the bank and recorded`,
  async run(world) {
    const { bank, clock, work, passUntil, open, note } = world
    const shop = await open()
    const isBounced = bank.rail.limits.bounces.includes(variance)
    if (!isBounced) {
      const body = { policies: { bank: { [variance]: 'hold' } } }
      expect((await shop.send('PATCH', '/v1/settings', body)).status).toBe(200)
    }
    const { accountNumber } = await shop.openAccount()
    if (variance === 'duplicatePayment') {
      await shop.pay(accountNumber, 500_000)
      await shop.untilPayments(1)
    }
    if (variance === 'latePayment') {
      clock.advance(Math.max(collectionLimits.expiryDefaultMs, bank.rail.limits.expiryMinMs) + 1)
      await work()
    }
    const before = await shop.payments()
    const rejections = await countRejections(world)
    const { result } = await shop.pay(accountNumber, amounts[variance])
    expect(result).toBe(isBounced ? 'rejected' : 'received')
    if (isBounced && !bank.announcesBounce(variance)) {
      await bank.drainNotices()
      await work()
      expect(await shop.payments()).toEqual(before)
      return note('sent back without a notice')
    }
    if (isBounced) {
      await passUntil(async () => (await countRejections(world)) === rejections + 1)
      expect(await shop.payments()).toEqual(before)
      return note('sent back by the bank')
    }
    const payments = await shop.untilPayments(before.length + 1)
    const [judged] = payments.filter((payment) => payment.variance === shown[variance])
    expect(judged).toMatchObject({ amount: amounts[variance], status: 'HELD' })
    note('judged by policy')
  },
}))

async function countRejections({ db, bank }: World): Promise<number> {
  const rows = await db.rows(sql`
    select from notice_hints where rail = ${bank.rail.name} and state = 'REJECTED'`)
  return rows.length
}
