import { expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import type { AttemptFinding, LiveAttempt, PayoutRail } from '../../src/payouts/ports.js'
import { type Rpc, setFaults, startChain } from '../simulation/localnet/localnet.js'
import { balanceOf, newWallet } from '../simulation/localnet/transfers.js'
import { freshDatabase } from '../support/database.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'
import {
  openFundedService,
  openNode,
  openPool,
  openSolanaService,
  untilFinal,
  untilGone,
} from './open-solana.js'

/** Nodes that lag, lie, are busy or die, and workers that compete. */

const db = await freshDatabase()
const remaining = '73.5'

const mute = (rail: PayoutRail): PayoutRail => ({ ...rail, send: async () => {} })

/** The rail uses the chain's first node and this one. */
async function openWithSecondNode(...rules: object[]) {
  let other: Rpc | undefined
  const solana = await openFundedService(db, {
    async endpoints(chain) {
      // A node that lags must have something to lag behind.
      await chain.advance(200)
      other = await openNode(chain, ...rules)
      return [chain.url, other.url]
    },
  })
  return { ...solana, other: other! }
}

test('an endpoint that lags delays the conclusion and does not change it', async () => {
  const { chain, wallet, ...solana } = await openWithSecondNode({ fault: 'lag', slots: 100 })
  const { data } = (await solana.pay(wallet)).json
  await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await chain.advance(untilFinal)
  await solana.poll()
  expect((await solana.find(data.reference)).status).toBe('SUBMITTED')
  await chain.advance(100)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
})

// For one endpoint the attempt has expired; the other has not seen its last blocks yet.
test('an endpoint that lags keeps a dead attempt from being replaced too early', async () => {
  const { chain, wallet, other, ...solana } = await openWithSecondNode({ fault: 'lag', slots: 100 })
  const drop = { match: { account: wallet }, fault: 'drop' } as const
  await setFaults(chain, drop)
  await setFaults(other, drop, { match: { any: true }, fault: 'lag', slots: 100 })
  const { data } = (await solana.pay(wallet)).json
  await chain.advance(untilGone)
  await solana.poll()
  expect((await solana.find(data.reference)).attempts).toHaveLength(1)
  // Now both have finalized every block that could have included the attempt.
  for (const node of [chain, other]) await setFaults(node)
  await chain.advance(200)
  await solana.poll()
  expect((await solana.find(data.reference)).attempts).toHaveLength(2)
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
})

// If the liar were believed, the attempt would count as dead and be paid twice.
test('an endpoint that denies a landing is not believed while another knows of it', async () => {
  const { chain, wallet, other, ...solana } = await openWithSecondNode()
  await setFaults(other, { match: { account: wallet }, fault: 'forget' })
  const { data } = (await solana.pay(wallet)).json
  await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await chain.advance(untilGone)
  for (let polls = 0; polls < 3; polls += 1) await solana.poll()
  const { status, attempts } = await solana.find(data.reference)
  expect([status, attempts.length]).toEqual(['SUBMITTED', 1])
  expect(solana.log.join()).toContain('RPC nodes contradict each other')
  await setFaults(other)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
})

test('with a busy endpoint nothing is promised and nothing concluded', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db)
  const busy = { match: { any: true }, fault: 'rate_limit' } as const
  await setFaults(chain, busy)
  const refused = await solana.pay(wallet, {}, 'busy')
  expect([refused.status, refused.json.reason]).toEqual([503, 'rail_unavailable'])
  expect(await solana.balances()).toMatchObject({ available: '100', held: '0' })
  await setFaults(chain)
  const { data } = (await solana.pay(wallet, {}, 'busy')).json
  await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await chain.advance(untilGone)
  await setFaults(chain, busy)
  for (let polls = 0; polls < 3; polls += 1) await solana.poll()
  expect((await solana.find(data.reference)).status).toBe('SUBMITTED')
  await setFaults(chain, { ...busy, times: 1 })
  await solana.poll()
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
})

// A delayed transaction is in no block: like a mempool, it is lost with the node.
test.each(['landed', 'on its way'])('a chain that restarts, with a transfer %s', async (where) => {
  const { chain, wallet, ...solana } = await openFundedService(db, { slotMs: 5 })
  const rule = { match: { account: wallet }, fault: 'delay', slots: 100_000 } as const
  if (where === 'on its way') await setFaults(chain, rule)
  const { data } = (await solana.pay(wallet)).json
  if (where === 'landed') await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await chain.kill()
  await solana.poll()
  expect((await solana.find(data.reference)).status).toBe('SUBMITTED')
  const port = Number(new URL(chain.url).port)
  await startChain({ folder: chain.folder, port, slotMs: 5 })
  await until(async () => {
    await solana.poll()
    return (await solana.find(data.reference)).status !== 'SUBMITTED'
  })
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
})

// Both advance the clock, so leases expire while the other worker runs and rows change hands.
test('two workers on the same payouts pay each of them once', async () => {
  const solana = await openSolanaService(db, { slotMs: 5, served: mute })
  await solana.fund('1000')
  await solana.mintFunding()
  const wallets = await Promise.all(Array.from({ length: 20 }, newWallet))
  const paid = await Promise.all(wallets.map((wallet) => solana.pay(wallet)))
  const references = paid.map(({ json }) => json.data.reference as string)
  const work = async (pool: ReturnType<typeof openPool>) => {
    const open = async () => (await solana.balances()).held !== '0'
    while (await open()) await solana.poll({ db: pool })
  }
  await Promise.all([openPool(db), openPool(db)].map(work))
  expect(await solana.balances()).toMatchObject({ available: '470', held: '0' })
  for (const [index, reference] of references.entries()) {
    expect(await balanceOf(solana.chain, wallets[index]!)).toBe(25_500_000n)
    expect(await solana.landings(reference)).toHaveLength(1)
    expect(await solana.eventsOf(reference)).toHaveLength(2)
  }
  await expectAllProofs(db)
})

// Both workers found the first attempt dead. The one that stalled must not sign a replacement when
// it resumes: its lease has expired.
test('a worker whose lease has expired replaces nothing', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db)
  await setFaults(chain, { match: { account: wallet }, fault: 'drop' })
  const { data } = (await solana.pay(wallet)).json
  await chain.advance(untilGone)
  await setFaults(chain)

  const { slow, hasChecked, wake } = createStalledRail(solana.rail)
  const sleeping = pollPayouts(
    { db: openPool(db), rail: slow, clock: solana.clock, logger: createLogger('silent') },
    new Date(solana.clock.now().getTime() + 60_000),
  )
  expect(await hasChecked).toEqual([{ state: 'gone' }])
  await solana.poll()
  wake()
  expect(await sleeping).toBe(1)
  expect((await solana.find(data.reference)).attempts).toHaveLength(2)
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
})

/** Its check returns only after `wake`. */
function createStalledRail(rail: PayoutRail) {
  let wake = () => {}
  const isWoken = new Promise<void>((resolve) => {
    wake = resolve
  })
  let report: (findings: AttemptFinding[]) => void = () => {}
  const hasChecked = new Promise<AttemptFinding[]>((resolve) => {
    report = resolve
  })
  const check = async (attempts: LiveAttempt[]) => {
    const findings = await rail.check(attempts)
    report(findings)
    await isWoken
    return findings
  }
  return { slow: { ...rail, check }, hasChecked, wake }
}
