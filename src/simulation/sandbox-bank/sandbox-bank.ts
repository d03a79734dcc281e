import { strict as assert } from 'node:assert'
import type { Clock } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import type { CollectionRail } from '../../collections/ports.js'
import type {
  Bank,
  Destination,
  Inspected,
  Instructed,
  LiveAttempt,
  PayoutInstruction,
  PayoutRail,
  Prepared,
  Target,
} from '../../payouts/ports.js'
import type { Database } from '../../postgres/database.js'
import { type Announcing, createCollecting } from './collecting.js'
import { findReversed, type ReversedTransfers } from './find-reversed.js'
import { instructTransfer } from './instruct.js'
import {
  banks,
  judgeAccount,
  type Resolved,
  resolveAccount,
  type SandboxAccountNumber,
} from './judge-account.js'
import type { TestInstruction } from './judge-instruction.js'
import { lookUpTransfers } from './look-up-transfers.js'
import type { SandboxPayment } from './payment.js'
import { fromBankReference, readOrder, toBankReference, writeOrder } from './payment-order.js'
import { receiveOrders } from './receive-orders.js'
import { refuseRefund } from './refunds.js'
import { readStatement, type StatementCursor, type StatementLine } from './statement.js'
import { findPaymentsById } from './store-payments.js'
import { findingOf } from './transfer.js'

type Tools = { db: Database; clock: Clock; logger: Logger }
type Payments = Map<string, SandboxPayment>

/** References are ours on this side; the bank has its own way to write them. */
export type SandboxBank = PayoutRail &
  CollectionRail &
  Announcing & {
    listBanks(): Promise<readonly Bank[]>
    resolveName(account: SandboxAccountNumber): Promise<Outcome<Resolved>>
    /** Has the bank do something else with a transfer, as long as it has not ended. */
    instruct(reference: string, instruction: TestInstruction): Promise<Instructed>
    /** Reversals after the cursor, oldest first; 0 is before the first. */
    findReversed(after: bigint): Promise<ReversedTransfers>
    /** What was received from a time until before another, a page at a time. */
    statement(period: { from: Date; to: Date; after?: StatementCursor }): Promise<{
      /** `token` is the bank's own spelling of our reference. */
      lines: (StatementLine & { token: string })[]
      next: StatementCursor | null
    }>
  }

/**
 * A bank that simulates, for test mode. It is an outside party: it knows of a payout what was sent
 * to it, it keeps tables of its own, and nothing it does writes the state of a payout. What it
 * announces is signed with the key for notices, which whoever listens has too.
 */
export function createSandboxBank(tools: Tools & { noticeKey: Buffer }): SandboxBank {
  const { db, clock, logger } = tools
  return {
    ...createCollecting(tools),
    name: 'sandbox-bank',

    inspect: async (targets) => {
      const payments = await findRefunded(db, targets)
      return targets.map((target) => inspectTarget(target, payments))
    },

    prepare: async (carriages) => {
      const payments = await findRefunded(db, carriages)
      return carriages.map((carriage) => prepareOrder(carriage, payments))
    },

    send: (attempts) => sendAttempts({ db, clock, logger }, attempts),

    check: async (attempts) => {
      const now = clock.now()
      const tokens = attempts.map(({ token }) => token)
      const transfers = await db.transaction((tx) => lookUpTransfers(tx, now, tokens))
      return tokens.map((token) => findingOf(transfers.get(token), now))
    },

    listBanks: async () => banks,
    resolveName: async (account) => resolveAccount(account),

    instruct: (reference, instruction) => {
      const order = { reference: toBankReference(reference), instruction }
      return db.transaction((tx) => instructTransfer(tx, clock.now(), order))
    },

    findReversed: async (after) => {
      const found = await db.transaction((tx) => findReversed(tx, clock.now(), after))
      return { ...found, references: found.references.map(fromBankReference) }
    },

    statement: async ({ from, to, after }) => {
      const page = { from, to, after }
      const { lines, next } = await db.transaction((tx) => readStatement(tx, clock.now(), page))
      const shown = lines.map((line) => ({
        ...line,
        token: line.reference,
        reference: fromBankReference(line.reference),
      }))
      return { lines: shown, next }
    },
  }
}

/** The payments that are to go back to whoever sent them, as far as the bank has them. */
function findRefunded(db: Database, targets: Target[]): Promise<Payments> {
  const ids = targets.flatMap(({ destination }) => refundOf(destination) ?? [])
  return findPaymentsById(db, ids)
}

function refundOf(destination: Destination): string | undefined {
  return destination.kind === 'bank_account' ? destination.refundOf : undefined
}

function inspectTarget(target: Target, payments: Payments): Outcome<Inspected> {
  const { asset, destination } = target
  assert(asset === 'NGN' && destination.kind === 'bank_account', 'a bank carries naira to accounts')
  if (destination.refundOf !== undefined) {
    const refusal = refuseRefund(target, payments.get(destination.refundOf))
    return refusal ?? { destination, extraFees: [] }
  }
  const resolved = judgeAccount(destination)
  if (resolved instanceof Refusal) return resolved
  return { destination: { ...destination, ...resolved }, extraFees: [] }
}

/** The name is not judged again: it is the one that the account resolved to. */
function prepareOrder(carriage: PayoutInstruction, payments: Payments): Outcome<Prepared> {
  const { reference, destination } = carriage
  assert(destination.kind === 'bank_account', 'a bank carries to accounts')
  const refused =
    destination.refundOf === undefined
      ? resolveAccount(destination)
      : refuseRefund(carriage, payments.get(destination.refundOf))
  if (refused instanceof Refusal) return refused
  return { token: toBankReference(reference), wire: writeOrder(carriage), validUntil: null }
}

/** The bank reads the bytes and nothing else. What it refuses is a bug of the sender, or worse. */
async function sendAttempts({ db, clock, logger }: Tools, attempts: LiveAttempt[]): Promise<void> {
  const orders = attempts.map(({ wire }) => readOrder(wire))
  const readable = orders.filter((order) => order !== undefined)
  const refused = await db.transaction((tx) => receiveOrders(tx, clock.now(), readable))
  for (const { reference } of refused)
    logger.error({ reference }, 'the sandbox bank has another order of this reference')
  for (const [index, { reference }] of attempts.entries())
    if (!orders[index]) logger.error({ reference }, 'the sandbox bank cannot read this order')
}
