import { after } from '../base/clock.js'
import type { Environment, Mode } from '../base/environment.js'
import { newId } from '../base/ids.js'
import type { Logger } from '../base/log.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import { listBalancesOf } from '../ledger/balances.js'
import type { FeeOperation } from '../merchants/fee-schedules.js'
import type { Asset } from '../money/assets.js'
import { gather } from '../postgres/gather.js'
import { gatherBy } from '../postgres/gather-by.js'
import type { Reader } from '../postgres/tx.js'
import { type NewPayout, notCovered, toNewPayout } from './create-payouts.js'
import type { FeeBook, FeeLine } from './fee-book.js'
import { type Payout, type PayoutKind, payoutKinds, referenceOf } from './payout.js'
import type {
  Destination,
  Inspected,
  PayoutInstruction,
  PayoutRail,
  PreparedAttempt,
} from './ports.js'
import { isShort, UnfinishedPayouts } from './unfinished-payouts.js'

export type QuoteRequest = {
  environment: Environment
  kind: PayoutKind
  asset: Asset
  amount: bigint
  requestedAmount: string
  destination: Destination
}

export type PayoutRequest = QuoteRequest & {
  merchantReference: string | null
  metadata: string
}

export type PayoutRails = Record<Mode, Partial<Record<PayoutKind, PayoutRail>>>

export type Quote = { lines: FeeLine[]; fee: bigint }

/** Ready to be committed. Call `finish` when it is committed or refused. */
export type PreparedPayout = NewPayout & { finish: () => void }

export type PayoutPreparation = {
  /** Throws a refusal if no balance could pay this out. */
  quote(request: QuoteRequest): Promise<Quote>
  /**
   * Fixes everything that must be known before the money is held, down to the bytes to send.
   * Nothing leaves. `now` is the time of the environment.
   */
  prepare(now: Date, request: PayoutRequest): Promise<Outcome<PreparedPayout>>
}

type Tools = { db: Reader; rails: PayoutRails; fees: FeeBook; logger: Logger }

/** A payout on its way to the rail. The base fee is due whatever the rail finds. */
type Candidate = { request: PayoutRequest; id: string; baseFee: bigint }

type Ready = Inspected & { prepared: PreparedAttempt }

/** Requests that arrive together share one balance query and one call to the rail. */
export function createPayoutPreparation({ db, rails, fees, logger }: Tools): PayoutPreparation {
  const unfinished = new UnfinishedPayouts()
  const inspectAt = gatherBy(inspectBatch)
  const prepareAt = gatherBy((rail: PayoutRail | undefined, candidates: Candidate[]) =>
    prepareBatch(db, rail, candidates),
  )
  const findUncoveredOne = gather((candidates: Candidate[]) => findUncovered(db, candidates))

  const price = ({ environment, amount }: QuoteRequest, operations: FeeOperation[]) =>
    fees.price({ environmentId: environment.id, amount, operations })
  const priceBase = (request: QuoteRequest) => {
    const { baseFee } = payoutKinds[request.kind]
    return price(request, baseFee ? [baseFee] : [])
  }

  async function quoteOnce(request: QuoteRequest): Promise<Outcome<Quote>> {
    const base = await priceBase(request)
    const inspected = await inspectAt(railOf(rails, request), request)
    if (inspected instanceof Refusal) return inspected
    const lines = [...base, ...(await price(request, inspected.extraFees))]
    return { lines, fee: sumOf(lines) }
  }

  async function prepareOnce(now: Date, candidate: Candidate): Promise<Outcome<NewPayout>> {
    const { request, baseFee } = candidate
    const rail = railOf(rails, request)
    const ready = await prepareAt(rail, candidate)
    if (ready instanceof Refusal) return ready
    const fee = baseFee + sumOf(await price(request, ready.extraFees))
    const payout = toPayout(now, candidate, { rail: rail!.name, ready, fee })
    return toNewPayout(payout, ready.prepared, after(now, -request.environment.clockOffsetMs))
  }

  /** The merchant has the money and is refused: the operator must top up the hot wallet. */
  function reportShort({ asset }: QuoteRequest): void {
    logger.error({ asset }, 'the hot wallet is short: a transfer was refused')
  }

  return {
    async quote(request) {
      for (let attempt = 1; ; attempt += 1) {
        const finish = unfinished.begin()
        const quote = await quoteOnce(request).finally(finish)
        if (!(quote instanceof Refusal)) return quote
        if (!isShort(quote)) throw quote
        if (!(await unfinished.isShortFinal(attempt))) continue
        reportShort(request)
        throw quote
      }
    },

    async prepare(now, request) {
      const baseFee = sumOf(await priceBase(request))
      const candidate = { request, id: newId(now), baseFee }
      for (let attempt = 1; ; attempt += 1) {
        const finish = unfinished.begin()
        const prepared = await prepareOnce(now, candidate).catch((error: unknown) => {
          finish()
          throw error
        })
        if (!(prepared instanceof Refusal)) return { finish, ...prepared }
        finish()
        if (!isShort(prepared)) return prepared
        if (!(await unfinished.isShortFinal(attempt))) continue
        // A neighbour may have spent the balance: then that is the answer, not the hot wallet.
        const uncovered = await findUncoveredOne(candidate)
        if (uncovered) return uncovered
        reportShort(request)
        return prepared
      }
    },
  }
}

async function inspectBatch(
  rail: PayoutRail | undefined,
  requests: QuoteRequest[],
): Promise<Outcome<Inspected>[]> {
  return rail ? rail.inspect(requests) : requests.map(railUnavailable)
}

/**
 * Refuses what the balance does not cover before the rail is asked, since asking may cost money.
 * The balance is checked again when the money is held.
 */
async function prepareBatch(
  db: Reader,
  rail: PayoutRail | undefined,
  candidates: Candidate[],
): Promise<Outcome<Ready>[]> {
  const uncovered = await findUncovered(db, candidates)
  const covered = candidates.filter((_, index) => !uncovered[index])
  const outcomes = rail
    ? await prepareAtRail(rail, covered.map(toInstruction))
    : covered.map(({ request }) => railUnavailable(request))
  const byCandidate = new Map(covered.map((candidate, index) => [candidate, outcomes[index]!]))
  return candidates.map((candidate, index) => uncovered[index] ?? byCandidate.get(candidate)!)
}

async function prepareAtRail(
  rail: PayoutRail,
  instructions: PayoutInstruction[],
): Promise<Outcome<Ready>[]> {
  if (instructions.length === 0) return []
  const inspected = await rail.inspect(instructions)
  const accepted = instructions.flatMap(({ asset, amount, reference }, index) => {
    const found = inspected[index]!
    if (found instanceof Refusal) return []
    return [{ asset, amount, destination: found.destination, reference }]
  })
  const prepared = accepted.length > 0 ? await rail.prepare(accepted) : []
  const byReference = new Map(accepted.map(({ reference }, index) => [reference, prepared[index]!]))
  return instructions.map(({ reference }, index) => {
    const found = inspected[index]!
    if (found instanceof Refusal) return found
    const outcome = byReference.get(reference)!
    if (outcome instanceof Refusal) return outcome
    return { destination: found.destination, extraFees: found.extraFees, prepared: outcome }
  })
}

/** A refusal for each whose balance does not cover its amount and base fee. */
async function findUncovered(
  db: Reader,
  candidates: Candidate[],
): Promise<(Refusal | undefined)[]> {
  const ids = [...new Set(candidates.map(({ request }) => request.environment.id))]
  const balances = await listBalancesOf(db, ids)
  const byKey = new Map(balances.map((row) => [`${row.environmentId}/${row.asset}`, row]))
  return candidates.map(({ request: { environment, asset, amount }, baseFee }) => {
    const available = byKey.get(`${environment.id}/${asset}`)?.available ?? 0n
    if (available >= amount + baseFee) return undefined
    return notCovered({ asset, amount, fee: baseFee }, { available })
  })
}

function toInstruction({ request, id }: Candidate): PayoutInstruction {
  const { kind, asset, amount, destination } = request
  return { asset, amount, destination, reference: referenceOf({ kind, id }) }
}

function toPayout(
  now: Date,
  { request, id }: Candidate,
  { rail, ready, fee }: { rail: string; ready: Ready; fee: bigint },
): Payout {
  return {
    environmentId: request.environment.id,
    id,
    kind: request.kind,
    rail,
    asset: request.asset,
    amount: request.amount,
    fee,
    takesFrom: 'available',
    requestedAmount: request.requestedAmount,
    destination: ready.destination,
    merchantReference: request.merchantReference,
    metadata: request.metadata,
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

function railOf(rails: PayoutRails, { environment, kind }: QuoteRequest): PayoutRail | undefined {
  return rails[environment.mode][kind]
}

function railUnavailable({ environment, kind }: QuoteRequest): Refusal {
  return new Refusal(payoutKinds[kind].refusal, {
    reason: 'rail_unavailable',
    message: `Payouts of this kind are not configured in ${environment.mode} mode. Ask the operator to configure them.`,
  })
}

function sumOf(lines: FeeLine[]): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, 0n)
}
