import { beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import type { Prepared } from '../../../src/payouts/ports.js'
import { setFaults, shareChain, startChain } from '../../simulation/localnet/localnet.js'
import { balanceOf } from '../../simulation/localnet/transfers.js'
import { checkOne, newCarriage, openRail, prepareOne, toAttempt } from './rail.js'

/** One endpoint, and all that can happen to a payout after it was signed. */

const shared = shareChain()
beforeEach(() => setFaults(shared()))

async function newAttempt() {
  const chain = shared()
  const rail = await openRail(chain)
  const carriage = await newCarriage()
  const attempt = await prepareOne(rail, carriage)
  const received = () => balanceOf(chain, carriage.destination.address)
  return { chain, rail, carriage, attempt, received }
}

test('a payout lands, and is called landed only when its block is final', async () => {
  const { chain, rail, attempt, received } = await newAttempt()
  expect(await checkOne(rail, attempt)).toEqual({ state: 'unseen' })
  await rail.send([attempt])
  expect(await checkOne(rail, attempt)).toEqual({ state: 'pending' })
  await chain.advance(31)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'pending' })
  await chain.advance(1)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
  expect(await received()).toBe(1_500_000n)
})

test('a payout that never lands is gone when no block can take it any more, not before', async () => {
  const { chain, rail, attempt } = await newAttempt()
  await setFaults(chain, { match: { any: true }, fault: 'drop' })
  await rail.send([attempt])
  const states = new Map<string, number>()
  const first = Number(await chain.call('getBlockHeight', { commitment: 'finalized' }))
  const last = Number(attempt.validUntil)
  for (let height = first; height <= last + 33; height++) {
    const { state } = await checkOne(rail, attempt)
    if (!states.has(state)) states.set(state, height)
    await chain.advance(1)
  }
  expect([...states]).toEqual([
    ['unseen', first],
    ['pending', last + 1],
    ['gone', last + 33],
  ])
})

test('a payout that fails on the chain has failed only when that is final', async () => {
  const { chain, rail, carriage, attempt, received } = await newAttempt()
  const error = { InstructionError: [3, { Custom: 17 }] } as const
  const match = { memo: carriage.reference }
  await setFaults(chain, { match, fault: 'fail', error: { ...error } })
  await rail.send([attempt])
  await chain.advance(31)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'pending' })
  await chain.advance(1)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'failed', reason: 'destination_frozen' })
  expect(await received()).toBe(0n)
})

test('more than the treasury has lands as a failure that names it', async () => {
  const { chain, rail } = await newAttempt()
  const attempt = await prepareOne(rail, await newCarriage({ amount: 10n ** 15n }))
  await rail.send([attempt])
  await chain.advance(32)
  const finding = { state: 'failed', reason: 'insufficient_treasury' }
  expect(await checkOne(rail, attempt)).toEqual(finding)
})

test('a failure of any other kind is an error of the chain', async () => {
  const { chain, rail, attempt } = await newAttempt()
  const error = { InstructionError: [4, 'ComputationalBudgetExceeded'] }
  await setFaults(chain, { match: { any: true }, fault: 'fail', error })
  await rail.send([attempt])
  await chain.advance(32)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'failed', reason: 'chain_error' })
})

test('a lost reply concludes nothing: the payout has landed', async () => {
  const { chain, rail, attempt } = await newAttempt()
  await setFaults(chain, { match: { any: true }, fault: 'lose_reply' })
  await rail.send([attempt])
  await chain.advance(32)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
})

test('what was dropped for a while lands when the same bytes are sent again', async () => {
  const { chain, rail, attempt, received } = await newAttempt()
  await setFaults(chain, { match: { any: true }, fault: 'drop', times: 3 })
  for (let sends = 0; sends < 4; sends++) {
    expect(await checkOne(rail, attempt)).toEqual({ state: 'unseen' })
    await rail.send([attempt])
    await chain.advance(5)
  }
  await chain.advance(32)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
  expect(await received()).toBe(1_500_000n)
})

test('a payout that lands 140 blocks late was never called gone', async () => {
  const { chain, rail, attempt } = await newAttempt()
  await setFaults(chain, { match: { any: true }, fault: 'delay', slots: 140 })
  await rail.send([attempt])
  await chain.advance(139)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'unseen' })
  await chain.advance(1)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'pending' })
  await chain.advance(32)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
})

// The service was away for hours: the status is in no cache any more, only in the history.
test('a payout that landed long ago is still found', async () => {
  const { chain, rail, attempt } = await newAttempt()
  await rail.send([attempt])
  await chain.advance(5_000)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
})

test('a node that refuses to talk leaves everything in doubt, and nothing is thrown', async () => {
  const { chain, rail, attempt } = await newAttempt()
  await setFaults(chain, { match: { any: true }, fault: 'rate_limit' })
  await rail.send([attempt])
  await chain.advance(1_000)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'pending' })
  await setFaults(chain)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'gone' })
})

test('the same bytes sent 26 times land once', async () => {
  const { chain, rail, attempt, received } = await newAttempt()
  await rail.send(Array.from({ length: 20 }, () => attempt))
  for (let sends = 0; sends < 6; sends++) {
    await chain.advance(20)
    await rail.send([attempt])
  }
  await chain.advance(32)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
  expect(await received()).toBe(1_500_000n)
})

test('two equal payouts are two transactions, and both land', async () => {
  const { chain, rail, carriage, attempt, received } = await newAttempt()
  const to = carriage.destination.address
  const twin = await prepareOne(rail, await newCarriage({ to }))
  expect(twin.token).not.toBe(attempt.token)
  await rail.send([attempt, twin])
  await chain.advance(32)
  expect(await rail.check([attempt, twin])).toEqual([{ state: 'landed' }, { state: 'landed' }])
  expect(await received()).toBe(3_000_000n)
})

test('findings stand in the order of the attempts, more of them than fit one call', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const to = (await newCarriage()).destination.address
  const carriages = await Promise.all(Array.from({ length: 300 }, () => newCarriage({ to })))
  const attempts = await Promise.all(carriages.map((carriage) => prepareOne(rail, carriage)))
  await rail.send(attempts.filter((_, index) => index % 3 === 0))
  await chain.advance(32)
  const expected = attempts.map((_, index) => (index % 3 === 0 ? 'landed' : 'unseen'))
  expect((await rail.check(attempts)).map(({ state }) => state)).toEqual(expected)
})

test('a chain that is restarted between sending and checking is still asked', async () => {
  const chain = await startChain()
  const rail = await openRail(chain)
  const attempt = await prepareOne(rail, await newCarriage())
  await rail.send([attempt])
  await chain.kill()
  expect(await checkOne(rail, attempt)).toEqual({ state: 'pending' })
  const again = await startChain({ folder: chain.folder, port: Number(new URL(chain.url).port) })
  await again.advance(32)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
})

test('on a chain that moves by itself, payouts land while nobody helps', async () => {
  const chain = await startChain({ slotMs: 5 })
  const rail = await openRail(chain, { clock: systemClock })
  const carriages = await Promise.all(Array.from({ length: 20 }, () => newCarriage()))
  const prepared = (await rail.prepare(carriages)) as Prepared[]
  const attempts = prepared.map((each, index) => toAttempt(carriages[index]!, each))
  await rail.send(attempts)
  const landed = async () => {
    const findings = await rail.check(attempts)
    return findings.filter(({ state }) => state === 'landed').length
  }
  await expect.poll(landed, { interval: 20, timeout: 20_000 }).toBe(attempts.length)
})
