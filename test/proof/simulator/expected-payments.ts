import type { SimulatedBank } from './bank.js'
import type { BookedPayment, BookedReturn, Books } from './books.js'
import type { SimulatedChain } from './chain.js'
import type { ExpectedEvents } from './expected-events.js'
import { netOfSplit, type SellerPurse } from './expected-splits.js'
import { bankRecipient, type ExpectedTransfers } from './expected-transfers.js'
import { groupBy, sumOf } from './group-by.js'
import type { Policies } from './merchant.js'
import { fees } from './money.js'
import type { Oracle, Purse, ToldAccount } from './oracle.js'
import type { Violations } from './violations.js'
import type { VirtualTime } from './virtual-time.js'

type Comparison = {
  oracle: Oracle
  bank: SimulatedBank
  chain: SimulatedChain
  violations: Violations
  time: VirtualTime
  books: Books
  purse: Purse
  sellers: SellerPurse
  events: ExpectedEvents
  transfers: ExpectedTransfers
  /** Adds what is held of payments. */
  held: Purse
}

/** A payment as the bank or chain received it. */
type Arrived = {
  id: string
  number: string
  asset: string
  amount: bigint
  receivedAt: Date
  /** The bank account to which it can be sent back; null for coins. */
  sender: string | null
}

/** Every payment is booked once, and its money is where the rules say. */
export function comparePayments(comparison: Comparison): void {
  const { books, violations } = comparison
  const arrived = new Map(listArrived(comparison).map((payment) => [payment.id, payment]))
  const booked = new Map<string, BookedPayment>()
  for (const payment of books.payments) {
    if (booked.has(payment.railId)) violations.report(`${payment.railId} was booked twice`)
    booked.set(payment.railId, payment)
    if (!arrived.has(payment.railId))
      violations.report(`${payment.reference} is booked and never arrived`)
  }
  const byAccount = groupBy(books.payments, ({ accountReference }) => accountReference)
  const returns = groupBy(books.returns, ({ payment }) => payment)
  const byNumber = new Map(
    [...comparison.oracle.accounts.values()].map((told) => [told.number, told]),
  )
  for (const payment of arrived.values()) {
    const account = byNumber.get(payment.number)!
    const row = booked.get(payment.id)
    if (!row) violations.report(`${payment.id} arrived at ${account.reference} and is not booked`)
    else {
      const { amountHeld } = comparePayment(comparison, {
        account,
        arrived: payment,
        booked: row,
        siblings: byAccount.get(account.reference) ?? [],
        returns: returns.get(row.reference) ?? [],
      })
      comparison.held.add(account.merchant.environmentId, row.asset, amountHeld)
    }
  }
  compareAccounts(comparison, byAccount)
}

function listArrived({ bank, chain }: Comparison): Arrived[] {
  const atBank = [...bank.payments.values()].map((payment) => ({
    id: payment.id,
    number: payment.railAccount,
    asset: 'NGN',
    amount: payment.amount,
    receivedAt: payment.receivedAt,
    sender: bankRecipient(payment.sender),
  }))
  const onChain = [...chain.deposits.values()].map(({ wallet, ...deposit }) => ({
    ...deposit,
    number: wallet,
    sender: null,
  }))
  return [...atBank, ...onChain]
}

type Case = {
  account: ToldAccount
  arrived: Arrived
  booked: BookedPayment
  /** All payments to the account. */
  siblings: BookedPayment[]
  returns: BookedReturn[]
}

/** Returns what must be held of it. */
function comparePayment(comparison: Comparison, given: Case): { amountHeld: bigint } {
  const { violations, purse, sellers, events } = comparison
  const { account, arrived, booked } = given
  const { environmentId } = account.merchant
  const { reference, asset } = booked
  violations.expectEqual(
    `books of ${reference}`,
    { amount: arrived.amount, asset: arrived.asset, account: account.reference },
    { amount: booked.amount, asset, account: booked.accountReference },
  )
  const variances = allowedVariances(comparison, given)
  if (!variances.includes(booked.variance))
    violations.report(`${reference} is ${booked.variance}, not ${variances}`)
  const initial = split(given)
  compareReturns(comparison, given, initial.held + initial.returning)
  const { fee, ...amounts } = amountsAtEnd(comparison, given)
  violations.expectEqual(
    `amounts of ${reference}`,
    { ...amounts, fee },
    {
      amountAccepted: booked.amountAccepted,
      amountHeld: booked.amountHeld,
      amountReturning: booked.amountReturning,
      amountReturned: booked.amountReturned,
      fee: booked.fee,
    },
  )
  if (initial.held > 0n) events.expect(environmentId, 'payment.held', reference)
  const accepted = amounts.amountAccepted
  const shared = account.split ? netOfSplit(account.split, { accepted, fee }) : 0n
  if (account.split) sellers.add(account.split.seller, shared)
  purse.add(environmentId, asset, accepted - fee - shared)
  return amounts
}

/**
 * What was not accepted at first moves as a whole: it is held, on its way back or returned, and the
 * merchant can accept it while it is held. Refunds take from what was accepted.
 */
function amountsAtEnd({ oracle, violations }: Comparison, given: Case) {
  const { account, arrived, booked, returns } = given
  const initial = split(given)
  const open = initial.held + initial.returning
  const actions = oracle.resolutions.get(booked.reference) ?? []
  const accepts = actions.filter(({ action }) => action === 'accept').length
  const completed = returns.filter(
    ({ reference }) => oracle.statusAtRail(reference) === 'COMPLETED',
  )
  const returnedWhole = completed.filter(({ isRefund }) => !isRefund).length
  if (accepts + returnedWhole > 1)
    violations.report(
      `${booked.reference} was accepted ${accepts} times and returned ${returnedWhole} times`,
    )
  const refunds = oracle.refunds.get(booked.reference) ?? []
  const refunded = sumOf(
    refunds.filter(({ reference }) => oracle.statusAtRail(reference) === 'COMPLETED'),
    ({ amount }) => amount,
  )
  const initialFee = capped(fees.collection(account.kind, initial.accepted), initial.accepted)
  const missingFee = fees.collection(account.kind, arrived.amount) - initialFee
  const laterFee = accepts > 0 && missingFee > 0n ? capped(missingFee, open) : 0n
  return {
    amountAccepted: initial.accepted + (accepts > 0 ? open : 0n) - refunded,
    amountHeld: accepts + returnedWhole > 0 ? 0n : open,
    amountReturning: 0n,
    amountReturned: refunded + (returnedWhole > 0 ? open : 0n),
    fee: initialFee + laterFee,
  }
}

/** Every return and refund was asked for, or follows from the policy, and goes where it should. */
function compareReturns(comparison: Comparison, given: Case, open: bigint): void {
  const { violations, events, oracle, transfers } = comparison
  const { account, arrived, booked, returns } = given
  const { environmentId } = account.merchant
  const { reference, asset } = booked
  const refunds = oracle.refunds.get(reference) ?? []
  const asked = (oracle.resolutions.get(reference) ?? []).filter(
    ({ action }) => action === 'return',
  )
  violations.expectEqual(
    `returns of ${reference}`,
    asked.length + (split(given).returning > 0n ? 1 : 0),
    returns.filter(({ isRefund }) => !isRefund).length,
  )
  violations.expectEqual(
    `refunds of ${reference}`,
    refunds.map((refund) => `${refund.reference} ${refund.amount}`).sort(),
    returns
      .filter(({ isRefund }) => isRefund)
      .map((refund) => `${refund.reference} ${refund.amount}`)
      .sort(),
  )
  for (const row of returns) {
    const refund = refunds.find((known) => known.reference === row.reference)
    const addresses = refund ? [refund.address] : asked.map(({ address }) => address)
    const amount = refund?.amount ?? open
    violations.expectEqual(`amount of ${row.reference}`, amount, row.amount)
    transfers.expect(row.reference, {
      asset,
      amount,
      recipients: arrived.sender ? [arrived.sender] : addresses.map((address) => address ?? ''),
    })
    const atRail = oracle.statusAtRail(row.reference)
    violations.expectEqual(`state of ${row.reference}`, stateAfter(atRail), row.state)
    const hasArrived = atRail === 'COMPLETED' || atRail === 'REVERSED'
    events.expect(environmentId, 'payment.returning', reference)
    if (hasArrived)
      events.expect(
        environmentId,
        row.isRefund ? 'payment.refunded' : 'payment.returned',
        reference,
      )
    if (atRail !== 'COMPLETED')
      events.expect(
        environmentId,
        row.isRefund ? 'payment.refund_failed' : 'payment.held',
        reference,
      )
  }
}

function capped(amount: bigint, most: bigint): bigint {
  return amount < most ? amount : most
}

function stateAfter(status: 'COMPLETED' | 'FAILED' | 'REVERSED' | undefined): string {
  if (status === 'COMPLETED') return 'RETURNED'
  return status === 'REVERSED' ? 'REVERSED' : 'FAILED'
}

/** The order in which payments to one account were judged is not known outside. */
function allowedVariances({ oracle }: Comparison, given: Case): BookedPayment['variance'][] {
  const { account, arrived, booked, siblings } = given
  const { amount, expiresAt, endedAt, session } = account
  if (amount === null)
    return endedAt && arrived.receivedAt >= endedAt
      ? ['LATE']
      : endedAt
        ? ['NONE', 'LATE']
        : ['NONE']
  // The payment that paid the account is not a duplicate itself.
  const wasPaidBefore = siblings.some(
    (other) =>
      other !== booked &&
      other.variance !== 'DUPLICATE' &&
      (split({ account, booked: other }).accepted > 0n || hasAccepted(oracle, other)),
  )
  const duplicate: BookedPayment['variance'][] = wasPaidBefore ? ['DUPLICATE'] : []
  if (arrived.receivedAt >= expiresAt!) return ['LATE', ...duplicate]
  const inTime: BookedPayment['variance'] =
    arrived.amount < amount ? 'UNDERPAID' : arrived.amount > amount ? 'OVERPAID' : 'NONE'
  const hasCounterpart =
    session !== undefined &&
    [...oracle.accounts.values()].filter((other) => other.session === session).length > 1
  const mayBeCancelled = endedAt !== undefined || hasCounterpart
  if (endedAt && arrived.receivedAt > endedAt) return ['LATE', ...duplicate]
  return [inTime, ...duplicate, ...(mayBeCancelled ? (['LATE'] as const) : [])]
}

/** Where the money of a payment goes at first. */
function split({ account, booked }: Pick<Case, 'account' | 'booked'>) {
  const { amount, variance } = booked
  const policy = policyOf(account)
  const all = (action: string, part: bigint) => ({
    accepted: action === 'accept' ? part : 0n,
    held: action === 'hold' ? part : 0n,
    returning: action === 'return' ? part : 0n,
  })
  if (variance === 'NONE') return all('accept', amount)
  if (account.amount === null) return all('hold', amount)
  if (variance !== 'OVERPAID') return all(policy[actionNames[variance]], amount)
  const excess = all(policy.overpayment, amount - account.amount)
  return { ...excess, accepted: excess.accepted + account.amount }
}

const actionNames = {
  UNDERPAID: 'underpayment',
  LATE: 'latePayment',
  DUPLICATE: 'duplicatePayment',
} as const

function policyOf({ merchant, kind }: ToldAccount): Policies['bank'] {
  return kind === 'virtual_account' ? merchant.policies.bank : merchant.policies.crypto
}

function hasAccepted(oracle: Oracle, { reference }: BookedPayment): boolean {
  const actions = oracle.resolutions.get(reference) ?? []
  return actions.some(({ action }) => action === 'accept')
}

function compareAccounts(
  { oracle, books, events, violations, time }: Comparison,
  byAccount: Map<string, BookedPayment[]>,
): void {
  const status = new Map(books.accounts.map((account) => [account.reference, account.status]))
  for (const { reference } of books.accounts)
    if (!oracle.accounts.has(reference))
      violations.report(`${reference} exists and was not acknowledged`)
  for (const account of oracle.accounts.values()) {
    const { reference, kind, merchant, expiresAt, endedAt } = account
    const { environmentId } = merchant
    const payments = byAccount.get(reference) ?? []
    const actual = status.get(reference)
    if (account.amount === null) {
      events.expect(environmentId, `${kind}.created`, reference)
      if (endedAt) events.expect(environmentId, `${kind}.deactivated`, reference)
      for (const payment of payments) {
        const isCredited = payment.variance === 'NONE'
        if (isCredited || hasAccepted(oracle, payment))
          events.expect(environmentId, `${kind}.credited`, reference)
      }
      violations.expectEqual(`status of ${reference}`, endedAt ? 'INACTIVE' : 'ACTIVE', actual)
      continue
    }
    for (const { variance } of payments)
      if (variance !== 'NONE')
        events.expect(environmentId, `${kind}.${varianceEvents[variance]}`, reference)
    // The first accepted payment pays the account; every later one is a duplicate.
    const paying = payments.filter(
      (booked) =>
        booked.variance !== 'DUPLICATE' &&
        booked.variance !== 'LATE' &&
        split({ account, booked }).accepted > 0n,
    )
    if (paying.length > 1)
      violations.report(`${reference} was paid by ${paying.map((payment) => payment.reference)}`)
    const isExpired = expiresAt!.getTime() <= time.nowMs
    const allowed = [
      ...(payments.some(({ variance }) => variance === 'NONE' || variance === 'OVERPAID')
        ? ['PAID']
        : payments.length > 0
          ? ['PAID', 'CANCELLED', isExpired ? 'EXPIRED' : 'ACTIVE']
          : account.session
            ? ['CANCELLED', isExpired ? 'EXPIRED' : 'ACTIVE']
            : endedAt
              ? ['CANCELLED']
              : [isExpired ? 'EXPIRED' : 'ACTIVE']),
    ]
    if (!allowed.includes(actual ?? ''))
      violations.report(`${reference} is ${actual}, not ${allowed}`)
    if (actual === 'PAID') events.expect(environmentId, `${kind}.paid`, reference)
    if (actual === 'EXPIRED') events.expect(environmentId, `${kind}.expired`, reference)
    if (actual === 'PAID' && isExpired) events.allow(environmentId, `${kind}.expired`, reference)
    if (actual === 'CANCELLED') events.expect(environmentId, `${kind}.cancelled`, reference)
  }
  compareSessions({ oracle, books, events, violations })
}

const varianceEvents = {
  UNDERPAID: 'underpaid',
  OVERPAID: 'overpaid',
  LATE: 'late_payment',
  DUPLICATE: 'duplicate_payment',
} as const

function compareSessions({
  oracle,
  books,
  events,
  violations,
}: Pick<Comparison, 'oracle' | 'books' | 'events' | 'violations'>): void {
  const status = new Map(books.accounts.map((account) => [account.reference, account.status]))
  const bySession = groupBy(
    [...oracle.accounts.values()].filter(({ session }) => session !== undefined),
    ({ session }) => session!,
  )
  for (const { reference, status: actual } of books.sessions) {
    const merchant = oracle.sessions.get(reference)
    if (!merchant) {
      violations.report(`${reference} exists and was not acknowledged`)
      continue
    }
    const statuses = (bySession.get(reference) ?? []).map((account) =>
      status.get(account.reference),
    )
    const isPaid = statuses.includes('PAID')
    violations.expectEqual(`whether ${reference} is paid`, isPaid, actual === 'paid')
    if (actual !== 'pending')
      events.expect(merchant.environmentId, `checkout.session.${actual}`, reference)
    if (actual === 'paid')
      events.allow(merchant.environmentId, 'checkout.session.expired', reference)
  }
}
