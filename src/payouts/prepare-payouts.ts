import { after } from '../base/clock.js'
import type { Environment, Mode } from '../base/environment.js'
import { newId } from '../base/ids.js'
import type { Logger } from '../base/log.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import { listBalancesOf } from '../ledger/balances.js'
import type { FeeOperation } from '../merchants/fee-schedules.js'
import type { Asset } from '../money/assets.js'
import { gather } from '../postgres/gather.js'
import type { Reader } from '../postgres/tx.js'
import { type NewPayout, notCovered, toNewPayout } from './create-payouts.js'
import type { FeeBook, FeeLine } from './fee-book.js'
import { kinds, type Payout, type PayoutKind, referenceOf } from './payout.js'
import type {
  Destination,
  Inspected,
  PayoutInstruction,
  PayoutRail,
  Prepared,
  Target,
} from './ports.js'
import { createSideBySide, isShort } from './try-side-by-side.js'

/** What a merchant asks for. */
export type PayoutRequest = {
  environment: Environment
  kind: PayoutKind
  asset: Asset
  amount: bigint
  requestedAmount: string
  destination: Destination
  merchantReference: string | null
  metadata: string
}

type Priced = Omit<PayoutRequest, 'merchantReference' | 'metadata'>

export type PayoutRails = Record<Mode, Partial<Record<PayoutKind, PayoutRail>>>

export type Quote = { destination: Destination; lines: FeeLine[]; fee: bigint }

export type PayoutPreparation = {
  /** What it would cost. Refuses what no balance could pay out. */
  quote(wish: Priced): Promise<Quote>
  /**
   * Finds out and fixes everything that must be known before the money is held, and has `create`
   * hold it, or tell why there is no order. Nothing leaves. `now` is the time of the environment.
   */
  order<Value>(
    now: Date,
    wish: PayoutRequest,
    create: (order: Outcome<NewPayout>) => Promise<Value>,
  ): Promise<Value>
}

type Tools = { db: Reader; rails: PayoutRails; fees: FeeBook; logger: Logger }

type Asked = {
  inspect: (target: Target) => Promise<Outcome<Inspected>>
  prepare: (carriage: PayoutInstruction) => Promise<Outcome<Prepared>>
}

/**
 * Prices and prepares payouts. Questions of the same moment travel together, to the books as to the
 * rail. The balance is looked at before the rail is asked, and judged again when the money is held.
 */
export function createPayoutPreparation({ db, rails, fees, logger }: Tools): PayoutPreparation {
  const findAvailable = createAvailableFinder(db)
  const trySideBySide = createSideBySide()
  const askOf = createAskers()

  const price = ({ environment, amount }: Priced, operations: FeeOperation[]) =>
    fees.price({ environmentId: environment.id, amount, operations })
  const priceBase = (wish: Priced) => {
    const { baseFee } = kinds[wish.kind]
    return price(wish, baseFee ? [baseFee] : [])
  }

  async function findUncovered(wish: PayoutRequest, base: FeeLine[]): Promise<Refusal | undefined> {
    const { asset, amount } = wish
    const fee = sumOf(base)
    const available = await findAvailable(wish)
    return available < amount + fee ? notCovered({ asset, amount, fee }, { available }) : undefined
  }

  async function inspect(wish: Priced, base: FeeLine[]): Promise<Outcome<Quote>> {
    const inspected = await askOf(railOf(rails, wish)).inspect(wish)
    if (inspected instanceof Refusal) return inspected
    const lines = [...base, ...(await price(wish, inspected.extraFees))]
    return { destination: inspected.destination, lines, fee: sumOf(lines) }
  }

  async function prepare(
    now: Date,
    wish: PayoutRequest,
    base: FeeLine[],
  ): Promise<Outcome<NewPayout>> {
    const uncovered = await findUncovered(wish, base)
    if (uncovered) return uncovered
    const inspected = await inspect(wish, base)
    if (inspected instanceof Refusal) return inspected
    const payout = toPayout(now, wish, railOf(rails, wish).name, inspected)
    const { asset, amount, destination } = payout
    const carriage = { asset, amount, destination, reference: referenceOf(payout) }
    const prepared = await askOf(railOf(rails, wish)).prepare(carriage)
    if (prepared instanceof Refusal) return prepared
    return toNewPayout(payout, prepared, after(now, -wish.environment.clockOffsetMs))
  }

  /** Somebody is turned away who has the money: the operator must fill the wallet. */
  function reportShort({ asset }: Priced): void {
    logger.error({ asset }, 'the hot wallet is short: a transfer was refused')
  }

  return {
    async quote(wish) {
      const base = await priceBase(wish)
      const quote = await trySideBySide({ attempt: () => inspect(wish, base) })
      if (isShort(quote)) reportShort(wish)
      if (quote instanceof Refusal) throw quote
      return quote
    },
    async order(now, wish, create) {
      const base = await priceBase(wish)
      const created = await trySideBySide({
        attempt: async () => {
          const order = await prepare(now, wish, base)
          return isShort(order) ? order : { value: await create(order) }
        },
        findOther: () => findUncovered(wish, base),
      })
      if (!(created instanceof Refusal)) return created.value
      if (isShort(created)) reportShort(wish)
      return create(created)
    },
  }
}

function createAvailableFinder(db: Reader) {
  return gather(async (wishes: Pick<PayoutRequest, 'environment' | 'asset'>[]) => {
    const ids = [...new Set(wishes.map(({ environment }) => environment.id))]
    const balances = await listBalancesOf(db, ids)
    const byKey = new Map(balances.map((row) => [`${row.environmentId}/${row.asset}`, row]))
    return wishes.map(
      ({ environment, asset }) => byKey.get(`${environment.id}/${asset}`)?.available ?? 0n,
    )
  })
}

function createAskers() {
  const asked = new Map<PayoutRail, Asked>()
  return (rail: PayoutRail): Asked => {
    const known = asked.get(rail) ?? {
      inspect: gather((targets: Target[]) => rail.inspect(targets)),
      prepare: gather((carriages: PayoutInstruction[]) => rail.prepare(carriages)),
    }
    asked.set(rail, known)
    return known
  }
}

function toPayout(now: Date, wish: PayoutRequest, rail: string, quote: Quote): Payout {
  const { environment, ...rest } = wish
  const { destination, fee } = quote
  return {
    ...rest,
    environmentId: environment.id,
    id: newId(now),
    rail,
    destination,
    fee,
    takesFrom: 'available',
    status: 'SUBMITTED',
    failureReason: null,
    isReviewRequired: false,
    eventSequence: 1,
    submittedAt: now,
    completedAt: null,
    failedAt: null,
    reversedAt: null,
    createdAt: now,
  }
}

function railOf(
  rails: PayoutRails,
  { environment, kind }: Pick<PayoutRequest, 'environment' | 'kind'>,
) {
  const rail = rails[environment.mode][kind]
  if (rail) return rail
  throw new Refusal(kinds[kind].refusal, {
    reason: 'rail_unavailable',
    message:
      `Nothing is configured to carry this in ${environment.mode} mode. ` +
      'Ask the operator to configure it.',
  })
}

function sumOf(lines: FeeLine[]): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, 0n)
}
