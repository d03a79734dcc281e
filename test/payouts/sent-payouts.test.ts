import { expect, test } from 'vitest'
import { after, second } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { moveAll } from '../../src/ledger/move.js'
import { verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import { createConcludingLane } from '../../src/payouts/attempts/conclude-sent.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { SentPayouts } from '../../src/payouts/attempts/sent-payouts.js'
import { payoutLimits } from '../../src/payouts/limits.js'
import type { AttemptFinding } from '../../src/payouts/ports.js'
import { createPayouts, toNewPayout } from '../../src/payouts/requests/create-payouts.js'
import { createSendAfterCommit } from '../../src/payouts/requests/send-new.js'
import { sql } from '../../src/postgres/sql.js'
import { connectLane } from '../../src/postgres/wire/connection.js'
import { afterFile } from '../support/after-file.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, now } from '../support/movements.js'
import { PaperRail } from '../support/paper-rail.js'
import { payoutOf } from '../support/payouts.js'

const checkAfterMs = 3 * second
const logger = createLogger('silent')

/** A rail, a process that follows what it sends, and a worker beside it. */
async function openProcess() {
  const db = await freshDatabase()
  const environmentId = await insertEnvironment(db)
  const clock = manualClock(now)
  const rail = new PaperRail()
  const lane = createConcludingLane({ connect: () => connectLane(db.url, 'test lane'), clock })
  const sentPayouts = new SentPayouts({ db, clock, logger, laneOf: () => lane })
  afterFile(async () => {
    await sentPayouts.stop()
    await lane.close()
  })
  const send = createSendAfterCommit({
    rails: { carrierOf: () => rail, named: () => rail },
    clock,
    logger,
    sentPayouts,
  })
  const funding = fundingOf({ environmentId, asset: 'USDC' }, 1_000n)
  await db.transaction((tx) => moveAll(tx, now, [funding]))

  async function create(finding?: AttemptFinding) {
    const payout = { ...payoutOf(environmentId, 'crypto_transfer'), rail: rail.name }
    const token = `token-${payout.id}`
    const attempt = { token, wire: Buffer.from(token), validUntil: 150n }
    if (finding) rail.sayings.set(token, finding)
    const created = toNewPayout(payout, attempt, clock.now(), checkAfterMs)
    await db.transaction((tx) => createPayouts(tx, clock.now(), [created]))
    return { created, id: payout.id, token }
  }
  async function createAndSend(finding?: AttemptFinding) {
    const { created, id, token } = await create(finding)
    send(created)
    await expect.poll(() => rail.sent.some((sent) => sent.token === token)).toBe(true)
    return id
  }
  const stateOf = async (id: string) => {
    const [row] = await db.rows(sql<{ state: string; polls: number; dueAt: Date }>`
      select p.status || ' ' || a.state as state, a.polls, a.due_at
      from payouts p join payout_attempts a on a.payout_id = p.id where p.id = ${id}`)
    return row!
  }
  const work = () => pollPayouts({ db, rail, logger, clock }, clock.now())
  const wait = async (durationMs: number) => {
    clock.advance(durationMs)
    await sentPayouts.checkDue()
  }
  return { db, rail, clock, sentPayouts, create, send, createAndSend, stateOf, work, wait }
}

test('a payout ends where it was sent, without a poll by a worker', async () => {
  const { db, createAndSend, stateOf, work, wait } = await openProcess()
  const landed = await createAndSend()
  const failed = await createAndSend({ state: 'failed', reason: 'chain_error' })
  await wait(checkAfterMs - 1)
  expect(await stateOf(landed)).toMatchObject({ state: 'SUBMITTED LIVE' })
  await wait(1)
  expect(await stateOf(landed)).toMatchObject({ state: 'COMPLETED LANDED', polls: 0 })
  expect(await stateOf(failed)).toMatchObject({ state: 'FAILED FAILED', polls: 0 })
  expect(await work()).toBe(0)
  const events = await db.rows(sql<{ type: string; sequence: number }>`
    select type, sequence from events order by type`)
  expect(events).toEqual([
    { type: 'crypto_transfer.confirmed', sequence: 2 },
    { type: 'crypto_transfer.failed', sequence: 2 },
    { type: 'crypto_transfer.submitted', sequence: 1 },
    { type: 'crypto_transfer.submitted', sequence: 1 },
  ])
  const findings = await verifyLedger(db)
  expect(findings.filter(({ counterexamples }) => counterexamples.length > 0)).toEqual([])
})

test('a payout that a worker has polled is left to it', async () => {
  const { clock, createAndSend, stateOf, work, wait } = await openProcess()
  const id = await createAndSend({ state: 'pending' })
  clock.advance(checkAfterMs + payoutLimits.followedPollDelayMs)
  expect(await work()).toBe(1)
  await wait(0)
  expect(await stateOf(id)).toMatchObject({ state: 'SUBMITTED LIVE', polls: 1 })
})

test('a worker and the process that sent a payout never both end it', async () => {
  const { db, rail, clock, createAndSend, stateOf, work, wait } = await openProcess()
  const ids = await Promise.all(Array.from({ length: 10 }, () => createAndSend()))
  await db.rows(sql`update payout_attempts set due_at = ${clock.now()}`)
  rail.sayings.clear()
  await Promise.all([work(), wait(checkAfterMs)])
  for (const id of ids) expect(await stateOf(id)).toMatchObject({ state: 'COMPLETED LANDED' })
  const [{ count }] = (await db.rows(sql<{ count: number }>`
    select count(*)::int as count from ledger_resolutions`)) as [{ count: number }]
  expect(count).toBe(10)
})

test('a payout that does not end as usual is polled by workers', async () => {
  const { rail, clock, createAndSend, stateOf, work, wait } = await openProcess()
  const pending = await createAndSend({ state: 'pending' })
  for (let ms = 0; ms < checkAfterMs + payoutLimits.followedPollDelayMs; ms += second)
    await wait(second)
  expect(await stateOf(pending)).toMatchObject({ state: 'SUBMITTED LIVE', polls: 0 })
  rail.sayings.clear()
  expect(await work()).toBe(1)
  expect(await stateOf(pending)).toMatchObject({ state: 'COMPLETED LANDED', polls: 1 })

  const unseen = await createAndSend({ state: 'unseen' })
  await wait(checkAfterMs)
  const { dueAt } = await stateOf(unseen)
  expect(dueAt).toEqual(after(clock.now(), payoutLimits.firstPollDelayMs))
})

test('a payout whose process ended before it was sent is sent by a worker', async () => {
  const { rail, clock, create, stateOf, work } = await openProcess()
  const { id, token } = await create()
  clock.advance(checkAfterMs + payoutLimits.followedPollDelayMs)
  expect(await work()).toBe(1)
  expect(rail.sent.map((sent) => sent.token)).toEqual([token])
  clock.advance(payoutLimits.pollIntervalMs)
  await work()
  expect(await stateOf(id)).toMatchObject({ state: 'COMPLETED LANDED' })
})

test('a payout that could not be sent is due for workers in a moment', async () => {
  const { rail, clock, create, send, stateOf } = await openProcess()
  const { created, id } = await create()
  rail.send = () => Promise.reject(new Error('no node answers'))
  send(created)
  await expect
    .poll(async () => (await stateOf(id)).dueAt)
    .toEqual(after(clock.now(), payoutLimits.firstPollDelayMs))
})

test('a process that stops leaves what has not ended to the workers', async () => {
  const { clock, createAndSend, sentPayouts, stateOf } = await openProcess()
  const id = await createAndSend()
  await sentPayouts.stop()
  expect(await stateOf(id)).toMatchObject({ state: 'SUBMITTED LIVE', polls: 0 })
  expect((await stateOf(id)).dueAt).toEqual(after(clock.now(), payoutLimits.firstPollDelayMs))
})
