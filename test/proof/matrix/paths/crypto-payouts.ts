import { strict as assert } from 'node:assert'
import { sql } from '../../../../src/postgres/sql.js'
import type { FaultRule } from '../../../../src/simulation/localnet/start.js'
import { setFaults, type TestChain } from '../../../simulation/localnet/localnet.js'
import { definePath, type Path } from '../run-path.js'
import type { World, WorldSettings } from '../world.js'
import { merchantOf } from './merchant.js'
import {
  checkTreasury,
  cryptoPath,
  newWallet,
  type Paying,
  readCoins,
  toMicro,
  workUntil,
} from './payouts.js'

const funded = '100'
const amount = '25.5'
/** More than the chain accepts a blockhash for, and until that is final. */
const blocksUntilExpiry = 200

type PayingCoins = Paying & { destinationAddress: string }

/** A path that pays coins once; `follow` says what the outside does after that. */
function payCoins(path: {
  name: string
  settings: WorldSettings
  /** What the chain does with transactions to the destination. */
  fault?: Omit<FaultRule, 'match'>
  status: 'CONFIRMED' | 'FAILED'
  follow?: (world: World, paying: PayingCoins) => Promise<void>
}): Path {
  return definePath<PayingCoins>({
    name: path.name,
    settings: path.settings,
    async prepare(world) {
      const merchant = merchantOf(world)
      const destinationAddress = newWallet()
      const match = { account: destinationAddress }
      await setFaults(world.outside.chain!, ...(path.fault ? [{ match, ...path.fault }] : []))
      await merchant.fund('USDC', funded)
      return { merchant, destinationAddress, reference: '' }
    },
    async run(world, paying) {
      const { merchant, destinationAddress } = paying
      const body = { amount, asset: 'USDC', network: 'SOLANA', destinationAddress }
      paying.reference = (await merchant.post(cryptoPath, body)).reference
      await path.follow?.(world, paying)
    },
    async check(world, { merchant, destinationAddress, reference }) {
      const isPaid = path.status === 'CONFIRMED'
      const payout = await merchant.get(`${cryptoPath}/${reference}`)
      assert.equal(payout.status, path.status)
      assert.deepEqual(await merchant.eventTypes(reference), [
        'crypto_transfer.submitted',
        isPaid ? 'crypto_transfer.confirmed' : 'crypto_transfer.failed',
      ])
      const spent = isPaid ? toMicro(payout.amount) + toMicro(payout.fee) : 0
      const balance = await merchant.balance('USDC')
      assert.equal(toMicro(`${balance.available}`), toMicro(funded) - spent)
      assert.equal(toMicro(`${balance.held}`), 0)
      const arrived = isPaid ? toMicro(amount) : 0
      assert.equal(await readCoins(world, destinationAddress), arrived)
      await checkTreasury(world, arrived)
    },
  })
}

type Attempt = { number: number; wire: Buffer }

function listAttempts(world: World): Promise<Attempt[]> {
  return world.db.rows(sql<Attempt>`select number, wire from payout_attempts order by number`)
}

/** The chain drops every transaction until the first attempt has expired and is replaced. */
async function dropUntilReplaced(world: World): Promise<void> {
  const isReplaced = async () => (await listAttempts(world)).length > 1
  await workUntil(world, isReplaced, { blocks: blocksUntilExpiry })
  await setFaults(world.outside.chain!)
}

/** The chain drops the first attempt only, so that every other one that is sent can land. */
async function dropUntilExpired(world: World): Promise<void> {
  const chain = world.outside.chain!
  await chain.advance(blocksUntilExpiry)
  await setFaults(chain)
  const isReplaced = async () => (await listAttempts(world)).length > 1
  await workUntil(world, isReplaced, { blocks: blocksUntilExpiry })
}

/** A node that had kept the first attempt passes it on, after it was replaced. */
async function sendFirstLate(world: World): Promise<void> {
  const [first] = await listAttempts(world)
  const wire = first!.wire.toString('base64')
  const config = { encoding: 'base64', skipPreflight: true }
  await world.outside.chain!.request('sendTransaction', wire, config)
}

async function expireAll(world: World, { merchant, reference }: PayingCoins): Promise<void> {
  const hasEnded = async () =>
    (await merchant.get(`${cryptoPath}/${reference}`)).status === 'FAILED'
  await workUntil(world, hasEnded, { blocks: blocksUntilExpiry })
}

/** What a fork could still drop is not reported as paid. */
async function expectOpenUntilFinal(
  world: World,
  { merchant, reference, destinationAddress }: PayingCoins,
): Promise<void> {
  await workUntil(
    world,
    async () => {
      const { status } = await merchant.get(`${cryptoPath}/${reference}`)
      const hasArrived = (await readCoins(world, destinationAddress)) > 0
      assert(hasArrived || status !== 'CONFIRMED', 'CONFIRMED before it is final')
      return hasArrived
    },
    { blocks: 4 },
  )
}

export function cryptoPayouts(chain: TestChain): Path[] {
  const settings: WorldSettings = { bank: 'sandbox', chain }
  return [
    payCoins({ name: 'crypto payout lands', settings, status: 'CONFIRMED' }),
    payCoins({
      name: 'crypto payout lands, followed by the API',
      settings: { ...settings, followsPayouts: true },
      status: 'CONFIRMED',
    }),
    payCoins({
      name: 'crypto payout ends when it is final',
      settings,
      status: 'CONFIRMED',
      follow: expectOpenUntilFinal,
    }),
    payCoins({
      name: 'crypto payout lands late',
      settings,
      fault: { fault: 'delay', slots: 100 },
      status: 'CONFIRMED',
    }),
    payCoins({
      name: 'crypto payout fails on the chain',
      settings,
      fault: { fault: 'fail' },
      status: 'FAILED',
    }),
    payCoins({
      name: 'crypto payout expires and is replaced',
      settings,
      fault: { fault: 'drop' },
      status: 'CONFIRMED',
      follow: dropUntilReplaced,
    }),
    payCoins({
      name: 'crypto payout expires, and its replacement lands at once',
      settings,
      fault: { fault: 'drop' },
      status: 'CONFIRMED',
      follow: dropUntilExpired,
    }),
    payCoins({
      name: 'crypto payout is replaced, and its first attempt arrives late',
      settings,
      fault: { fault: 'drop' },
      status: 'CONFIRMED',
      async follow(world) {
        await dropUntilReplaced(world)
        await sendFirstLate(world)
      },
    }),
    payCoins({
      name: 'crypto payout never lands',
      settings,
      fault: { fault: 'drop' },
      status: 'FAILED',
      follow: expireAll,
    }),
  ]
}
