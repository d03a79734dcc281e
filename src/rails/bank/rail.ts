import { after, type Clock } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import type {
  BankFinding,
  BankRail,
  ConfirmedPayment,
  NoticeReading,
  ReportedPayment,
  StatementLine,
} from '../../collections/ports.js'
import { formatMoney, formatWithKobo } from '../../money/amounts.js'
import type {
  AttemptFinding,
  Inspected,
  LiveAttempt,
  PayoutInstruction,
  PreparedAttempt,
  Target,
} from '../../payouts/ports.js'
import type { Database } from '../../postgres/database.js'
import { Directory, unavailable } from './directory.js'
import type { BankDriver, DriverPayment, DriverPayout } from './driver.js'
import {
  fromProviderReference,
  readInstruction,
  toBankInstruction,
  writeInstruction,
} from './instruction.js'
import { isNameMismatch } from './judge-name.js'
import { openAccount } from './open-account.js'
import { Unknown } from './provider-client.js'
import { sendInstructions } from './send-instructions.js'
import { closeRefused, findSent } from './store-instructions.js'
import { findOpenedAccounts, findReferencesByNumber, numberKey } from './store-opened-accounts.js'

const hintIdLengthMax = 500
const unreadableLoggedMax = 10

export type BankRailDependencies = {
  driver: BankDriver
  mode: Mode
  db: Database
  clock: Clock
  logger: Logger
}

/** A provider as a bank rail. Accounts are named by our reference, because numbers are reused. */
export function createBankRail(given: BankRailDependencies): BankRail {
  const { driver, mode, db, clock } = given
  const name = `${driver.provider}-${mode}`
  const dependencies = { ...given, name, logger: given.logger.child({ bank: name }) }
  const directory = new Directory(dependencies)
  return {
    name,
    provider: driver.provider,
    limits: driver.limits,
    takesBatches: false,
    reversalIntervalMs: limits.banks.reversalIntervalMs,

    openAccounts: (openings) =>
      Promise.all(openings.map((opening) => openAccount(dependencies, opening))),

    async closeAccounts(railAccounts) {
      const accounts = await findOpenedAccounts(db, name, railAccounts)
      await Promise.all([...accounts.values()].map((account) => driver.closeAccount(account)))
    },

    readNotice(request): NoticeReading {
      const read = driver.readNotice(request)
      if (read.kind !== 'hint') return read
      const { id, about } = read.hint
      // A key of an index. What such a notice reports is found by listing.
      if (id.length > hintIdLengthMax) return { kind: 'other' }
      if (about.subject !== 'payout') return read
      const reference = fromProviderReference(about.reference)
      return { kind: 'hint', hint: { id, about: { ...about, reference } } }
    },

    confirmPayment: (key) => confirmPayment(dependencies, key),

    async findPayments(railAccount) {
      const account = (await findOpenedAccounts(db, name, [railAccount])).get(railAccount)
      if (!account) return []
      const { items, unreadable } = await driver.findPayments(account).catch(refuseUnanswered)
      reportUnreadable(dependencies, unreadable)
      return toReported(dependencies, items)
    },

    async listPayments(period) {
      const { items, next, unreadable } = await driver.listPayments(period)
      reportUnreadable(dependencies, unreadable)
      return {
        payments: await toReported(dependencies, items),
        next,
        unreadable: unreadable.length,
      }
    },

    inspect: (targets) => Promise.all(targets.map((target) => inspect(driver, directory, target))),
    prepare: (instructions) =>
      Promise.all(instructions.map((instruction) => prepareInstruction(driver, instruction))),
    send: (attempts) => sendInstructions(dependencies, attempts),
    check: (attempts) => checkInstructions(dependencies, attempts),

    /** No provider lists reversals by their time, so there is no cursor. */
    async findReversed(cursor) {
      const since = after(clock.now(), -limits.banks.reversalLookbackMs)
      const tokens = await driver.listReversed(since)
      const sent = await findSent(db, { rail: name, tokens })
      return { cursor, references: [...sent].map(fromProviderReference) }
    },

    listBanks: () => directory.listBanks(),
    resolveName: (account) => directory.resolveName(account),
    statement: (period) => readStatement(dependencies, period),
    readFloat: () => driver.readFloat(),
    examine: () => examine(driver),
    stop: async () => {},
  }
}

type NamedDependencies = BankRailDependencies & { name: string }

async function confirmPayment(
  dependencies: NamedDependencies,
  key: string,
): Promise<ConfirmedPayment> {
  try {
    const payment = await dependencies.driver.fetchPayment(key)
    if (!payment || payment.state === 'open') return { found: 'unknown' }
    if (payment.state === 'other') return { found: 'nothing' }
    const [reported] = await nameAccounts(dependencies, [payment])
    if (payment.state === 'paid') return { found: 'payment', payment: reported! }
    const { railAccount, amount } = reported!
    return { found: 'rejected', railAccount, amount, reason: payment.rejection ?? '' }
  } catch (error) {
    if (error instanceof Unknown) return { found: 'unknown' }
    throw error
  }
}

/** Money may have moved that no book has: an operator must check the provider's dashboard. */
function reportUnreadable({ logger }: NamedDependencies, unreadable: string[]): void {
  if (unreadable.length > 0)
    logger.error(
      { rows: unreadable.length, why: unreadable.slice(0, unreadableLoggedMax) },
      'bank lists rows that cannot be read',
    )
}

function refuseUnanswered(error: unknown): never {
  if (!(error instanceof Unknown)) throw error
  throw new Refusal('account_action_failed', {
    reason: 'rail_unavailable',
    message: 'The bank does not answer. Nothing was changed; retry later.',
  })
}

function toReported(
  dependencies: NamedDependencies,
  payments: DriverPayment[],
): Promise<ReportedPayment[]> {
  return nameAccounts(
    dependencies,
    payments.filter(({ state }) => state === 'paid'),
  )
}

/** A payment into an account that is unknown here keeps the provider's name of it: unmatched. */
async function nameAccounts(
  { db, name, clock }: NamedDependencies,
  given: DriverPayment[],
): Promise<ReportedPayment[]> {
  const now = clock.now()
  // A time in the future cannot be believed: the payment is judged by when it was seen.
  const payments = given.map((payment) =>
    payment.receivedAt > now ? { ...payment, receivedAt: now } : payment,
  )
  const byNumber = payments.flatMap(({ account, receivedAt }) =>
    'number' in account ? [{ number: account.number, at: receivedAt }] : [],
  )
  const references = await findReferencesByNumber(db, name, byNumber)
  return payments.map((payment) => {
    const { account, receivedAt } = payment
    const railAccount =
      'reference' in account
        ? account.reference
        : (references.get(numberKey({ number: account.number, at: receivedAt })) ?? account.number)
    const { id, amount, currency, sender, bankSessionId, narration, providerFee } = payment
    return {
      id,
      railAccount,
      amount,
      currency,
      sender,
      bankSessionId,
      narration,
      receivedAt,
      ...(providerFee !== null && { providerFee }),
    }
  })
}

async function inspect(
  driver: BankDriver,
  directory: Directory,
  { amount, destination }: Target,
): Promise<Outcome<Inspected>> {
  if (destination.kind !== 'bank_account') throw new Error('banks pay to bank accounts')
  const { isWholeNaira, payoutMin, refundMin } = driver.limits
  const isRefund = destination.refundOf !== undefined
  if (isWholeNaira && !isRefund && amount % 100n !== 0n)
    return refuseAmount('must be whole naira: this bank pays no kobo')
  const amountMin = isRefund ? refundMin : payoutMin
  if (amount < amountMin)
    return refuseAmount(`must be at least ${formatWithKobo(amountMin)} at this bank`)
  if (isRefund) return { destination, extraFees: [] }
  const resolved = await directory.resolveName(destination)
  if (resolved instanceof Refusal) return resolved
  const { kind, bankCode, accountNumber, accountName, narration } = destination
  if (isNameMismatch({ sent: accountName, holder: resolved.accountName }))
    return new Refusal('bank_transfer_failed', {
      reason: 'name_mismatch',
      message: `The account belongs to ${resolved.accountName}. Correct accountName or omit it.`,
    })
  return {
    destination: { kind, bankCode, accountNumber, narration, ...resolved },
    extraFees: [],
  }
}

function refuseAmount(issue: string): Refusal {
  return new Refusal('validation_failed', {
    message: `amount ${issue}.`,
    details: [{ field: 'amount', issue }],
  })
}

async function prepareInstruction(
  driver: BankDriver,
  instruction: PayoutInstruction,
): Promise<Outcome<PreparedAttempt>> {
  const bankInstruction = toBankInstruction(instruction)
  if (!driver.limits.referencePattern.test(bankInstruction.reference))
    throw new Error(`${driver.provider} refuses the reference ${bankInstruction.reference}`)
  try {
    const prepared =
      bankInstruction.refundOf === null
        ? await driver.prepareInstruction(bankInstruction)
        : { recipient: null }
    if ('refused' in prepared)
      return new Refusal('bank_transfer_failed', {
        reason: 'account_not_found',
        message: prepared.refused,
      })
    const wire = writeInstruction({ ...bankInstruction, recipient: prepared.recipient })
    return { token: bankInstruction.reference, wire, validUntil: null }
  } catch (error) {
    if (error instanceof Unknown) return unavailable()
    throw error
  }
}

/** Only a final state at the provider, or a refusal of every sending, ends a payout. */
async function checkInstructions(
  dependencies: NamedDependencies,
  attempts: LiveAttempt[],
): Promise<AttemptFinding[]> {
  const { db, clock, name } = dependencies
  const found = await Promise.all(
    attempts.map((attempt) => checkInstruction(dependencies, attempt)),
  )
  const unseen = attempts.filter((_, index) => found[index]!.state === 'unseen')
  const tokens = unseen.map(({ token }) => token)
  const refused = await closeRefused(db, clock.now(), { rail: name, tokens })
  return attempts.map(({ token }, index) => {
    const reason = refused.get(token)
    const finding = found[index]!
    return finding.state === 'unseen' && reason ? { state: 'failed', reason } : finding
  })
}

async function checkInstruction(
  { driver, logger }: NamedDependencies,
  { wire, token, polls }: LiveAttempt,
): Promise<AttemptFinding> {
  const instruction = readInstruction(wire)
  try {
    const payout = await (instruction.refundOf === null
      ? driver.findPayout(instruction)
      : driver.findRefund(instruction))
    if (!payout) return { state: 'unseen' }
    if (payout.amount !== null && payout.amount !== instruction.amount) {
      logger.error(
        { token, atBank: formatMoney(payout.amount, 'NGN') },
        'bank reports another amount',
      )
      return { state: 'pending' }
    }
    if (payout.state === 'review' && isPowerOfTwo(polls))
      logger.warn({ token }, 'payout waits for a person at the bank')
    return toFinding(payout)
  } catch (error) {
    if (error instanceof Unknown) return { state: 'pending' }
    throw error
  }
}

/** Limits a repeated log line to the 1st, 2nd, 4th, 8th and so on. */
function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0
}

/** A payout that was reversed before it was seen completed has moved nothing. */
function toFinding({ state, failure, sessionId, providerFee }: DriverPayout): AttemptFinding {
  if (state === 'success')
    return {
      state: 'landed',
      ...(sessionId && { sessionId }),
      ...(typeof providerFee === 'bigint' && { providerFee }),
    }
  if (state === 'failed') return { state: 'failed', reason: failure ?? 'bank_declined' }
  if (state === 'reversed') return { state: 'failed', reason: failure ?? 'bank_returned' }
  return { state: 'pending' }
}

const statementStates = {
  open: 'processing',
  review: 'processing',
  success: 'completed',
  failed: 'failed',
  reversed: 'reversed',
} as const satisfies Record<DriverPayout['state'], StatementLine['state']>

/** First all payouts, then all refunds. The cursor begins with what it continues. */
async function readStatement(
  dependencies: NamedDependencies,
  { from, to, after: cursor = 'payouts/' }: { from: Date; to: Date; after: string | undefined },
): Promise<{ lines: StatementLine[]; next: string | null; unreadable: number }> {
  const { driver } = dependencies
  const [kind = '', ...rest] = cursor.split('/')
  const position = rest.join('/') || undefined
  const period = { from, to, after: position }
  const isPayouts = kind === 'payouts'
  const page = await (isPayouts ? driver.listPayouts(period) : driver.listRefunds(period))
  const next = page.next === null ? null : `${kind}/${page.next}`
  reportUnreadable(dependencies, page.unreadable)
  return {
    lines: page.items.map(({ id, reference, amount, levy, state }) => ({
      id: `${kind}/${id}`,
      token: reference,
      reference: fromProviderReference(reference),
      amount: amount ?? 0n,
      levy: levy ?? null,
      state: statementStates[state],
    })),
    next: next ?? (isPayouts ? 'refunds/' : null),
    unreadable: page.unreadable.length,
  }
}

async function examine(driver: BankDriver): Promise<BankFinding[]> {
  try {
    return await driver.examine()
  } catch (error) {
    if (!(error instanceof Unknown)) throw error
    const fix = 'Check the key, the URL, and that this machine can reach the provider.'
    return [{ level: 'failure', message: error.message, fix }]
  }
}
