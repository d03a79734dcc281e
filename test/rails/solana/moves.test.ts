import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { getAddMemoInstruction } from '@solana-program/memo'
import { beforeEach, expect, test } from 'vitest'
import type { TokenHistory, Wallet } from '../../../src/collections/ports.js'
import { setFaults, shareChain } from '../../simulation/localnet/localnet.js'
import {
  newPayer,
  newWallet,
  signTransfer,
  tokenAccountOf,
  transferInstructions,
  unchecked,
  usdc,
} from '../../simulation/localnet/transfers.js'
import { openFaucet, openRail } from './rail.js'
import { openTwistedNode, TwistedError } from './twisted-node.js'
import { deposit, deriveOne, openWallets, readOne, readRange, submit } from './wallets.js'

/** Deposits as the rail reads them from the chain. */

const shared = shareChain()
beforeEach(() => setFaults(shared()))

test('wallets are derived in order, with their token accounts', async () => {
  const wallets = await openWallets(shared())
  const [second, first, again] = await wallets.deriveWallets([1, 0, 1])
  expect(again).toEqual(second)
  expect(first!.address).not.toBe(second!.address)
  expect(first!.tokenAccounts.USDC).toBe(await tokenAccountOf(first!.address))
  expect(wallets.name).toBe(wallets.rail.name)
  expect(await wallets.isChainKnown()).toBe(true)
})

test('a rail without a seed has no wallets', async () => {
  expect((await openRail(shared())).wallets).toBeUndefined()
})

test('a deposit is read when it is finalized, not before', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const wallet = await deriveOne(wallets)
  const { USDC, USDT } = wallet.tokenAccounts
  expect(await wallets.readAmounts([USDC, USDT])).toEqual([0n, 0n])
  const signature = await deposit(chain, wallet, { amount: 7_000_000n, key: 'a deposit' })
  await chain.advance(31)
  expect(await wallets.readAmounts([USDC])).toEqual([0n])
  expect(await readOne(wallets, USDC)).toMatchObject({ moves: [], unreadable: [] })
  await chain.advance(1)
  expect(await wallets.readAmounts([USDT, USDC, USDT])).toEqual([0n, 7_000_000n, 0n])
  const { moves, unreadable } = await readOne(wallets, USDC)
  expect(unreadable).toEqual([])
  expect(moves).toMatchObject([
    { signature, change: 7_000_000n, left: 7_000_000n, memo: 'a deposit' },
  ])
  expect(moves[0]!.sender).toBe((await openFaucet(chain)).address)
  expect(moves[0]!.slot).toEqual(expect.any(BigInt))
  const [line] = await chain.call('getSignaturesForAddress', USDC)
  expect(moves[0]!.at).toEqual(new Date(line.blockTime * 1_000))
})

// Two transfers to one wallet and one to another in one transaction, one transfer with a memo, one
// that fails, and one with two memos.
test('deposits of an independent client are read exactly', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const [one, other] = (await wallets.deriveWallets([0, 1])) as [Wallet, Wallet]
  const payer = await newPayer(chain)
  const pay = (to: string, amount: bigint) => transferInstructions(payer, to, amount)
  const both = await submit(chain, payer, [
    ...(await pay(one.address, 1n)),
    ...(await pay(other.address, 20n)),
    ...(await pay(one.address, 300n)),
  ])
  const memo = getAddMemoInstruction({ memo: 'invoice 77' })
  const noted = await submit(chain, payer, [...(await pay(one.address, 4_000n)), memo])
  const failed = await submit(chain, payer, await pay(one.address, 10n ** 15n))
  const memos = ['two', 'memos'].map((text) => getAddMemoInstruction({ memo: text }))
  const last = await submit(chain, payer, [...(await pay(one.address, 50_000n)), ...memos])
  await chain.advance(32)
  const { USDC } = one.tokenAccounts
  expect(await wallets.readAmounts([USDC, other.tokenAccounts.USDC])).toEqual([54_301n, 20n])
  const ranges = [one, other].map(({ tokenAccounts }) => {
    return { tokenAccount: tokenAccounts.USDC, after: null }
  })
  const [ofOne, ofOther] = (await wallets.readMoves(ranges)) as TokenHistory[]
  const sender = payer.address
  expect(ofOne!.moves).toMatchObject([
    { signature: both, change: 301n, left: 301n, sender, memo: null },
    { signature: noted, change: 4_000n, left: 4_301n, sender, memo: 'invoice 77' },
    { signature: last, change: 50_000n, left: 54_301n, sender, memo: null },
  ])
  expect(ofOther!.moves).toMatchObject([{ signature: both, change: 20n, left: 20n, sender }])
  const lines = await chain.call<{ signature: string }[]>('getSignaturesForAddress', USDC)
  expect(lines.map(({ signature }) => signature)).toContain(failed)

  expect((await readOne(wallets, USDC, both)).moves).toHaveLength(2)
  expect((await readOne(wallets, USDC, last)).moves).toHaveLength(0)
})

test('a transaction with two payers has no sender', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const wallet = await deriveOne(wallets)
  const [payer, partner] = [await newPayer(chain), await newPayer(chain)]
  await submit(chain, payer, [
    ...(await transferInstructions(payer, wallet.address, 1n)),
    ...(await transferInstructions(partner, wallet.address, 2n)),
  ])
  await chain.advance(32)
  const { moves } = await readOne(wallets, wallet.tokenAccounts.USDC)
  expect(moves).toMatchObject([{ change: 3n, sender: null }])
})

test('a history is read since a time, and whole after an unknown signature', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const wallet = await deriveOne(wallets)
  const { USDC: tokenAccount } = wallet.tokenAccounts
  await deposit(chain, wallet)
  await deposit(chain, wallet)
  await chain.advance(32)
  const { moves } = await readOne(wallets, tokenAccount)
  expect(moves).toHaveLength(2)
  const readSince = async (since: Date) =>
    (await readRange(wallets, { tokenAccount, after: null, since })).moves.length
  const last = moves[1]!.at!.getTime()
  expect(await readSince(new Date(last + 999))).toBeGreaterThan(0)
  expect(await readSince(new Date(last + 1_000))).toBe(0)
  expect(await readSince(moves[0]!.at!)).toBe(2)
  const later = new Date(last + 1_000)
  const readFrom = async (known: string, since: Date) =>
    (await readRange(wallets, { tokenAccount, after: known, since })).moves
  expect(await readFrom(moves[0]!.signature, later), 'from the older of the two').toEqual(moves)
  expect(await readFrom(moves[1]!.signature, later)).toEqual(moves.slice(1))
  expect(await readFrom(moves[1]!.signature, moves[0]!.at!)).toEqual(moves)
  const unknown = base58.encode(randomBytes(64))
  expect((await readOne(wallets, tokenAccount, unknown)).moves).toEqual(moves)
})

/** Replaces the result of `getTransaction` for some signatures. */
function openNodeReplacing(signatures: string[], twisted: unknown): Promise<string> {
  return openTwistedNode(shared(), ({ method, params }) => {
    const isReplaced = method === 'getTransaction' && signatures.includes(params[0] as string)
    return isReplaced ? twisted : undefined
  })
}

test('a transaction that no majority returns, or in an unsupported version, is unreadable', async () => {
  const chain = shared()
  const first = await openWallets(chain)
  const wallet = await deriveOne(first)
  const hidden = await deposit(chain, wallet)
  const plain = await deposit(chain, wallet)
  await chain.advance(32)
  const unsupported = new TwistedError(-32015, 'Transaction version (1) is not supported')
  const version = { maxSupportedTransactionVersion: 0 }
  const shown = await chain.call('getTransaction', hidden, version)
  const omissions = [unsupported, { ...shown, meta: { ...shown.meta, preTokenBalances: null } }]
  for (const twisted of [...omissions, null]) {
    const url = await openNodeReplacing([hidden], twisted)
    const wallets = await openWallets(chain, { nodeUrls: [url] })
    const { moves, unreadable } = await readOne(wallets, wallet.tokenAccounts.USDC)
    expect(moves.map(({ signature }) => signature)).toEqual([plain])
    expect(unreadable).toEqual([hidden])
    const three = await openWallets(chain, { nodeUrls: [url, chain.url, chain.url] })
    const read = await readOne(three, wallet.tokenAccounts.USDC)
    expect(read).toMatchObject({ moves: [{ signature: hidden }, {}], unreadable: [] })
    const two = await openWallets(chain, { nodeUrls: [url, chain.url] })
    const waiting = { moves: [], unreadable: [], isPartial: true }
    expect(await readOne(two, wallet.tokenAccounts.USDC)).toMatchObject(waiting)
  }
})

/** Changes the status of a signature in the answers of the chain. */
function openNodeWithStatus(changed: string, twist: (status: object) => unknown): Promise<string> {
  return openTwistedNode(shared(), ({ method, params }, result) => {
    if (method !== 'getSignatureStatuses') return undefined
    const signatures = params[0] as string[]
    const value = result.value.map((status: object, index: number) =>
      signatures[index] === changed ? twist(status) : status,
    )
    return { ...result, value }
  })
}

// A node that ignores the commitment of the request returns transactions that may be dropped.
test.each([
  ['confirmed', (status: object) => ({ ...status, confirmationStatus: 'confirmed' })],
  ['null', (status: object) => ({ ...status, confirmationStatus: null })],
  ['missing', (status: object) => ({ ...status, confirmationStatus: undefined })],
  ['another result', (status: object) => ({ ...status, err: 'AccountInUse' })],
  ['no status', () => null],
])('a transaction whose status is %s is not final', async (_, twist) => {
  const chain = shared()
  const wallet = await deriveOne(await openWallets(chain))
  const signature = await deposit(chain, wallet)
  await chain.advance(32)
  const { USDC } = wallet.tokenAccounts
  const url = await openNodeWithStatus(signature, twist)
  const waiting = { moves: [], unreadable: [], isPartial: true }
  for (const nodeUrls of [[url], [url, url, chain.url]])
    expect(await readOne(await openWallets(chain, { nodeUrls }), USDC)).toMatchObject(waiting)
  const three = await openWallets(chain, { nodeUrls: [url, chain.url, chain.url] })
  expect(await readOne(three, USDC)).toMatchObject({ moves: [{ signature }], unreadable: [] })
})

test('a block time needs a majority; without one, the deposit is read without a time', async () => {
  const chain = shared()
  const wallet = await deriveOne(await openWallets(chain))
  const signature = await deposit(chain, wallet)
  await chain.advance(32)
  const openWithTime = (blockTime: number | null) =>
    openTwistedNode(chain, ({ method, params }, result) =>
      method === 'getTransaction' && params[0] === signature ? { ...result, blockTime } : undefined,
    )
  const [none, absurd, past] = [
    await openWithTime(null),
    await openWithTime(9e14),
    await openWithTime(1_000_000_000),
  ]
  const read = async (...nodeUrls: string[]) => {
    const history = await readOne(await openWallets(chain, { nodeUrls }), wallet.tokenAccounts.USDC)
    expect(history).toMatchObject({ moves: [{ signature }], unreadable: [] })
    const hosts = history.disputes!.flatMap((dispute) => dispute.hosts)
    return { at: history.moves[0]!.at?.getTime() ?? null, disputes: hosts.length }
  }
  const { at } = await read(chain.url)
  expect(await read(none)).toEqual({ at: null, disputes: 0 })
  expect(await read(absurd)).toEqual({ at: null, disputes: 0 })
  expect(await read(none, chain.url, chain.url)).toEqual({ at, disputes: 0 })
  expect(await read(none, none, chain.url)).toEqual({ at: null, disputes: 0 })
  expect(await read(past, chain.url, chain.url)).toEqual({ at, disputes: 1 })
  expect(await read(past, none, chain.url)).toEqual({ at: null, disputes: 2 })
})

test('an account whose owner does not match its address counts as empty', async () => {
  const chain = shared()
  const honest = await openWallets(chain)
  const [one, other] = (await honest.deriveWallets([0, 1])) as [Wallet, Wallet]
  await deposit(chain, one, { amount: 3n })
  await chain.advance(32)
  const url = await openTwistedNode(chain, ({ method }, result) => {
    if (method !== 'getMultipleAccounts') return undefined
    return { ...result, value: [...result.value].reverse() }
  })
  const accounts = [one.tokenAccounts.USDC, other.tokenAccounts.USDC]
  expect(await honest.readAmounts([...accounts, usdc, one.address])).toEqual([3n, 0n, 0n, 0n])
  const wallets = await openWallets(chain, { nodeUrls: [url] })
  expect(await wallets.readAmounts(accounts)).toEqual([0n, 0n])
})

test('many accounts are read in order', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const derived = await wallets.deriveWallets(Array.from({ length: 250 }, (_, number) => number))
  for (const number of [0, 99, 100, 249])
    await deposit(chain, derived[number]!, { amount: BigInt(number) + 1n })
  await chain.advance(32)
  const amounts = await wallets.readAmounts(derived.map(({ tokenAccounts }) => tokenAccounts.USDC))
  const expected = derived.map((_, number) =>
    [0, 99, 100, 249].includes(number) ? BigInt(number) + 1n : 0n,
  )
  expect(amounts).toEqual(expected)
})

/** A signature that encodes its position in the history. */
function signatureAt(index: number): string {
  const bytes = Buffer.alloc(64, 1)
  bytes.writeUInt32BE(index, 60)
  return base58.encode(bytes)
}

/** An endpoint that lists `length` transactions and returns none of them. */
function openLongHistory(length: number, losesPosition = false): Promise<string> {
  return openTwistedNode(shared(), ({ method, params }) => {
    if (method === 'getTransaction') return null
    if (method !== 'getSignaturesForAddress') return undefined
    const { before, limit } = params[1] as { before?: string; limit: number }
    if (before && losesPosition) return []
    const start = before ? Buffer.from(base58.decode(before)).readUInt32BE(60) + 1 : 0
    const lines = Array.from({ length: Math.min(limit, length - start) }, (_, index) => {
      return { signature: signatureAt(start + index), slot: 1, err: null, memo: null, blockTime: 1 }
    })
    return lines
  })
}

test('a history of many pages is read completely', async () => {
  const length = 2_500
  const wallets = await openWallets(shared(), { nodeUrls: [await openLongHistory(length)] })
  const { unreadable } = await readOne(wallets, await newWallet())
  expect(unreadable).toHaveLength(length)
  expect(new Set(unreadable).size).toBe(length)
  expect(unreadable[0]).toBe(signatureAt(length - 1))
})

test('a history that is too long, or whose pages do not connect, is not read at all', async () => {
  const long = await openWallets(shared(), { nodeUrls: [await openLongHistory(1_000_000)] })
  await expect(readOne(long, await newWallet())).rejects.toThrow('too few RPC nodes')
  const lost = await openWallets(shared(), { nodeUrls: [await openLongHistory(2_000, true)] })
  await expect(readOne(lost, await newWallet())).rejects.toThrow('too few RPC nodes')
})

test('a transfer built with kit is a deposit', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const wallet = await deriveOne(wallets, 3)
  const payer = await newPayer(chain)
  const signed = await signTransfer(chain, { payer, to: wallet.address, memo: 'thanks' })
  await chain.call('sendTransaction', signed.wire, unchecked)
  await chain.advance(32)
  const { moves } = await readOne(wallets, wallet.tokenAccounts.USDC)
  expect(moves).toMatchObject([
    { signature: signed.signature, change: 1_000_000n, sender: payer.address, memo: 'thanks' },
  ])
})
