import { expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { pollPayouts } from '../../src/payouts/poll-payouts.js'
import type { Finding, LiveAttempt, PayoutRail } from '../../src/payouts/ports.js'
import { type Rpc, setFaults, startChain } from '../simulation/localnet/localnet.js'
import { balanceOf, newWallet } from '../simulation/localnet/transfers.js'
import { freshDatabase } from '../support/database.js'
import { until } from '../support/sessions.js'
import { expectSoundBooks } from '../support/sound-books.js'
import {
  openFundedHouse,
  openNode,
  openPool,
  openSolanaHouse,
  untilFinal,
  untilGone,
} from './solana-house.js'

/** Nodes and workers that are late, wrong, busy, dead, or two. */

const db = await freshDatabase()
const left = '73.5'

const mute = (rail: PayoutRail): PayoutRail => ({ ...rail, send: async () => {} })

/** The rail of the house talks to the chain's first node and to this one. */
async function openBesideNode(...rules: object[]) {
  let other: Rpc | undefined
  const world = await openFundedHouse(db, {
    async endpoints(chain) {
      // A node that lags must have something to lag behind.
      await chain.advance(200)
      other = await openNode(chain, ...rules)
      return [chain.url, other.url]
    },
  })
  return { ...world, other: other! }
}

test('an endpoint that lags delays what is concluded, and changes nothing', async () => {
  const { chain, wallet, ...world } = await openBesideNode({ fault: 'lag', slots: 100 })
  const { data } = (await world.pay(wallet)).json
  await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await chain.advance(untilFinal)
  await world.look()
  expect((await world.find(data.reference)).status).toBe('SUBMITTED')
  await chain.advance(100)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
})

// One endpoint is past the end of the attempt, the other has not heard of its last blocks yet.
test('an endpoint that lags keeps a dead attempt from being replaced too early', async () => {
  const { chain, wallet, other, ...world } = await openBesideNode({ fault: 'lag', slots: 100 })
  const drop = { match: { account: wallet }, fault: 'drop' } as const
  await setFaults(chain, drop)
  await setFaults(other, drop, { match: { any: true }, fault: 'lag', slots: 100 })
  const { data } = (await world.pay(wallet)).json
  await chain.advance(untilGone)
  await world.look()
  expect((await world.find(data.reference)).attempts).toHaveLength(1)
  // Now it has seen every block that could have taken the attempt become final, as the other has.
  for (const node of [chain, other]) await setFaults(node)
  await chain.advance(200)
  await world.look()
  expect((await world.find(data.reference)).attempts).toHaveLength(2)
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
})

// It would be paid twice if the liar were believed: the bytes are dead by its word.
test('an endpoint that denies a landing is not believed while another knows of it', async () => {
  const { chain, wallet, other, ...world } = await openBesideNode()
  await setFaults(other, { match: { account: wallet }, fault: 'forget' })
  const { data } = (await world.pay(wallet)).json
  await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await chain.advance(untilGone)
  for (let looks = 0; looks < 3; looks += 1) await world.look()
  const { status, attempts } = await world.find(data.reference)
  expect([status, attempts.length]).toEqual(['SUBMITTED', 1])
  expect(world.log.join()).toContain('endpoints contradict each other')
  await setFaults(other)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
})

test('an endpoint that is too busy promises nothing and concludes nothing', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db)
  const busy = { match: { any: true }, fault: 'rate_limit' } as const
  await setFaults(chain, busy)
  const refused = await world.pay(wallet, {}, 'busy')
  expect([refused.status, refused.json.reason]).toEqual([503, 'rail_unavailable'])
  expect(await world.balances()).toMatchObject({ available: '100', held: '0' })
  await setFaults(chain)
  const { data } = (await world.pay(wallet, {}, 'busy')).json
  await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await chain.advance(untilGone)
  await setFaults(chain, busy)
  for (let looks = 0; looks < 3; looks += 1) await world.look()
  expect((await world.find(data.reference)).status).toBe('SUBMITTED')
  await setFaults(chain, { ...busy, times: 1 })
  await world.look()
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
})

// A delayed transaction is in nobody's block: it dies with the node, as a mempool does.
test.each(['landed', 'on its way'])('a chain that restarts, with a transfer %s', async (where) => {
  const { chain, wallet, ...world } = await openFundedHouse(db, { slotMs: 5 })
  const rule = { match: { account: wallet }, fault: 'delay', slots: 100_000 } as const
  if (where === 'on its way') await setFaults(chain, rule)
  const { data } = (await world.pay(wallet)).json
  if (where === 'landed') await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await chain.kill()
  await world.look()
  expect((await world.find(data.reference)).status).toBe('SUBMITTED')
  const port = Number(new URL(chain.url).port)
  await startChain({ folder: chain.folder, port, slotMs: 5 })
  await until(async () => {
    await world.look()
    return (await world.find(data.reference)).status !== 'SUBMITTED'
  })
  await world.expectPaidOnce(data.reference, wallet, { left })
})

// The clock runs for both, so leases end while the other one works: rows change hands all the time.
test('two workers on the same rows pay each of them once', async () => {
  const world = await openSolanaHouse(db, { slotMs: 5, served: mute })
  await world.fund('1000')
  await world.back()
  const wallets = await Promise.all(Array.from({ length: 20 }, newWallet))
  const paid = await Promise.all(wallets.map((wallet) => world.pay(wallet)))
  const references = paid.map(({ json }) => json.data.reference as string)
  const work = async (pool: ReturnType<typeof openPool>) => {
    const open = async () => (await world.balances()).held !== '0'
    while (await open()) await world.look({ db: pool })
  }
  await Promise.all([openPool(db), openPool(db)].map(work))
  expect(await world.balances()).toMatchObject({ available: '470', held: '0' })
  for (const [index, reference] of references.entries()) {
    expect(await balanceOf(world.chain, wallets[index]!)).toBe(25_500_000n)
    expect(await world.landings(reference)).toHaveLength(1)
    expect(await world.eventsOf(reference)).toHaveLength(2)
  }
  await expectSoundBooks(db)
})

// Both have seen that the first attempt is dead. The one that was stopped in between must not sign
// another when it wakes up: the lease was no longer its own.
test('a worker that outlived its lease replaces nothing', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db)
  await setFaults(chain, { match: { account: wallet }, fault: 'drop' })
  const { data } = (await world.pay(wallet)).json
  await chain.advance(untilGone)
  await setFaults(chain)

  const { slow, hasChecked, wake } = fallAsleep(world.rail)
  const sleeping = pollPayouts(
    { db: openPool(db), rail: slow, clock: world.clock, logger: createLogger('silent') },
    new Date(world.clock.now().getTime() + 60_000),
  )
  expect(await hasChecked).toEqual([{ state: 'gone' }])
  await world.look()
  wake()
  expect(await sleeping).toBe(1)
  expect((await world.find(data.reference)).attempts).toHaveLength(2)
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
})

/** Knows what it has seen, and does nothing with it until it is woken. */
function fallAsleep(rail: PayoutRail) {
  let wake = () => {}
  const isWoken = new Promise<void>((resolve) => {
    wake = resolve
  })
  let tell: (findings: Finding[]) => void = () => {}
  const hasChecked = new Promise<Finding[]>((resolve) => {
    tell = resolve
  })
  const check = async (attempts: LiveAttempt[]) => {
    const findings = await rail.check(attempts)
    tell(findings)
    await isWoken
    return findings
  }
  return { slow: { ...rail, check }, hasChecked, wake }
}
