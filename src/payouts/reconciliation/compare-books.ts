import { formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { LevyDebitKind } from '../levies/levy.js'
import type { AttemptState, PayoutStatus } from '../payout.js'

export type Booked = {
  reference: string
  asset: Asset
  amount: bigint
  levy: bigint
  /** Whether the rail debits levies, as an operator set it for the time of the payout. */
  levyDebits: LevyDebitKind
  status: PayoutStatus
  attempts: BookedAttempt[]
}

export type BookedAttempt = {
  token: string
  state: AttemptState
  /** An operator ended it after asking the bank, whose API may never confirm that. */
  isDecided?: boolean
}

/** One transfer as the rail reports it. */
export type RailTransfer = {
  /** Its name at the rail, as in an attempt. */
  token: string
  /** On our own transfers, the reference of the payout. */
  memo: string | null
  asset: Asset
  /** What the recipient gets. Null: the rail does not report it. */
  amount: bigint | null
  /** What the rail debited as a levy. Null: it shows none. Absent: it was not asked. */
  levy?: bigint | null
  /**
   * `landed`: it arrived; the rail does not report whether it was reversed later. `unknown`: the
   * rail was queried and did not know.
   */
  state: 'processing' | 'completed' | 'landed' | 'failed' | 'reversed' | 'unknown'
}

export type Difference = {
  kind:
    | 'not_in_books'
    | 'not_at_rail'
    | 'amount_differs'
    | 'levy_differs'
    | 'state_differs'
    | 'treasury_differs'
    | 'deposits_differ'
    | 'endpoints_disagree'
    | 'not_compared'
  /** The reference of a payout, a token of the rail, or an asset. */
  name: string
  inBooks: string
  atRail: string
}

type Entry = { payout: Booked; attempt: BookedAttempt }

/** Every contradiction between books and rail. An open payout may or may not be at the rail. */
export function compareBooks(booked: Booked[], executed: RailTransfer[]): Difference[] {
  const entries = entriesByToken(booked)
  return [
    ...executed.flatMap((transfer) => compareTransfer(transfer, entries.get(transfer.token))),
    ...findRepeated(executed)
      .filter(({ token }) => entries.has(token))
      .map(toNotInBooks),
    ...findMissingAtRail(booked, executed).map(toNotAtRail),
  ]
}

/** Payouts that are completed in the books and that the rail does not report. */
export function findMissingAtRail<Payout extends Booked>(
  booked: Payout[],
  executed: RailTransfer[],
): Payout[] {
  const seen = new Set(executed.map(({ token }) => token))
  return booked.filter(
    ({ status, attempts }) =>
      (status === 'COMPLETED' || status === 'REVERSED') &&
      !attempts.some(({ token }) => seen.has(token)),
  )
}

/** A bank may have made a refund twice: the first one is in the books, the others are not. */
function findRepeated(executed: RailTransfer[]): RailTransfer[] {
  const seen = new Set<string>()
  return executed.filter(({ token, asset, state }) => {
    if (state === 'failed') return false
    const name = `${token} ${asset}`
    const isRepeated = seen.has(name)
    seen.add(name)
    return isRepeated
  })
}

function entriesByToken(booked: Booked[]): Map<string, Entry> {
  return new Map(
    booked.flatMap((payout) =>
      payout.attempts.map((attempt): [string, Entry] => [attempt.token, { payout, attempt }]),
    ),
  )
}

/** A transfer with an unknown token is not ours, even if its memo is a reference of ours. */
function compareTransfer(transfer: RailTransfer, entry: Entry | undefined): Difference[] {
  if (!entry) return transfer.state === 'failed' ? [] : [toNotInBooks(transfer)]
  const { payout, attempt } = entry
  const name = payout.reference
  if (transfer.state === 'unknown') return [toNotCompared(payout)]
  const differences: Difference[] = []
  const isAgreed = agreements[transfer.state](payout.status, attempt.state)
  if (!isAgreed && !isDecidedAnyway(transfer, attempt))
    differences.push({
      kind: 'state_differs',
      name,
      inBooks: `${payout.status}, the attempt ${attempt.state}`,
      atRail: transfer.state,
    })
  const isSame = transfer.asset === payout.asset && transfer.amount === payout.amount
  if (transfer.amount !== null && transfer.state !== 'failed' && !isSame)
    differences.push({
      kind: 'amount_differs',
      name,
      inBooks: showAmount(payout),
      atRail: showAmount(transfer),
    })
  return [...differences, ...compareLevy(payout, transfer)]
}

/** What the rail debited must be the levy in the books, if an operator says that it debits it. */
function compareLevy(payout: Booked, { state, levy: shown }: RailTransfer): Difference[] {
  if (state !== 'completed' || shown === undefined) return []
  const { reference: name, levy, levyDebits } = payout
  const debited = shown ?? 0n
  const expected = levyDebits === 'with_transfer' ? levy : 0n
  if (debited === expected) return []
  const [inBooks, atRail] = [levy, debited].map((amount) => formatMoney(amount, 'NGN'))
  return [
    {
      kind: 'levy_differs',
      name,
      inBooks: `${inBooks} levied, set as debited: ${levyDebits}`,
      atRail: `${atRail} debited; ${adviseOnLevy({ levy, debited, levyDebits })}`,
    },
  ]
}

function adviseOnLevy({
  levy,
  debited,
  levyDebits,
}: Pick<Booked, 'levy' | 'levyDebits'> & { debited: bigint }): string {
  if (debited === 0n)
    return 'set `manilla levies debits` to no or, if its balance shows the levy apart, to apart'
  if (levyDebits !== 'with_transfer')
    return 'set `manilla levies debits` to with_transfer, from when it began'
  return levy === 0n
    ? 'the transfer was exempt, or no levy was set: claim it back, or change `manilla levies set`'
    : 'compare threshold and amount with `manilla levies list`'
}

/** The operator asked the bank: `processing` in its API does not contradict that. */
function isDecidedAnyway({ state }: RailTransfer, { isDecided }: BookedAttempt): boolean {
  return state === 'processing' && isDecided === true
}

type Agreement = (status: PayoutStatus, attempt: AttemptState) => boolean

const isOpen: Agreement = (status, attempt) => status === 'SUBMITTED' && attempt === 'LIVE'

/**
 * Which states in the books agree with each state at the rail. The worst contradiction is an
 * attempt that is dead in the books and arrived: its replacement may have arrived, too.
 */
const agreements: Record<Exclude<RailTransfer['state'], 'unknown'>, Agreement> = {
  processing: isOpen,
  completed: (status, attempt) =>
    isOpen(status, attempt) || (status === 'COMPLETED' && attempt === 'LANDED'),
  landed: (status, attempt) =>
    isOpen(status, attempt) || (status !== 'FAILED' && attempt === 'LANDED'),
  // Reversed before it was seen completed: nothing moved, so it failed.
  reversed: (status, attempt) =>
    isOpen(status, attempt) ||
    (status === 'REVERSED' && attempt === 'LANDED') ||
    (status === 'FAILED' && attempt === 'FAILED'),
  // A refund can fail after it was paid; then the books have reversed it.
  failed: (status, attempt) =>
    isOpen(status, attempt) ||
    attempt === 'FAILED' ||
    attempt === 'DEAD' ||
    (status === 'REVERSED' && attempt === 'LANDED'),
}

function toNotInBooks(transfer: RailTransfer): Difference {
  const { token, memo, state } = transfer
  const words = memo === null ? '' : `, with the memo ${memo}`
  return {
    kind: 'not_in_books',
    name: token,
    inBooks: 'nothing',
    atRail: `${showAmount(transfer)} ${state}${words}`,
  }
}

function toNotAtRail(payout: Booked): Difference {
  const { reference, status } = payout
  const inBooks = `${showAmount(payout)} ${status}`
  return { kind: 'not_at_rail', name: reference, inBooks, atRail: 'nothing' }
}

/** No answer from the rail does not mean that the money did not arrive. */
function toNotCompared(payout: Booked): Difference {
  const { reference, status } = payout
  const inBooks = `${showAmount(payout)} ${status}`
  const atRail = 'not available right now; compare again later'
  return { kind: 'not_compared', name: reference, inBooks, atRail }
}

function showAmount({ asset, amount }: { asset: Asset; amount: bigint | null }): string {
  return amount === null ? `some ${asset}` : formatMoney(amount, asset)
}
