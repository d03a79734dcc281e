import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { decidePayout } from '../../src/payouts/attempts/decide-payout.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { payoutLimits } from '../../src/payouts/limits.js'
import type { LiveAttempt, PayoutRail } from '../../src/payouts/ports.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { openManilla } from '../support/open-manilla.js'
import { expectAllProofs } from '../support/sound-books.js'

/** An operator ends a transfer while workers poll the bank for it. */

const db = await freshDatabase()
const clock = manualClock()
const logger = createLogger('silent')
const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
// Committed and never sent: the bank does not know the transfer.
const mute = { ...bank, send: async () => {} }
const service = await openManilla({
  beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
  rails: new Rails({ test: { payoutBank: mute } }),
})
const key = service.merchant.test.secret
const path = '/v1/disbursements/bank-transfer'

let reference: string
let count = 0
beforeEach(async () => {
  await service.ask('POST', '/v1/test/balances/fund', {
    key,
    body: { asset: 'NGN', amount: 900_000 },
  })
  const headers = { 'idempotency-key': `decide ${count++}` }
  const body = { amount: 100_000, bankCode: '058', accountNumber: '0123456789' }
  reference = (await service.ask('POST', path, { key, headers, body })).json.data.reference
})

const decide = (hasLanded: boolean) =>
  db.transaction((tx) => decidePayout(tx, clock.now(), { reference, hasLanded }))
const statusOf = async () =>
  (await service.ask('GET', `${path}/${reference}`, { key })).json.data.status

/** A worker whose poll returns only when it is woken. */
function startStalledWorker() {
  let wake = () => {}
  const isWoken = new Promise<void>((resolve) => {
    wake = resolve
  })
  let claimed = () => {}
  const hasClaimed = new Promise<void>((resolve) => {
    claimed = resolve
  })
  const sent: string[] = []
  const rail: PayoutRail = {
    ...bank,
    async check(attempts: LiveAttempt[]) {
      const findings = await bank.check(attempts)
      claimed()
      await isWoken
      return findings
    },
    async send(attempts: LiveAttempt[]) {
      sent.push(...attempts.map((attempt) => attempt.reference))
      await bank.send(attempts)
    },
  }
  const working = pollPayouts({ db, rail, logger, clock }, clock.now())
  return { hasClaimed, wake, working, sent }
}

// The bank does not know the transfer, and the operator calls it failed. If that were accepted now,
// the worker would send it a moment later: the money would be both paid and released.
test('an operator cannot fail a transfer while a worker may be sending it', async () => {
  clock.advance(payoutLimits.leaseMs)
  const { hasClaimed, wake, working, sent } = startStalledWorker()
  await hasClaimed
  const until = new Date(clock.now().getTime() + payoutLimits.leaseMs).toISOString()
  await expect(decide(false)).rejects.toThrow(`right now; try again after ${until}`)
  expect(await statusOf()).toBe('SUBMITTED')
  wake()
  await working
  expect(sent).toEqual([reference])
  // The poll is over, and the bank has the transfer.
  await decide(true)
  expect(await statusOf()).toBe('COMPLETED')
  await expectAllProofs(db)
})

test('a worker that resumes after its lease does not send what an operator failed', async () => {
  clock.advance(payoutLimits.leaseMs)
  const { hasClaimed, wake, working, sent } = startStalledWorker()
  await hasClaimed
  clock.advance(payoutLimits.leaseMs)
  await decide(false)
  wake()
  await working
  expect(sent).toEqual([])
  expect(await statusOf()).toBe('FAILED')
  await expectAllProofs(db)
})

test('a worker that polls for too long leaves the sending to the next one', async () => {
  clock.advance(payoutLimits.leaseMs)
  const late = startStalledWorker()
  await late.hasClaimed
  clock.advance(payoutLimits.sendWithinMs)
  late.wake()
  await late.working
  expect(late.sent).toEqual([])
  clock.advance(payoutLimits.pollIntervalMaxMs)
  const next = startStalledWorker()
  next.wake()
  await next.working
  expect(next.sent).toContain(reference)
})

test('an operator cannot fail a transfer while the API may be sending it', async () => {
  clock.advance(payoutLimits.leaseMs - 1)
  await expect(decide(false)).rejects.toThrow('try again after')
  clock.advance(1)
  await decide(false)
  expect(await statusOf()).toBe('FAILED')
  await expect(decide(true)).rejects.toThrow('has already ended')
})
