import { createHash, createHmac } from 'node:crypto'
import { type Outcome, Refusal } from '../../../src/base/refusal.js'
import type {
  AccountOpening,
  BankLimits,
  BankRail,
  BankSender,
  NoticeReading,
  NoticeRequest,
  OpenedAccount,
  ReportedPayment,
  StatementLine,
} from '../../../src/collections/ports.js'
import type {
  AttemptFinding,
  BankDestination,
  Inspected,
  LiveAttempt,
  PayoutInstruction,
  PreparedAttempt,
  Target,
} from '../../../src/payouts/ports.js'
import { type Draws, drawsFor } from './draws.js'
import type { Faults } from './faults.js'
import { createReach, type Life, type Reach, Unreachable } from './outside.js'
import type { Violations } from './violations.js'
import type { VirtualTime } from './virtual-time.js'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const bankCode = '058'
const bankName = 'Simulated Bank'
const signatureHeader = 'x-simulated-signature'
const linesPerPage = 500

/** Ends of transfers that the bank does not decide within seconds. */
const slowEndMs = [5 * minute, hour, 7 * hour]

export type BankTransfer = {
  /** Our reference. */
  reference: string
  instruction: string
  amount: bigint
  bankCode: string
  accountNumber: string
  refundOf: string | null
  receivedAtMs: number
  endsAtMs: number
  failureReason: string | null
  /** Null: it is never reversed. */
  reversesAtMs: number | null
}

export type BankTransferState = 'processing' | 'completed' | 'failed' | 'reversed'

type BankPayment = ReportedPayment & { sender: BankSender }

type BankAccount = { reference: string; number: string; name: string }

/** A notice that the bank will post to the API. */
export type DueNotice = { dueAtMs: number; request: NoticeRequest }

export type BankDependencies = {
  seed: number
  time: VirtualTime
  faults: Faults
  violations: Violations
}

/**
 * A bank in memory. It keeps what really happened, whatever becomes of the processes that talk to
 * it: each instruction has one effect, however often it arrives.
 */
export class SimulatedBank {
  readonly transfers = new Map<string, BankTransfer>()
  readonly payments = new Map<string, BankPayment>()
  readonly #paymentsByAccount = new Map<string, ReportedPayment[]>()
  readonly #accounts = new Map<string, BankAccount>()
  readonly #accountsByReference = new Map<string, BankAccount>()
  #notices: DueNotice[] = []
  readonly #reversed: string[] = []
  readonly #willReverse = new Set<BankTransfer>()
  readonly #dependencies: BankDependencies
  readonly #draws: Draws
  readonly #key = 'key of the simulated bank'
  silentUntilMs = 0

  constructor(dependencies: BankDependencies) {
    this.#dependencies = dependencies
    this.#draws = drawsFor(dependencies.seed, 'bank')
  }

  get isSilent(): boolean {
    return this.#nowMs < this.silentUntilMs
  }

  get #nowMs(): number {
    return this.#dependencies.time.nowMs
  }

  stateOf({ endsAtMs, failureReason, reversesAtMs }: BankTransfer): BankTransferState {
    if (this.#nowMs < endsAtMs) return 'processing'
    if (failureReason !== null) return 'failed'
    return reversesAtMs !== null && this.#nowMs >= reversesAtMs ? 'reversed' : 'completed'
  }

  /** A repeated instruction changes nothing; another one with the same reference is a breach. */
  receive({ token, wire }: Pick<LiveAttempt, 'token' | 'wire'>): void {
    const instruction = wire.toString()
    const known = this.transfers.get(token)
    if (known) {
      if (known.instruction !== instruction)
        this.#dependencies.violations.report(`bank: ${token} was sent with another content`)
      return
    }
    const { reference, amount, bankCode, accountNumber, refundOf } = JSON.parse(instruction)
    const transfer = {
      reference,
      instruction,
      amount: BigInt(amount),
      bankCode,
      accountNumber,
      refundOf,
      ...this.#plan(),
    }
    this.transfers.set(token, transfer)
    if (transfer.reversesAtMs !== null) this.#willReverse.add(transfer)
  }

  #plan() {
    const receivedAtMs = this.#nowMs
    const isSlow = this.#draws.chance(0.04)
    const takesMs = isSlow ? this.#draws.pick(slowEndMs) : this.#draws.integer(0, 20 * second)
    const endsAtMs = receivedAtMs + takesMs
    const hasFailed = this.#draws.chance(0.08)
    const isReversed = this.#draws.chance(0.04)
    return {
      receivedAtMs,
      endsAtMs,
      failureReason: hasFailed ? 'bank_declined' : null,
      reversesAtMs: isReversed && !hasFailed ? endsAtMs + this.#draws.integer(1, 3 * hour) : null,
    }
  }

  find({ token }: Pick<LiveAttempt, 'token'>): AttemptFinding {
    if (this.isSilent) return { state: 'pending' }
    const transfer = this.transfers.get(token)
    if (!transfer) return { state: 'unseen' }
    const state = this.stateOf(transfer)
    if (state === 'processing') return { state: 'pending' }
    if (state === 'failed') return { state: 'failed', reason: transfer.failureReason! }
    return { state: 'landed', sessionId: null }
  }

  findReversed(after: bigint) {
    for (const transfer of this.#willReverse) {
      if (this.#nowMs < transfer.reversesAtMs!) continue
      this.#willReverse.delete(transfer)
      this.#reversed.push(transfer.reference)
    }
    const references = this.#reversed.slice(Number(after))
    return { cursor: BigInt(this.#reversed.length), references }
  }

  statement({ from, to, after }: { from: Date; to: Date; after: string | undefined }) {
    const lines: StatementLine[] = [...this.transfers]
      .filter(([, { receivedAtMs }]) => isWithin(receivedAtMs, from, to))
      .map(([token, transfer]) => {
        const { reference, amount } = transfer
        const state = this.stateOf(transfer)
        return { id: token, token, reference, amount, levy: null, state }
      })
    const { items, next } = pageOf(lines, after)
    return { lines: items, next, unreadable: 0 }
  }

  listPayments({ from, to, after }: { from: Date; to: Date; after: string | undefined }) {
    const received = [...this.payments.values()].filter(({ receivedAt }) =>
      isWithin(receivedAt.getTime(), from, to),
    )
    const { items, next } = pageOf(received, after)
    return { payments: items, next, unreadable: 0 }
  }

  findPayments(railAccount: string): ReportedPayment[] {
    return this.#paymentsByAccount.get(railAccount) ?? []
  }

  openAccount({ reference, name }: AccountOpening): OpenedAccount {
    const number = String(3_000_000_000 + this.#accounts.size)
    const account = this.#accountsByReference.get(reference) ?? { reference, number, name }
    this.#accountsByReference.set(reference, account)
    this.#accounts.set(account.number, account)
    return {
      railAccount: account.number,
      number: account.number,
      accountName: account.name,
      bankCode,
      bankName,
      expiresAt: null,
    }
  }

  /** A payer transfers money. Notices about it may be lost, doubled, late or overtaken. */
  pay(payment: { railAccount: string; amount: bigint; sender: BankSender }): void {
    const { faults } = this.#dependencies
    const reported: BankPayment = {
      ...payment,
      id: `sp_${this.payments.size + 1}`,
      currency: 'NGN',
      bankSessionId: null,
      narration: null,
      receivedAt: new Date(this.#nowMs),
    }
    this.payments.set(reported.id, reported)
    const ofAccount = this.#paymentsByAccount.get(payment.railAccount) ?? []
    this.#paymentsByAccount.set(payment.railAccount, [...ofAccount, reported])
    if (faults.strikes('notice lost')) return
    const copies = faults.strikes('notice doubled') ? 2 : 1
    for (let copy = 0; copy < copies; copy += 1) {
      const isLate = faults.strikes('notice late')
      const delayMs = this.#draws.integer(0, isLate ? 2 * hour : 2 * second)
      this.#notices.push({ dueAtMs: this.#nowMs + delayMs, request: this.#write(reported) })
    }
  }

  takeDueNotices(): NoticeRequest[] {
    const due = this.#notices.filter(({ dueAtMs }) => dueAtMs <= this.#nowMs)
    this.#notices = this.#notices.filter(({ dueAtMs }) => dueAtMs > this.#nowMs)
    return this.#draws.shuffle(due).map(({ request }) => request)
  }

  /** Whether it has notices to send, or transfers that will change their state. */
  get isBusy(): boolean {
    if (this.#notices.length > 0 || this.#willReverse.size > 0) return true
    return [...this.transfers.values()].some(({ endsAtMs }) => endsAtMs > this.#nowMs)
  }

  /** The API did not acknowledge it. */
  sendAgain(request: NoticeRequest): void {
    const delayMs = this.#draws.integer(second, 5 * minute)
    this.#notices.push({ dueAtMs: this.#nowMs + delayMs, request })
  }

  /** Some notices contain the payment, others only its name. */
  #write({ id, amount, ...payment }: ReportedPayment): NoticeRequest {
    const isHint = createHash('sha256').update(id).digest()[0]! % 3 === 0
    const content = isHint ? { hint: id } : { payment: { ...payment, id, amount: `${amount}` } }
    const body = JSON.stringify(content)
    return { body, headers: { [signatureHeader]: this.#sign(body) } }
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#key).update(body).digest('hex')
  }

  readNotice({ body, headers }: NoticeRequest): NoticeReading {
    if (headers[signatureHeader] !== this.#sign(body)) return { kind: 'unverified' }
    const { hint, payment } = JSON.parse(body)
    if (hint) return { kind: 'hint', hint: { id: hint, about: { subject: 'payment', key: hint } } }
    const { amount, receivedAt, ...rest } = payment
    return {
      kind: 'payment',
      payment: { ...rest, amount: BigInt(amount), receivedAt: new Date(receivedAt) },
    }
  }

  /** The bank as one process reaches it. */
  connect(life: Life): BankRail {
    const { faults, time } = this.#dependencies
    return toRail(this, createReach(life, faults, time))
  }
}

function isWithin(atMs: number, from: Date, to: Date): boolean {
  return atMs >= from.getTime() && atMs < to.getTime()
}

function pageOf<Item>(items: Item[], after: string | undefined) {
  const start = Number(after ?? 0)
  const end = start + linesPerPage
  return { items: items.slice(start, end), next: end < items.length ? String(end) : null }
}

const limits: BankLimits = {
  expiryMinMs: 0,
  expiryMaxMs: 24 * hour,
  bounces: [],
  customerNeeds: [],
  closesTemporary: true,
  closesDedicated: true,
  masksSenders: false,
  refundsById: true,
  referencePattern: /^[0-9a-z_]+$/,
  isWholeNaira: false,
  collectMin: 1n,
  payoutMin: 1n,
  refundMin: 1n,
}

function toRail(bank: SimulatedBank, reach: Reach): BankRail {
  /** Refuses all, as rails do when their bank does not answer. */
  async function reachOrRefuse<Item, Result>(
    items: Item[],
    answer: (item: Item) => Outcome<Result>,
  ): Promise<Outcome<Result>[]> {
    try {
      return await reachBank(() => items.map(answer))
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      return items.map(() => unavailable())
    }
  }
  const reachBank: Reach = (effect) =>
    reach(() => {
      if (bank.isSilent) throw new Unreachable('the bank does not answer')
      return effect()
    })
  return {
    name: 'simulated-bank',
    provider: 'simulated-bank',
    takesBatches: true,
    checkAfterMs: 5 * second,
    reversalIntervalMs: second,
    limits,
    inspect: (targets: Target[]) => reachOrRefuse(targets, inspect),
    // Nothing leaves: the bytes are made by the process itself.
    prepare: async (instructions) => instructions.map(prepare),
    async send(attempts) {
      for (const attempt of attempts) await reachBank(() => bank.receive(attempt))
    },
    check: (attempts) => reach(() => attempts.map((attempt) => bank.find(attempt))),
    findReversed: (after) => reachBank(() => bank.findReversed(after)),
    statement: (period) => reachBank(() => bank.statement(period)),
    openAccounts: (openings) => reachOrRefuse(openings, (opening) => bank.openAccount(opening)),
    closeAccounts: (numbers) => reachBank(() => void numbers),
    readNotice: (request) => bank.readNotice(request),
    async confirmPayment(key) {
      try {
        const payment = await reachBank(() => bank.payments.get(key))
        return payment ? { found: 'payment', payment } : { found: 'nothing' }
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        return { found: 'unknown' }
      }
    },
    findPayments: (railAccount) => reachBank(() => bank.findPayments(railAccount)),
    listPayments: (period) => reachBank(() => bank.listPayments(period)),
    listBanks: async () => [{ code: bankCode, name: bankName }],
    resolveName: async (account) => ({ bankName, accountName: holderOf(account.accountNumber) }),
    readFloat: async () => null,
    examine: async () => [],
    stop: async () => {},
  }
}

export function holderOf(accountNumber: string): string {
  return `HOLDER ${accountNumber}`
}

function inspect({ destination }: Target): Outcome<Inspected> {
  const account = destination as BankDestination
  const accountName = account.refundOf ? account.accountName : holderOf(account.accountNumber)
  return { destination: { ...account, bankName, accountName }, extraFees: [] }
}

function prepare({ reference, amount, destination }: PayoutInstruction): Outcome<PreparedAttempt> {
  const { bankCode, accountNumber, refundOf = null } = destination as BankDestination
  const instruction = { reference, amount: `${amount}`, bankCode, accountNumber, refundOf }
  return {
    token: reference,
    wire: Buffer.from(JSON.stringify(instruction)),
    validUntil: null,
  }
}

function unavailable(): Refusal {
  return new Refusal('bank_transfer_failed', {
    reason: 'rail_unavailable',
    message: 'The simulated bank does not answer.',
  })
}
