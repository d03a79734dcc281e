import { base58 } from '@scure/base'
import { beforeEach, expect, test } from 'vitest'
import type { Wallet } from '../../../src/collections/ports.js'
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
const openIgnorant = (
  signature: string,
  memory: { first?: number; firstAt?: Date; last?: number } = {},
) =>
  openTwistedNode(shared(), ({ method, params }, result) => {
    if (method === 'getTransaction' && params[0] === signature) return null
    if (method === 'getSignaturesForAddress')
      return result.filter((line: { signature: string }) => line.signature !== signature)
    if (method === 'getFirstAvailableBlock') return memory.first
    if (method === 'getBlockTime' && params[0] === memory.first && memory.firstAt)
      return memory.firstAt.getTime() / 1_000
    if (method === 'getEpochInfo' && memory.last !== undefined)
      return { ...result, absoluteSlot: memory.last }
    return undefined
  })

test('a deposit that another node does not know yet waits, and so does what came after it', async () => {
  const chain = shared()
  const wallet = await deriveOne(await openWallets(chain))
  const before = await deposit(chain, wallet, { amount: 1n })
  await chain.advance(1)
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

// Who invents a deposit says when it was, too: as early as others no longer remember.
test('a deposit from before its wallet was made is denied by who remembers that day', async () => {
  const chain = shared()
  const wallet = await deriveOne(await openWallets(chain))
  const invented = await deposit(chain, wallet)
  await chain.advance(33)
  const slot = await slotOf(invented)
  const firstAt = new Date('2026-01-05T09:00:00.000Z')
  const memory = { first: slot + 1, last: slot + 1_000 }
  const read = async (createdAt: Date, other: string) => {
    const wallets = await openWallets(chain, { endpoints: [chain.url, other] })
    const ranges = [{ tokenAccount: wallet.tokenAccounts.USDC, after: null, createdAt }]
    const { moves, unreadable } = (await wallets.readMoves(ranges))[0]!
    return { moves: moves.map(({ signature }) => signature), unreadable }
  }
  const honest = await openIgnorant(invented, { ...memory, firstAt })
  const denied = { moves: [], unreadable: [invented] }
  expect(await read(firstAt, honest)).toEqual(denied)
  expect(await read(new Date(firstAt.getTime() + 1), honest)).toEqual(denied)
  const told = { moves: [invented], unreadable: [] }
  expect(await read(new Date(firstAt.getTime() - 1), honest)).toEqual(told)
  expect(await read(firstAt, await openIgnorant(invented, memory))).toEqual(told)
})

// Of a part of a slot, the rest could stand before it in the list of another node.
test('of the slot of a deposit that waits, nothing is taken', async () => {
  const chain = shared()
  const wallet = await deriveOne(await openWallets(chain))
  const before = await deposit(chain, wallet, { amount: 1n })
  await chain.advance(1)
  const plain = await deposit(chain, wallet, { amount: 2n })
  const unknown = await deposit(chain, wallet, { amount: 3n })
  await chain.advance(33)
  const last = await slotOf(unknown)
  expect(await slotOf(plain)).toBe(last)
  const late = await openIgnorant(unknown, { last })
  const wallets = await openWallets(chain, { endpoints: [chain.url, late] })
  const { moves, isCut } = await readOne(wallets, wallet.tokenAccounts.USDC)
  expect(moves.map(({ signature }) => signature)).toEqual([before])
  expect(isCut).toBe(true)
})

const showing = (signature: string) =>
  shared().call('getTransaction', signature, {
    ...{ commitment: 'finalized', maxSupportedTransactionVersion: 0 },
  })

// A node does not look for what cannot be a signature, and so could not deny it either.
test.each(['invented', 'spaced', 'short', 'long'])(
  'a deposit under a name that is no signature is not believed: %s',
  async (kind) => {
    const chain = shared()
    const wallet = await deriveOne(await openWallets(chain))
    const plain = await deposit(chain, wallet)
    await chain.advance(33)
    const bytes = base58.decode(plain)
    const name = {
      ...{ invented: 'invented', spaced: `${plain} ` },
      ...{ short: base58.encode(bytes.slice(1)), long: base58.encode(Buffer.from([1, ...bytes])) },
    }[kind]!
    const shown = await showing(plain)
    const liar = await openTwistedNode(chain, ({ method, params }, result) => {
      if (method === 'getSignaturesForAddress')
        return result.flatMap((line: object) => [{ ...line, signature: name }, line])
      return method === 'getTransaction' && params[0] === name ? shown : undefined
    })
    for (const endpoints of [
      [liar, chain.url],
      [chain.url, liar],
    ]) {
      const wallets = await openWallets(chain, { endpoints })
      const { moves } = await readOne(wallets, wallet.tokenAccounts.USDC)
      expect(moves.map(({ signature }) => signature)).toEqual([plain])
    }
  },
)

// Of what is very old, nodes know no balances; such a one may be given as that which brought coins.
test('a deposit is not believed that another node tells as something else, though not all of it', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const [one, other] = (await wallets.deriveWallets([0, 1])) as [Wallet, Wallet]
  const old = await deposit(chain, one)
  const claimed = await deposit(chain, other)
  await chain.advance(33)
  const shown = await showing(claimed)
  const [line] = await chain.call('getSignaturesForAddress', other.tokenAccounts.USDC)
  const liar = await openTwistedNode(chain, ({ method }) => {
    if (method === 'getSignaturesForAddress') return [{ ...line, signature: old }]
    return method === 'getTransaction' ? shown : undefined
  })
  for (const lacking of [{ meta: null }, { blockTime: null }]) {
    const honest = await openTwistedNode(chain, ({ method }, result) =>
      method === 'getTransaction' ? { ...result, ...lacking } : undefined,
    )
    const both = await openWallets(chain, { endpoints: [liar, honest] })
    const { moves, unreadable } = await readOne(both, other.tokenAccounts.USDC)
    expect({ moves, unreadable }).toEqual({ moves: [], unreadable: [old] })
  }
})
