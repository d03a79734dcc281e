import type { SimulatedPayment } from '../../src/collections/ports.js'
import { magicAccounts } from '../../src/simulation/sandbox-bank/magic-accounts.js'
import type { Random } from '../support/seed.js'

/** Each is a twentieth of all payments. */
export const mismatches = [
  ...(['under', 'over', 'late', 'duplicate', 'cancelled'] as const),
  ...(['unknown', 'inactive', 'foreign', 'zero'] as const),
]
export type Kind = (typeof mismatches)[number] | 'exact' | 'any_amount'

export type PlannedAccount = {
  kind: 'virtual' | 'dedicated' | 'unknown'
  /** The owning merchant. */
  shop: number
  name: string
  amount: bigint
  /** Expires during the storm, or long after it. */
  expiresInMs: number
  isEnded: boolean
  /** The answer to opening it. */
  reference: string
  number: string
  expiresAt: Date
}

export type PlannedPayment = {
  id: string
  kind: Kind
  account: PlannedAccount
  amount: bigint
  currency: string
  sender: Pick<SimulatedPayment, 'sender' | 'isSenderMasked'>
  /** Number of notices for it. */
  copies: number
}

export const shops = 3
const dedicatedPerShop = 5
const farMs = 3_600_000
const [failing, , , , , , losing] = magicAccounts.map(({ number }) => number)

/** In kobo: the smallest expected amount, and what every amount is a multiple of. */
export type AmountSteps = { min: number; step: number }

/** Payments: account, amount, currency, sender and number of notices. */
export function planPayments(
  random: Random,
  count: number,
  steps: AmountSteps = { min: 2, step: 1 },
): PlannedPayment[] {
  const accounts = new Accounts(random, steps)
  const exact: PlannedPayment[] = []
  const payments = Array.from({ length: count }, (_, index) => {
    const kind = pickKind(random)
    const paid = random.pick(exact.length > 0 ? exact : [undefined])
    const isSecond = kind === 'duplicate' && paid !== undefined
    const account = isSecond ? paid.account : accounts.of(kind)
    const payment: PlannedPayment = {
      id: `sbp_storm${index}`,
      kind: kind === 'duplicate' && !isSecond ? 'exact' : kind,
      account,
      amount: amountOf(random, kind, { expected: account.amount, step: steps.step }),
      currency: kind === 'foreign' ? 'USD' : 'NGN',
      sender: pickSender(random),
      copies: random.integer(1, 5),
    }
    if (payment.kind === 'exact') exact.push(payment)
    return payment
  })
  return payments
}

function pickKind(random: Random): Kind {
  const roll = random.integer(0, 99)
  const mismatch = mismatches[Math.floor(roll / 5)]
  return mismatch ?? (roll < 60 ? 'any_amount' : 'exact')
}

function amountOf(
  random: Random,
  kind: Kind,
  { expected, step }: { expected: bigint; step: number },
): bigint {
  if (kind === 'zero') return 0n
  const between = (min: number, max: number) => BigInt(random.integer(min, max / step) * step)
  if (kind === 'under') return between(1, Number(expected) - step)
  return kind === 'over' ? expected + between(1, 500_000) : expected
}

/** Usually a known sender; sometimes masked, sometimes one whose returns fail at first. */
function pickSender(random: Random): PlannedPayment['sender'] {
  const roll = random.integer(1, 100)
  if (roll <= 3) return { sender: null }
  if (roll <= 6) return { isSenderMasked: true }
  if (roll <= 8) return { sender: { accountNumber: failing! } }
  return roll <= 10 ? { sender: { accountNumber: losing! } } : {}
}

class Accounts {
  readonly #random: Random
  readonly #steps: AmountSteps
  readonly #dedicated: PlannedAccount[]
  readonly #inactive: PlannedAccount[]
  #count = 0

  constructor(random: Random, steps: AmountSteps) {
    this.#random = random
    this.#steps = steps
    const some = (change: Partial<PlannedAccount>) =>
      Array.from({ length: shops * dedicatedPerShop }, () =>
        this.#plan({ kind: 'dedicated', ...change }),
      )
    this.#dedicated = some({})
    this.#inactive = some({ isEnded: true })
  }

  of(kind: Kind): PlannedAccount {
    if (kind === 'any_amount') return this.#random.pick(this.#dedicated)
    if (kind === 'inactive') return this.#random.pick(this.#inactive)
    if (kind === 'unknown') return this.#plan({ kind: 'unknown' })
    const isSoon = kind === 'late' && this.#random.integer(1, 2) === 1
    const expiresInMs = isSoon ? this.#random.integer(1_000, 5_000) : farMs
    return this.#plan({ expiresInMs, isEnded: kind === 'cancelled' })
  }

  #plan(change: Partial<PlannedAccount>): PlannedAccount {
    this.#count += 1
    const { min, step } = this.#steps
    return {
      kind: 'virtual',
      shop: this.#random.integer(0, shops - 1),
      name: `s-${this.#count}`,
      amount: BigInt(this.#random.integer(min / step, 1_000_000 / step) * step),
      expiresInMs: farMs,
      isEnded: false,
      reference: '',
      number: '',
      expiresAt: new Date(0),
      ...change,
    }
  }
}
