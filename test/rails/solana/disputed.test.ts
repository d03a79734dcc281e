import { base58 } from '@scure/base'
import { beforeEach, expect, test } from 'vitest'
import { limits } from '../../../src/base/limits.js'
import type { Wallet } from '../../../src/collections/ports.js'
import { setFaults, shareChain } from '../../simulation/localnet/localnet.js'
import { openTwistedNode, TwistedError } from './twisted-node.js'
import { deposit, deriveOne, openWallets, readOne } from './wallets.js'

/** Which transactions count when endpoints disagree. */

const shared = shareChain()
beforeEach(() => setFaults(shared()))

const hostOf = (url: string) => new URL(url).host

/** Reports a larger deposit. */
const openLiar = (signature: string, change: object = {}) =>
  openTwistedNode(shared(), ({ method, params }, result) => {
    if (method === 'getSignatureStatuses') {
      const asked = params[0] as string[]
      const value = result.value.map((status: object, index: number) =>
        asked[index] === signature ? { ...status, ...change } : status,
      )
      return { ...result, value }
    }
    if (method !== 'getTransaction' || params[0] !== signature) return undefined
    const { meta } = result
    const post = meta.postTokenBalances.map((balance: object) => {
      return { ...balance, uiTokenAmount: { amount: '1000000000000' } }
    })
    return { ...result, meta: { ...meta, postTokenBalances: post, ...change } }
  })

/** Does not know a transaction; `slot` is the finalized slot that it reports. */
const openUnaware = (signature: string, slot?: number) =>
  openTwistedNode(shared(), ({ method, params }, result) => {
    if (method === 'getTransaction' && params[0] === signature) return null
    if (method === 'getSignaturesForAddress')
      return result.filter((line: { signature: string }) => line.signature !== signature)
    if (method === 'getEpochInfo' && slot !== undefined) return { ...result, absoluteSlot: slot }
    return undefined
  })

const openBusy = () =>
  openTwistedNode(shared(), ({ method }) =>
    method === 'getGenesisHash' ? undefined : new TwistedError(-32005, 'Too many requests'),
  )

async function slotOf(signature: string): Promise<number> {
  const { value } = await shared().call('getSignatureStatuses', [signature])
  return value[0].slot
}

/** A wallet with two deposits. */
async function openPaid() {
  const chain = shared()
  const wallet = await deriveOne(await openWallets(chain))
  const first = await deposit(chain, wallet, { amount: 7n })
  await chain.advance(1)
  const second = await deposit(chain, wallet, { amount: 5n })
  await chain.advance(33)
  const read = async (nodeUrls: string[]) => {
    const read = await readOne(
      await openWallets(chain, { nodeUrls, isPoor: true }),
      wallet.tokenAccounts.USDC,
    )
    return { ...read, moves: read.moves.map(({ signature }) => signature) }
  }
  return { chain, wallet, first, second, read }
}

const inEveryOrder = (urls: string[]) =>
  urls.map((_, index) => [...urls.slice(index), ...urls.slice(0, index)])

test('a single endpoint is trusted', async () => {
  const { first, second, read } = await openPaid()
  expect(await read([await openLiar(first)])).toMatchObject({ moves: [first, second] })
})

test('of two endpoints that disagree neither counts, and both are reported', async () => {
  const { chain, first, second, read } = await openPaid()
  for (const change of [{}, { err: { InstructionError: [0, 'Custom'] } }]) {
    const liar = await openLiar(first, change)
    for (const nodeUrls of inEveryOrder([liar, chain.url]))
      expect(await read(nodeUrls)).toEqual({
        moves: [second],
        unreadable: [first],
        disputes: [{ subject: first, hosts: nodeUrls.map(hostOf) }],
        isPartial: false,
      })
  }
})

test('two of three decide, and the third is reported', async () => {
  const { chain, first, second, read } = await openPaid()
  const liar = await openLiar(first)
  const { url: other } = await chain.call('localnet_openNode', { rules: [] })
  for (const nodeUrls of inEveryOrder([liar, chain.url, other]))
    expect(await read(nodeUrls)).toEqual({
      moves: [first, second],
      unreadable: [],
      disputes: [{ subject: first, hosts: [hostOf(liar)] }],
      isPartial: false,
    })
})

test('an endpoint that does not respond agrees to nothing', async () => {
  const { chain, first, second, read } = await openPaid()
  const [busy, liar] = [await openBusy(), await openLiar(first)]
  expect(await read([liar, busy])).toMatchObject({ moves: [], unreadable: [], isPartial: true })
  expect(await read([chain.url, busy])).toMatchObject({ moves: [], isPartial: true })
  expect(await read([chain.url, busy, await openBusy()])).toMatchObject({ moves: [] })
  expect(await read([chain.url, busy, chain.url])).toMatchObject({ moves: [first, second] })
  // One lies and one is busy: the honest one alone is not a majority.
  const stuck = { moves: [second], unreadable: [first] }
  expect(await read([chain.url, busy, liar])).toMatchObject(stuck)
})

test('a deposit that a lagging endpoint may not know yet waits, and so do later ones', async () => {
  const { chain, wallet, first, second } = await openPaid()
  const third = await deposit(chain, wallet, { amount: 3n })
  await chain.advance(33)
  const slot = await slotOf(second)
  const read = async (nodeUrls: string[]) =>
    readOne(await openWallets(chain, { nodeUrls, isPoor: true }), wallet.tokenAccounts.USDC)
  for (const reached of [slot, slot + limits.solana.blockhashAge - 1]) {
    const late = await openUnaware(second, reached)
    const waiting = await read([chain.url, late])
    expect(waiting.moves.map(({ signature }) => signature)).toEqual([first])
    expect(waiting).toMatchObject({ unreadable: [], disputes: [], isPartial: true })
    const { moves } = await read([chain.url, late, chain.url])
    expect(moves.map(({ signature }) => signature)).toEqual([first, second, third])
  }
})

// RpcNodes order the transactions of one slot differently.
test('no deposit in the slot of a waiting one is taken', async () => {
  const chain = shared()
  const wallet = await deriveOne(await openWallets(chain))
  const plain = await deposit(chain, wallet, { amount: 2n })
  const unknown = await deposit(chain, wallet, { amount: 3n })
  await chain.advance(33)
  expect(await slotOf(plain)).toBe(await slotOf(unknown))
  const late = await openUnaware(unknown, await slotOf(unknown))
  const wallets = await openWallets(chain, { nodeUrls: [chain.url, late] })
  const read = await readOne(wallets, wallet.tokenAccounts.USDC)
  expect(read).toMatchObject({ moves: [], isPartial: true })
})

test('a deposit that one of two denies is unreadable; if two of three deny it, it is ignored', async () => {
  const { chain, first: invented, second, read } = await openPaid()
  const slot = (await slotOf(invented)) + limits.solana.blockhashAge
  // Here the chain plays the liar: to the other endpoints, it invented the deposit.
  const [honest, other] = [await openUnaware(invented, slot), await openUnaware(invented, slot)]
  for (const nodeUrls of inEveryOrder([chain.url, honest])) {
    const { disputes, ...rest } = await read(nodeUrls)
    expect(rest).toEqual({ moves: [second], unreadable: [invented], isPartial: false })
    expect(disputes).toEqual([{ subject: invented, hosts: [chain.url, honest].map(hostOf) }])
  }
  for (const nodeUrls of inEveryOrder([chain.url, honest, other]))
    expect(await read(nodeUrls)).toMatchObject({
      moves: [second],
      unreadable: [],
      disputes: [{ subject: invented }],
      isPartial: false,
    })
})

// The third could side with either, so the deposit waits; the contradiction is known already.
test('a deposit that one of three denies while another is busy waits, and is disputed', async () => {
  const { chain, first: invented, read } = await openPaid()
  const slot = (await slotOf(invented)) + limits.solana.blockhashAge
  const honest = await openUnaware(invented, slot)
  expect(await read([chain.url, honest, await openBusy()])).toEqual({
    moves: [],
    unreadable: [],
    disputes: [{ subject: invented, hosts: [chain.url, honest].map(hostOf) }],
    isPartial: true,
  })
})

// A slot that no endpoint has reached must not hold up real deposits.
test.each(['a false slot', 'an unknown signature'])(
  'one of three holds nothing up with %s',
  async (kind) => {
    const { chain, wallet, first, second, read } = await openPaid()
    const invented = base58.encode(Buffer.alloc(64, 7))
    const shown = await chain.call('getTransaction', first, { maxSupportedTransactionVersion: 0 })
    const slot = Number.MAX_SAFE_INTEGER
    const liar = await openTwistedNode(chain, ({ method, params }, result) => {
      if (method === 'getSignaturesForAddress' && params[0] === wallet.tokenAccounts.USDC)
        return [{ ...result[0], signature: invented, slot }, ...result]
      if (method !== 'getTransaction' || params[0] !== invented) return undefined
      return kind === 'a false slot' ? { ...shown, slot } : null
    })
    const nodeUrls = [liar, chain.url, chain.url]
    expect(await read(nodeUrls)).toMatchObject({
      moves: [first, second],
      unreadable: [],
      isPartial: false,
    })
  },
)

// RpcNodes reject a lookup of a malformed signature, so none could deny the deposit.
test.each(['invented', 'spaced', 'short', 'long'])(
  'a deposit with a malformed signature is ignored: %s',
  async (kind) => {
    const { chain, first, second, read } = await openPaid()
    const bytes = base58.decode(first)
    const name = {
      invented: 'invented',
      spaced: `${first} `,
      short: base58.encode(bytes.slice(1)),
      long: base58.encode(Buffer.from([1, ...bytes])),
    }[kind]!
    const shown = await chain.call('getTransaction', first, { maxSupportedTransactionVersion: 0 })
    const liar = await openTwistedNode(chain, ({ method, params }, result) => {
      if (method === 'getSignaturesForAddress')
        return result.flatMap((line: object) => [{ ...line, signature: name }, line])
      return method === 'getTransaction' && params[0] === name ? shown : undefined
    })
    for (const nodeUrls of inEveryOrder([liar, chain.url, chain.url]))
      expect((await read(nodeUrls)).moves).toEqual([first, second])
  },
)

// RpcNodes omit the balances of very old transactions.
test('an endpoint that omits parts of a transaction agrees to nothing', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const [one, other] = (await wallets.deriveWallets([0, 1])) as [Wallet, Wallet]
  const old = await deposit(chain, one)
  const claimed = await deposit(chain, other)
  await chain.advance(33)
  const shown = await chain.call('getTransaction', claimed, { maxSupportedTransactionVersion: 0 })
  const [line] = await chain.call('getSignaturesForAddress', other.tokenAccounts.USDC)
  const liar = await openTwistedNode(chain, ({ method }) => {
    if (method === 'getSignaturesForAddress') return [{ ...line, signature: old }]
    return method === 'getTransaction' ? shown : undefined
  })
  // Without a time, the honest endpoint still supports the real deposit.
  for (const [lacking, supported] of [
    [{ meta: null }, []],
    [{ blockTime: null }, [claimed]],
  ] as const) {
    const honest = await openTwistedNode(chain, ({ method }, result) =>
      method === 'getTransaction' ? { ...result, ...lacking } : undefined,
    )
    const both = await openWallets(chain, { nodeUrls: [liar, honest] })
    const { moves } = await readOne(both, other.tokenAccounts.USDC)
    expect(moves.map(({ signature }) => signature)).toEqual(supported)
  }
})
