import type { SimulatedBank } from './bank.js'
import type { BookedPayout, Books } from './books.js'
import type { Merchant } from './merchant.js'
import type { Receiver } from './receiver.js'
import type { Violations } from './violations.js'

/** A payout as the API acknowledged it to its merchant. */
export type ToldPayout = {
  merchant: Merchant
  reference: string
  kind: 'bank_transfer' | 'crypto_transfer'
  asset: string
  amount: bigint
  fee: bigint
}

type OracleDependencies = { bank: SimulatedBank; receiver: Receiver; violations: Violations }

/**
 * What merchants were told and what bank and chain did. From both follows what the books of the
 * service must contain; it computes that in its own way, without the code of the service.
 */
export class Oracle {
  readonly merchants: Merchant[] = []
  readonly #fundings: { merchant: Merchant; asset: string; amount: bigint }[] = []
  readonly #payouts = new Map<string, ToldPayout>()
  readonly #dependencies: OracleDependencies

  constructor(dependencies: OracleDependencies) {
    this.#dependencies = dependencies
  }

  noteFunding(merchant: Merchant, asset: string, amount: bigint): void {
    this.#fundings.push({ merchant, asset, amount })
  }

  notePayout(payout: ToldPayout): void {
    const { violations } = this.#dependencies
    if (this.#payouts.has(payout.reference))
      violations.report(`api: ${payout.reference} answered two requests`)
    violations.expectEqual(`fee of ${payout.reference}`, bankFee(payout.amount), payout.fee)
    this.#payouts.set(payout.reference, payout)
  }

  /** Everything must have come to rest. */
  compare(books: Books): void {
    const balances = new Map<string, bigint>()
    const add = (environmentId: number, asset: string, amount: bigint) => {
      const name = `${environmentId} ${asset}`
      balances.set(name, (balances.get(name) ?? 0n) + amount)
    }
    for (const { merchant, asset, amount } of this.#fundings)
      add(merchant.environmentId, asset, amount)
    this.#comparePayouts(books.payouts, add)
    for (const { environmentId, asset, available, held } of books.balances) {
      const name = `${environmentId} ${asset}`
      const { violations } = this.#dependencies
      violations.expectEqual(`available of ${name}`, balances.get(name) ?? 0n, available)
      violations.expectEqual(`held of ${name}`, 0n, held)
    }
    this.#compareEvents(books)
  }

  #comparePayouts(
    booked: BookedPayout[],
    add: (environmentId: number, asset: string, amount: bigint) => void,
  ): void {
    const { bank, violations } = this.#dependencies
    const byReference = new Map(booked.map((payout) => [payout.reference, payout]))
    for (const told of this.#payouts.values()) {
      const { reference, amount, fee, merchant, asset } = told
      const payout = byReference.get(reference)
      if (!payout) {
        violations.report(`${reference} was acknowledged and does not exist`)
        continue
      }
      violations.expectEqual(
        `books of ${reference}`,
        { amount, fee, environmentId: merchant.environmentId },
        { amount: payout.amount, fee: payout.fee, environmentId: payout.environmentId },
      )
      const expected = this.#statusAtBank(reference)
      violations.expectEqual(`status of ${reference}`, expected, payout.status)
      if (expected === 'COMPLETED') add(merchant.environmentId, asset, -amount - fee)
    }
    for (const { reference } of booked)
      if (!this.#payouts.has(reference))
        violations.report(`${reference} exists and was not acknowledged`)
    for (const [reference, { amount }] of bank.transfers)
      violations.expectEqual(
        `amount of ${reference} at the bank`,
        byReference.get(reference)?.amount,
        amount,
      )
  }

  #statusAtBank(reference: string): string {
    const transfer = this.#dependencies.bank.transfers.get(reference)
    return transfer ? this.#dependencies.bank.stateOf(transfer).toUpperCase() : 'NEVER SENT'
  }

  #compareEvents({ payouts }: Books): void {
    const { receiver, violations } = this.#dependencies
    const expected = new Map<string, string[]>(this.merchants.map(({ name }) => [name, []]))
    const nameOf = new Map(this.merchants.map(({ environmentId, name }) => [environmentId, name]))
    for (const { environmentId, reference, status } of payouts) {
      const types = eventsOf[status as keyof typeof eventsOf] ?? []
      expected
        .get(nameOf.get(environmentId)!)!
        .push(...types.map((type) => `bank_transfer.${type} ${reference}`))
    }
    for (const { name, webhookUrl } of this.merchants) {
      const received = receiver
        .eventsAt(webhookUrl)
        .map(({ type, reference }) => `${type} ${reference}`)
      const { missing, surplus } = compareLists(expected.get(name)!, received)
      for (const event of missing) violations.report(`event not received by ${name}: ${event}`)
      for (const event of surplus) violations.report(`event received by ${name}: ${event}`)
    }
  }
}

const eventsOf = {
  COMPLETED: ['submitted', 'completed'],
  FAILED: ['submitted', 'failed'],
  REVERSED: ['submitted', 'completed', 'reversed'],
}

/** As the default fees are documented: 10 naira up to 5,000, 25 up to 50,000, then 50. */
function bankFee(amount: bigint): bigint {
  if (amount <= 500_000n) return 1_000n
  return amount <= 5_000_000n ? 2_500n : 5_000n
}

/** As multisets. */
function compareLists(expected: string[], actual: string[]) {
  const counts = new Map<string, number>()
  for (const item of actual) counts.set(item, (counts.get(item) ?? 0) + 1)
  const missing: string[] = []
  for (const item of expected) {
    const count = counts.get(item) ?? 0
    if (count === 0) missing.push(item)
    else counts.set(item, count - 1)
  }
  const surplus = [...counts].flatMap(([item, count]) => Array<string>(count).fill(item))
  return { missing, surplus }
}
