import { beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../../src/log.js'
import { setFaults, shareChain } from '../localnet/localnet.js'
import { openTwistedNode, TwistedError } from './twisted-node.js'
import { deposit, deriveOne, openWallets, readOne } from './wallets.js'

/** Nodes that tell of one transaction differently. */

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
