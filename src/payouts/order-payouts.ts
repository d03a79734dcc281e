import { after } from '../clock.js'
import type { Environment, Mode } from '../environment.js'
import { newId } from '../ids.js'
import { listBalancesOf } from '../ledger/balances.js'
import type { FeeOperation } from '../merchants/fee-schedules.js'
import type { Asset } from '../money/assets.js'
import { gather } from '../postgres/gather.js'
import type { Reader } from '../postgres/tx.js'
import { type Outcome, Refusal } from '../refusal.js'
import { notCovered, type PayoutOrder, toOrder } from './create-payouts.js'
import type { FeeBook, FeeLine } from './fee-book.js'
import { kinds, type Payout, type PayoutKind, referenceOf } from './payout.js'
import type { Carriage, Destination, Inspected, PayoutRail, Prepared, Target } from './ports.js'

/** What a merchant asks for. */
export type Wish = {
  environment: Environment
  kind: PayoutKind
  asset: Asset
  amount: bigint
  requestedAmount: string
  destination: Destination
  merchantReference: string | null
  metadata: string
}

type Priced = Omit<Wish, 'merchantReference' | 'metadata'>

export type Rails = Record<Mode, Partial<Record<PayoutKind, PayoutRail>>>

export type Quote = { destination: Destination; lines: FeeLine[]; fee: bigint }

export type Ordering = {
  /** What it would cost. Refuses what no balance could pay out. */
  quote(wish: Priced): Promise<Quote>
  /**
   * Everything that must be known and fixed before the money is held. Nothing leaves. `now` is the
   * time of the environment.
   */
  order(now: Date, wish: Wish): Promise<PayoutOrder>
}

type Asked = {
  inspect: (target: Target) => Promise<Outcome<Inspected>>
  prepare: (carriage: Carriage) => Promise<Outcome<Prepared>>
}

/**
 * Prices and prepares payouts. Questions of the same moment travel together, to the books as to the
 * rail. The balance is looked at before the rail is asked, and judged again when the money is held.
 */
export function createOrdering(tools: { db: Reader; rails: Rails; fees: FeeBook }): Ordering {
  const { db, rails, fees } = tools
  const findAvailable = gather(async (wishes: Pick<Wish, 'environment' | 'asset'>[]) => {
    const ids = [...new Set(wishes.map(({ environment }) => environment.id))]
    const balances = await listBalancesOf(db, ids)
    const byKey = new Map(balances.map((row) => [`${row.environmentId}/${row.asset}`, row]))
    return wishes.map(
      ({ environment, asset }) => byKey.get(`${environment.id}/${asset}`)?.available ?? 0n,
    )
  })
  const asked = new Map<PayoutRail, Asked>()
  const askOf = (rail: PayoutRail): Asked => {
    const known = asked.get(rail) ?? {
      inspect: gather((targets: Target[]) => rail.inspect(targets)),
      prepare: gather((carriages: Carriage[]) => rail.prepare(carriages)),
    }
    asked.set(rail, known)
    return known
  }

  const price = ({ environment, amount }: Priced, operations: FeeOperation[]) =>
    fees.price({ environmentId: environment.id, amount, operations })
  const priceBase = (wish: Priced) => {
    const { baseFee } = kinds[wish.kind]
    return price(wish, baseFee ? [baseFee] : [])
  }

  async function refuseUncovered(wish: Wish, fee: bigint): Promise<void> {
    const { asset, amount } = wish
    const available = await findAvailable(wish)
    if (available < amount + fee) throw notCovered({ asset, amount, fee }, { available })
  }

  async function inspect(wish: Priced, base: FeeLine[]): Promise<Quote> {
    const inspected = accepted(await askOf(railOf(rails, wish)).inspect(wish))
    const lines = [...base, ...(await price(wish, inspected.extraFees))]
    return { destination: inspected.destination, lines, fee: sumOf(lines) }
  }

  return {
    quote: async (wish) => inspect(wish, await priceBase(wish)),
    async order(now, wish) {
      const base = await priceBase(wish)
      await refuseUncovered(wish, sumOf(base))
      const { destination, fee } = await inspect(wish, base)
      const { environment, ...rest } = wish
      const rail = railOf(rails, wish)
      const payout: Payout = {
        ...rest,
        ...{ environmentId: environment.id, id: newId(now), rail: rail.name, destination, fee },
        ...{ takesFrom: 'available', status: 'SUBMITTED', failureReason: null },
        ...{ isReviewRequired: false, eventSequence: 1 },
        ...{ submittedAt: now, completedAt: null, failedAt: null, reversedAt: null },
        createdAt: now,
      }
      const { asset, amount } = wish
      const carriage = { asset, amount, destination, reference: referenceOf(payout) }
      const prepared = accepted(await askOf(rail).prepare(carriage))
      return toOrder(payout, prepared, after(now, -environment.clockOffsetMs))
    },
  }
}

function railOf(rails: Rails, { environment, kind }: Pick<Wish, 'environment' | 'kind'>) {
  const rail = rails[environment.mode][kind]
  if (rail) return rail
  throw new Refusal(kinds[kind].refusal, {
    reason: 'rail_unavailable',
    message:
      `Nothing is configured to carry this in ${environment.mode} mode. ` +
      'Ask the operator to configure it.',
  })
}

function accepted<Value>(outcome: Outcome<Value>): Value {
  if (outcome instanceof Refusal) throw outcome
  return outcome
}

function sumOf(lines: FeeLine[]): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, 0n)
}
