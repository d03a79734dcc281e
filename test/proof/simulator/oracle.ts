import type { SimulatedBank } from './bank.js'
import type { BookedPayout, Books } from './books.js'
import type { SimulatedChain } from './chain.js'
import type { Draws } from './draws.js'
import { compareBatches, type ToldBatch } from './expected-batches.js'
import { compareBilling, type ToldInvoice } from './expected-billing.js'
import { claimPaidBy, compareClaims, type ToldClaim } from './expected-claims.js'
import { ExpectedEvents } from './expected-events.js'
import { comparePayments } from './expected-payments.js'
import { type AskedSettlement, compareSettlements } from './expected-settlements.js'
import { advancedBy, compareSplits, SellerPurse, type ToldSplit } from './expected-splits.js'
import { bankRecipient, ExpectedTransfers } from './expected-transfers.js'
import { compareTreasury } from './expected-treasury.js'
import { sumOf } from './group-by.js'
import type { Merchant } from './merchant.js'
import {
  type Coin,
  priceOfSource,
  priceOfTarget,
  readAmount,
  toUnits,
  transferFee,
} from './money.js'
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
  split?: ToldSplit
  /** Of a customer whom the merchant invoices. */
  isCustomers?: boolean
  /** When the merchant was told that it is cancelled or deactivated. */
  endedAt?: Date
}

/** A payout as its merchant asked for it. */
type AskedPayout = {
  merchant: Merchant
  kind: 'bank_transfer' | 'crypto_transfer'
  asset: string
  amount: bigint
  /** Bank account or address. */
  recipient: string
  /** The asset that is converted for it. */
  paidWith: string | undefined
  /** The sub-account that pays; absent: the merchant. */
  from?: string
  /** Made with a key whose payouts all wait. */
  waits?: boolean
}

/** The API has acknowledged it. */
type ToldPayout = AskedPayout & {
  fee: bigint
  /** It waits for an approval. */
  isPending: boolean
  decision?: 'approve' | 'reject'
  createdAt: Date
}

type AskedConversion = {
  merchant: Merchant
  source: string
  target: string
  sourceAmount: bigint
  quotedAt: Date
}

/** Negative: back to the merchant. */
type ToldMove = { merchant: Merchant; seller: string; amount: bigint }

type ToldFunding = { merchant: Merchant; reference: string; asset: string; amount: bigint }

type Resolution = {
  action: 'accept' | 'return'
  /** Where coins are returned to. */
  address: string | undefined
}

type AskedRefund = {
  /** Undefined: all that was accepted. */
  amount: bigint | undefined
  address: string | undefined
}

type ToldRefund = { reference: string; amount: bigint; address: string | undefined }

/** How a transfer ended at the bank or on the chain. */
export type RailStatus = 'COMPLETED' | 'FAILED' | 'REVERSED'

/** The parsed bodies of answers are unchecked. */
type Shown = ReturnType<typeof JSON.parse>

type OracleDependencies = {
  bank: SimulatedBank
  chain: SimulatedChain
  receiver: Receiver
  violations: Violations
  time: VirtualTime
}

type Comparison = {
  books: Books
  purse: Purse
  sellers: SellerPurse
  events: ExpectedEvents
  transfers: ExpectedTransfers
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
  readonly resolutions = new Map<string, Resolution[]>()
  readonly refunds = new Map<string, ToldRefund[]>()
  readonly #fundings: ToldFunding[] = []
  readonly #moves: ToldMove[] = []
  readonly #payouts = new Map<string, ToldPayout>()
  readonly #conversions = new Map<string, AskedConversion>()
  readonly #batches = new Map<string, ToldBatch>()
  readonly #settlements = new Map<string, AskedSettlement>()
  readonly #invoices = new Map<string, ToldInvoice>()
  readonly #claims = new Map<string, ToldClaim>()
  readonly #dependencies: OracleDependencies

  constructor(dependencies: OracleDependencies) {
    this.#dependencies = dependencies
  }

  noteFunding(funding: ToldFunding): void {
    this.#fundings.push(funding)
  }

  noteMove(move: ToldMove): void {
    this.#moves.push(move)
  }

  notePayout(asked: AskedPayout, shown: Shown): void {
    const { merchant, kind, asset, amount, recipient } = asked
    const { reference } = shown
    const { violations } = this.#dependencies
    if (this.#payouts.has(reference)) violations.report(`api: ${reference} answered two requests`)
    const fee = transferFee(kind, amount, recipient)
    const limit = merchant.approvalLimits.get(asset)
    const isPending = asked.waits === true || (limit !== undefined && amount > limit)
    violations.expectEqual(
      `answer about ${reference}`,
      { amount, fee, recipient, isPending },
      {
        amount: readAmount(shown.amount),
        fee: readAmount(shown.fee),
        recipient: shown.destinationAddress ?? bankRecipient(shown),
        isPending: shown.status === 'PENDING',
      },
    )
    const createdAt = new Date(shown.createdAt)
    this.#payouts.set(reference, { ...asked, fee, isPending, createdAt })
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

  noteResolution(payment: string, resolution: Resolution): void {
    this.resolutions.set(payment, [...(this.resolutions.get(payment) ?? []), resolution])
  }

  noteRefund(payment: string, asked: AskedRefund, shown: Shown): void {
    const { reference } = shown
    const amount = readAmount(shown.amount)
    if (asked.amount !== undefined)
      this.#dependencies.violations.expectEqual(`amount of ${reference}`, asked.amount, amount)
    const refund = { reference, amount, address: asked.address }
    this.refunds.set(payment, [...(this.refunds.get(payment) ?? []), refund])
  }

  noteConversion(asked: AskedConversion, shown: Shown): void {
    const { reference } = shown
    const { violations } = this.#dependencies
    if (this.#conversions.has(reference))
      violations.report(`api: ${reference} answered two requests`)
    violations.expectEqual(
      `answer about ${reference}`,
      priceOfSource(asked, asked.quotedAt, asked.sourceAmount),
      {
        rate: toUnits(shown.rate),
        sourceAmount: readAmount(shown.sourceAmount),
        fee: readAmount(shown.fee),
        targetAmount: readAmount(shown.targetAmount),
      },
    )
    this.#conversions.set(reference, asked)
  }

  noteBatch(batch: Omit<ToldBatch, 'isSubmitted' | 'isCancelled'>): void {
    this.#batches.set(batch.reference, { ...batch, isSubmitted: false, isCancelled: false })
  }

  noteBatchChange(reference: string, change: 'submit' | 'cancel'): void {
    const batch = this.#batches.get(reference)!
    if (change === 'submit') batch.isSubmitted = true
    else batch.isCancelled = true
  }

  noteSettlement(asked: AskedSettlement, { reference }: Shown): void {
    if (this.#settlements.has(reference))
      this.#dependencies.violations.report(`api: ${reference} answered two requests`)
    this.#settlements.set(reference, asked)
  }

  noteInvoice(invoice: Pick<ToldInvoice, 'customer' | 'reference' | 'total'>): void {
    const { reference } = invoice
    if (this.#invoices.has(reference))
      this.#dependencies.violations.report(`api: ${reference} answered two requests`)
    this.#invoices.set(reference, { ...invoice, isFinal: false, isVoid: false, credits: [] })
  }

  noteInvoiceChange(reference: string, change: 'finalize' | 'void'): void {
    const invoice = this.#invoices.get(reference)!
    if (change === 'finalize') invoice.isFinal = true
    else invoice.isVoid = true
  }

  noteCredit(reference: string, amount: bigint): void {
    this.#invoices.get(reference)!.credits.push(amount)
  }

  noteClaim(asked: Pick<ToldClaim, 'merchant' | 'amount'>, shown: Shown): void {
    const { reference } = shown
    const { violations } = this.#dependencies
    if (this.#claims.has(reference)) violations.report(`api: ${reference} answered two requests`)
    const feeMax = readAmount(shown.feeMax)
    if (feeMax < transferFee('bank_transfer', asked.amount, ''))
      violations.report(`${reference} sets ${feeMax} aside for its fee`)
    const told = { feeMax, expiresAt: new Date(shown.expiresAt), isCancelled: false }
    this.#claims.set(reference, { ...asked, reference, ...told, recipients: [] })
  }

  /** Whether it is the account of a customer whose payments are never refunded. */
  isOrderly(accountReference: string): boolean {
    return this.merchants.some(({ customers }) =>
      customers.some(
        (customer) => customer.isOrderly && customer.accountReference === accountReference,
      ),
    )
  }

  /** A final invoice of a customer that is not orderly. */
  pickInvoice(draws: Draws, merchant: Merchant): ToldInvoice | undefined {
    const fitting = [...this.#invoices.values()].filter(({ customer, isFinal }) => {
      return isFinal && !customer.isOrderly && customer.merchant === merchant
    })
    return fitting.length > 0 ? draws.pick(fitting.slice(-10)) : undefined
  }

  pickClaim(draws: Draws, merchant: Merchant): ToldClaim | undefined {
    const own = [...this.#claims.values()].filter((claim) => claim.merchant === merchant)
    return own.length > 0 ? draws.pick(own.slice(-8)) : undefined
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
    const { violations, receiver, bank, chain } = this.#dependencies
    const purse = new Purse()
    const events = new ExpectedEvents()
    for (const { merchant, asset, amount } of this.#fundings)
      purse.add(merchant.environmentId, asset, amount)
    const sellers = new SellerPurse()
    for (const { merchant, seller, amount } of this.#moves) {
      purse.add(merchant.environmentId, 'NGN', -amount)
      sellers.add(seller, amount)
    }
    const transfers = new ExpectedTransfers()
    const held = new Purse()
    const comparison = { ...this.#dependencies, books, purse, sellers, events, transfers }
    const statusAtRail = (reference: string) => this.statusAtRail(reference)
    this.#comparePayouts(comparison)
    this.#compareConversions(comparison)
    const { merchants } = this
    compareSettlements({ ...comparison, merchants, asked: this.#settlements })
    compareBatches({ ...comparison, told: this.#batches, statusAtRail })
    comparePayments({ ...comparison, oracle: this, held })
    compareSplits({ ...comparison, merchants })
    compareBilling({ ...comparison, merchants, told: this.#invoices })
    const aside = new Purse()
    compareClaims({ ...comparison, told: this.#claims, aside, statusAtRail })
    transfers.compare(bank, chain, violations)
    const owed = (coin: Coin) => purse.totalOf(coin) + held.totalOf(coin)
    compareTreasury({ chain, fundings: this.#fundings, owed, violations })
    for (const { environmentId, asset, available, held } of books.balances) {
      const name = `${environmentId} ${asset}`
      const advanced = asset === 'NGN' ? advancedBy(books, environmentId) : 0n
      const setAside = aside.take(name)
      violations.expectEqual(
        `available of ${name}`,
        purse.take(name) - advanced - setAside,
        available,
      )
      violations.expectEqual(`held of ${name}`, setAside, held)
    }
    for (const { environmentId, asset, amount } of books.suspense) {
      const name = `${environmentId} ${asset}`
      violations.expectEqual(`suspense of ${name}`, held.take(name), amount)
    }
    for (const [name, amount] of purse.rest())
      violations.expectEqual(`available of ${name}`, amount, 0n)
    for (const [name, amount] of held.rest())
      violations.expectEqual(`suspense of ${name}`, amount, 0n)
    events.compare(this.merchants, receiver, violations)
  }

  #comparePayouts({ books, purse, sellers, events, transfers }: Comparison): void {
    const { violations } = this.#dependencies
    const booked = books.payouts.filter(({ kind }) => !kind.endsWith('_return'))
    const references = new Set(booked.map(({ reference }) => reference))
    const settlements = new Map(books.settlements.map((row) => [row.payout, row.reference]))
    for (const [reference, { asset, amount, recipient }] of this.#payouts) {
      if (!references.has(reference))
        violations.report(`${reference} was acknowledged and does not exist`)
      transfers.expect(reference, { asset, amount, recipients: [recipient] })
    }
    for (const payout of booked) {
      const { reference, environmentId, asset, amount, fee } = payout
      const told = this.#payouts.get(reference)
      const settlement = settlements.get(reference)
      if (told)
        violations.expectEqual(
          `books of ${reference}`,
          {
            asset: told.asset,
            amount: told.amount,
            fee: told.fee,
            environmentId: told.merchant.environmentId,
            seller: told.from ?? null,
          },
          { asset, amount, fee, environmentId, seller: payout.seller },
        )
      else if (!payout.batch && !settlement && !claimPaidBy(payout))
        violations.report(`${reference} exists and was not acknowledged`)
      const expected = this.statusAtRail(reference)
      violations.expectEqual(`status of ${reference}`, expected ?? 'FAILED', payout.status)
      if (!expected) this.#compareUnsent(payout, told)
      if (expected === 'COMPLETED') {
        if (payout.seller) sellers.add(payout.seller, -amount - fee)
        else purse.add(environmentId, asset, -amount - fee)
      }
      events.expectPayout(payout, settlement)
    }
  }

  /** Undefined: neither bank nor chain ever executed or refused it. */
  statusAtRail(reference: string): RailStatus | undefined {
    const { bank, chain } = this.#dependencies
    if (chain.payouts.has(reference)) return 'COMPLETED'
    if (chain.failedPayouts.has(reference)) return 'FAILED'
    const transfer = bank.transfers.get(reference)
    if (!transfer) return undefined
    const state = bank.stateOf(transfer)
    return state === 'processing' ? undefined : upper[state]
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

  #compareConversions({ books: { conversions }, purse, events }: Comparison): void {
    const { violations } = this.#dependencies
    const booked = new Set(conversions.map(({ reference }) => reference))
    for (const reference of this.#conversions.keys())
      if (!booked.has(reference))
        violations.report(`${reference} was acknowledged and does not exist`)
    const paid = new Set<string>()
    for (const { reference, payout, environmentId, ...conversion } of conversions) {
      const { source, target, rate, sourceAmount, fee, targetAmount } = conversion
      const expected = payout
        ? this.#priceFor(payout, source)
        : this.#priceAsked(this.#conversions.get(reference))
      if (!expected) violations.report(`${reference} exists and was not asked for`)
      else
        violations.expectEqual(`books of ${reference}`, expected, {
          environmentId,
          source,
          target,
          rate,
          sourceAmount,
          fee,
          targetAmount,
        })
      if (payout && paid.has(payout)) violations.report(`${payout} was paid for twice`)
      if (payout) paid.add(payout)
      purse.add(environmentId, source, -sourceAmount)
      purse.add(environmentId, target, targetAmount)
      events.expect(environmentId, 'conversion.completed', reference)
    }
    for (const [reference, { paidWith }] of this.#payouts)
      if (paidWith && !paid.has(reference))
        violations.report(`${reference} was to be paid with ${paidWith}; nothing was converted`)
  }

  #priceAsked(asked: AskedConversion | undefined) {
    if (!asked) return undefined
    const { merchant, source, target, sourceAmount, quotedAt } = asked
    const price = priceOfSource({ source, target }, quotedAt, sourceAmount)
    return { environmentId: merchant.environmentId, source, target, ...price }
  }

  /** A payout that another asset pays for buys its amount and its fee, at the rate of its time. */
  #priceFor(payout: string, source: string) {
    const told = this.#payouts.get(payout)
    if (told?.paidWith !== source) return undefined
    const { merchant, asset: target, amount, fee, createdAt } = told
    const price = priceOfTarget({ source, target }, createdAt, amount + fee)
    return { environmentId: merchant.environmentId, source, target, ...price }
  }
}

const upper = { completed: 'COMPLETED', failed: 'FAILED', reversed: 'REVERSED' } as const

/** Expected balances by environment and asset. */
export class Purse {
  readonly #amounts = new Map<string, bigint>()

  add(environmentId: number, asset: string, amount: bigint): void {
    const name = `${environmentId} ${asset}`
    this.#amounts.set(name, (this.#amounts.get(name) ?? 0n) + amount)
  }

  totalOf(asset: string): bigint {
    return sumOf(
      [...this.#amounts].filter(([name]) => name.endsWith(` ${asset}`)),
      ([, amount]) => amount,
    )
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
