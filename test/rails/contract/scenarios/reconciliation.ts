import { strict as assert } from 'node:assert'
import { expect } from 'vitest'
import { fromReference, prefixes } from '../../../../src/base/ids.js'
import type { BankRail } from '../../../../src/collections/ports.js'
import { sql } from '../../../../src/postgres/sql.js'
import { readInstruction } from '../../../../src/rails/bank/instruction.js'
import { until } from '../../../support/sessions.js'
import type { Scenario } from '../scenario.js'
import { countAtBank } from './payouts.js'

/** The bank with a statement in which one payout is changed or missing. */
function lyingAbout(
  rail: BankRail,
  reference: string,
  change: (amount: bigint) => bigint | undefined,
): BankRail {
  return {
    ...rail,
    check: async (attempts) => attempts.map(() => ({ state: 'unseen' })),
    async statement(period) {
      const { lines, next, unreadable } = await rail.statement(period)
      return {
        unreadable,
        lines: lines.flatMap((line) => {
          if (line.reference !== reference) return [line]
          assert(line.amount !== null)
          const amount = change(line.amount)
          return amount === undefined ? [] : [{ ...line, amount }]
        }),
        next,
      }
    },
  }
}

export const reconciliationScenarios: Scenario[] = [
  {
    name: 'reconciliation agrees after all of the above',
    async run({ compare, fetchMissed }) {
      await fetchMissed()
      expect(await compare()).toEqual([])
    },
  },
  {
    name: 'reconciliation finds a payment that is missing in the books',
    async run({ compare, fetchMissed, open }) {
      const shop = await open()
      const { accountNumber } = await shop.openAccount()
      const { id } = await shop.pay(accountNumber, 500_000, { isSilent: true })
      expect(await compare()).toMatchObject([{ kind: 'not_in_books', name: id }])
      await fetchMissed()
      expect(await compare()).toEqual([])
    },
  },
  {
    name: 'reconciliation finds a payment of another amount',
    async run({ bank, compare, open }) {
      const shop = await open()
      const { accountNumber } = await shop.openAccount()
      const { id } = await shop.pay(accountNumber, 500_000)
      await shop.untilPayments(1)
      const { rail } = bank
      const lying: BankRail = {
        ...rail,
        async listPayments(period) {
          const page = await rail.listPayments(period)
          const payments = page.payments.map((payment) =>
            payment.id === id ? { ...payment, amount: 1n } : payment,
          )
          return { ...page, payments }
        },
      }
      expect(await compare(lying)).toMatchObject([{ kind: 'amount_differs', name: id }])
    },
  },
  {
    name: 'reconciliation is not complete if the bank lists rows that cannot be read',
    async run({ bank, compare }) {
      const { rail } = bank
      for (const name of ['listPayments', 'statement'] as const) {
        const lying = {
          ...rail,
          [name]: async (period: Parameters<BankRail['listPayments']>[0]) => ({
            ...(await rail[name](period)),
            unreadable: 1,
          }),
        }
        expect(await compare(lying)).toMatchObject([{ kind: 'not_compared' }])
      }
    },
  },
  {
    name: 'reconciliation finds a payout that is missing at the bank, or of another amount',
    async run({ bank, compare, open }) {
      const shop = await open()
      await shop.earn()
      const reference = await shop.payOut()
      await shop.untilPayout(reference, 'COMPLETED')
      const missing = lyingAbout(bank.rail, reference, () => undefined)
      expect(await compare(missing)).toMatchObject([{ kind: 'not_at_rail', name: reference }])
      const higher = lyingAbout(bank.rail, reference, (amount) => amount + 1n)
      expect(await compare(higher)).toMatchObject([{ kind: 'amount_differs', name: reference }])
      expect(await compare()).toEqual([])
    },
  },
  {
    name: 'reconciliation finds a refund that was made twice',
    needs: ['doubles refunds'],
    async run(world) {
      const { db, bank, plant } = world
      const shop = await world.open()
      await shop.earn()
      const { reference } = await shop.receive()
      expect((await shop.refund(reference, { amount: 100_000 })).status).toBe(201)
      await world.passUntil(async () => {
        const [sent] = await shop.returnsOf(reference)
        return sent!.status === 'RETURNED'
      })
      const [sent] = await shop.returnsOf(reference)
      const id = fromReference(prefixes.paymentReturn, sent!.reference)!
      const [attempt] = await db.rows(sql<{ wire: Buffer }>`
        select wire from payout_attempts where payout_id = ${id}`)
      plant(sent!.reference)
      await bank.refundAgain(readInstruction(attempt!.wire))
      expect(await countAtBank(world, sent!.reference)).toBe(2)
      await until(async () => {
        const { refunds } = await bank.books()
        return refunds.every(({ state }) => state !== 'pending')
      })
      const differences = await world.compare()
      expect(differences).toMatchObject([
        { kind: 'not_in_books', name: readInstruction(attempt!.wire).reference },
      ])
    },
  },
]
