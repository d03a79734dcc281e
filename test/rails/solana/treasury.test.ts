import { beforeEach, expect, test } from 'vitest'
import { Refusal } from '../../../src/refusal.js'
import { setFaults, shareChain } from '../localnet/localnet.js'
import { newWallet, usdc } from '../localnet/transfers.js'
import { fund, newCarriage, openRail, prepareOne, reasonOf } from './rail.js'

const shared = shareChain()
beforeEach(() => setFaults(shared()))

const million = 1_000_000_000_000n

test('the operator sees what the hot wallet holds', async () => {
  const rail = await openRail(shared())
  const coins = { USDC: million, USDT: million }
  expect(await rail.treasuryBalances()).toEqual({ SOL: 10_000_000_000n, ...coins })
  const poor = await openRail(shared(), { isPoor: true })
  expect(await poor.treasuryBalances()).toEqual({ SOL: 0n, USDC: 0n, USDT: 0n })
})

test('what the hot wallet cannot cover is refused, target by target', async () => {
  const rail = await openRail(shared())
  const half = await Promise.all(
    [million / 2n, million / 2n, 1n].map((amount) => newCarriage({ amount })),
  )
  const outcomes = await rail.inspect(half)
  expect(outcomes.map((outcome) => outcome instanceof Refusal && outcome.reason)).toEqual([
    false,
    false,
    'treasury_short',
  ])
})

test('what is promised already is not there for others', async () => {
  let open = million - 10n
  const rail = await openRail(shared(), { openAmount: async () => open })
  expect(await reasonOf(rail, await newCarriage({ amount: 10n }))).toBeUndefined()
  expect(await reasonOf(rail, await newCarriage({ amount: 11n }))).toBe('treasury_short')
  open -= 1n
  expect(await reasonOf(rail, await newCarriage({ amount: 11n }))).toBeUndefined()
})

test('a wallet without lamports cannot pay fees', async () => {
  const chain = shared()
  const rail = await openRail(chain, { isPoor: true })
  const owner = rail.treasuryAddress
  await chain.call('localnet_mint', { owner, mint: usdc, amount: '9000000', key: owner })
  await chain.advance(33)
  expect(await reasonOf(rail, await newCarriage())).toBe('treasury_short')
  await fund(chain, owner)
  expect(await reasonOf(rail, await newCarriage())).toBeUndefined()
})

test('a top-up counts at once, and so does a payout that has landed', async () => {
  const chain = shared()
  const open = { amount: 0n }
  const rail = await openRail(chain, { openAmount: async () => open.amount })
  expect(await reasonOf(rail, await newCarriage({ amount: million + 1n }))).toBe('treasury_short')
  await fund(chain, rail.treasuryAddress)
  expect(await reasonOf(rail, await newCarriage({ amount: million + 1n }))).toBeUndefined()

  // Landed and still open: what it took is not counted twice.
  const carriage = await newCarriage({ amount: million })
  await rail.send([await prepareOne(rail, carriage)])
  open.amount = million
  await chain.advance(2)
  rail.clock.pass(5_000)
  expect(await reasonOf(rail, await newCarriage({ amount: million }))).toBeUndefined()
})

test('reconciliation finds what moved the treasury, by memo', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const since = BigInt(await chain.call('getSlot', { commitment: 'processed' }))
  await chain.advance(1)
  const carriages = [
    await newCarriage({ amount: 7n }),
    await newCarriage({ asset: 'USDT', amount: 8n }),
    await newCarriage({ amount: 9n }),
  ]
  await setFaults(chain, { match: { memo: carriages[2]!.reference }, fault: 'fail' })
  const attempts = []
  for (const carriage of carriages) attempts.push(await prepareOne(rail, carriage))
  await rail.send(attempts)
  const order = { owner: rail.treasuryAddress, mint: usdc, amount: '5', key: await newWallet() }
  await chain.call('localnet_mint', order)
  await chain.advance(32)
  const { transfers, isComplete } = await rail.findTransfersByMemo(since + 1n)
  expect(isComplete).toBe(true)
  const found = new Map(transfers.map((transfer) => [transfer.memo, transfer]))
  expect(found.size).toBe(4)
  const [one, two, failed] = carriages.map(({ reference }) => found.get(reference))
  expect(one).toMatchObject({ asset: 'USDC', amountOut: 7n, hasFailed: false })
  expect(one).toMatchObject({ signature: attempts[0]!.token, slot: expect.any(BigInt) })
  expect(two).toMatchObject({ asset: 'USDT', amountOut: 8n, hasFailed: false })
  expect(failed).toMatchObject({ asset: 'USDC', amountOut: 0n, hasFailed: true })
  expect(found.get(order.key)).toMatchObject({ asset: 'USDC', amountOut: -5n })
})
