import { beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import type { PreparedAttempt } from '../../../src/payouts/ports.js'
import { setFaults, shareChain, startChain } from '../../simulation/localnet/localnet.js'
import { balanceOf } from '../../simulation/localnet/transfers.js'
import { checkOne, newInstruction, openRail, prepareOne, toAttempt } from './rail.js'

/** One endpoint, and everything that can happen to a payout after signing. */

const shared = shareChain()
beforeEach(() => setFaults(shared()))

async function newAttempt() {
  const chain = shared()
  const rail = await openRail(chain)
  const instruction = await newInstruction()
  const attempt = await prepareOne(rail, instruction)
  const received = () => balanceOf(chain, instruction.destination.address)
  return { chain, rail, instruction, attempt, received }
}

test('a payout is landed only when its block is finalized', async () => {
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

test('a payout that never lands is gone once no block can include it, not before', async () => {
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

test('a payout that fails on the chain is failed only when that is finalized', async () => {
  const { chain, rail, instruction, attempt, received } = await newAttempt()
  const error = { InstructionError: [3, { Custom: 17 }] } as const
  const match = { memo: instruction.reference }
  await setFaults(chain, { match, fault: 'fail', error: { ...error } })
  await rail.send([attempt])
  await chain.advance(31)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'pending' })
  await chain.advance(1)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'failed', reason: 'destination_frozen' })
  expect(await received()).toBe(0n)
})

test('a payout beyond the treasury balance fails with insufficient_treasury', async () => {
  const { chain, rail } = await newAttempt()
  const attempt = await prepareOne(rail, await newInstruction({ amount: 10n ** 15n }))
  await rail.send([attempt])
  await chain.advance(32)
  const finding = { state: 'failed', reason: 'insufficient_treasury' }
  expect(await checkOne(rail, attempt)).toEqual(finding)
})

test('any other failure is a chain_error', async () => {
  const { chain, rail, attempt } = await newAttempt()
  const error = { InstructionError: [4, 'ComputationalBudgetExceeded'] }
  await setFaults(chain, { match: { any: true }, fault: 'fail', error })
  await rail.send([attempt])
  await chain.advance(32)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'failed', reason: 'chain_error' })
})

test('a lost reply concludes nothing, and the payout lands', async () => {
  const { chain, rail, attempt } = await newAttempt()
  await setFaults(chain, { match: { any: true }, fault: 'lose_reply' })
  await rail.send([attempt])
  await chain.advance(32)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
})

test('a dropped payout lands when the same bytes are sent again', async () => {
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

test('a payout that lands 140 blocks late is never gone', async () => {
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

// After hours of downtime the status has left the cache and is only in the history.
test('a payout that landed long ago is still found', async () => {
  const { chain, rail, attempt } = await newAttempt()
  await rail.send([attempt])
  await chain.advance(5_000)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
})

test('an endpoint that does not respond concludes nothing and throws nothing', async () => {
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
  const { chain, rail, instruction, attempt, received } = await newAttempt()
  const to = instruction.destination.address
  const twin = await prepareOne(rail, await newInstruction({ to }))
  expect(twin.token).not.toBe(attempt.token)
  await rail.send([attempt, twin])
  await chain.advance(32)
  expect(await rail.check([attempt, twin])).toEqual([{ state: 'landed' }, { state: 'landed' }])
  expect(await received()).toBe(3_000_000n)
})

test('findings are in the order of the attempts, beyond one RPC call', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const to = (await newInstruction()).destination.address
  const instructions = await Promise.all(Array.from({ length: 300 }, () => newInstruction({ to })))
  const attempts = await Promise.all(
    instructions.map((instruction) => prepareOne(rail, instruction)),
  )
  await rail.send(attempts.filter((_, index) => index % 3 === 0))
  await chain.advance(32)
  const expected = attempts.map((_, index) => (index % 3 === 0 ? 'landed' : 'unseen'))
  expect((await rail.check(attempts)).map(({ state }) => state)).toEqual(expected)
})

test('checking continues after the chain restarts', async () => {
  const chain = await startChain()
  const rail = await openRail(chain)
  const attempt = await prepareOne(rail, await newInstruction())
  await rail.send([attempt])
  await chain.kill()
  expect(await checkOne(rail, attempt)).toEqual({ state: 'pending' })
  const again = await startChain({ folder: chain.folder, port: Number(new URL(chain.url).port) })
  await again.advance(32)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
})

test('payouts land on a chain that advances by itself', async () => {
  const chain = await startChain({ slotMs: 5 })
  const rail = await openRail(chain, { clock: systemClock })
  const instructions = await Promise.all(Array.from({ length: 20 }, () => newInstruction()))
  const prepared = (await rail.prepare(instructions)) as PreparedAttempt[]
  const attempts = prepared.map((each, index) => toAttempt(instructions[index]!, each))
  await rail.send(attempts)
  const landed = async () => {
    const findings = await rail.check(attempts)
    return findings.filter(({ state }) => state === 'landed').length
  }
  await expect.poll(landed, { interval: 20, timeout: 20_000 }).toBe(attempts.length)
})
