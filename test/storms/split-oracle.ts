import { strict as assert } from 'node:assert'
import { groupBy } from '../proof/simulator/group-by.js'
import { type OracleLine, splitByHand, takenBackByHand } from '../subaccounts/splits/oracle.js'
import type { Answered, Journal } from './journal.js'
import { comesBack, isPendingAtEnd, type Line, type SplitTerms } from './split-site.js'

/** What a seller got of a payment. */
export type ExpectedShare = {
  payment: string
  line: number
  seller: string
  amount: bigint
  fee: bigint
  /** By refunds that arrived. */
  takenBack: bigint
  isPending: boolean
}

export type ExpectedSeller = {
  /** What it has, pending or not, less what it owes; payouts are not counted. */
  position: bigint
  /** Of shares that are released after the storm. */
  pending: bigint
}

/** What follows from what was acknowledged, and from what the bank does with each account. */
export type ExpectedSplits = {
  shares: ExpectedShare[]
  /** By reference. */
  sellers: Map<string, ExpectedSeller>
}

/**
 * Computes what sellers must have from the acknowledged requests alone: neither the books nor code
 * of the service are asked.
 */
export function expectSplits(journal: Journal): ExpectedSplits {
  const terms = termsByAccount(journal)
  const refunds = groupBy(journal.list('refund'), ({ path }) => path.split('/')[4]!)
  const closings = new Map(
    journal
      .list('closing')
      .filter(({ body }) => body.balance === 'move')
      .map((closing) => [closing.path.split('/')[3]!, placeOf(closing)]),
  )
  const isClosed = (seller: string, before: Answered) =>
    (closings.get(seller) ?? Infinity) < placeOf(before)
  const shares = journal.list('payment').flatMap((payment) => {
    const { reference } = payment.answer.kept
    const own = sharesOf(payment, terms.get(payment.body.accountNumber)!, isClosed)
    takeBack(payment, own, refunds.get(String(reference)) ?? [], isClosed)
    return own
  })
  const sellers = new Map<string, ExpectedSeller>()
  const of = (reference: string): ExpectedSeller => {
    const known = sellers.get(reference) ?? { position: 0n, pending: 0n }
    sellers.set(reference, known)
    return known
  }
  for (const { answer } of journal.list('seller', 'short seller')) of(String(answer.kept.reference))
  for (const { seller, amount, fee, takenBack, isPending } of shares) {
    const net = amount - fee
    of(seller).position += net - takenBack
    if (isPending && net > takenBack) of(seller).pending += net - takenBack
  }
  for (const { path, body } of journal.list('transfer')) {
    const own = path.split('/')[3]!
    const [from, to] = body.from ? [body.from, own] : [own, body.to]
    if (from !== 'merchant') of(from).position -= BigInt(body.amount)
    if (to !== 'merchant') of(to).position += BigInt(body.amount)
  }
  return { shares, sellers }
}

/** Whether a seller was closed before an operation was sent. */
type IsClosed = (seller: string, before: Answered) => boolean

/** Operations of one caller are numbered in their order. */
function placeOf({ key }: Answered): number {
  return Number(key.split(' ').at(-1))
}

/** The split of each account, by the version of its rule when it was opened. */
function termsByAccount(journal: Journal): Map<string, SplitTerms> {
  const versions = new Map<string, { place: number; terms: SplitTerms }[]>()
  for (const made of journal.list('split rule', 'rule version')) {
    const isFirst = made.kind === 'split rule'
    const rule = isFirst ? String(made.answer.kept.reference) : made.path.split('/')[3]!
    const known = versions.get(rule) ?? []
    versions.set(rule, [...known, { place: placeOf(made), terms: made.body }])
  }
  const opened = journal.list('virtual account', 'dedicated account')
  return new Map(
    opened.map((account) => {
      const { splits } = account.body
      const earlier = (versions.get(splits.rule) ?? []).filter(
        ({ place }) => place < placeOf(account),
      )
      const terms: SplitTerms = splits.rule ? earlier.at(-1)!.terms : splits
      return [String(account.answer.kept.accountNumber), terms]
    }),
  )
}

function sharesOf(
  payment: Answered,
  { feeBearer = 'merchant', lines }: SplitTerms,
  isClosed: IsClosed,
): ExpectedShare[] {
  const { kept } = payment.answer
  const { reference, amountAccepted, fee } = kept
  assert.equal(amountAccepted, payment.body.amount, `not accepted: ${JSON.stringify(kept)}`)
  const isGroup = ['merchant', 'subaccounts', 'all'].includes(feeBearer)
  const parties = splitByHand({
    lines: lines.map((line) => toOracleLine(line, isClosed(line.subaccount, payment))),
    bearer: isGroup ? (feeBearer as 'merchant') : { who: feeBearer },
    accepted: BigInt(amountAccepted!),
    fee: BigInt(fee!),
  })
  return lines.flatMap((line, index) => {
    const { got, bore } = parties[index]!
    if (got === bore) return []
    return {
      payment: String(reference),
      line: index,
      seller: line.subaccount,
      amount: got,
      fee: bore,
      takenBack: 0n,
      isPending: isPendingAtEnd(line),
    }
  })
}

function toOracleLine(line: Line, isClosed: boolean): OracleLine {
  const { subaccount: who, flat, percent, min, max } = line
  if (isClosed) return { who, takes: { flat: 0n } }
  if (line.remainder) return { who, takes: 'rest' }
  const takes =
    flat === undefined
      ? { hundredthsOfPercent: Math.round(Number(percent) * 100) }
      : { flat: BigInt(flat) }
  const bound = (limit: number | undefined) => (limit === undefined ? undefined : BigInt(limit))
  return { who, takes, least: bound(min), most: bound(max) }
}

/**
 * Refunds of a payment are rounded together: what they have taken of a share is its part of all that
 * was refunded. Those that the bank sends back take nothing, and none takes from a closed seller.
 */
function takeBack(
  payment: Answered,
  shares: ExpectedShare[],
  refunds: Answered[],
  isClosed: IsClosed,
): void {
  if (comesBack(payment.body.sender?.accountNumber ?? '')) return
  const accepted = BigInt(payment.body.amount)
  let refunded = 0n
  for (const refund of refunds) {
    refunded += BigInt(refund.body.amount)
    for (const share of shares)
      if (!isClosed(share.seller, refund))
        share.takenBack = takenBackByHand(share.amount, refunded, accepted)
  }
}
