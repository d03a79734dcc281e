import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { beforeEach, expect, test } from 'vitest'
import { Refusal } from '../../../src/base/refusal.js'
import type { LiveAttempt } from '../../../src/payouts/ports.js'
import type { OpenPayoutTotals } from '../../../src/payouts/reconciliation/treasury-books.js'
import { setFaults, shareChain } from '../../simulation/localnet/localnet.js'
import { newWallet, usdc } from '../../simulation/localnet/transfers.js'
import { fund, newInstruction, openRail, prepareOne, reasonOf } from './rail.js'

const shared = shareChain()
beforeEach(() => setFaults(shared()))

const million = 1_000_000_000_000n

test('reads the balances of the hot wallet', async () => {
  const rail = await openRail(shared())
  const coins = { USDC: million, USDT: million }
  expect(await rail.treasuryBalances()).toEqual({ SOL: 10_000_000_000n, ...coins })
  const poor = await openRail(shared(), { isPoor: true })
  expect(await poor.treasuryBalances()).toEqual({ SOL: 0n, USDC: 0n, USDT: 0n })
})

test('refuses each target that the hot wallet cannot cover', async () => {
  const rail = await openRail(shared())
  const half = await Promise.all(
    [million / 2n, million / 2n, 1n].map((amount) => newInstruction({ amount })),
  )
  const outcomes = await rail.inspect(half)
  expect(outcomes.map((outcome) => outcome instanceof Refusal && outcome.reason)).toEqual([
    false,
    false,
    'treasury_short',
  ])
})

test('committed amounts are not available to others', async () => {
  let open = million - 10n
  const largest = [{ token: base58.encode(randomBytes(64)), amount: million }]
  const openPayouts = { sum: async () => open, list: async () => ({ total: open, largest }) }
  const rail = await openRail(shared(), { openPayouts })
  expect(await reasonOf(rail, await newInstruction({ amount: 10n }))).toBeUndefined()
  expect(await reasonOf(rail, await newInstruction({ amount: 11n }))).toBe('treasury_short')
  open -= 1n
  expect(await reasonOf(rail, await newInstruction({ amount: 11n }))).toBeUndefined()
})

test('a wallet without lamports cannot pay fees', async () => {
  const chain = shared()
  const rail = await openRail(chain, { isPoor: true })
  const owner = rail.treasuryAddress
  await chain.call('localnet_mint', { owner, mint: usdc, amount: '9000000', key: owner })
  await chain.advance(33)
  expect(await reasonOf(rail, await newInstruction())).toBe('treasury_short')
  await fund(chain, owner)
  expect(await reasonOf(rail, await newInstruction())).toBeUndefined()
})

test('a top-up counts as soon as it is confirmed', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  expect(await reasonOf(rail, await newInstruction({ amount: million + 1n }))).toBe(
    'treasury_short',
  )
  await fund(chain, rail.treasuryAddress, 0)
  expect(await reasonOf(rail, await newInstruction({ amount: million + 1n }))).toBe(
    'treasury_short',
  )
  await chain.advance(1)
  expect(await reasonOf(rail, await newInstruction({ amount: million + 1n }))).toBeUndefined()
})

test('pending mints are awaited before a payout is refused', async () => {
  const chain = shared()
  let isFilled = false
  const fill = async () => {
    if (!isFilled) await fund(chain, rail.treasuryAddress, 1)
    isFilled = true
  }
  const rail = await openRail(chain, { isPoor: true, mintPending: fill })
  expect(await reasonOf(rail, await newInstruction({ amount: million }))).toBeUndefined()
  expect(await reasonOf(rail, await newInstruction({ amount: million + 1n }))).toBe(
    'treasury_short',
  )
})

// A payout that lands, one that fails, one that never lands and a top-up go through every stage:
// sent, landed, confirmed, finalized, and later settled in the books. At each stage the free balance
// must be exact.
test('the free balance is exact at every stage of open payouts', async () => {
  const chain = shared()
  const open = new Map<string, bigint>()
  const rail = await openRail(chain, { openPayouts: totalsOf(open) })
  const expectFree = async (free: bigint) => {
    rail.clock.pass(5_000)
    expect(await reasonOf(rail, await newInstruction({ amount: free }))).toBeUndefined()
    expect(await reasonOf(rail, await newInstruction({ amount: free + 1n }))).toBe('treasury_short')
  }
  const commit = async (amount: bigint) => {
    const attempt = await prepareOne(rail, await newInstruction({ amount }))
    open.set(attempt.token, amount)
    return attempt
  }
  const [paid, failing, unsent] = [300n, 50n, 7n].map((part) => million / part)
  const attempts = [await commit(paid!), await commit(failing!)]
  await commit(unsent!)
  const committed = paid! + failing! + unsent!
  await expectFree(million - committed)

  const { reference } = attempts[1]!
  await setFaults(chain, { match: { memo: reference }, fault: 'fail' })
  await rail.send(attempts)
  await expectFree(million - committed)
  await chain.advance(1)
  await expectFree(million - paid! - unsent!)
  await fund(chain, rail.treasuryAddress, 0)
  await expectFree(million - paid! - unsent!)
  await chain.advance(1)
  await expectFree(2n * million - paid! - unsent!)
  await chain.advance(20)
  await expectFree(2n * million - paid! - unsent!)
  await chain.advance(200)
  await expectFree(2n * million - paid! - unsent!)
  for (const { token } of attempts) open.delete(token)
  await expectFree(2n * million - paid! - unsent!)
})

// Only the largest open payouts are listed: the others may not have landed.
test('an open payout that is not listed counts as not landed', async () => {
  const chain = shared()
  const attempts: LiveAttempt[] = []
  const list = async () => ({ total: 10n, largest: [{ token: attempts[0]!.token, amount: 6n }] })
  const rail = await openRail(chain, { openPayouts: { sum: async () => 10n, list } })
  for (const amount of [6n, 4n])
    attempts.push(await prepareOne(rail, await newInstruction({ amount })))
  await rail.send(attempts)
  await chain.advance(1)
  rail.clock.pass(5_000)
  const free = million - 10n - 4n
  expect(await reasonOf(rail, await newInstruction({ amount: free }))).toBeUndefined()
  expect(await reasonOf(rail, await newInstruction({ amount: free + 1n }))).toBe('treasury_short')
})

function totalsOf(open: Map<string, bigint>): OpenPayoutTotals {
  const sum = async () => [...open.values()].reduce((total, amount) => total + amount, 0n)
  return {
    sum,
    list: async () => {
      const largest = [...open].map(([token, amount]) => ({ token, amount }))
      return { total: await sum(), largest }
    },
  }
}

test('reconciliation finds treasury transfers by memo', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const since = BigInt(await chain.call('getSlot', { commitment: 'processed' }))
  await chain.advance(1)
  const instructions = [
    await newInstruction({ amount: 7n }),
    await newInstruction({ asset: 'USDT', amount: 8n }),
    await newInstruction({ amount: 9n }),
  ]
  await setFaults(chain, { match: { memo: instructions[2]!.reference }, fault: 'fail' })
  const attempts = []
  for (const instruction of instructions) attempts.push(await prepareOne(rail, instruction))
  await rail.send(attempts)
  const mint = { owner: rail.treasuryAddress, mint: usdc, amount: '5', key: await newWallet() }
  await chain.call('localnet_mint', mint)
  await chain.advance(32)
  const { transfers, isComplete } = await rail.findTransfersByMemo(since + 1n)
  expect(isComplete).toBe(true)
  const found = new Map(transfers.map((transfer) => [transfer.memo, transfer]))
  expect(found.size).toBe(4)
  const [one, two, failed] = instructions.map(({ reference }) => found.get(reference))
  expect(one).toMatchObject({ asset: 'USDC', amountOut: 7n, hasFailed: false })
  expect(one).toMatchObject({ signature: attempts[0]!.token, slot: expect.any(BigInt) })
  expect(two).toMatchObject({ asset: 'USDT', amountOut: 8n, hasFailed: false })
  expect(failed).toMatchObject({ asset: 'USDC', amountOut: 0n, hasFailed: true })
  expect(found.get(mint.key)).toMatchObject({ asset: 'USDC', amountOut: -5n })
})
