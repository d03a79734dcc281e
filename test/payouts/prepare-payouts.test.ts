import { expect, test } from 'vitest'
import { after } from '../../src/base/clock.js'
import type { Environment } from '../../src/base/environment.js'
import { toJson } from '../../src/base/json-text.js'
import { createLogger } from '../../src/base/log.js'
import { type Outcome, Refusal } from '../../src/base/refusal.js'
import { Rails } from '../../src/collections/rails.js'
import { moveAll } from '../../src/ledger/move.js'
import { payoutLimits } from '../../src/payouts/limits.js'
import type { Inspected, InspectionPurpose, Target } from '../../src/payouts/ports.js'
import { createFeeBook } from '../../src/payouts/requests/fee-book.js'
import {
  createPayoutPreparation,
  type PayoutRequest,
  type PreparedPayout,
} from '../../src/payouts/requests/prepare-payouts.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, holdOf, now } from '../support/movements.js'
import { PaperRail } from '../support/paper-rail.js'

const db = await freshDatabase()

/** Each payout of a batch is checked against what the ones before it leave of `free`. */
class TreasuryRail extends PaperRail {
  free = 0n
  inspections = 0
  chargesToInspect = false

  override async inspect(
    targets: Target[],
    purpose: InspectionPurpose = 'pay',
  ): Promise<Outcome<Inspected>[]> {
    if (purpose === 'pay') this.inspections += targets.length
    let { free } = this
    return targets.map(({ amount, destination }) => {
      if (free < amount && purpose === 'pay')
        return new Refusal('crypto_transfer_failed', { reason: 'treasury_short', message: 'short' })
      free -= amount
      return { destination, extraFees: this.extraFees }
    })
  }
}

async function openPreparation(balance = 1_000_000n) {
  const id = await insertEnvironment(db)
  const environment: Environment = {
    id,
    mode: 'test',
    merchantId: 'mer_test',
    merchantName: 'Ada',
    clockOffsetMs: 0,
    collectBank: null,
    payoutBank: null,
    isSuspended: false,
  }
  const book = { environmentId: id, asset: 'USDC' } as const
  await db.transaction((tx) => moveAll(tx, now, [fundingOf(book, balance)]))
  const rail = new TreasuryRail(`treasury ${id}`)
  const log: string[] = []
  const open = () =>
    createPayoutPreparation({
      db,
      rails: new Rails({ test: { chain: rail } }),
      fees: createFeeBook({ db, clock: manualClock() }),
      logger: createLogger('error', { write: (line) => log.push(line) }),
    })
  const { quote, prepare } = open()
  const requestOf = (amount: bigint): PayoutRequest => ({
    environment,
    kind: 'crypto_transfer',
    asset: 'USDC',
    amount,
    requestedAmount: String(amount),
    destination: { kind: 'wallet', address: 'somewhere' },
    merchantReference: null,
    metadata: toJson({}),
    createdByKey: null,
    createdByUser: null,
  })
  return {
    rail,
    log,
    quote: (amount: bigint) => quote(requestOf(amount)),
    prepare: (amount: bigint, at = now) => prepare(at, requestOf(amount)),
    /** As another process does. */
    prepareElsewhere: (amount: bigint, at: Date) => open().prepare(at, requestOf(amount)),
    spend: (amount: bigint) => db.transaction((tx) => moveAll(tx, now, [holdOf(book, amount)])),
  }
}

function expectPrepared(outcome: Outcome<PreparedPayout>): PreparedPayout {
  if (outcome instanceof Refusal) throw outcome
  return outcome
}

function reasonOf(outcome: unknown): string | undefined {
  return outcome instanceof Refusal ? (outcome.reason ?? outcome.code) : undefined
}

test('payouts of one batch are not promised the same treasury money', async () => {
  const { rail, prepare } = await openPreparation()
  rail.free = 1_000n
  const [first, second] = [prepare(700n), prepare(700n)]
  const paid = expectPrepared(await first)
  rail.free -= paid.payout.amount
  paid.finish()
  expect(reasonOf(await second)).toBe('treasury_short')
})

// The first is refused after it was prepared, so what it reserved is free again.
test('a payout is not short because of a neighbour that is refused later', async () => {
  const { rail, prepare, log } = await openPreparation()
  rail.free = 1_000n
  let isAnswered = false
  const [first, second] = [prepare(700n), prepare(700n)]
  second.then(() => {
    isAnswered = true
  })
  const refused = expectPrepared(await first)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(isAnswered).toBe(false)
  refused.finish()
  expectPrepared(await second).finish()
  expect(log).toEqual([])
})

test('a payout whose neighbours spend the balance is refused for want of balance', async () => {
  const { rail, prepare, spend, log } = await openPreparation(1_000_000n)
  rail.free = 1_000n
  const [first, second] = [prepare(700n), prepare(700n)]
  const paid = expectPrepared(await first)
  rail.free -= paid.payout.amount
  await spend(999_500n)
  paid.finish()
  expect(reasonOf(await second)).toBe('insufficient_balance')
  expect(log).toEqual([])
})

test('a payout without neighbours is short after two attempts, which is logged', async () => {
  const { rail, prepare, log } = await openPreparation()
  expect(reasonOf(await prepare(700n))).toBe('treasury_short')
  expect(rail.inspections).toBe(2)
  expect(log.join()).toContain('the treasury is short')
})

// A quote must not reveal how much the hot wallet holds.
test('a quote is the same whatever the treasury and the balance hold', async () => {
  const { rail, quote, log } = await openPreparation(500n)
  const quotes = [await quote(700n)]
  rail.free = 1_000_000n
  quotes.push(await quote(700n))
  expect(quotes[0]).not.toBeInstanceOf(Refusal)
  expect(quotes[0]).toEqual(quotes[1])
  expect([rail.inspections, log]).toEqual([0, []])
})

test('what the balance covers without the fees of the rail only is refused for want of balance', async () => {
  const { rail, prepare, log } = await openPreparation(700n + 500_000n)
  rail.extraFees = ['crypto_account_creation']
  expect(reasonOf(await prepare(700n))).toBe('insufficient_balance')
  expect(log).toEqual([])
  rail.extraFees = []
  expect(reasonOf(await prepare(700n))).toBe('treasury_short')
})

test('a short treasury is an alarm once a minute, whichever process finds it', async () => {
  const { log, prepare, prepareElsewhere } = await openPreparation()
  const at = (ms: number) => after(now, ms)
  for (const ms of [0, 1, 30_000, 59_999]) {
    await prepare(700n, at(ms))
    await prepareElsewhere(900n, at(ms))
  }
  expect(log).toHaveLength(1)
  await prepareElsewhere(700n, at(60_000))
  expect(log.map((line) => JSON.parse(line).refusals)).toEqual([1, 9])
})

test('a payout that always has neighbours is short after a limited number of attempts', async () => {
  const { rail, prepare } = await openPreparation()
  const inspectAgain = rail.inspect.bind(rail)
  let shortAttempts = 0
  rail.inspect = async (targets, purpose = 'pay') => {
    await new Promise((resolve) => setTimeout(resolve, 3))
    if (purpose === 'pay') shortAttempts += targets.filter(({ amount }) => amount === 700n).length
    return inspectAgain(targets, purpose)
  }
  rail.free = 100n
  const neighbours = setInterval(
    () => prepare(1n).then((neighbour) => expectPrepared(neighbour).finish()),
    1,
  )
  expect(reasonOf(await prepare(700n))).toBe('treasury_short')
  clearInterval(neighbours)
  expect(shortAttempts).toBeLessThanOrEqual(payoutLimits.shortfallChecksMax)
})

test('a preparation that fails ends with its error, and no neighbour waits for it', async () => {
  const { rail, prepare } = await openPreparation()
  rail.prepare = () => Promise.reject(new Error('a bug'))
  rail.free = 1_000n
  await expect(prepare(700n)).rejects.toThrow('a bug')
  expect(reasonOf(await prepare(2_000n))).toBe('treasury_short')
})

// Other rails answer at no cost. There the balance is checked when the money is held, and here only
// to explain a refusal.
test('a rail that charges is not asked about what the balance does not cover', async () => {
  const { rail, prepare } = await openPreparation(500n)
  rail.chargesToInspect = true
  expect(reasonOf(await prepare(700n))).toBe('insufficient_balance')
  expect(rail.inspections).toBe(0)
})

test('a balance that is too low is reported before anything that the rail finds', async () => {
  const { rail, prepare } = await openPreparation(500n)
  rail.free = 0n
  expect(reasonOf(await prepare(700n))).toBe('insufficient_balance')
  expect(rail.inspections).toBeGreaterThan(0)
})
