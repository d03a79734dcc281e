import fc from 'fast-check'
import type pg from 'pg'
import { expect, test } from 'vitest'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { limits } from '../../src/base/limits.js'
import type { LedgerAccount, LedgerAccountName } from '../../src/ledger/accounts.js'
import { listBalances } from '../../src/ledger/balances.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement, MovementLine } from '../../src/ledger/movement.js'
import { type Resolution, resolveAll } from '../../src/ledger/resolve.js'
import { listStatementEntries } from '../../src/ledger/statement.js'
import { type Asset, assetNames, assets } from '../../src/money/assets.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction } from '../../src/postgres/transactions/tx.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { LedgerModel, Repeated } from '../support/ledger-model.js'
import { isLongRun } from '../support/long-run.js'
import { now } from '../support/movements.js'
import { openSession } from '../support/sessions.js'
import { expectLowerProofs } from '../support/sound-books.js'

const db = await freshDatabase()
const connections = 4

type Place = { environmentId: EnvironmentId; asset: Asset }

/** The lines of each kind of step; `holder` stands for the holder account of the asset. */
type Shape = { isHold: boolean; path: [debit: string, credit: string][] }

const shapes: Record<string, Shape> = {
  funding: { isHold: false, path: [['holder', 'available']] },
  'funding with a fee': {
    isHold: false,
    path: [
      ['holder', 'available'],
      ['available', 'fees'],
    ],
  },
  'payment to be judged': { isHold: false, path: [['holder', 'suspense']] },
  'payment accepted later': { isHold: false, path: [['suspense', 'available']] },
  'opposing: fees returned': { isHold: false, path: [['fees', 'available']] },
  'opposing: sent without a hold': { isHold: false, path: [['available', 'holder']] },
  payout: { isHold: true, path: [['available', 'holder']] },
  'payout with a fee': {
    isHold: true,
    path: [
      ['available', 'holder'],
      ['available', 'fees'],
    ],
  },
  'payout with a fee and an exchange': {
    isHold: true,
    path: [
      ['available', 'holder'],
      ['available', 'fees'],
      ['available', 'exchange'],
    ],
  },
  'return of a payment': { isHold: true, path: [['suspense', 'holder']] },
}

const amount = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: 1n, max: 60n }) },
  { weight: 4, arbitrary: fc.bigInt({ min: 1n, max: 1_000n }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      limits.money.wireMax,
      limits.money.wireMax / 2n,
      limits.money.ledgerMax,
      limits.money.ledgerMax - 100n,
    ),
  },
)

const movementStep = fc.record({
  place: fc.nat(5),
  shape: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...Object.keys(shapes)) },
    { weight: 1, arbitrary: fc.constant('funding') },
    { weight: 1, arbitrary: fc.constant('payout with a fee') },
  ),
  amounts: fc.tuple(amount, amount, amount),
  /** Sometimes repeats an earlier cause instead. */
  repeats: fc.oneof(
    { weight: 19, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.nat(50) },
  ),
})
const resolutionStep = fc.record({
  hold: fc.nat(50),
  verb: fc.constantFrom('settle' as const, 'release' as const),
})
const batch = fc.oneof(
  fc.record({ moves: fc.array(movementStep, { minLength: 1, maxLength: 6, size: 'max' }) }),
  fc.record({ resolves: fc.array(resolutionStep, { minLength: 1, maxLength: 6, size: 'max' }) }),
)
/** Batches of one round run concurrently, each on its own connection. */
const round = fc.array(batch, { minLength: 1, maxLength: connections, size: 'max' })
const history = fc.array(round, { minLength: 1, maxLength: 8, size: 'max' })

type MovementStep = typeof movementStep extends fc.Arbitrary<infer Step> ? Step : never
type Batch = typeof batch extends fc.Arbitrary<infer Value> ? Value : never
type Work = { movements: Movement[] } | { resolutions: Resolution[] }

/** The result of a batch, and when it held its locks, which is the order of effect. */
type Ran = { work: Work; place: number; outcomes: unknown[] | Error }

class World {
  readonly places: Place[]
  readonly #made: Movement[] = []
  #order = 0

  constructor(environmentIds: EnvironmentId[]) {
    this.places = environmentIds.flatMap((environmentId) =>
      assetNames.map((asset) => ({ environmentId, asset })),
    )
  }

  toWork(batch: Batch, holds: Movement[]): Work {
    if ('moves' in batch) return { movements: batch.moves.map((step) => this.#toMovement(step)) }
    if (holds.length === 0) return { resolutions: [] }
    const resolutions = batch.resolves.map(({ hold, verb }) => {
      const { environmentId, causeId } = holds[hold % holds.length]!
      return { environmentId, causeId, verb }
    })
    return { resolutions }
  }

  /**
   * Conflicting batches wait for each other's locks, so the order in which their decisions return,
   * still under locks, is the order in which they took effect.
   */
  async run(session: pg.Client, work: Work): Promise<Ran> {
    let place = -1
    try {
      const outcomes = await inTransaction(session, async (tx) => {
        const decided =
          'movements' in work
            ? await moveAll(tx, now, work.movements)
            : await resolveAll(tx, now, work.resolutions)
        place = this.#order++
        return decided
      })
      return { work, place, outcomes }
    } catch (error) {
      return { work, place, outcomes: error as Error }
    }
  }

  #toMovement({ place, shape, amounts, repeats }: MovementStep): Movement {
    if (repeats !== null && this.#made.length > 0) return this.#made[repeats % this.#made.length]!
    const where = this.places[place % this.places.length]!
    const { isHold, path } = shapes[shape]!
    const name = (text: string) =>
      (text === 'holder' ? assets[where.asset].holder : text) as LedgerAccountName
    const purposes = ['crypto_payout', 'crypto_payout_fee', 'operator_credit'] as const
    const lines = path.map(
      ([debit, credit], index): MovementLine => ({
        debit: name(debit),
        credit: name(credit),
        amount: amounts[index]!,
        purpose: purposes[index]!,
      }),
    )
    const movement: Movement = { ...where, causeId: newId(now), isHold, lines }
    this.#made.push(movement)
    return movement
  }
}

/** Runs the batch on the model and returns the expected result. */
function judge(model: LedgerModel, { work, outcomes }: Ran): LedgerModel {
  try {
    const expected =
      'movements' in work ? model.moveAll(work.movements) : model.resolveAll(work.resolutions)
    expect(outcomes).toEqual(expected.outcomes)
    return expected.after
  } catch (error) {
    if (!(error instanceof Repeated)) throw error
    expect(outcomes).toMatchObject({ constraint: 'ledger_transfers_pkey' })
    return model
  }
}

async function expectAgreement(model: LedgerModel, places: Place[]): Promise<void> {
  for (const place of places) {
    const { environmentId, asset } = place
    const accounts = await db.rows(sql<LedgerAccount>`
      select name, debits_pending, debits_posted,
        credits_pending, credits_posted
      from ledger_accounts where environment_id = ${environmentId} and asset = ${asset}`)
    for (const { name, ...sums } of accounts) expect(sums).toEqual(model.sumsOf(place, name))

    const range = { ...place, first: 1n, below: limits.money.ledgerMax }
    const { entries } = await listStatementEntries(db, range, { limit: 1_000 })
    expect(
      entries.toReversed().map(({ change, availableAfter, kind, causeId }) => ({
        change,
        availableAfter,
        kind,
        causeId,
      })),
    ).toEqual(
      model.statementOf(place).map(({ change, availableAfter, kind, causeId }) => ({
        change,
        availableAfter,
        kind,
        causeId,
      })),
    )

    const balances = await listBalances(db, environmentId)
    const suspense = model.sumsOf(place, 'suspense')
    expect(balances.find((balance) => balance.asset === asset)).toEqual({
      asset,
      available: model.spendable(place, 'available'),
      held: model.sumsOf(place, 'available').debitsPending,
      pending: suspense.creditsPosted - suspense.debitsPosted - suspense.debitsPending,
    })
  }
}

// Any history of fundings, payouts, settlements, releases, repeats and reversals over two merchants
// and three assets, in concurrent batches of any size. Plain arithmetic over a list must give the
// same outcomes, balances and statements, and every claim of verify-ledger must hold.
test('any history agrees with plain arithmetic', async () => {
  const sessions = await Promise.all(Array.from({ length: connections }, () => openSession(db)))
  const seen = { moved: 0, refused: 0, beyond: 0, repeated: 0, resolved: 0, late: 0 }

  const property = fc.asyncProperty(history, async (rounds) => {
    const environmentIds = [await insertEnvironment(db), await insertEnvironment(db)]
    const world = new World(environmentIds)
    let model = new LedgerModel()
    const holds: Movement[] = []
    for (const round of rounds) {
      const works = round.map((each) => world.toWork(each, holds))
      const ran = await Promise.all(works.map((work, index) => world.run(sessions[index]!, work)))
      for (const each of ran.toSorted((left, right) => left.place - right.place)) {
        model = judge(model, each)
        count(each)
        holds.push(...heldBy(each))
      }
    }
    await expectAgreement(model, world.places)
    await expectLowerProofs(db)
  })
  await fc.assert(property, { numRuns: isLongRun ? 60 : 30 })

  // Guards against histories in which nothing happens.
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(0)

  function count({ outcomes }: Ran): void {
    if (outcomes instanceof Error) seen.repeated += 1
    else
      for (const outcome of outcomes as (boolean | { isMoved: boolean; why?: string })[])
        if (outcome === true) seen.resolved += 1
        else if (outcome === false) seen.late += 1
        else if (outcome.isMoved) seen.moved += 1
        else if (outcome.why === 'beyond_limit') seen.beyond += 1
        else seen.refused += 1
  }
})

function heldBy({ work, outcomes }: Ran): Movement[] {
  if (outcomes instanceof Error || !('movements' in work)) return []
  const isMoved = (index: number) => (outcomes[index] as { isMoved: boolean }).isMoved
  return work.movements.filter((movement, index) => movement.isHold && isMoved(index))
}
