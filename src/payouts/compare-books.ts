import { formatDecimal } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'
import type { AttemptState, PayoutStatus } from './payout.js'

/** A payout as the books know it, for comparison. */
export type Booked = {
  reference: string
  asset: Asset
  amount: bigint
  status: PayoutStatus
  attempts: BookedAttempt[]
}

export type BookedAttempt = {
  token: string
  state: AttemptState
  /** A person ended it on the word of the bank, whose machines may never say so. */
  isDecided?: boolean
}

/** What a rail says that became of one order it was given. */
export type Carried = {
  /** What names it at the rail, as in an attempt. */
  token: string
  /** What was written on it, if anything: of ours, the reference. */
  memo: string | null
  asset: Asset
  /** Null when the rail does not tell. */
  amount: bigint | null
  /**
   * Landed: it arrived, and whether it was sent back since is not told. Unknown: the rail was asked
   * and could not say.
   */
  state: 'processing' | 'completed' | 'landed' | 'failed' | 'reversed' | 'unknown'
}

export type Difference = {
  kind:
    | 'not_in_books'
    | 'not_at_rail'
    | 'amount_differs'
    | 'state_differs'
    | 'treasury_differs'
    | 'deposits_differ'
    | 'endpoints_disagree'
    | 'not_compared'
  /** A reference of ours, what names it at the rail, or an asset. */
  name: string
  inBooks: string
  atRail: string
}

type Entry = { payout: Booked; attempt: BookedAttempt }

/**
 * Every way in which books and rail contradict each other. An open payout may be on either side of
 * the rail: it may have left, and it may not.
 */
export function compareBooks(booked: Booked[], carried: Carried[]): Difference[] {
  const entries = entriesByToken(booked)
  return [
    ...carried.flatMap((order) => compareOrder(order, entries.get(order.token))),
    ...findUnseen(booked, carried).map(toNotAtRail),
  ]
}

/** What the books call arrived and the rail did not mention. */
export function findUnseen<Payout extends Booked>(booked: Payout[], carried: Carried[]): Payout[] {
  const seen = new Set(carried.map(({ token }) => token))
  return booked.filter(
    ({ status, attempts }) =>
      (status === 'COMPLETED' || status === 'REVERSED') &&
      !attempts.some(({ token }) => seen.has(token)),
  )
}

function entriesByToken(booked: Booked[]): Map<string, Entry> {
  return new Map(
    booked.flatMap((payout) =>
      payout.attempts.map((attempt): [string, Entry] => [attempt.token, { payout, attempt }]),
    ),
  )
}

/** An order whose memo is of ours but whose token is not was made by somebody else. */
function compareOrder(order: Carried, entry: Entry | undefined): Difference[] {
  if (!entry) return order.state === 'failed' ? [] : [toNotInBooks(order)]
  const { payout, attempt } = entry
  const name = payout.reference
  if (order.state === 'unknown') return [toNotCompared(payout)]
  const differences: Difference[] = []
  if (!isSettled(order, attempt) && !agreements[order.state](payout.status, attempt.state))
    differences.push({
      kind: 'state_differs',
      name,
      inBooks: `${payout.status}, the attempt ${attempt.state}`,
      atRail: order.state,
    })
  const isSame = order.asset === payout.asset && order.amount === payout.amount
  if (order.amount !== null && order.state !== 'failed' && !isSame)
    differences.push({
      kind: 'amount_differs',
      name,
      inBooks: showAmount(payout),
      atRail: showAmount(order),
    })
  return differences
}

/** What a bank still calls under way contradicts nobody who asked it; an end that differs does. */
function isSettled({ state }: Carried, { isDecided }: BookedAttempt): boolean {
  return state === 'processing' && isDecided === true
}

type Agreement = (status: PayoutStatus, attempt: AttemptState) => boolean

const isOpen: Agreement = (status, attempt) => status === 'SUBMITTED' && attempt === 'LIVE'

/**
 * What the books may say of a payout and its attempt, by what the rail says of that attempt. An
 * attempt that we called dead and that arrived is the worst of all: another one may have, too.
 */
const agreements: Record<Exclude<Carried['state'], 'unknown'>, Agreement> = {
  processing: isOpen,
  completed: (status, attempt) =>
    isOpen(status, attempt) || (status === 'COMPLETED' && attempt === 'LANDED'),
  landed: (status, attempt) =>
    isOpen(status, attempt) || (status !== 'FAILED' && attempt === 'LANDED'),
  reversed: (status, attempt) =>
    isOpen(status, attempt) || (status === 'REVERSED' && attempt === 'LANDED'),
  failed: (status, attempt) =>
    isOpen(status, attempt) || attempt === 'FAILED' || attempt === 'DEAD',
}

function toNotInBooks(order: Carried): Difference {
  const { token, memo, state } = order
  const words = memo === null ? '' : `, with the memo ${memo}`
  return {
    kind: 'not_in_books',
    name: token,
    inBooks: 'nothing',
    atRail: `${showAmount(order)} ${state}${words}`,
  }
}

function toNotAtRail(payout: Booked): Difference {
  const { reference, status } = payout
  const inBooks = `${showAmount(payout)} ${status}`
  return { kind: 'not_at_rail', name: reference, inBooks, atRail: 'nothing' }
}

/** Silence is not a no: somebody who paid must not read that nothing arrived. */
function toNotCompared(payout: Booked): Difference {
  const { reference, status } = payout
  const inBooks = `${showAmount(payout)} ${status}`
  const atRail = 'cannot be told at the moment: compare again later'
  return { kind: 'not_compared', name: reference, inBooks, atRail }
}

function showAmount({ asset, amount }: { asset: Asset; amount: bigint | null }): string {
  return amount === null ? `some ${asset}` : `${formatDecimal(amount, asset)} ${asset}`
}
