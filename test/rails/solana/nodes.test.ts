import { beforeEach, expect, test } from 'vitest'
import {
  type Rpc,
  rpcAt,
  setFaults,
  shareChain,
  startChain,
} from '../../simulation/localnet/localnet.js'
import { balanceOf } from '../../simulation/localnet/transfers.js'
import { checkOne, newInstruction, newSecret, openRail, prepareOne } from './rail.js'
import { openTwistedNode, type Twist } from './twisted-node.js'

/** Several endpoints, of which some lag, are down or lie. */

const shared = shareChain()
beforeEach(() => setFaults(shared()))

async function openNode(rules: object[] = []): Promise<Rpc> {
  return rpcAt((await shared().call('localnet_openNode', { rules })).url)
}

async function openWithTwo(other: string, options = {}) {
  const chain = shared()
  const rail = await openRail(chain, { nodeUrls: [chain.url, other], ...options })
  const instruction = await newInstruction()
  return { chain, rail, instruction, attempt: await prepareOne(rail, instruction) }
}

const gone = { state: 'gone' }
const pending = { state: 'pending' }

test('a lagging endpoint delays the conclusion', async () => {
  const late = await openNode([{ fault: 'lag', slots: 40 }])
  const { chain, rail, attempt } = await openWithTwo(late.url)
  await rail.send([attempt])
  await chain.advance(35)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'unseen' })
  await chain.advance(40)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
})

test('an attempt is not gone while a lagging endpoint may still see it', async () => {
  const late = await openNode([{ fault: 'lag', slots: 100 }])
  const { chain, rail, attempt } = await openWithTwo(late.url)
  const all = { any: true }
  await setFaults(chain, { match: all, fault: 'drop' })
  await setFaults(late, { match: all, fault: 'drop' }, { match: all, fault: 'lag', slots: 100 })
  await rail.send([attempt])
  await chain.advance(152 + 32 + 33)
  expect((await checkOne(rail, attempt)).state).not.toBe('gone')
  await chain.advance(100)
  expect(await checkOne(rail, attempt)).toEqual(gone)
})

// One of the two is wrong, but which one is unknown.
test('while endpoints contradict each other, nothing is concluded', async () => {
  const liar = await openNode()
  const { chain, rail, instruction, attempt } = await openWithTwo(liar.url)
  await setFaults(liar, { match: { memo: instruction.reference }, fault: 'forget' })
  await rail.send([attempt])
  const disputedBy = [new URL(chain.url).host, new URL(liar.url).host]
  for (const blocks of [65, 200, 2_000]) {
    await chain.advance(blocks)
    const { state, ...finding } = await checkOne(rail, attempt)
    expect(finding).toEqual({ disputedBy })
    expect(['unseen', 'pending']).toContain(state)
  }
  await setFaults(liar)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
})

test('an attempt that only the second endpoint knows is not gone', async () => {
  const chain = shared()
  const liar = await openNode()
  const nodeUrls = [liar.url, chain.url]
  const rail = await openRail(chain, { nodeUrls })
  const attempt = await prepareOne(rail, await newInstruction())
  await setFaults(liar, { match: { any: true }, fault: 'forget' })
  await rail.send([attempt])
  await chain.advance(300)
  expect(await checkOne(rail, attempt)).toMatchObject(pending)
})

test.each<[string, Twist]>([
  [
    'that everything has landed',
    ({ method, params }, result) =>
      method === 'getSignatureStatuses'
        ? {
            context: result.context,
            value: (params[0] as string[]).map(() => {
              return { slot: 1_300, err: null, confirmationStatus: 'finalized' }
            }),
          }
        : undefined,
  ],
  [
    'that the chain is far ahead',
    ({ method }, result) =>
      method === 'getEpochInfo'
        ? { ...result, blockHeight: result.blockHeight + 1_000 }
        : undefined,
  ],
])('an endpoint that claims %s is not believed', async (_, twist) => {
  const liar = await openTwistedNode(shared(), twist)
  const { chain, rail, attempt } = await openWithTwo(liar)
  expect(['unseen', 'pending']).toContain((await checkOne(rail, attempt)).state)
  await rail.send([attempt])
  await chain.advance(32)
  expect(['failed', 'gone']).not.toContain((await checkOne(rail, attempt)).state)
  const { secret } = rail
  const three = await openRail(chain, { secret, nodeUrls: [chain.url, liar, chain.url] })
  expect((await checkOne(three, attempt)).state).toBe('landed')
})

// The endpoint that supplied the blockhash reported a validity that is too short.
test('an attempt is not gone while a block can still include it', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const instruction = await newInstruction()
  const prepared = await prepareOne(rail, instruction)
  const attempt = { ...prepared, validUntil: prepared.validUntil! - 149n }
  await setFaults(chain, { match: { any: true }, fault: 'delay', slots: 140 })
  await rail.send([attempt])
  await chain.advance(139)
  expect(await checkOne(rail, attempt)).toEqual(pending)
  await chain.advance(33)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
  expect(await balanceOf(chain, instruction.destination.address)).toBe(1_500_000n)
})

test('an attempt is not gone while a needed endpoint does not respond', async () => {
  const other = await openNode()
  const { chain, rail, attempt } = await openWithTwo(other.url)
  await setFaults(other, { match: { any: true }, fault: 'rate_limit' })
  await chain.advance(300)
  expect(await checkOne(rail, attempt)).toEqual(pending)
  await setFaults(other)
  expect(await checkOne(rail, attempt)).toEqual(gone)
})

test('payouts continue while one endpoint of three is down', async () => {
  const [chain, other, third] = [shared(), await openNode(), await openNode()]
  const rail = await openRail(chain, { nodeUrls: [chain.url, other.url, third.url] })
  for (const down of [chain, other, third]) {
    await setFaults(down, { match: { any: true }, fault: 'rate_limit' })
    const instruction = await newInstruction()
    const [inspected] = await rail.inspect([instruction])
    expect(inspected).toMatchObject({ extraFees: ['crypto_account_creation'] })
    const attempt = await prepareOne(rail, instruction)
    await rail.send([attempt])
    await chain.advance(32)
    expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
    await setFaults(down)
  }
})

test('never signs with the blockhash of a stuck endpoint', async () => {
  const stuck = await openNode([{ fault: 'lag', slots: 140 }])
  const chain = shared()
  const rail = await openRail(chain, { nodeUrls: [stuck.url, chain.url] })
  const { validUntil } = await prepareOne(rail, await newInstruction())
  const height = await chain.call('getBlockHeight', { commitment: 'confirmed' })
  expect(validUntil).toBe(BigInt(height + 150))
})

// To an endpoint that pruned the blocks, every attempt would look gone.
test.each([
  [1_000_000, pending],
  [0, gone],
])('an endpoint whose first available slot is %s concludes accordingly', async (slot, finding) => {
  const chain = shared()
  const pruned = await openTwistedNode(chain, ({ method }) =>
    method === 'getFirstAvailableBlock' ? slot : undefined,
  )
  const rail = await openRail(chain, { nodeUrls: [pruned], isEmbedded: false })
  const attempt = await prepareOne(rail, await newInstruction())
  await chain.advance(300)
  expect(await checkOne(rail, attempt)).toEqual(finding)
})

// The estimate from heights reaches further back the older an attempt is.
test('an expired attempt is gone once histories reach back to its signing', async () => {
  const chain = shared()
  let firstAvailable = 0
  const pruned = await openTwistedNode(chain, ({ method }) =>
    method === 'getFirstAvailableBlock' ? firstAvailable : undefined,
  )
  const rail = await openRail(chain, { nodeUrls: [pruned], isEmbedded: false })
  await chain.advance(2_000)
  const slot: number = await chain.call('getSlot', { commitment: 'confirmed' })
  const attempt = await prepareOne(rail, await newInstruction())
  expect(attempt.signedSlot).toBe(BigInt(slot))
  await chain.advance(300)
  firstAvailable = slot + 1
  expect(await checkOne(rail, attempt)).toEqual(pending)
  firstAvailable = slot
  expect(await checkOne(rail, attempt)).toEqual(gone)
  const { signedSlot, ...old } = attempt
  expect(await checkOne(rail, { ...old, signedSlot: null })).toEqual(pending)
})

// With a slot that is too high, a pruned history would seem to include the attempt.
test('the slot of signing is one that a majority has reached', async () => {
  const chain = shared()
  const liar = await openTwistedNode(chain, ({ method }, result) =>
    method === 'getLatestBlockhash' ? { ...result, context: { slot: 1_000_000_000 } } : undefined,
  )
  const rail = await openRail(chain, { nodeUrls: [liar, chain.url, chain.url] })
  const slot: number = await chain.call('getSlot', { commitment: 'confirmed' })
  const { signedSlot } = await prepareOne(rail, await newInstruction())
  expect(signedSlot).toBe(BigInt(slot))
})

// The database was restored from a backup without the attempt that had paid.
test('after a long outage, a payout that another attempt paid is not gone', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const [paid, unpaid] = [await newInstruction(), await newInstruction()]
  const lost = await prepareOne(rail, paid)
  await chain.advance(1)
  const attempts = [await prepareOne(rail, paid), await prepareOne(rail, unpaid)]
  await rail.send([lost])
  await chain.advance(3_000)
  expect(await rail.check(attempts)).toEqual([pending, gone])
})

test('an endpoint that switched to another chain concludes nothing', async () => {
  const chain = await startChain()
  const rail = await openRail(chain)
  const attempt = await prepareOne(rail, await newInstruction())
  await chain.kill()
  const other = await startChain({ port: Number(new URL(chain.url).port) })
  await other.advance(1_000)
  expect(await checkOne(rail, attempt)).toEqual(pending)
})

test('endpoints on different chains, or on the wrong one, are refused at start', async () => {
  const [chain, other] = [shared(), await startChain()]
  const options = { secret: newSecret(), isPoor: true } as const
  await expect(openRail(chain, { ...options, nodeUrls: [chain.url, other.url] })).rejects.toThrow(
    'on different chains',
  )
  await expect(openRail(chain, { ...options, network: 'mainnet' })).rejects.toThrow(
    'not on mainnet',
  )
  const mainnet = await openTwistedNode(chain, () => '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d')
  await expect(openRail(chain, { ...options, nodeUrls: [mainnet] })).rejects.toThrow(
    'on mainnet, which test mode must not use',
  )
  const rail = await openRail(chain, options)
  expect(rail.name).toBe(`solana:${chain.genesisHash}`)
})

// The chain behind the URL was right at the start.
test('live mode refuses every chain but mainnet, and test mode mainnet, at any time', async () => {
  const chain = shared()
  const mainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
  for (const [network, right, wrong] of [
    ['mainnet', mainnet, chain.genesisHash],
    ['not-mainnet', chain.genesisHash, mainnet],
  ] as const) {
    let served: string = right
    const node = await openTwistedNode(chain, ({ method }) =>
      method === 'getGenesisHash' ? served : undefined,
    )
    const rail = await openRail(chain, { nodeUrls: [node], network })
    const instruction = await newInstruction()
    const attempt = await prepareOne(rail, instruction)
    await rail.send([attempt])
    await chain.advance(32)
    served = wrong
    expect(await checkOne(rail, attempt)).toEqual(pending)
    expect(await rail.inspect([instruction])).toMatchObject([{ reason: 'rail_unavailable' }])
    await expect(prepareOne(rail, instruction)).rejects.toThrow('is not responding')
    await expect(rail.treasuryBalances()).rejects.toThrow('no RPC node answers')
    const unsent = { ...attempt, wire: Buffer.from('unsent') }
    await rail.send([unsent])
    served = right
    expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
  }
})

test('with three endpoints, the start needs two on our chain', async () => {
  const [chain, other] = [shared(), await startChain()]
  const pinnedChain = { find: async () => chain.genesisHash, pin: async (hash: string) => hash }
  const open = (...nodes: Rpc[]) =>
    openRail(chain, { isPoor: true, nodeUrls: nodes.map(({ url }) => url), pinnedChain })
  expect((await open(other, chain, chain)).name).toBe(`solana:${chain.genesisHash}`)
  await expect(open(other, chain, other)).rejects.toThrow(
    `on chain ${other.genesisHash}, but this installation uses ${chain.genesisHash}`,
  )
})
