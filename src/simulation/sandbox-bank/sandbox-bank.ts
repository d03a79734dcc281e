import { strict as assert } from 'node:assert'
import type { Clock, RealTime } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import type { BankRail } from '../../collections/ports.js'
import { payoutLimits } from '../../payouts/limits.js'
import type {
  Destination,
  Inspected,
  Instructed,
  LiveAttempt,
  PayoutInstruction,
  PreparedAttempt,
  Target,
} from '../../payouts/ports.js'
import type { Database } from '../../postgres/database.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { fromProviderReference, toProviderReference } from '../../rails/bank/instruction.js'
import {
  createSandboxCollections,
  type NoticeKeys,
  type SandboxCollections,
} from './collections.js'
import { findReversed, hasReversed } from './find-reversed.js'
import { banks, judgeAccount, refuseAccountNumber, resolveAccount } from './judge-account.js'
import { judgeInstruction, type TestInstruction } from './judge-instruction.js'
import { sandboxBankLimits } from './limits.js'
import { lookUpTransfers } from './look-up-transfers.js'
import { sandboxBankItself } from './magic-accounts.js'
import type { SandboxPayment } from './payment.js'
import { readOrder, writeOrder } from './payment-order.js'
import { receiveOrders } from './receive-orders.js'
import { refuseRefund } from './refunds.js'
import { sessionIdOf } from './senders.js'
import { readStatement, type StatementCursor } from './statement.js'
import { findPaymentsById } from './store-payments.js'
import { lockTransfers, replanTransfers } from './store-transfers.js'
import { findingOf } from './transfer.js'

type SandboxDependencies = { db: Database; clock: Clock; logger: Logger }
type Payments = Map<string, SandboxPayment>

/** Takes and returns our references; the bank's own spelling of them is the token. */
export type SandboxBank = BankRail &
  SandboxCollections & {
    /** Sets the outcome of a transfer that has not ended. */
    instruct(reference: string, instruction: TestInstruction): Promise<Instructed>
  }

/**
 * The simulated bank of test mode. It behaves like an external bank: it knows only what was sent to
 * it, keeps its own tables, and never writes the state of a payout. It signs its notices with
 * `noticeKey`, which the API uses to verify them, as it does `otherNoticeKeys`.
 */
export function createSandboxBank(dependencies: SandboxDependencies & NoticeKeys): SandboxBank {
  const { db, clock, logger } = dependencies
  return {
    ...createSandboxCollections(dependencies),
    name: 'sandbox-bank',
    provider: 'sandbox-bank',
    reversalIntervalMs: payoutLimits.reversalIntervalMs,
    checkAfterMs: sandboxBankLimits.processingMs,

    inspect: async (targets) => {
      const payments = await findRefunded(db, targets)
      return targets.map((target) => inspectTarget(target, payments))
    },

    prepare: async (instructions) => {
      const payments = await findRefunded(db, instructions)
      return instructions.map((instruction) => prepareOrder(instruction, payments))
    },

    send: (attempts) => sendAttempts({ db, clock, logger }, attempts),

    check: async (attempts) => {
      const now = clock.now()
      const tokens = attempts.map(({ token }) => token)
      const transfers = await db.transaction((tx) => lookUpTransfers(tx, now, tokens))
      return attempts.map(({ token, createdAt }) => {
        const finding = findingOf(transfers.get(token), now)
        if (finding.state !== 'landed') return finding
        return { ...finding, sessionId: sessionIdOf(token, createdAt, sandboxBankItself.code) }
      })
    },

    listBanks: async () => banks,
    resolveName: async (account) => resolveAccount(account),

    instruct: (reference, instruction) => {
      const change = { reference: toProviderReference(reference), instruction }
      return db.transaction((tx) => instructTransfer(tx, clock.now(), change))
    },

    findReversed: async (after) => {
      if (!(await hasReversed(db, clock.now(), after))) return { cursor: after, references: [] }
      const found = await db.transaction((tx) => findReversed(tx, clock.now(), after))
      return { ...found, references: found.references.map(fromProviderReference) }
    },

    statement: async ({ from, to, after }) => {
      const page = { from, to, after: after === undefined ? undefined : readCursor(after) }
      const { lines, next } = await db.transaction((tx) => readStatement(tx, clock.now(), page))
      const shown = lines.map((line) => ({
        ...line,
        id: line.reference,
        token: line.reference,
        reference: fromProviderReference(line.reference),
        levy: null,
      }))
      return { lines: shown, next: next && writeCursor(next), unreadable: 0 }
    },
    readFloat: async () => null,
    examine: async () => [{ level: 'ok', message: 'simulated, part of this service', fix: '' }],
  }
}

function writeCursor({ receivedAt, reference }: StatementCursor): string {
  return `${receivedAt.toISOString()}/${reference}`
}

function readCursor(text: string): StatementCursor {
  const [time = '', reference = ''] = text.split('/')
  return { receivedAt: new Date(time), reference }
}

/** The payments that these targets refund, by id. */
function findRefunded(db: Database, targets: Target[]): Promise<Payments> {
  const ids = targets.flatMap(({ destination }) => refundOf(destination) ?? [])
  return findPaymentsById(db, ids)
}

function refundOf(destination: Destination): string | undefined {
  return destination.kind === 'bank_account' ? destination.refundOf : undefined
}

function inspectTarget(target: Target, payments: Payments): Outcome<Inspected> {
  const { asset, destination } = target
  assert(
    asset === 'NGN' && destination.kind === 'bank_account',
    'the bank pays naira to bank accounts',
  )
  if (destination.refundOf !== undefined) {
    const refusal = refuseRefund(target, payments.get(destination.refundOf))
    return refusal ?? { destination, extraFees: [] }
  }
  const resolved = judgeAccount(destination)
  if (resolved instanceof Refusal) return resolved
  const { kind, bankCode, accountNumber, narration } = destination
  const { bankName, accountName } = resolved
  return {
    destination: { kind, bankCode, accountNumber, bankName, accountName, narration },
    extraFees: [],
  }
}

/** The account name is not checked again: `inspect` has set it to the holder's. */
function prepareOrder(
  instruction: PayoutInstruction,
  payments: Payments,
): Outcome<PreparedAttempt> {
  const { reference, destination } = instruction
  assert(destination.kind === 'bank_account', 'the bank pays to bank accounts')
  const refused =
    destination.refundOf === undefined
      ? refuseAccountNumber(destination)
      : refuseRefund(instruction, payments.get(destination.refundOf))
  if (refused) return refused
  return { token: toProviderReference(reference), wire: writeOrder(instruction), validUntil: null }
}

/** Reads only the bytes that were committed. A refused order is a bug in the sender. */
async function sendAttempts(
  { db, clock, logger }: SandboxDependencies,
  attempts: LiveAttempt[],
): Promise<void> {
  const orders = attempts.map(({ wire }) => readOrder(wire))
  const readable = orders.filter((order) => order !== undefined)
  const refused = await receiveOrders(db, clock.now(), readable)
  for (const { reference } of refused)
    logger.error({ reference }, 'sandbox bank: another order already uses this reference')
  for (const [index, { reference }] of attempts.entries())
    if (!orders[index]) logger.error({ reference }, 'sandbox bank: the order could not be read')
}

/**
 * Changes what the bank does with a transfer from now on, never how it ended. The payout changes
 * when it is next polled.
 */
async function instructTransfer(
  tx: Tx,
  now: RealTime,
  { reference, instruction }: { reference: string; instruction: TestInstruction },
): Promise<Instructed> {
  const transfer = (await lockTransfers(tx, [reference])).get(reference)
  if (!transfer) return 'not_received'
  const plan = judgeInstruction(transfer, now, instruction)
  if (plan === 'too_late') return 'too_late'
  replanTransfers(tx, [{ ...transfer, ...plan }])
  return 'obeyed'
}
