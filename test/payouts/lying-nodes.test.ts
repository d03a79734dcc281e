import { Command, CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { after } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { createSeal, type Seal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { commandGroups } from '../../src/operations/actions/all-actions.js'
import { payoutActions } from '../../src/operations/actions/payouts.js'
import type { Service } from '../../src/operations/definitions/definition.js'
import { registerCommands } from '../../src/operations/definitions/register-commands.js'
import {
  type Decision,
  decidePayout,
  findChainAttempt,
} from '../../src/payouts/attempts/decide-payout.js'
import { payoutLimits } from '../../src/payouts/limits.js'
import { countDisputes } from '../../src/payouts/reconciliation/disputes.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { setFaults, type TestChain } from '../simulation/localnet/localnet.js'
import { balanceOf } from '../simulation/localnet/transfers.js'
import { freshDatabase } from '../support/database.js'
import { isLongRun } from '../support/long-run.js'
import { type Lie, type LyingProxy, openLyingProxies } from '../support/lying-proxy.js'
import { noRails } from '../support/open-manilla.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'
import { openFundedService, untilFinal, untilGone } from './open-solana.js'

/** Endpoints that lie about payouts or do not answer. */

const db = await freshDatabase()
const remaining = '73.5'
const everything = '100'

async function openBehindProxies(count: number) {
  let proxies: LyingProxy[] = []
  const solana = await openFundedService(db, {
    async endpoints(chain) {
      proxies = await openLyingProxies(chain, count)
      return proxies.map(({ url }) => url)
    },
  })
  const drop = () => setFaults(solana.chain, { match: { account: solana.wallet }, fault: 'drop' })
  const hasLanded = () => until(async () => (await balanceOf(solana.chain, solana.wallet)) > 0n)
  return { ...solana, proxies, drop, hasLanded }
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

/** The attempt has expired and is unknown. */
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

// As documented: a single endpoint is trusted.
test('a single endpoint is believed', async () => {
  const { proxies, wallet, ...solana } = await openBehindProxies(1)
  await solana.drop()
  const { data } = (await solana.pay(wallet)).json
  proxies[0]!.lie(landed)
  await solana.poll()
  expect((await solana.find(data.reference)).status).toBe('CONFIRMED')
})

const lies = [
  ['gone', 2, gone],
  ['landed', 3, landed],
] as const
const moreLies = [
  ['landed', 2, landed],
  ['failed', 2, failed],
  ['failed', 3, failed],
  ['gone', 3, gone],
] as const

test.each(isLongRun ? [...lies, ...moreLies] : lies)(
  '"%s" from one endpoint concludes nothing while the others of %s do not answer',
  async (_, count, lie) => {
    const { proxies, wallet, chain, ...solana } = await openBehindProxies(count)
    await solana.drop()
    const { data } = (await solana.pay(wallet)).json
    proxies[0]!.lie(lie)
    for (const silent of proxies.slice(1)) silent.be('busy')
    for (const blocks of [1, untilFinal, untilGone]) {
      await chain.advance(blocks)
      await solana.poll()
      const { status, attempts } = await solana.find(data.reference)
      expect([status, attempts.length]).toEqual(['SUBMITTED', 1])
    }
    await setFaults(chain)
    for (const proxy of proxies) proxy.heal()
    await solana.poll()
    await chain.advance(untilFinal)
    await solana.poll()
    await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
  },
)

const ends = [
  ['landed', landed],
  ['failed', failed],
] as const

test.each(isLongRun ? ends : ends.slice(0, 1))(
  'while one of two claims that a dead payout %s, nothing is concluded',
  async (_, lie) => {
    const { proxies, wallet, chain, rail, ...solana } = await openBehindProxies(2)
    await solana.drop()
    const { data } = (await solana.pay(wallet)).json
    proxies[1]!.lie(lie)
    await chain.advance(untilGone)
    for (let polls = 0; polls < 3; polls += 1) await solana.poll()
    expect((await solana.find(data.reference)).status).toBe('SUBMITTED')
    const disputed = { rail: rail.name, count: 1 }
    expect(await countDisputes(db, solana.clock.now())).toContainEqual(disputed)
    proxies[1]!.be('busy')
    await solana.poll()
    expect(await countDisputes(db, solana.clock.now()), 'silence').toContainEqual(disputed)
    await setFaults(chain)
    proxies[1]!.heal()
    await solana.poll()
    expect(await countDisputes(db, solana.clock.now())).not.toContainEqual(disputed)
    await chain.advance(untilFinal)
    await solana.poll()
    await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
  },
)

test.each(isLongRun ? [...ends, ['gone', gone] as const] : ends.slice(1))(
  '"%s" from one of three endpoints changes nothing',
  async (_, lie) => {
    const { proxies, wallet, chain, ...solana } = await openBehindProxies(3)
    await solana.drop()
    proxies[0]!.lie(lie)
    const { data } = (await solana.pay(wallet)).json
    await chain.advance(untilFinal)
    await solana.poll()
    expect((await solana.find(data.reference)).status).toBe('SUBMITTED')
    // The other two are a majority: by their word the first attempt is dead and the second lands.
    await chain.advance(untilGone)
    await setFaults(chain)
    await solana.poll()
    expect((await solana.find(data.reference)).attempts).toHaveLength(2)
    await solana.hasLanded()
    await chain.advance(untilFinal)
    await solana.poll()
    await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
  },
)

/** In `npm test`, each of the two rules below meets one of them. */
const [farBlock, pastBlock] = [1e15, 5]

test.each(isLongRun ? [farBlock, pastBlock] : [farBlock])(
  'nothing is signed when one of two endpoints makes up a last valid block of %s',
  async (block) => {
    const { proxies, wallet, chain, ...solana } = await openBehindProxies(2)
    proxies[0]!.lie(lifetime(block))
    await chain.advance(400)
    const refused = await solana.pay(wallet)
    expect([refused.status, refused.json.reason]).toEqual([503, 'rail_unavailable'])
    expect(await solana.balances()).toMatchObject({ available: everything, held: '0' })
  },
)

test.each(isLongRun ? [farBlock, pastBlock] : [pastBlock])(
  'a last valid block of %s that one of three endpoints makes up is ignored',
  async (block) => {
    const { proxies, wallet, chain, ...solana } = await openBehindProxies(3)
    await chain.advance(400)
    proxies[0]!.lie(lifetime(block))
    await solana.drop()
    const { data } = (await solana.pay(wallet)).json
    await chain.advance(100)
    await solana.poll()
    expect((await solana.find(data.reference)).attempts, 'it may still land').toHaveLength(1)
    await chain.advance(untilGone)
    await setFaults(chain)
    await solana.poll()
    expect((await solana.find(data.reference)).attempts).toHaveLength(2)
    await solana.hasLanded()
    await chain.advance(untilFinal)
    await solana.poll()
    await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
  },
)

// A single endpoint may have reported such a lifetime.
test('an attempt that would never expire is capped by what a majority has finalized', async () => {
  const { proxies, wallet, chain, ...solana } = await openBehindProxies(1)
  proxies[0]!.lie(lifetime(1e15))
  await solana.drop()
  const { data } = (await solana.pay(wallet)).json
  proxies[0]!.heal()
  await chain.advance(untilGone)
  await solana.poll()
  expect((await solana.find(data.reference)).attempts).toHaveLength(1)
  await chain.advance(limits.solana.unfinalizedBlocksMax)
  await chain.advance(untilFinal)
  await setFaults(chain)
  await solana.poll()
  expect((await solana.find(data.reference)).attempts).toHaveLength(2)
  await solana.hasLanded()
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
}, 120_000)

type SolanaService = Awaited<ReturnType<typeof openBehindProxies>>

/** What `manilla payouts decide` does, without command line and audit. */
async function decide(solana: SolanaService, reference: string, decision: Partial<Decision>) {
  const attempt = await findChainAttempt(db, reference)
  const examined = await solana.rail.examine(attempt!)
  const now = after(solana.clock.now(), payoutLimits.leaseMs)
  return db.transaction((tx) =>
    decidePayout(tx, now, { reference, hasLanded: false, examined, ...decision }),
  )
}

async function openDisputed(chainOf: (solana: SolanaService) => TestChain = ({ chain }) => chain) {
  const solana = await openBehindProxies(2)
  await solana.drop()
  const { data } = (await solana.pay(solana.wallet)).json
  solana.proxies[0]!.lie(landed)
  return { solana, chain: chainOf(solana), reference: data.reference as string }
}

test('an operator fails a disputed payout only when it can no longer land', async () => {
  const { solana, chain, reference } = await openDisputed()
  const sure = { isConfirmedNotLanded: true }
  await expect(decide(solana, reference, sure)).rejects.toThrow('can still land')
  await chain.advance(untilGone)
  await solana.poll()
  expect((await solana.find(reference)).status).toBe('SUBMITTED')
  await expect(decide(solana, reference, {})).rejects.toThrow('--confirm-not-landed')
  solana.proxies[1]!.be('busy')
  await expect(decide(solana, reference, sure), 'silence proves nothing').rejects.toThrow(
    'can still land',
  )
  solana.proxies[1]!.heal()
  await decide(solana, reference, sure)
  await solana.expectNotPaid(reference, solana.wallet, { available: everything })
  expect((await solana.find(reference)).failureReason).toBe('operator_decision')
  await expect(decide(solana, reference, sure)).rejects.toThrow('has already ended')
})

test('an operator completes a payout that no endpoint knows only with a confirmation', async () => {
  const solana = await openBehindProxies(1)
  await solana.drop()
  const { data } = (await solana.pay(solana.wallet)).json
  const completed = { hasLanded: true }
  await expect(decide(solana, data.reference, completed)).rejects.toThrow('--confirm-landed')
  expect((await solana.find(data.reference)).status).toBe('SUBMITTED')
  await decide(solana, data.reference, { ...completed, isConfirmedLanded: true })
  expect((await solana.find(data.reference)).status).toBe('CONFIRMED')
})

test('an operator can complete, and not fail, a payout that a majority has seen land', async () => {
  const solana = await openBehindProxies(3)
  const { chain, wallet } = solana
  const { data } = (await solana.pay(wallet)).json
  await solana.hasLanded()
  await chain.advance(untilGone)
  const sure = { isConfirmedNotLanded: true }
  await expect(decide(solana, data.reference, sure)).rejects.toThrow('is landed')
  await decide(solana, data.reference, { hasLanded: true })
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
})

test('an operator cannot complete a payout that a majority reports as gone', async () => {
  const { solana, chain, reference } = await openDisputed()
  solana.proxies[0]!.heal()
  await chain.advance(untilGone)
  await expect(decide(solana, reference, { hasLanded: true })).rejects.toThrow('is gone')
  await decide(solana, reference, {})
  await solana.expectNotPaid(reference, solana.wallet, { available: everything })
})

test('the database refuses a failure of an attempt that can still land', async () => {
  const { solana, reference } = await openDisputed()
  const attempt = await findChainAttempt(db, reference)
  const fail = (height: bigint | null) =>
    db.rows(sql`
      update payout_attempts set state = 'DEAD', outcome = 'operator_decision',
        ended_at = ${solana.clock.now()}, failed_at_height = ${height}
      where payout_id = ${attempt!.payoutId}`)
  for (const height of [null, 0n, attempt!.validUntil])
    await expect(fail(height)).rejects.toThrow('operator_fails_only_what_cannot_land')
  await expectAllProofs(db)
})

test('the command checks the chain, ends the payout and records the evidence in the audit log', async () => {
  const { solana, chain, reference } = await openDisputed()
  await chain.advance(untilGone)
  const run = async (...words: string[]) => {
    const printed: string[] = []
    const program = new Command().exitOverride().configureOutput({
      writeErr: (text) => printed.push(text),
    })
    const terminal = {
      clock: { ...solana.clock, now: () => after(solana.clock.now(), payoutLimits.leaseMs) },
      actor: 'ada',
      print: (text: string) => printed.push(text),
      startProgress: () => ({ step() {}, end() {} }),
      formatTable: () => '',
      paint: (_: string, text: string) => text,
      confirmLive: () => Promise.reject(new Error('test mode never asks')),
      withDatabase: <Result>(work: (given: Database, seal: Seal) => Promise<Result>) =>
        work(db, createSeal(new Secret('a secret of more than thirty-two characters'))),
    }
    const rails = { solana: { test: solana.rail, live: undefined }, rails: noRails }
    const service = { withRails: (_, work) => work(rails) } as Pick<Service, 'withRails'> as Service
    registerCommands(program, { terminal, service }, payoutActions, commandGroups)
    await program
      .parseAsync(['payouts', 'decide', reference, ...words], { from: 'user' })
      .catch((error) => expect(error).toBeInstanceOf(CommanderError))
    return printed.join('')
  }
  const failing = ['--outcome', 'failed', '--evidence', 'no explorer knows it']
  expect(await run(...failing)).toContain(`${solana.proxies[0]!.host} knows`)
  expect(await run(...failing, '--confirm-not-landed')).toBe(`${reference} is FAILED.`)
  await solana.expectNotPaid(reference, solana.wallet, { available: everything })
  const [line] = await db.rows(sql<{ actor: string; details: string }>`
    select actor, details::text as details from audit_lines
    where action = 'payout.decide' order by id desc limit 1`)
  expect(line!.actor).toBe('ada')
  expect(JSON.parse(line!.details)).toMatchObject({
    reference,
    outcome: 'failed',
    evidence: 'no explorer knows it',
    amount: expect.stringMatching(/^[\d.]+ USDC$/),
    knownBy: [solana.proxies[0]!.host],
    height: expect.stringMatching(/^\d+$/),
  })
})
