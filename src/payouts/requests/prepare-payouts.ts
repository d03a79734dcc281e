import { type EnvironmentTime, toRealTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import type { JsonText } from '../../base/json-text.js'
import type { Logger } from '../../base/log.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { type SubaccountName, subaccountIdOf, subaccountName } from '../../ledger/accounts.js'
import { listBalancesOf } from '../../ledger/balances.js'
import type { FeeOperation } from '../../merchants/settings/fee-schedules.js'
import type { Asset } from '../../money/assets.js'
import { gather } from '../../postgres/transactions/gather.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Screening } from '../../screening/ports.js'
import { findSubaccountBalances } from '../../subaccounts/subaccount-balances.js'
import { isTreasuryShort, UnfinishedPayouts } from '../attempts/unfinished-payouts.js'
import { mayPayClaim } from '../claims/claim.js'
import { markScreeningHold } from '../controls/screen-destination.js'
import { type LevyTerms, levyOn, type PayoutPurpose } from '../levies/levy.js'
import { type LevyBook, noLevies } from '../levies/levy-book.js'
import { payoutLimits } from '../limits.js'
import {
  isReturn,
  newPayout,
  type Payout,
  type PayoutKind,
  payoutKinds,
  referenceOf,
} from '../payout.js'
import type {
  Destination,
  Inspected,
  InspectionPurpose,
  PayoutInstruction,
  PayoutRail,
  PreparedAttempt,
} from '../ports.js'
import type { PayoutRails } from '../rails.js'
import { type ChosenRecipient, findChangedName } from '../recipients/choose-recipient.js'
import { maySettle } from '../settlements/settlement.js'
import { type NewPayout, notCovered, toNewPayout } from './create-payouts.js'
import type { FeeBook, FeeLine } from './fee-book.js'
import { gatherByRail } from './gather-by-rail.js'
import { noPausedRails, type PausedRails, railPaused } from './paused-rails.js'
import { reportShortfall } from './report-shortfall.js'

export type QuoteRequest = {
  environment: Environment
  kind: PayoutKind
  asset: Asset
  amount: bigint
  requestedAmount: string
  destination: Destination
  /** The saved recipient that it goes to. Absent or null: none. */
  recipient?: ChosenRecipient | null
  /** Absent: none that matters to a levy. */
  purpose?: PayoutPurpose | null
  /** The sub-account that pays, or suspense for a return. Absent: the merchant pays. */
  takesFrom?: SubaccountName | 'available' | 'suspense' | undefined
  /** Name of the rail that must carry it. Absent: that of its environment and kind. */
  rail?: string | null
}

export type CostRequest = Pick<QuoteRequest, 'environment' | 'amount'> & {
  kind: 'bank_transfer' | 'crypto_transfer'
}

export type PayoutRequest = QuoteRequest & {
  merchantReference: string | null
  metadata: JsonText
  createdByKey: string | null
  createdByUser: string | null
  /** Whether the caller says that it is not a duplicate. */
  confirmsDuplicate?: boolean | undefined
  /**
   * The transaction that makes the payout adds the money to the balance, so the balance is not
   * checked before: a conversion, or the hold of a claim that is released.
   */
  isFundedInCommit?: boolean
  /** The item of a batch that it pays. */
  batchItem?: Payout['batchItem']
}

/** `destination` is completed by the rail. */
export type Quote = { lines: FeeLine[]; fee: bigint; levy: bigint; destination: Destination }

/** A payout to commit. Call `finish` when it is committed or refused. */
export type PreparedPayout = NewPayout & { finish: () => void }

export type PayoutPreparation = {
  /** Returns a refusal if the destination cannot be paid, whatever the balance and the treasury. */
  quote(request: QuoteRequest): Promise<Outcome<Quote>>
  /**
   * What a transfer of this amount costs at most, whatever its destination. Throws a refusal if no
   * rail carries it.
   */
  findLargestCost(request: CostRequest): Promise<bigint>
  /** What transfers like this one owe besides their fee, whatever their amount. Null: nothing. */
  findLevyTerms(request: Omit<QuoteRequest, 'amount'>): Promise<LevyTerms | null>
  /**
   * For money that is paid later, such as a return that the merchant's balance covers: throws a
   * refusal if the destination or the treasury would refuse it now. Reserves nothing.
   */
  checkPayable(environmentNow: EnvironmentTime, request: QuoteRequest): Promise<void>
  /**
   * Fixes everything that must be known before the money is held, down to the bytes to send.
   * Nothing leaves.
   */
  prepare(environmentNow: EnvironmentTime, request: PayoutRequest): Promise<Outcome<PreparedPayout>>
  /**
   * For a payout that waits for approval: checks the destination and prices it. Signs nothing;
   * that happens at approval.
   */
  prepareUnsigned(environmentNow: EnvironmentTime, request: PayoutRequest): Promise<Outcome<Payout>>
}

type PreparationDependencies = {
  db: Queryable
  rails: PayoutRails
  fees: FeeBook
  logger: Logger
  /** Absent: no rail is paused. */
  paused?: PausedRails
  /** Absent: no transfer owes a levy. */
  levies?: LevyBook
  /** Whether this process follows the payouts that it sends. */
  follows?: boolean
  /** Absent: nothing is screened. */
  screening?: Screening | undefined
}

/** A request with its id. Base fee and levy are due whatever the rail finds. */
type Candidate = { request: PayoutRequest; id: string; baseFee: bigint; levy: bigint }

/** What the rail returned for a candidate: destination, extra fees and the attempt to send. */
type SignedCandidate = Inspected & { attempt: PreparedAttempt }

/**
 * A request becomes a `Candidate` (id, base fee, levy), a `SignedCandidate` (inspected and signed
 * by the rail), a `NewPayout` (priced) and is returned as a `PreparedPayout`.
 *
 * Requests that arrive together share calls: each rail has its own batches, and a batch makes one
 * `inspect` and one `prepare` for all of its requests. The balance is checked when the money is
 * held; here only to explain a refusal, because a low balance is the first thing to report.
 */
export function createPayoutPreparation({
  db,
  rails,
  fees,
  logger,
  paused = noPausedRails,
  levies = noLevies,
  follows = false,
  screening,
}: PreparationDependencies): PayoutPreparation {
  const unfinished = new UnfinishedPayouts()
  const inspectTogether = {
    price: gatherByRail((rail: PayoutRail, requests: QuoteRequest[]) =>
      rail.inspect(requests, 'price'),
    ),
    pay: gatherByRail((rail: PayoutRail, requests: QuoteRequest[]) =>
      rail.inspect(requests, 'pay'),
    ),
  }
  const signTogether = gatherByRail((rail: PayoutRail, candidates: Candidate[]) =>
    rail.chargesToInspect
      ? signCovered(db, rail, candidates)
      : inspectAndSign(rail, candidates.map(toInstruction)),
  )
  const findUncoveredOne = gather((candidates: Candidate[]) => findUncovered(db, candidates))

  const carrierOf = ({ environment, kind, rail = null }: Omit<QuoteRequest, 'amount'>) =>
    rail === null ? rails.carrierOf(environment, kind) : rails.named(rail)
  /** A return is free, whatever the rail does for it. */
  const price = ({ environment, kind, amount }: QuoteRequest, operations: FeeOperation[]) =>
    fees.price({
      environmentId: environment.id,
      amount,
      operations: isReturn({ kind }) ? [] : operations,
    })
  const priceBase = (request: QuoteRequest) => {
    const { baseFee } = payoutKinds[request.kind]
    return price(request, baseFee ? [baseFee] : [])
  }

  /** Mostly without a promise: every payout passes here. */
  function chargeLevy(request: QuoteRequest): bigint | Promise<bigint> {
    const rail = carrierOf(request)?.name
    if (rail === undefined) return 0n
    const { environment, kind, amount, destination, purpose } = request
    return levies.charge({ environment, kind, rail, amount, destination, purpose })
  }

  async function toCandidate(
    environmentNow: EnvironmentTime,
    request: PayoutRequest,
  ): Promise<Candidate> {
    const baseFee = sumOf(await priceBase(request))
    const charged = chargeLevy(request)
    const levy = typeof charged === 'bigint' ? charged : await charged
    return { request, id: newId(environmentNow), baseFee, levy }
  }

  async function quote(request: QuoteRequest): Promise<Outcome<Quote>> {
    const base = await priceBase(request)
    const levy = await chargeLevy(request)
    const inspected = await inspect(request, 'price')
    if (inspected instanceof Refusal) return inspected
    const changed = findChangedName(request.recipient, inspected.destination)
    if (changed) return changed
    const lines = [...base, ...(await price(request, inspected.extraFees))]
    return { lines, fee: sumOf(lines), levy, destination: inspected.destination }
  }

  async function inspect(
    request: QuoteRequest,
    purpose: InspectionPurpose,
  ): Promise<Outcome<Inspected>> {
    const rail = carrierOf(request)
    if (!rail) return railUnavailable(request)
    if (await paused.has(rail.name)) return railPaused(payoutKinds[request.kind].refusal)
    return inspectTogether[purpose](rail, request)
  }

  async function signAndPrice(
    environmentNow: EnvironmentTime,
    candidate: Candidate,
  ): Promise<Outcome<NewPayout>> {
    const { request, baseFee } = candidate
    const rail = carrierOf(request)
    if (!rail) return railUnavailable(request)
    // Mostly false without a promise: every payout passes here.
    const isPaused = paused.has(rail.name)
    if (isPaused && (await isPaused)) return railPaused(payoutKinds[request.kind].refusal)
    const signed = await signTogether(rail, candidate)
    if (signed instanceof Refusal) return signed
    const { destination, extraFees, attempt } = signed
    const changed = findChangedName(request.recipient, destination)
    if (changed) return changed
    const fee = baseFee + sumOf(await price(request, extraFees))
    const priced = toPayout(environmentNow, candidate, { rail: rail.name, destination, fee })
    const { mode } = request.environment
    const payout = screening ? await markScreeningHold(screening, priced, mode) : priced
    const realNow = toRealTime(environmentNow, request.environment.clockOffsetMs)
    const isFollowed = follows && !isReturn(payout) && !maySettle(payout) && !mayPayClaim(payout)
    return toNewPayout(payout, attempt, realNow, isFollowed ? rail.checkAfterMs : undefined)
  }

  /** The merchant has the money and is refused: the operator must top up the treasury. */
  async function reportTreasuryShort(
    environmentNow: EnvironmentTime,
    request: QuoteRequest,
  ): Promise<void> {
    const { environment, asset } = request
    const rail = carrierOf(request)!.name
    const now = toRealTime(environmentNow, environment.clockOffsetMs)
    await reportShortfall({ db, logger }, now, { rail, asset })
  }

  return {
    quote,

    async findLargestCost({ environment, kind, amount }) {
      const rail = rails.carrierOf(environment, kind)?.name
      if (rail === undefined) throw railUnavailable({ environment, kind })
      const operations: FeeOperation[] =
        kind === 'bank_transfer' ? ['bank_payout'] : ['crypto_payout', 'crypto_account_creation']
      const fee = sumOf(await fees.price({ environmentId: environment.id, amount, operations }))
      const terms = await levies.findTerms({ environment, kind, rail, destination: anywhere })
      return fee + levyOn(terms, amount)
    },

    async findLevyTerms({ environment, kind, destination, purpose }) {
      const rail = rails.carrierOf(environment, kind)?.name
      if (rail === undefined) return null
      return levies.findTerms({ environment, kind, rail, destination, purpose })
    },

    async checkPayable(environmentNow, request) {
      for (let round = 1; ; round += 1) {
        const finish = unfinished.begin()
        const inspected = await inspect(request, 'pay').finally(finish)
        if (!(inspected instanceof Refusal)) return
        if (!isTreasuryShort(inspected)) throw inspected
        const neighbours = await unfinished.waitForNeighbours()
        if (!isLastRound(round, neighbours)) continue
        await reportTreasuryShort(environmentNow, request)
        throw inspected
      }
    },

    async prepare(environmentNow, request) {
      const candidate = await toCandidate(environmentNow, request)
      for (let round = 1; ; round += 1) {
        const finish = unfinished.begin()
        const prepared = await signAndPrice(environmentNow, candidate).catch((error: unknown) => {
          finish()
          throw error
        })
        if (!(prepared instanceof Refusal)) return withFinish(prepared, finish)
        finish()
        const neighbours = isTreasuryShort(prepared) ? await unfinished.waitForNeighbours() : 0
        // Payouts that were committed meanwhile may have spent the merchant's balance. Then that is
        // the answer: the operator is not to blame, and the merchant can do something about it.
        const uncovered = await findUncoveredOne(candidate)
        if (uncovered) return uncovered
        if (!isTreasuryShort(prepared)) return prepared
        if (!isLastRound(round, neighbours)) continue
        // Every other reason for a refusal, with all fees, comes before the treasury.
        const quoted = await quote(request)
        if (quoted instanceof Refusal) return quoted
        const uncoveredWithFees = await findUncoveredOne({ ...candidate, baseFee: quoted.fee })
        if (uncoveredWithFees) return uncoveredWithFees
        await reportTreasuryShort(environmentNow, request)
        return prepared
      }
    },

    async prepareUnsigned(environmentNow, request) {
      const candidate = await toCandidate(environmentNow, request)
      const uncovered = await findUncoveredOne(candidate)
      if (uncovered) return uncovered
      const rail = carrierOf(request)
      if (!rail) return railUnavailable(request)
      if (await paused.has(rail.name)) return railPaused(payoutKinds[request.kind].refusal)
      // The treasury is checked at approval: what it holds then is what matters.
      const inspected = await inspectTogether.price(rail, request)
      if (inspected instanceof Refusal) return inspected
      const { destination, extraFees } = inspected
      const changed = findChangedName(request.recipient, destination)
      if (changed) return changed
      const fee = candidate.baseFee + sumOf(await price(request, extraFees))
      const payout = toPayout(environmentNow, candidate, { rail: rail.name, destination, fee })
      const { mode } = request.environment
      return screening ? markScreeningHold(screening, payout, mode) : payout
    },
  }
}

/**
 * Whether "short" is the answer. In the first round the balance may have grown since it was read;
 * later, only neighbours can have reserved the money.
 */
function isLastRound(round: number, neighbours: number): boolean {
  if (round >= payoutLimits.shortfallChecksMax) return true
  return round > 1 && neighbours === 0
}

/** Refuses what the balance does not cover before it calls a rail that charges for `inspect`. */
async function signCovered(
  db: Queryable,
  rail: PayoutRail,
  candidates: Candidate[],
): Promise<Outcome<SignedCandidate>[]> {
  const uncovered = await findUncovered(db, candidates)
  const covered = candidates.filter((_, index) => !uncovered[index])
  const signed = await inspectAndSign(rail, covered.map(toInstruction))
  const byCandidate = new Map(covered.map((candidate, index) => [candidate, signed[index]!]))
  return candidates.map((candidate, index) => uncovered[index] ?? byCandidate.get(candidate)!)
}

async function inspectAndSign(
  rail: PayoutRail,
  instructions: PayoutInstruction[],
): Promise<Outcome<SignedCandidate>[]> {
  if (instructions.length === 0) return []
  const inspected = await rail.inspect(instructions, 'pay')
  const accepted = instructions.flatMap(({ asset, amount, reference }, index) => {
    const found = inspected[index]!
    if (found instanceof Refusal) return []
    return [{ asset, amount, destination: found.destination, reference }]
  })
  const attempts = accepted.length > 0 ? await rail.prepare(accepted) : []
  const byReference = new Map(accepted.map(({ reference }, index) => [reference, attempts[index]!]))
  return instructions.map(({ reference }, index) => {
    const found = inspected[index]!
    if (found instanceof Refusal) return found
    const attempt = byReference.get(reference)!
    if (attempt instanceof Refusal) return attempt
    return { destination: found.destination, extraFees: found.extraFees, attempt }
  })
}

/** A refusal for each whose balance does not cover its amount, base fee and levy. */
async function findUncovered(
  db: Queryable,
  candidates: Candidate[],
): Promise<(Refusal | undefined)[]> {
  const ids = [...new Set(candidates.map(({ request }) => request.environment.id))]
  const balances = await listBalancesOf(db, ids)
  const byKey = new Map(balances.map((row) => [`${row.environmentId}/${row.asset}`, row]))
  const ofSubaccounts = await readPayers(db, candidates)
  return candidates.map(({ request, baseFee, levy }) => {
    const { environment, asset, amount, takesFrom = 'available' } = request
    // Money in suspense is that of its payment alone.
    if (request.isFundedInCommit || takesFrom === 'suspense') return undefined
    const balance =
      takesFrom === 'available'
        ? byKey.get(`${environment.id}/${asset}`)
        : ofSubaccounts.get(takesFrom)?.find((own) => own.asset === asset)
    const available = balance?.available ?? 0n
    if (available >= amount + baseFee + levy) return undefined
    return notCovered({ asset, amount, fee: baseFee, levy, takesFrom }, { available })
  })
}

/** The balances of the sub-accounts that pay, by the name of their ledger account. */
async function readPayers(db: Queryable, candidates: Candidate[]) {
  const paying = candidates.flatMap(({ request: { environment, takesFrom } }) => {
    const id = takesFrom && subaccountIdOf(takesFrom)
    return id === undefined ? [] : [{ environmentId: environment.id, id }]
  })
  const balances = paying.length === 0 ? [] : await findSubaccountBalances(db, paying)
  return new Map([...balances].map(([id, own]) => [subaccountName(id), own]))
}

function withFinish(
  { payout, attempt, preparedAt, shown, checkAfterMs }: NewPayout,
  finish: () => void,
): PreparedPayout {
  return { payout, attempt, preparedAt, shown, checkAfterMs, finish }
}

function toInstruction({ request, id }: Candidate): PayoutInstruction {
  const { kind, asset, amount, destination } = request
  return { asset, amount, destination, reference: referenceOf({ kind, id }) }
}

function toPayout(
  environmentNow: EnvironmentTime,
  { request, id, levy }: Candidate,
  { rail, destination, fee }: Pick<Payout, 'rail' | 'destination' | 'fee'>,
): Payout {
  return newPayout(environmentNow, {
    environmentId: request.environment.id,
    id,
    kind: request.kind,
    rail,
    asset: request.asset,
    amount: request.amount,
    fee,
    levy,
    takesFrom: request.takesFrom ?? 'available',
    requestedAmount: request.requestedAmount,
    destination,
    recipientId: request.recipient?.id ?? null,
    merchantReference: request.merchantReference,
    purpose: request.purpose ?? null,
    metadata: request.metadata,
    batchItem: request.batchItem,
    createdByKey: request.createdByKey,
    createdByUser: request.createdByUser,
    eventSequence: payoutKinds[request.kind].events ? 1 : 0,
  })
}

/** No account of the merchant, so that no exemption applies. */
const anywhere: Destination = { kind: 'wallet', address: '' }

function railUnavailable({
  environment,
  kind,
}: Pick<QuoteRequest, 'environment' | 'kind'>): Refusal {
  return new Refusal(payoutKinds[kind].refusal, {
    reason: 'rail_unavailable',
    message: `Payouts of this kind are not configured in ${environment.mode} mode. Ask the operator to configure them.`,
  })
}

function sumOf(lines: FeeLine[]): bigint {
  return lines.reduce((sum, { amount }) => sum + amount, 0n)
}
