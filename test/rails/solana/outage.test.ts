import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import { readConfig } from '../../../src/base/config.js'
import type { Mode } from '../../../src/base/environment.js'
import { Refusal } from '../../../src/base/refusal.js'
import type { Rails } from '../../../src/collections/rails.js'
import type { PayoutRail } from '../../../src/payouts/ports.js'
import { openRails } from '../../../src/processes/open-rails.js'
import { createSeedSigner, makeMnemonic } from '../../../src/rails/solana/keys/seed.js'
import { shareChain, startChain } from '../../simulation/localnet/localnet.js'
import { tokenAccountOf } from '../../simulation/localnet/transfers.js'
import { freshDatabase } from '../../support/database.js'
import { checkOne, fund, newInstruction, newSecret, openRail, prepareOne, silent } from './rail.js'
import { openTwistedNode } from './twisted-node.js'

/** RpcNodes that are down when the service starts. */

type Accounts = { context: object; value: (object | null)[] }

const db = await freshDatabase()
const shared = shareChain()
const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

/**
 * A free port whose successor is free, too. Below the ephemeral range: another process could take
 * an ephemeral port before the chain listens on it.
 */
async function findDeadPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if ((await isFree(port)) && (await isFree(port + 1))) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

async function reasonAt(rail: PayoutRail): Promise<string | undefined> {
  const [inspected] = await rail.inspect([await newInstruction()])
  return inspected instanceof Refusal ? inspected.reason : undefined
}

test('the rail starts while one endpoint is down, and concludes nothing', async () => {
  const chain = shared()
  const dead = `http://127.0.0.1:${await findDeadPort()}`
  // The chain was identified at an earlier start, by both.
  const pinnedChain = { find: async () => chain.genesisHash, pin: async (hash: string) => hash }
  const rail = await openRail(chain, { nodeUrls: [dead, chain.url], pinnedChain })
  expect(rail.name).toBe(`solana:${chain.genesisHash}`)
  expect(await reasonAt(rail)).toBeUndefined()
  const refused = prepareOne(rail, await newInstruction())
  await expect(refused, 'signing needs a majority').rejects.toThrow('is not responding')
  const attempt = await prepareOne(await openRail(chain), await newInstruction())
  await chain.advance(300)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'pending' })
})

test('the rail refuses while all endpoints are down and works once one is up', async () => {
  const port = await findDeadPort()
  const url = `http://127.0.0.1:${port}`
  const secret = newSecret()
  const { rails, solana, close } = await openRails({
    db,
    clock: systemClock,
    logger: silent,
    config: readConfig({
      DATABASE_URL: 'postgres://nobody',
      MANILLA_SECRET: 's'.repeat(32),
      SOLANA_TEST_RPC_URLS: url,
      SOLANA_TEST_SECRET_KEY: secret.reveal(),
    }),
  })
  onTestFinished(close)
  const rail = chainOf(rails, 'test')
  expect(await reasonAt(rail)).toBe('rail_unavailable')
  const [unsigned] = await rail.prepare([await newInstruction()])
  expect(unsigned).toMatchObject({ reason: 'rail_unavailable' })
  expect(await solana.test!.isChainKnown()).toBe(false)

  const chain = await startChain({ port })
  await fund(chain, solana.test!.treasuryAddress)
  expect(await reasonAt(rail)).toBeUndefined()
  expect(rail.name).toBe(`solana:${chain.genesisHash}`)
  expect(await solana.test!.isChainKnown()).toBe(true)
})

function chainOf(rails: Rails, mode: Mode): PayoutRail {
  return rails.carrierOf({ mode, payoutBank: null }, 'crypto_transfer')!
}

test('live mode starts while the endpoints of test mode are down', async () => {
  const mainnet = await openTwistedNode(shared(), ({ method }) =>
    method === 'getGenesisHash' ? mainnetGenesis : undefined,
  )
  const dead = `http://127.0.0.1:${await findDeadPort()}`
  const { rails, close } = await openRails({
    db,
    clock: systemClock,
    logger: silent,
    config: readConfig({
      DATABASE_URL: 'postgres://nobody',
      MANILLA_SECRET: 's'.repeat(32),
      SOLANA_TEST_RPC_URLS: dead,
      SOLANA_TEST_SECRET_KEY: newSecret().reveal(),
      SOLANA_LIVE_RPC_URLS: mainnet,
      SOLANA_LIVE_SECRET_KEY: newSecret().reveal(),
    }),
  })
  onTestFinished(close)
  expect(await reasonAt(chainOf(rails, 'test'))).toBe('rail_unavailable')
  expect(await reasonAt(chainOf(rails, 'live'))).toBe('treasury_short')
  expect(chainOf(rails, 'live').name).toBe(`solana:${mainnetGenesis}`)
})

// It was down at start, when the other endpoints were verified.
test('an endpoint that comes up later on another chain gets no calls', async () => {
  const chain = shared()
  const port = await findDeadPort()
  const nodeUrls = [`http://127.0.0.1:${port}`, chain.url, chain.url]
  const rail = await openRail(chain, { nodeUrls })
  const stranger = await startChain({ port })
  const attempt = await prepareOne(rail, await newInstruction())
  await rail.send([attempt])
  await chain.advance(40)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'landed' })
  const known = await stranger.call('getSignatureStatuses', [attempt.token])
  expect(known.value).toEqual([null])
})

// An incomplete result must not read as "not found", nor block the other endpoints.
test.each([
  ['getEpochInfo', {}],
  ['getSignatureStatuses', { context: { slot: 1 }, value: [] }],
  ['isBlockhashValid', { context: {}, value: false }],
])('a malformed result of %s counts as no answer', async (method, result) => {
  const chain = shared()
  const malformed = await openTwistedNode(chain, (call) =>
    call.method === method ? result : undefined,
  )
  const rail = await openRail(chain, { nodeUrls: [malformed, chain.url] })
  const attempt = await prepareOne(rail, await newInstruction())
  await chain.advance(300)
  expect(await checkOne(rail, attempt)).toEqual({ state: 'pending' })
})

// Reading beyond the end of the data would stop the poll of all wallets.
test.each([
  ['no context', (result: Accounts) => ({ value: result.value })],
  [
    'data that is cut off',
    (result: Accounts) => ({
      ...result,
      value: result.value.map((account) => account && { ...account, data: ['AAAA', 'base64'] }),
    }),
  ],
])('accounts with %s count as no answer', async (_, twist) => {
  const chain = shared()
  const broken = await openTwistedNode(chain, ({ method }, result) =>
    method === 'getMultipleAccounts' ? twist(result) : undefined,
  )
  const walletSigner = createSeedSigner(makeMnemonic())
  const nodeUrls = [broken, chain.url, chain.url]
  const { wallets, ...rail } = await openRail(chain, { nodeUrls, walletSigner })
  const address = await tokenAccountOf(rail.treasuryAddress)
  const amount = 1_000_000_000_000n
  expect(await wallets!.readAmounts([address])).toEqual([amount])
  for (let polls = 0; polls < 3; polls++)
    expect(await wallets!.pollAmounts([{ address, amount: 0n }])).toEqual([amount])
  expect(await rail.treasuryBalances()).toMatchObject({ USDC: amount })
})

test('a call with a malformed result goes to the next endpoint', async () => {
  const chain = shared()
  const malformed = await openTwistedNode(chain, ({ method }) =>
    method === 'getMultipleAccounts' ? { value: [] } : undefined,
  )
  const rail = await openRail(chain, { nodeUrls: [malformed, chain.url] })
  expect(await reasonAt(rail)).toBeUndefined()
})
