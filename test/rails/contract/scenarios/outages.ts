import { expect } from 'vitest'
import { limits } from '../../../../src/base/limits.js'
import { until } from '../../../support/sessions.js'
import type { Scenario } from '../scenario.js'
import { countAtBank } from './payouts.js'

const minute = 60_000

export const outageScenarios: Scenario[] = (['unavailable', 'refused'] as const).map((down) => ({
  name: `a provider that is ${down === 'refused' ? 'unreachable' : 'in error'} for minutes: new requests are refused, open ones wait`,
  needs: ['is remote'],
  async run(world) {
    const { bank, clock, work, open } = world
    const shop = await open()
    await shop.earn()
    const account = await shop.openAccount()
    const reference = await shop.payOut('held')
    await until(async () => (await countAtBank(world, reference)) === 1)
    const before = await shop.naira()

    bank.faults.down = down
    // A payer's bank still reaches the provider, and the provider still sends notices.
    await shop.pay(account.accountNumber, 500_000)
    await bank.drainNotices()
    for (let call = 0; call < limits.banks.failuresUntilDown + 2; call += 1) {
      const replies = [await shop.askForAccount(), await shop.askForPayout()]
      for (const { status, json } of replies)
        expect([status, json.reason]).toEqual([503, 'rail_unavailable'])
    }
    for (let step = 0; step < 5; step += 1) {
      clock.advance(minute)
      await work().catch(() => {})
    }
    expect(await shop.naira()).toEqual(before)
    expect(await shop.readPayout(reference)).toMatchObject({ status: 'SUBMITTED' })

    bank.faults.down = 'no'
    await world.passUntil(async () => (await shop.payments()).length === 2, { stepMs: minute })
    const later = await shop.payOut()
    await bank.settle(reference, 'success')
    await until(async () => (await countAtBank(world, later)) === 1)
    await bank.settle(later, 'success')
    for (const one of [reference, later])
      await world.passUntil(async () => (await shop.readPayout(one)).status === 'COMPLETED', {
        stepMs: minute,
      })
  },
}))
