import { beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../../src/log.js'
import { setFaults, shareChain } from '../localnet/localnet.js'
import { openTwistedNode, TwistedError } from './twisted-node.js'
import { deposit, deriveOne, openWallets, readOne } from './wallets.js'

/** Nodes that tell of one transaction differently, or of one that others do not know. */

const shared = shareChain()
beforeEach(() => setFaults(shared()))

/** A node that tells of more coins than came. */
const openLiar = (signature: string, change: object = {}) =>
  openTwistedNode(shared(), ({ method, params }, result) => {
    if (method !== 'getTransaction' || params[0] !== signature) return undefined
    const { meta } = result
    const post = meta.postTokenBalances.map((balance: object) => {
      return { ...balance, uiTokenAmount: { amount: '1000000000000' } }
    })
    return { ...result, meta: { ...meta, postTokenBalances: post, ...change } }
  })

test('what one node tells otherwise than another is not believed, whoever answers first', async () => {
  const chain = shared()
  const honest = await openWallets(chain)
  const wallet = await deriveOne(honest)
  const disputed = await deposit(chain, wallet, { amount: 7n })
  const plain = await deposit(chain, wallet, { amount: 5n })
  await chain.advance(32)
  const liar = await openLiar(disputed)
  const failing = await openLiar(disputed, { err: { InstructionError: [0, 'Custom'] } })
  for (const endpoints of [
    [liar, chain.url],
    [chain.url, liar],
    [chain.url, failing],
  ]) {
    const log: string[] = []
    const logger = createLogger('error', { write: (line) => log.push(line) })
    const wallets = await openWallets(chain, { endpoints, logger })
    const { moves, unreadable } = await readOne(wallets, wallet.tokenAccounts.USDC)
    expect(moves).toMatchObject([{ signature: plain, change: 5n }])
    expect(unreadable).toEqual([disputed])
    expect(log.join('')).toContain('one of them lies')
  }
  const away = await openTwistedNode(chain, ({ method }) =>
    method === 'getTransaction' ? new TwistedError(-32005, 'Node is behind') : undefined,
  )
  const beside = await openWallets(chain, { endpoints: [chain.url, away] })
  expect((await readOne(beside, wallet.tokenAccounts.USDC)).moves).toHaveLength(2)
})

async function slotOf(signature: string): Promise<number> {
  const { value } = await shared().call('getSignatureStatuses', [signature])
  return value[0].slot
}

/** A node that does not know a transaction; it may be late, or not remember so far back. */
const openIgnorant = (signature: string, memory: { first?: number; last?: number } = {}) =>
  openTwistedNode(shared(), ({ method, params }, result) => {
    if (method === 'getTransaction' && params[0] === signature) return null
    if (method === 'getSignaturesForAddress')
      return result.filter((line: { signature: string }) => line.signature !== signature)
    if (method === 'getFirstAvailableBlock') return memory.first
    if (method === 'getEpochInfo' && memory.last !== undefined)
      return { ...result, absoluteSlot: memory.last }
    return undefined
  })

test('a deposit that another node does not know yet waits, and so does what came after it', async () => {
  const chain = shared()
  const wallet = await deriveOne(await openWallets(chain))
  const before = await deposit(chain, wallet, { amount: 1n })
  const unknown = await deposit(chain, wallet, { amount: 2n })
  await deposit(chain, wallet, { amount: 3n })
  await chain.advance(33)
  const slot = await slotOf(unknown)
  // What is told as of a time that nobody has reached waits, too.
  for (const last of [slot - 1, slot, slot + 150, 0]) {
    const late = await openIgnorant(unknown, { last })
    const wallets = await openWallets(chain, { endpoints: [chain.url, late] })
    const { moves, unreadable } = await readOne(wallets, wallet.tokenAccounts.USDC)
    expect(moves.map(({ signature }) => signature)).toEqual([before])
    expect(unreadable).toEqual([])
  }
})

test('a deposit that only one node knows of is not believed, whoever answers first', async () => {
  const chain = shared()
  const wallet = await deriveOne(await openWallets(chain))
  const invented = await deposit(chain, wallet, { amount: 9n })
  const plain = await deposit(chain, wallet, { amount: 5n })
  await chain.advance(33)
  const slot = await slotOf(invented)
  // To the honest ones, the shared chain is the node that has invented it.
  const honest = await openIgnorant(invented, { last: slot + 151 })
  const log: string[] = []
  const logger = createLogger('error', { write: (line) => log.push(line) })
  const first = await openWallets(chain, { endpoints: [chain.url, honest], logger })
  const read = await readOne(first, wallet.tokenAccounts.USDC)
  expect(read).toMatchObject({ moves: [{ signature: plain }], unreadable: [invented] })
  expect(log.join('')).toContain('one of them lies')
  const second = await openWallets(chain, { endpoints: [honest, chain.url] })
  expect((await readOne(second, wallet.tokenAccounts.USDC)).moves).toMatchObject([{ change: 5n }])
})

test('a node that does not remember so far back, or does not say, has no say', async () => {
  const chain = shared()
  const wallet = await deriveOne(await openWallets(chain))
  const signature = await deposit(chain, wallet)
  await chain.advance(33)
  const slot = await slotOf(signature)
  const forgetful = await openIgnorant(signature, { first: slot + 1, last: slot + 1_000 })
  const busy = await openTwistedNode(chain, ({ method }) => {
    if (method === 'getTransaction') return null
    return method === 'getEpochInfo' ? new TwistedError(-32005, 'Node is behind') : undefined
  })
  for (const other of [forgetful, busy]) {
    const wallets = await openWallets(chain, { endpoints: [chain.url, other] })
    const { moves, unreadable } = await readOne(wallets, wallet.tokenAccounts.USDC)
    expect(moves).toMatchObject([{ signature }])
    expect(unreadable).toEqual([])
  }
  const exact = await openIgnorant(signature, { first: slot, last: slot + 1_000 })
  const wallets = await openWallets(chain, { endpoints: [chain.url, exact] })
  expect((await readOne(wallets, wallet.tokenAccounts.USDC)).unreadable).toEqual([signature])
})
