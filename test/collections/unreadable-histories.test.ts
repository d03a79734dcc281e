import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { beforeEach, expect, test } from 'vitest'
import { minute, second } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { depositLimits } from '../../src/wallets/limits.js'
import { openTwistedNode, TwistedError } from '../rails/solana/twisted-node.js'
import { openWallets } from '../rails/solana/wallets.js'
import { setFaults } from '../simulation/localnet/localnet.js'
import { tokenAccountOf } from '../simulation/localnet/transfers.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'

/** Some histories cannot be read; the others must not be affected. */

const service = await openWithWallets()
const { db, clock, chain, watch, watchTroubled } = service

let shop: ReturnType<typeof shopOf>
beforeEach(async () => {
  await setFaults(chain)
  await service.settle()
  shop = shopOf(service, await service.addMerchant('Ada'))
})

/** Wallets with one deposit each. */
async function openPaid(references: string[]) {
  const opened = []
  for (const reference of references) {
    const { address } = (await shop.openDedicated(reference)).json.data
    await shop.deposit(address, '10')
    opened.push({ address: address as string, account: await tokenAccountOf(address) })
  }
  await chain.advance(33)
  return opened
}

const available = async () => (await shop.balance()).available

async function countTroubled(): Promise<number> {
  const rows = await db.rows(sql`select from token_accounts where has_trouble`)
  return rows.length
}

/** A node that cannot list the histories of some accounts. */
async function openForgetful(accounts: () => string[]) {
  const url = await openTwistedNode(chain, ({ method, params }) =>
    method === 'getSignaturesForAddress' && accounts().includes(params[0] as string)
      ? new TwistedError(-32603, 'Internal error')
      : undefined,
  )
  return openWallets(chain, { nodeUrls: [url], isPoor: true })
}

test('when half of the histories cannot be read, the other half is credited', async () => {
  const opened = await openPaid(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
  let poisoned = opened.slice(0, 4).map(({ account }) => account)
  const rail = await openForgetful(() => poisoned)
  await watch(rail)
  expect(await available()).toBe('39.8')
  expect(await countTroubled()).toBe(4)
  clock.advance(second)
  expect(await watchTroubled(rail), 'all of them are retried').toBe(4)
  // One of the four recovers.
  poisoned = poisoned.slice(0, 3)
  clock.advance(depositLimits.troubledPollIntervalMs)
  expect(await watchTroubled(rail)).toBe(4)
  expect(await available()).toBe('49.75')
  expect(await countTroubled()).toBe(3)
  poisoned = []
  clock.advance(depositLimits.troubledPollIntervalMs)
  await watchTroubled(rail)
  expect(await available()).toBe('79.6')
})

test('a deposit is credited once a second node knows it, never if the node denies it', async () => {
  await openPaid(['m', 'n'])
  // Behind the deposit, then past it without knowing it, then knowing it.
  let memory: { last: number } | undefined = { last: 0 }
  const url = await openTwistedNode(chain, ({ method }, result) => {
    if (!memory) return undefined
    if (method === 'getEpochInfo') return { ...result, absoluteSlot: memory.last }
    if (method === 'getSignaturesForAddress') return []
    return method === 'getTransaction' ? null : undefined
  })
  const rail = await openWallets(chain, { nodeUrls: [chain.url, url], isPoor: true })
  await watch(rail)
  expect([await available(), await countTroubled()]).toEqual(['0', 0])
  memory = { last: 1_000_000 }
  clock.advance(second)
  await watch(rail)
  expect([await available(), await countTroubled()]).toEqual(['0', 2])
  memory = undefined
  clock.advance(depositLimits.troubledPollIntervalMs)
  await watchTroubled(rail)
  expect([await available(), await countTroubled()]).toEqual(['19.9', 0])
  clock.advance(second)
  await watch(rail)
  expect(await available()).toBe('19.9')
})

test('a node that stays behind delays deposits and is reported', async () => {
  await openPaid(['v'])
  const url = await openTwistedNode(chain, ({ method }, result) => {
    if (method === 'getEpochInfo') return { ...result, absoluteSlot: 0 }
    return method === 'getTransaction' ? null : undefined
  })
  const rail = await openWallets(chain, { nodeUrls: [chain.url, url], isPoor: true })
  for (let polls = 0; polls <= depositLimits.unreadPollsMax; polls += 1) {
    expect(await countTroubled()).toBe(0)
    await watch(rail)
    clock.advance(second)
  }
  expect([await available(), await countTroubled()]).toEqual(['0', 1])
  expect(service.log.join('')).toContain('too few endpoints know more')
  clock.advance(minute)
  await watchTroubled()
  expect([await available(), await countTroubled()]).toEqual(['9.95', 0])
})

// Histories are read after the last known transaction, which must not be an invented one.
test('an invented transaction without a deposit does no lasting harm', async () => {
  for (const [reference, change] of Object.entries({ t: 0, u: -1 })) {
    const [paid] = await openPaid([reference])
    await watch()
    const [real] = await chain.call('getSignaturesForAddress', paid!.account)
    const invented = base58.encode(randomBytes(64))
    const slot = Number.MAX_SAFE_INTEGER
    const version = { maxSupportedTransactionVersion: 0 }
    const shown = await chain.call('getTransaction', real.signature, version)
    const { meta } = shown
    const holds = (held: number) => {
      const at = shown.transaction.message.accountKeys.indexOf(paid!.account)
      const of = ({ accountIndex }: { accountIndex: number }) => accountIndex === at
      const [balance] = meta.postTokenBalances.filter(of)
      return [{ ...balance, uiTokenAmount: { amount: String(held) } }]
    }
    const after = 10_000_000
    const balances = { preTokenBalances: holds(after), postTokenBalances: holds(after + change) }
    const liar = await openTwistedNode(chain, ({ method, params }, result) => {
      if (method === 'getSignaturesForAddress' && params[0] === paid!.account)
        return [{ ...real, signature: invented, slot }]
      const isAsked = method === 'getTransaction' && params[0] === invented
      return isAsked ? { ...shown, slot, meta: { ...meta, ...balances } } : result
    })
    await db.rows(sql`update token_accounts set is_unread = true, due_at = ${clock.now()}
      where address = ${paid!.account}`)
    const endpoints = [liar, chain.url]
    await watch(await openWallets(chain, { nodeUrls: endpoints, isPoor: true }))
    await shop.deposit(paid!.address, '10')
    await chain.advance(33)
    clock.advance(minute)
    await watch()
    await watchTroubled()
    clock.advance(minute)
    await watch()
    const [left] = await db.rows(sql`select is_unread, has_trouble, amount from token_accounts
      where address = ${paid!.account}`)
    expect(left).toEqual({ isUnread: false, hasTrouble: false, amount: 20_000_000n })
  }
})

test('an audit that a lagging node cuts short is not complete', async () => {
  const [paid] = await openPaid(['r'])
  await watch()
  expect(await available()).toBe('9.95')
  const isAudited = async () => {
    const rows = await db.rows(sql`select from token_accounts
      where address = ${paid!.account} and audited_at > ${new Date(clock.now().getTime() - minute)}`)
    return rows.length === 1
  }
  let isLate = true
  const url = await openTwistedNode(chain, ({ method }, result) => {
    if (method === 'getEpochInfo' && isLate) return { ...result, absoluteSlot: 0 }
    return method === 'getTransaction' && isLate ? null : undefined
  })
  const rail = await openWallets(chain, { nodeUrls: [chain.url, url], isPoor: true })
  clock.advance(depositLimits.auditIntervalMs)
  await watch(rail)
  expect(await isAudited()).toBe(false)
  // It is retried soon, not with the next audit.
  isLate = false
  clock.advance(second)
  await watch(rail)
  expect(await isAudited()).toBe(true)
  expect(await available()).toBe('9.95')
})

test('when no node answers, no account is marked as failing', async () => {
  await openPaid(['i', 'j', 'k', 'l'])
  let answered = 0
  const url = await openTwistedNode(chain, ({ method }) => {
    if (method === 'getMultipleAccounts') answered += 1
    const isAway = method === 'getSignaturesForAddress' || answered > 1
    return isAway ? new TwistedError(-32005, 'Node is behind') : undefined
  })
  const rail = await openWallets(chain, { nodeUrls: [url], isPoor: true })
  await rail.isChainKnown()
  answered = 0
  await expect(watch(rail)).rejects.toThrow('no RPC node answers')
  expect(await countTroubled()).toBe(0)
  clock.advance(depositLimits.retryMs)
  await watch()
  expect(await available()).toBe('39.8')
})

// Senders control how much a transaction logs, and responses are limited in size.
test('transactions with long logs are read a few at a time', async () => {
  const [bad] = await openPaid(['m', 'n'])
  for (let count = 0; count < 24; count += 1) await shop.deposit(bad!.address, '1')
  await chain.advance(33)
  const padding = 'x'.repeat(limits.solana.responseBytesMax / 20)
  const url = await openTwistedNode(chain, ({ method }, result) =>
    method === 'getTransaction' && result.transaction.message.accountKeys.includes(bad!.account)
      ? { ...result, meta: { ...result.meta, logMessages: [padding] } }
      : undefined,
  )
  await watch(await openWallets(chain, { nodeUrls: [url], isPoor: true }))
  expect(await available()).toBe('43.78')
  expect(await countTroubled()).toBe(0)
}, 60_000)

test('a single transaction that is too long is reported, and all others are credited', async () => {
  const [bad] = await openPaid(['o', 'p'])
  const [{ signature: fat }] = await chain.call('getSignaturesForAddress', bad!.account)
  await shop.deposit(bad!.address, '10')
  await chain.advance(33)
  const padding = 'x'.repeat(limits.solana.responseBytesMax)
  const url = await openTwistedNode(chain, ({ method, params }, result) =>
    method === 'getTransaction' && params[0] === fat
      ? { ...result, meta: { ...result.meta, logMessages: [padding] } }
      : undefined,
  )
  await watch(await openWallets(chain, { nodeUrls: [url], isPoor: true }))
  expect(await available()).toBe('19.9')
  expect(await countTroubled()).toBe(1)
  expect(service.log.filter((line) => line.includes('deposits may be hidden')).join('')).toContain(
    fat,
  )
  clock.advance(minute)
  await watchTroubled()
  expect(await available()).toBe('29.85')
}, 60_000)
