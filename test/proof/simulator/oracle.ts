import type { SimulatedBank } from './bank.js'
import type { BookedPayout, Books } from './books.js'
import { needsTokenAccount, type SimulatedChain } from './chain.js'
import type { Draws } from './draws.js'
import { ExpectedEvents } from './expected-events.js'
import { comparePayments } from './expected-payments.js'
import type { Merchant } from './merchant.js'
import { fees, readAmount } from './money.js'
import type { Receiver } from './receiver.js'
import type { Violations } from './violations.js'
import type { VirtualTime } from './virtual-time.js'

export type ToldAccount = {
  merchant: Merchant
  kind: 'virtual_account' | 'dedicated_account' | 'crypto_wallet' | 'dedicated_crypto_wallet'
  reference: string
  /** Account number or address. */
  number: string
  /** Null: any coin. */
  asset: string | null
  /** Null: any amount. */
  amount: bigint | null
  expiresAt: Date | null
  /** Of the checkout session to which it belongs. */
  session?: string
  /** When the merchant was told that it is cancelled or deactivated. */
  endedAt?: Date
}

type PayoutKind = 'bank_transfer' | 'crypto_transfer'

/** A payout as the API acknowledged it to its merchant. */
type ToldPayout = {
  merchant: Merchant
  amount: bigint
  fee: bigint
  /** It waits for an approval. */
  isPending: boolean
  decision?: 'approve' | 'reject'
  /** The asset that was converted for it. */
  paidWith: string | undefined
}

type BatchItem = { merchantReference: string; amount: bigint }

export type ToldBatch = {
  merchant: Merchant
  reference: string
  retryOf: string | null
  items: BatchItem[]
  change?: 'submit' | 'cancel'
}

/** The parsed bodies of answers are unchecked. */
type Shown = ReturnType<typeof JSON.parse>

type OracleDependencies = {
  bank: SimulatedBank
  chain: SimulatedChain
  receiver: Receiver
  violations: Violations
  time: VirtualTime
}

/**
 * What merchants were told and what bank and chain did. From both follows what the books of the
 * service must contain; it computes that in its own way, without the code of the service.
 */
export class Oracle {
  readonly merchants: Merchant[] = []
  readonly accounts = new Map<string, ToldAccount>()
  readonly sessions = new Map<string, Merchant>()
  /** Actions on a payment by its reference. */
  readonly resolutions = new Map<string, ('accept' | 'return')[]>()
  readonly refunds = new Map<string, { reference: string; amount: bigint }[]>()
  readonly #fundings: { merchant: Merchant; asset: string; amount: bigint }[] = []
  readonly #payouts = new Map<string, ToldPayout>()
  readonly #conversions = new Map<string, Shown>()
  readonly #batches = new Map<string, ToldBatch>()
  readonly #settlements = new Map<string, Merchant>()
  readonly #dependencies: OracleDependencies

  constructor(dependencies: OracleDependencies) {
    this.#dependencies = dependencies
  }

  noteFunding(merchant: Merchant, asset: string, amount: bigint): void {
    this.#fundings.push({ merchant, asset, amount })
  }

  notePayout(
    merchant: Merchant,
    kind: PayoutKind,
    shown: Shown,
    { paidWith }: { paidWith: string | undefined },
  ): void {
    const { reference } = shown
    const [amount, fee] = [readAmount(shown.amount), readAmount(shown.fee)]
    const { violations } = this.#dependencies
    if (this.#payouts.has(reference)) violations.report(`api: ${reference} answered two requests`)
    violations.expectEqual(
      `fee of ${reference}`,
      feeOf(kind, amount, shown.destinationAddress),
      fee,
    )
    const isPending = shown.status === 'PENDING'
    this.#payouts.set(reference, { merchant, amount, fee, isPending, paidWith })
  }

  noteDecision(reference: string, decision: 'approve' | 'reject'): void {
    const payout = this.#payouts.get(reference)
    if (!payout) return
    if (payout.decision)
      this.#dependencies.violations.report(`api: two decisions about ${reference} were accepted`)
    payout.decision = decision
  }

  noteAccount(account: ToldAccount): void {
    if (this.accounts.has(account.reference))
      this.#dependencies.violations.report(`api: ${account.reference} answered two requests`)
    this.accounts.set(account.reference, account)
  }

  noteSession(merchant: Merchant, reference: string): void {
    this.sessions.set(reference, merchant)
  }

  /** Of a session, both accounts end. */
  noteEnd(ended: ToldAccount, at: Date): void {
    for (const account of this.accounts.values())
      if (account === ended || (ended.session && account.session === ended.session))
        account.endedAt ??= at
  }

  noteResolution(payment: string, action: 'accept' | 'return'): void {
    this.resolutions.set(payment, [...(this.resolutions.get(payment) ?? []), action])
  }

  noteRefund(payment: string, { reference, amount }: Shown): void {
    const refund = { reference, amount: readAmount(amount) }
    this.refunds.set(payment, [...(this.refunds.get(payment) ?? []), refund])
  }

  noteConversion({ environmentId }: Merchant, shown: Shown): void {
    this.#conversions.set(shown.reference, { ...shown, environmentId })
  }

  noteBatch(
    merchant: Merchant,
    reference: string,
    { retryOf, items }: Pick<ToldBatch, 'retryOf' | 'items'>,
  ): void {
    this.#batches.set(reference, { merchant, reference, retryOf, items })
  }

  noteBatchChange(reference: string, change: 'submit' | 'cancel'): void {
    this.#batches.get(reference)!.change ??= change
  }

  noteSettlement(merchant: Merchant, { reference }: Shown): void {
    this.#settlements.set(reference, merchant)
  }

  /** Prefers recent accounts: old ones have expired. */
  pickAccount(
    draws: Draws,
    kinds: ToldAccount['kind'][],
    merchant?: Merchant,
  ): ToldAccount | undefined {
    const fitting = [...this.accounts.values()].filter(
      (account) => kinds.includes(account.kind) && (!merchant || account.merchant === merchant),
    )
    const recent = fitting.slice(-60)
    return recent.length > 0 ? draws.pick(recent) : undefined
  }

  pickBatch(draws: Draws, merchant: Merchant): ToldBatch | undefined {
    const own = [...this.#batches.values()].filter((batch) => batch.merchant === merchant)
    return own.length > 0 ? draws.pick(own.slice(-6)) : undefined
  }

  pickPending(draws: Draws, merchant: Merchant): string | undefined {
    const pending = [...this.#payouts]
      .filter(([, payout]) => payout.merchant === merchant && payout.isPending && !payout.decision)
      .map(([reference]) => reference)
    return pending.length > 0 ? draws.pick(pending.slice(-10)) : undefined
  }

  /** Everything must have come to rest. */
  compare(books: Books): void {
    const { violations, receiver } = this.#dependencies
    const purse = new Purse()
    const events = new ExpectedEvents()
    for (const { merchant, asset, amount } of this.#fundings)
      purse.add(merchant.environmentId, asset, amount)
    this.#comparePayouts(books, purse, events)
    this.#compareConversions(books, purse, events)
    this.#compareBatches(books, events)
    comparePayments({ ...this.#dependencies, oracle: this, books, purse, events })
    for (const { environmentId, asset, available, held } of books.balances) {
      const name = `${environmentId} ${asset}`
      violations.expectEqual(`available of ${name}`, purse.take(name), available)
      violations.expectEqual(`held of ${name}`, 0n, held)
    }
    for (const [name, amount] of purse.rest())
      violations.expectEqual(`available of ${name}`, amount, 0n)
    events.compare(this.merchants, receiver, violations)
  }

  #comparePayouts(books: Books, purse: Purse, events: ExpectedEvents): void {
    const { bank, chain, violations } = this.#dependencies
    const transfers = books.payouts.filter(({ kind }) => !kind.endsWith('_return'))
    const byReference = new Map(books.payouts.map((payout) => [payout.reference, payout]))
    const settlements = new Map(books.settlements.map((row) => [row.payout, row.reference]))
    this.#compareSettlements(books)
    for (const reference of this.#payouts.keys())
      if (!byReference.has(reference))
        violations.report(`${reference} was acknowledged and does not exist`)
    for (const payout of transfers) {
      const { reference, environmentId, asset, amount, fee } = payout
      const told = this.#payouts.get(reference)
      const settlement = settlements.get(reference)
      if (told)
        violations.expectEqual(
          `books of ${reference}`,
          { amount: told.amount, fee: told.fee, environmentId: told.merchant.environmentId },
          { amount, fee, environmentId },
        )
      else if (!payout.batch && !settlement)
        violations.report(`${reference} exists and was not acknowledged`)
      const expected = this.statusAtRail(reference)
      violations.expectEqual(`status of ${reference}`, expected ?? 'FAILED', payout.status)
      if (!expected) this.#compareUnsent(payout, told)
      if (expected === 'COMPLETED') purse.add(environmentId, asset, -amount - fee)
      events.expectPayout(payout, settlement)
    }
    for (const [reference, { amount }] of [...bank.transfers, ...chain.payouts])
      violations.expectEqual(
        `amount of ${reference} at the rail`,
        byReference.get(reference)?.amount,
        amount,
      )
  }

  /** Each was asked for, or is due by the schedule of its merchant. */
  #compareSettlements({ settlements }: Books): void {
    const { violations } = this.#dependencies
    const scheduled = new Set(
      this.merchants.filter(({ hasSchedule }) => hasSchedule).map((each) => each.environmentId),
    )
    const booked = new Set(settlements.map(({ reference }) => reference))
    for (const { reference, environmentId, isScheduled } of settlements) {
      const isDue = isScheduled && scheduled.has(environmentId)
      if (!isDue && !this.#settlements.has(reference))
        violations.report(`${reference} exists and was not acknowledged`)
    }
    for (const reference of this.#settlements.keys())
      if (!booked.has(reference))
        violations.report(`${reference} was acknowledged and does not exist`)
  }

  /** Undefined: neither bank nor chain ever executed or refused it. */
  statusAtRail(reference: string): 'COMPLETED' | 'FAILED' | 'REVERSED' | undefined {
    const { bank, chain } = this.#dependencies
    if (chain.payouts.has(reference)) return 'COMPLETED'
    if (chain.failedPayouts.has(reference)) return 'FAILED'
    const transfer = bank.transfers.get(reference)
    if (!transfer) return undefined
    const state = bank.stateOf(transfer)
    return state === 'processing'
      ? undefined
      : (upper[state] as 'COMPLETED' | 'FAILED' | 'REVERSED')
  }

  /** A payout that no rail executed has failed for a reason that allows it. */
  #compareUnsent({ reference, kind, failureReason }: BookedPayout, told?: ToldPayout): void {
    const { violations } = this.#dependencies
    const allowed = told?.isPending
      ? told.decision === 'reject'
        ? ['approval_rejected']
        : told.decision === 'approve'
          ? []
          : ['approval_expired']
      : []
    if (kind === 'crypto_transfer' && told?.decision !== 'reject') allowed.push('expired')
    if (!allowed.includes(failureReason ?? ''))
      violations.report(`${reference} was never executed; it failed with ${failureReason}`)
  }

  #compareConversions({ conversions }: Books, purse: Purse, events: ExpectedEvents): void {
    const { violations } = this.#dependencies
    const booked = new Map(conversions.map((conversion) => [conversion.reference, conversion]))
    for (const [reference, shown] of this.#conversions) {
      const conversion = booked.get(reference)
      violations.expectEqual(
        `books of ${reference}`,
        {
          environmentId: shown.environmentId,
          sourceAmount: readAmount(shown.sourceAmount),
          targetAmount: readAmount(shown.targetAmount),
          fee: readAmount(shown.fee),
        },
        conversion && {
          environmentId: conversion.environmentId,
          sourceAmount: conversion.sourceAmount,
          targetAmount: conversion.targetAmount,
          fee: conversion.fee,
        },
      )
    }
    const paid = new Set<string>()
    for (const { reference, payout, environmentId, ...conversion } of conversions) {
      const { source, target, sourceAmount, targetAmount, fee } = conversion
      const told = payout ? this.#payouts.get(payout) : undefined
      if (payout && (told?.paidWith !== source || paid.has(payout)))
        violations.report(`${reference} converts for ${payout}, which did not ask for it`)
      if (told)
        violations.expectEqual(`target of ${reference}`, told.amount + told.fee, targetAmount)
      if (payout) paid.add(payout)
      else if (!this.#conversions.has(reference))
        violations.report(`${reference} exists and was not acknowledged`)
      violations.expectEqual(`fee of ${reference}`, fees.conversion(sourceAmount), fee)
      purse.add(environmentId, source, -sourceAmount)
      purse.add(environmentId, target, targetAmount)
      events.expect(environmentId, 'conversion.completed', reference)
    }
    for (const [reference, { paidWith }] of this.#payouts)
      if (paidWith && !paid.has(reference))
        violations.report(`${reference} was to be paid with ${paidWith}; nothing was converted`)
  }

  /** Each item of a submitted batch is paid at most once; of any other batch, none is. */
  #compareBatches({ batches, payouts }: Books, events: ExpectedEvents): void {
    const { violations } = this.#dependencies
    const status = new Map(batches.map((batch) => [batch.reference, batch.status]))
    const byBatch = new Map<string, BookedPayout[]>()
    for (const payout of payouts)
      if (payout.batch) byBatch.set(payout.batch, [...(byBatch.get(payout.batch) ?? []), payout])
    for (const { reference, merchant, items, change, retryOf } of this.#batches.values()) {
      const paid = byBatch.get(reference) ?? []
      const names = paid.map(itemOf)
      if (new Set(names).size !== names.length)
        violations.report(`${reference} paid an item twice: ${names}`)
      for (const payout of paid) {
        const { amount, environmentId } = payout
        const item = items.find((known) => known.merchantReference === itemOf(payout))
        violations.expectEqual(
          `item ${itemOf(payout)} of ${reference}`,
          { amount: item?.amount, environmentId: merchant.environmentId },
          { amount, environmentId },
        )
      }
      if (change !== 'submit' && paid.length > 0)
        violations.report(`${reference} was not submitted and paid ${paid.length} items`)
      const ended = status.get(reference)
      if (ended === undefined) violations.report(`${reference} was acknowledged and does not exist`)
      const isEnded = ['COMPLETED', 'REJECTED', 'EXPIRED'].includes(ended ?? '')
      if (change === 'submit' && !isEnded) violations.report(`${reference} stays ${ended}`)
      if (change === 'cancel') violations.expectEqual(`status of ${reference}`, 'CANCELLED', ended)
      if (ended === 'COMPLETED') events.expect(merchant.environmentId, 'batch.completed', reference)
      if (retryOf) this.#compareRetry(reference, paid, byBatch.get(retryOf) ?? [])
    }
    for (const { reference } of batches)
      if (!this.#batches.has(reference))
        violations.report(`${reference} exists and was not acknowledged`)
  }

  /** A retry pays only what the batch before it has not paid. */
  #compareRetry(reference: string, paid: BookedPayout[], before: BookedPayout[]): void {
    const successful = new Set(before.filter(({ status }) => status === 'COMPLETED').map(itemOf))
    for (const payout of paid)
      if (successful.has(itemOf(payout)))
        this.#dependencies.violations.report(
          `${reference} paid ${itemOf(payout)} again, which had been paid`,
        )
  }
}

/** The merchant's name of an item, to which retries add a number. */
function itemOf({ merchantReference }: BookedPayout): string {
  return (merchantReference ?? '').replace(/\.retry\d+$/, '')
}

const upper = { completed: 'COMPLETED', failed: 'FAILED', reversed: 'REVERSED' } as const

function feeOf(kind: PayoutKind, amount: bigint, address?: string): bigint {
  return kind === 'bank_transfer'
    ? fees.bankPayout(amount)
    : fees.cryptoPayout(needsTokenAccount(address!))
}

/** Expected balances by environment and asset. */
export class Purse {
  readonly #amounts = new Map<string, bigint>()

  add(environmentId: number, asset: string, amount: bigint): void {
    const name = `${environmentId} ${asset}`
    this.#amounts.set(name, (this.#amounts.get(name) ?? 0n) + amount)
  }

  /** Returns an amount once. */
  take(name: string): bigint {
    const amount = this.#amounts.get(name) ?? 0n
    this.#amounts.delete(name)
    return amount
  }

  rest(): Iterable<[string, bigint]> {
    return this.#amounts
  }
}
