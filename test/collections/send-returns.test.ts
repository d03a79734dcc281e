import { expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { sendReturns } from '../../src/collections/returns/send-returns.js'
import { payoutLimits } from '../../src/payouts/limits.js'
import type { LiveAttempt, PayoutRail } from '../../src/payouts/ports.js'
import { openWithBank } from '../support/open-with-bank.js'
import { openDesk } from '../support/payment-desk.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db, bank, clock } = service
const logger = createLogger('silent')

/** A bank that prepares slowly and counts what it is sent. */
function slowBank(takesMs: number) {
  const sent: string[] = []
  const rail: PayoutRail = {
    ...bank,
    async prepare(instructions) {
      clock.advance(takesMs)
      return bank.prepare(instructions)
    },
    async send(attempts: LiveAttempt[]) {
      sent.push(...attempts.map(({ reference }) => reference))
      await bank.send(attempts)
    },
  }
  return { rail, sent }
}

// After a while an operator may mark a return as failed, and the money is held again. A worker that
// was suspended until then must not send it, or the money would be both held and paid.
test.each([
  { takesMs: payoutLimits.sendWithinMs - 1, times: 1 },
  { takesMs: payoutLimits.sendWithinMs, times: 0 },
])('a return prepared in $takesMs ms is sent $times times', async ({ takesMs, times }) => {
  const desk = await openDesk(service)
  const { accountNumber } = await desk.open()
  const paid = await desk.pay(accountNumber, { amount: 300_000 })
  const { rail, sent } = slowBank(takesMs)
  expect(await sendReturns({ db, rail, clock, logger }, clock.now())).toBe(1)
  expect(sent).toHaveLength(times)
  expect(await desk.returnsOf(paid.reference)).toMatchObject([{ status: 'SENT' }])
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNED' })
  await expectAllProofs(db)
})
