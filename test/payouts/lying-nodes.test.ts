import { Command, CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { after } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { createSeal, type Seal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { registerPayouts } from '../../src/operations/commands/payouts.js'
import { decidePayout, findChainAttempt } from '../../src/payouts/decide-payout.js'
import { countDisputes } from '../../src/payouts/disputes.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { setFaults, type TestChain } from '../simulation/localnet/localnet.js'
import { balanceOf } from '../simulation/localnet/transfers.js'
import { freshDatabase } from '../support/database.js'
import { isLongRun } from '../support/long-run.js'
import { type Lie, type LyingProxy, openLyingProxies } from '../support/lying-proxy.js'
import { until } from '../support/sessions.js'
import { expectSoundBooks } from '../support/sound-books.js'
import { openFundedHouse, untilFinal, untilGone } from './solana-house.js'

/** Endpoints that lie about payouts, or say nothing. */

const db = await freshDatabase()
const left = '73.5'
const everything = '100'

async function openBehind(count: number) {
  let proxies: LyingProxy[] = []
  const world = await openFundedHouse(db, {
    async endpoints(chain) {
      proxies = await openLyingProxies(chain, count)
      return proxies.map(({ url }) => url)
    },
  })
  const drop = () => setFaults(world.chain, { match: { account: world.wallet }, fault: 'drop' })
  const hasLanded = () => until(async () => (await balanceOf(world.chain, world.wallet)) > 0n)
  return { ...world, proxies, drop, hasLanded }
}

const statuses =
  (err: unknown): Lie =>
  ({ method, params }, result) =>
    method === 'getSignatureStatuses'
      ? {
          ...result,
          value: (params[0] as string[]).map(() => {
            return { slot: 200, err, confirmationStatus: 'finalized' }
          }),
        }
      : undefined

const landed = statuses(null)
const failed = statuses({ InstructionError: [0, 'InvalidAccountData'] })

/** Everything is over and nothing was ever heard of. */
const gone: Lie = ({ method, params }, result) => {
  if (method === 'getSignatureStatuses')
    return {
      context: { slot: 1_000_000 },
      value: (params[0] as string[]).map(() => null),
    }
  if (method === 'getEpochInfo') return { ...result, blockHeight: 900_000, absoluteSlot: 1_000_000 }
  return method === 'isBlockhashValid' ? { context: { slot: 1_000_000 }, value: false } : undefined
}

const lifetime =
  (lastValidBlockHeight: number): Lie =>
  ({ method }, result) =>
    method === 'getLatestBlockhash'
      ? { ...result, value: { ...result.value, lastValidBlockHeight } }
      : undefined

// The rule that the docs state: a single endpoint is trusted with the money.
test('a single endpoint is believed', async () => {
  const { proxies, wallet, ...world } = await openBehind(1)
  await world.drop()
  const { data } = (await world.pay(wallet)).json
  proxies[0]!.lie(landed)
  await world.look()
  expect((await world.find(data.reference)).status).toBe('CONFIRMED')
})

const lies = [
  ['landed', 2, landed],
  ['failed', 3, failed],
  ['gone', 2, gone],
  ['gone', 3, gone],
] as const
const moreLies = [
  ['failed', 2, failed],
  ['landed', 3, landed],
] as const

test.each(isLongRun ? [...lies, ...moreLies] : lies)(
  '"%s" of one endpoint beside silent ones concludes nothing, of %s',
  async (_, count, lie) => {
    const { proxies, wallet, chain, ...world } = await openBehind(count)
    await world.drop()
    const { data } = (await world.pay(wallet)).json
    proxies[0]!.lie(lie)
    for (const silent of proxies.slice(1)) silent.be('busy')
    for (const blocks of [1, untilFinal, untilGone]) {
      await chain.advance(blocks)
      await world.look()
      const { status, attempts } = await world.find(data.reference)
      expect([status, attempts.length]).toEqual(['SUBMITTED', 1])
    }
    await setFaults(chain)
    for (const proxy of proxies) proxy.heal()
    await world.look()
    await chain.advance(untilFinal)
    await world.look()
    await world.expectPaidOnce(data.reference, wallet, { left })
  },
)

test.each([
  ['landed', landed],
  ['failed', failed],
])('while one of two claims that a dead payout %s, nothing is concluded', async (_, lie) => {
  const { proxies, wallet, chain, rail, ...world } = await openBehind(2)
  await world.drop()
  const { data } = (await world.pay(wallet)).json
  proxies[1]!.lie(lie)
  await chain.advance(untilGone)
  for (let looks = 0; looks < 3; looks += 1) await world.look()
  expect((await world.find(data.reference)).status).toBe('SUBMITTED')
  const disputed = { rail: rail.name, count: 1 }
  expect(await countDisputes(db, world.clock.now())).toContainEqual(disputed)
  proxies[1]!.be('busy')
  await world.look()
  expect(await countDisputes(db, world.clock.now()), 'silence').toContainEqual(disputed)
  await setFaults(chain)
  proxies[1]!.heal()
  await world.look()
  expect(await countDisputes(db, world.clock.now())).not.toContainEqual(disputed)
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
})

test.each([
  ['landed', landed],
  ['failed', failed],
  ['gone', gone],
])('one of three that says "%s" changes nothing', async (_, lie) => {
  const { proxies, wallet, chain, ...world } = await openBehind(3)
  await world.drop()
  proxies[0]!.lie(lie)
  const { data } = (await world.pay(wallet)).json
  await chain.advance(untilFinal)
  await world.look()
  expect((await world.find(data.reference)).status).toBe('SUBMITTED')
  // The first attempt dies by what the other two say, and the second one lands by it.
  await chain.advance(untilGone)
  await setFaults(chain)
  await world.look()
  expect((await world.find(data.reference)).attempts).toHaveLength(2)
  await world.hasLanded()
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
})

test.each([1e15, 5])(
  'a last valid block of %s that one of two makes up is not signed',
  async (block) => {
    const { proxies, wallet, chain, ...world } = await openBehind(2)
    proxies[0]!.lie(lifetime(block))
    await chain.advance(400)
    const refused = await world.pay(wallet)
    expect([refused.status, refused.json.reason]).toEqual([503, 'rail_unavailable'])
    expect(await world.balances()).toMatchObject({ available: everything, held: '0' })
  },
)

test.each([1e15, 5])(
  'a last valid block of %s that one of three makes up is left out',
  async (block) => {
    const { proxies, wallet, chain, ...world } = await openBehind(3)
    await chain.advance(400)
    proxies[0]!.lie(lifetime(block))
    await world.drop()
    const { data } = (await world.pay(wallet)).json
    await chain.advance(100)
    await world.look()
    expect((await world.find(data.reference)).attempts, 'it may still land').toHaveLength(1)
    await chain.advance(untilGone)
    await setFaults(chain)
    await world.look()
    expect((await world.find(data.reference)).attempts).toHaveLength(2)
    await world.hasLanded()
    await chain.advance(untilFinal)
    await world.look()
    await world.expectPaidOnce(data.reference, wallet, { left })
  },
)

// As a single endpoint may have said, or one that was believed before there were majorities.
test('an attempt that would never expire is capped by what a majority has finalized', async () => {
  const { proxies, wallet, chain, ...world } = await openBehind(1)
  proxies[0]!.lie(lifetime(1e15))
  await world.drop()
  const { data } = (await world.pay(wallet)).json
  proxies[0]!.heal()
  await chain.advance(untilGone)
  await world.look()
  expect((await world.find(data.reference)).attempts).toHaveLength(1)
  await chain.advance(limits.solana.unfinalizedBlocks)
  await chain.advance(untilFinal)
  await setFaults(chain)
  await world.look()
  expect((await world.find(data.reference)).attempts).toHaveLength(2)
  await world.hasLanded()
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
}, 120_000)

type World = Awaited<ReturnType<typeof openBehind>>

/** What `manilla payouts decide` does, between the command line and the audit. */
async function decide(world: World, reference: string, decision: object) {
  const attempt = await findChainAttempt(db, reference)
  const examined = await world.rail.examine(attempt!)
  const now = after(world.clock.now(), limits.payouts.leaseMs)
  return db.transaction((tx) =>
    decidePayout(tx, now, { reference, hasLanded: false, examined, ...decision }),
  )
}

async function openDisputed(chainOf: (world: World) => TestChain = ({ chain }) => chain) {
  const world = await openBehind(2)
  await world.drop()
  const { data } = (await world.pay(world.wallet)).json
  world.proxies[0]!.lie(landed)
  return { world, chain: chainOf(world), reference: data.reference as string }
}

test('an operator fails a disputed payout only when it can no longer land', async () => {
  const { world, chain, reference } = await openDisputed()
  const sure = { isSureNotLanded: true }
  await expect(decide(world, reference, sure)).rejects.toThrow('could still land')
  await chain.advance(untilGone)
  await world.look()
  expect((await world.find(reference)).status).toBe('SUBMITTED')
  await expect(decide(world, reference, {})).rejects.toThrow('--confirm-not-landed')
  world.proxies[1]!.be('busy')
  await expect(decide(world, reference, sure), 'silence proves nothing').rejects.toThrow(
    'could still land',
  )
  world.proxies[1]!.heal()
  await decide(world, reference, sure)
  await world.expectNotPaid(reference, world.wallet, { left: everything })
  expect((await world.find(reference)).failureReason).toBe('operator_decision')
  await expect(decide(world, reference, sure)).rejects.toThrow('has ended already')
})

test('an operator completes what no endpoint knows only with a confirmation', async () => {
  const world = await openBehind(1)
  await world.drop()
  const { data } = (await world.pay(world.wallet)).json
  const completed = { hasLanded: true }
  await expect(decide(world, data.reference, completed)).rejects.toThrow('--confirm-landed')
  expect((await world.find(data.reference)).status).toBe('SUBMITTED')
  await decide(world, data.reference, { ...completed, isSureLanded: true })
  expect((await world.find(data.reference)).status).toBe('CONFIRMED')
})

test('an operator cannot fail what a majority has seen land, and may complete it', async () => {
  const world = await openBehind(3)
  const { chain, wallet } = world
  const { data } = (await world.pay(wallet)).json
  await world.hasLanded()
  await chain.advance(untilGone)
  const sure = { isSureNotLanded: true }
  await expect(decide(world, data.reference, sure)).rejects.toThrow('is landed')
  await decide(world, data.reference, { hasLanded: true })
  await world.expectPaidOnce(data.reference, wallet, { left })
})

test('an operator cannot complete what a majority knows to be gone', async () => {
  const { world, chain, reference } = await openDisputed()
  world.proxies[0]!.heal()
  await chain.advance(untilGone)
  await expect(decide(world, reference, { hasLanded: true })).rejects.toThrow('is gone')
  await decide(world, reference, {})
  await world.expectNotPaid(reference, world.wallet, { left: everything })
})

test('the database refuses a failure of an attempt that could still land', async () => {
  const { world, reference } = await openDisputed()
  const attempt = await findChainAttempt(db, reference)
  const fail = (height: bigint | null) =>
    db.rows(sql`
      update payout_attempts set state = 'DEAD', outcome = 'operator_decision',
        ended_at = ${world.clock.now()}, failed_at_height = ${height}
      where payout_id = ${attempt!.payoutId}`)
  for (const height of [null, 0n, attempt!.validUntil])
    await expect(fail(height)).rejects.toThrow('operator_fails_only_what_cannot_land')
  await expectSoundBooks(db)
})

test('the command asks the chain, ends the payout and writes the evidence to the audit', async () => {
  const { world, chain, reference } = await openDisputed()
  await chain.advance(untilGone)
  const run = async (...words: string[]) => {
    const said: string[] = []
    const program = new Command().exitOverride().configureOutput({
      writeErr: (text) => said.push(text),
    })
    const context = {
      clock: { ...world.clock, now: () => after(world.clock.now(), limits.payouts.leaseMs) },
      actor: 'ada',
      print: (text: string) => said.push(text),
      startProgress: () => ({ step() {}, end() {} }),
      withDatabase: <Result>(work: (given: Database, seal: Seal) => Promise<Result>) =>
        work(db, createSeal(new Secret('a secret of more than thirty-two characters'))),
    }
    const rails = { solana: { test: world.rail, live: undefined }, sandboxBank: undefined }
    registerPayouts(program, context, (_, work) => work(rails))
    await program
      .parseAsync(['payouts', 'decide', reference, ...words], { from: 'user' })
      .catch((error) => expect(error).toBeInstanceOf(CommanderError))
    return said.join('')
  }
  const failing = ['--outcome', 'failed', '--evidence', 'no explorer knows it']
  expect(await run(...failing)).toContain(`${world.proxies[0]!.host} knows`)
  expect(await run(...failing, '--confirm-not-landed')).toBe(`${reference} is FAILED.`)
  await world.expectNotPaid(reference, world.wallet, { left: everything })
  const [line] = await db.rows(sql<{ actor: string; details: string }>`
    select actor, details::text as details from audit_lines
    where action = 'payout.decide' order by id desc limit 1`)
  expect(line!.actor).toBe('ada')
  expect(JSON.parse(line!.details)).toMatchObject({
    reference,
    outcome: 'failed',
    evidence: 'no explorer knows it',
    knownBy: [world.proxies[0]!.host],
    height: expect.stringMatching(/^\d+$/),
  })
})
