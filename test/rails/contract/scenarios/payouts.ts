import { expect } from 'vitest'
import { fromReference, prefixes } from '../../../../src/base/ids.js'
import { readLiveAttempts } from '../../../../src/payouts/attempts/live-attempts.js'
import type { LiveAttempt } from '../../../../src/payouts/ports.js'
import { sql } from '../../../../src/postgres/sql.js'
import { until } from '../../../support/sessions.js'
import type { World } from '../open-world.js'
import type { Scenario } from '../scenario.js'
import type { Shop } from '../shop.js'

const minute = 60_000

/** How often the bank has carried the payout or refund out. */
export async function countAtBank({ bank }: World, reference: string): Promise<number> {
  const { payouts, refunds } = await bank.books()
  const names = [...payouts.map((one) => one.reference), ...refunds.map(({ note }) => note)]
  return names.filter((name) => name.replaceAll('-', '_') === reference).length
}

/** The API sends it after its answer. */
async function untilAtBank(world: World, reference: string): Promise<void> {
  await until(async () => (await countAtBank(world, reference)) > 0)
}

async function readAttempt(world: World, shop: Shop, reference: string): Promise<LiveAttempt> {
  const id = fromReference(prefixes.bankTransfer, reference)!
  const [attempt] = await readLiveAttempts(world.db, [{ environmentId: shop.environmentId, id }])
  return attempt!
}

/** Polls for a while, during which the payout must stay open. */
async function staysOpen({ clock, work }: World, shop: Shop, reference: string): Promise<void> {
  for (let step = 0; step < 5; step += 1) {
    clock.advance(minute)
    await work()
  }
  expect(await shop.readPayout(reference)).toMatchObject({ status: 'SUBMITTED' })
}

/** Begins a payout that the bank has received and not ended. */
async function beginHeld(world: World, shop: Shop): Promise<string> {
  const reference = await shop.payOut('held')
  await untilAtBank(world, reference)
  return reference
}

export const payoutScenarios: Scenario[] = [
  {
    name: 'a payout completes, once',
    async run(world) {
      const shop = await world.open()
      const before = await shop.earn()
      const reference = await shop.payOut()
      await shop.untilPayout(reference, 'COMPLETED')
      expect(await countAtBank(world, reference)).toBe(1)
      expect((await shop.naira()).available).toBeLessThanOrEqual(before.available - 1_000_000)
    },
  },
  {
    name: 'a payout that the bank declines fails, and its money is back',
    async run(world) {
      const shop = await world.open()
      const before = await shop.earn()
      const reference = await beginHeld(world, shop)
      expect(await world.bank.settle(reference, 'failed')).toBe(true)
      await shop.untilPayout(reference, 'FAILED')
      expect(await shop.naira()).toEqual(before)
    },
  },
  {
    name: 'a payout whose answer was lost completes, once',
    needs: ['loses answers'],
    async run(world) {
      const shop = await world.open()
      await shop.earn()
      world.bank.faults.lostAnswers = 1
      const reference = await shop.payOut()
      await shop.untilPayout(reference, 'COMPLETED')
      expect(world.bank.faults.lostAnswers).toBe(0)
      expect(await countAtBank(world, reference)).toBe(1)
    },
  },
  {
    name: 'a payout that was taken and answered with a server error completes, once',
    needs: ['loses answers'],
    async run(world) {
      const shop = await world.open()
      await shop.earn()
      world.bank.faults.errorsAfterPayout = 1
      const reference = await shop.payOut()
      await shop.untilPayout(reference, 'COMPLETED')
      expect(world.bank.faults.errorsAfterPayout).toBe(0)
      expect(await countAtBank(world, reference)).toBe(1)
    },
  },
  {
    name: 'a payout that is "not found" at first completes, once',
    needs: ['hides payouts'],
    async run(world) {
      const shop = await world.open()
      await shop.earn()
      world.bank.faults.hiddenPayouts = 3
      const reference = await beginHeld(world, shop)
      await staysOpen(world, shop, reference)
      expect(world.bank.faults.hiddenPayouts).toBe(0)
      await world.bank.settle(reference, 'success')
      await shop.untilPayout(reference, 'COMPLETED')
      expect(await countAtBank(world, reference)).toBe(1)
    },
  },
  {
    name: 'a payout sent again and again with one reference is carried out once',
    async run(world) {
      const { bank } = world
      const shop = await world.open()
      await shop.earn()
      const reference = await beginHeld(world, shop)
      const attempt = await readAttempt(world, shop, reference)
      await Promise.all([1, 2, 3].map(() => bank.rail.send([attempt])))
      await bank.settle(reference, 'success')
      await shop.untilPayout(reference, 'COMPLETED')
      await bank.rail.send([attempt])
      expect(await countAtBank(world, reference)).toBe(1)
    },
  },
  {
    name: 'two equal payouts to one account both complete, once',
    async run(world) {
      const shop = await world.open()
      await shop.earn()
      const references: string[] = []
      for (let count = 0; count < 2; count += 1)
        references.push(await shop.payOut('ordinary', { amount: 1_234_500 }))
      for (const reference of references) {
        await world.passUntil(
          async () => (await shop.readPayout(reference)).status === 'COMPLETED',
          { stepMs: 10_000 },
        )
        expect(await countAtBank(world, reference)).toBe(1)
      }
    },
  },
  {
    name: 'a payout stays open as long as the bank has not decided',
    async run(world) {
      const { bank, clock } = world
      const shop = await world.open()
      await shop.earn()
      const reference = await beginHeld(world, shop)
      clock.advance(180 * minute)
      await staysOpen(world, shop, reference)
      await bank.settle(reference, 'success')
      await world.passUntil(async () => (await shop.readPayout(reference)).status === 'COMPLETED', {
        stepMs: minute,
      })
    },
  },
  {
    name: 'a payout that waits for a one-time password stays open',
    needs: ['asks for a password'],
    async run(world) {
      const { bank } = world
      const shop = await world.open()
      await shop.earn()
      bank.faults.asksForOtp = true
      const reference = await beginHeld(world, shop)
      await staysOpen(world, shop, reference)
      expect(await bank.settle(reference, 'success')).toBe(true)
      await shop.untilPayout(reference, 'COMPLETED')
    },
  },
  ...(['refusesAddress', 'refusesBusiness'] as const).map(
    (fault): Scenario => ({
      name:
        fault === 'refusesAddress'
          ? 'a payout from an address that is not allowed stays open until it is'
          : 'a payout of an unregistered business stays open until it is registered',
      needs: ['refuses callers'],
      async run(world) {
        const { bank } = world
        const shop = await world.open()
        await shop.earn()
        bank.faults[fault] = true
        const reference = await shop.payOut()
        await staysOpen(world, shop, reference)
        expect(await countAtBank(world, reference)).toBe(0)
        bank.faults[fault] = false
        await shop.untilPayout(reference, 'COMPLETED')
        expect(await countAtBank(world, reference)).toBe(1)
      },
    }),
  ),
  {
    name: 'a payout that the float cannot cover fails, and is never sent again',
    needs: ['has a float'],
    async run(world) {
      const { bank, db } = world
      const shop = await world.open()
      const before = await shop.earn()
      const { float } = await bank.books()
      bank.setFloat(0n)
      const reference = await shop.payOut()
      const attempt = await readAttempt(world, shop, reference)
      await shop.untilPayout(reference, 'FAILED')
      expect(await shop.readPayout(reference)).toMatchObject({
        failureReason: 'insufficient_float',
      })
      expect(await shop.naira()).toEqual(before)
      bank.setFloat(float)
      await bank.rail.send([attempt])
      await world.work()
      const { payouts } = await bank.books()
      const own = payouts.filter(({ reference: name }) => name === attempt.token)
      for (const { state } of own) expect(state).toBe('failed')
      const [order] = await db.rows(sql<{ closedAt: Date | null }>`
        select closed_at from bank_orders where token = ${attempt.token}`)
      expect(own.length === 1 || order!.closedAt !== null).toBe(true)
    },
  },
  {
    name: 'a completed payout that comes back late is reversed, and its money is back',
    async run(world) {
      const { bank, clock } = world
      const shop = await world.open()
      const before = await shop.earn()
      const reference = await shop.payOut()
      await shop.untilPayout(reference, 'COMPLETED')
      clock.advance(60 * minute)
      expect(await bank.reverse(reference)).toBe(true)
      await world.passUntil(async () => (await shop.readPayout(reference)).status === 'REVERSED')
      expect((await shop.naira()).available).toBeGreaterThan(before.available - 1_000_000)
    },
  },
  {
    name: 'a payout that comes back before it was seen completed gives its money back',
    async run(world) {
      const { bank } = world
      const shop = await world.open()
      const before = await shop.earn()
      const reference = await beginHeld(world, shop)
      await bank.settle(reference, 'success')
      expect(await bank.reverse(reference)).toBe(true)
      await world.passUntil(async () =>
        ['FAILED', 'REVERSED'].includes((await shop.readPayout(reference)).status),
      )
      expect((await shop.naira()).available).toBeGreaterThan(before.available - 1_000_000)
      expect(await countAtBank(world, reference)).toBe(1)
    },
  },
]
