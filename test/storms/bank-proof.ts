import type { Emulator, PayoutState } from '../../emulators/emulator.js'
import type { BankRail } from '../../src/collections/ports.js'
import { type ProofResult, verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import { reconcile } from '../../src/operations/reconcile/reconcile.js'
import type { PayoutStatus } from '../../src/payouts/payout.js'
import type { Difference } from '../../src/payouts/reconciliation/compare-books.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { fromProviderReference } from '../../src/rails/bank/instruction.js'
import { inTestMode } from '../support/open-manilla.js'
import type { Answers } from './bank-storm.js'
import { listOutgoing } from './bank-weather.js'
import { countBy, differenceOf } from './multiset.js'
import { findWrongEvents } from './payment-proof.js'

export type Aftermath = {
  payments: { atBank: number; inBooks: number }
  /** Acknowledged payouts, and how all payouts and refunds ended in our books. */
  acknowledged: number
  payouts: Record<string, number>
  refunds: Record<string, number>
  /** Notices and what became of them. */
  hints: Record<string, number>
  /** In one book only, or different in both. */
  lost: string[]
  /** More than once in a book. */
  doubled: string[]
  /** Still without an end. */
  open: string[]
  changedAnswers: string[]
  wrongEvents: string[]
  differences: Difference[]
  findings: ProofResult[]
}

type Scene = { db: Database; emulator: Emulator; rail: BankRail; answers: Answers }

type PaymentRow = { railId: string; number: string; amount: bigint }
type PayoutRow = { token: string; kind: string; amount: bigint; status: PayoutStatus }

/** Compares the provider's books with ours, row by row in both directions. */
export async function proveBank(scene: Scene): Promise<Omit<Aftermath, 'changedAnswers'>> {
  const { db, emulator, rail, answers } = scene
  const payments = await db.rows(sql<PaymentRow>`
    select p.rail_id, a.number, p.amount from payments p
    join collection_accounts a on a.environment_id = p.environment_id and a.id = p.account_id`)
  const payouts = await db.rows(sql<PayoutRow>`
    select a.token, p.kind, p.amount, p.status from payouts p
    join payout_attempts a on a.environment_id = p.environment_id and a.payout_id = p.id`)
  const hints = await db.rows(sql<{ state: string }>`select state from notice_hints`)
  const atBank = emulator.books().payments
  const outgoing = listOutgoing(emulator)
  const ofKind = (kind: string) => payouts.filter((one) => one.kind === kind)
  const rails = { solana: { test: undefined, live: undefined }, rails: inTestMode(rail) }
  const reconciled = await reconcile({ db, rails }, new Date())
  return {
    payments: { atBank: atBank.length, inBooks: payments.length },
    acknowledged: answers.size,
    payouts: countBy(ofKind('bank_transfer'), ({ status }) => status),
    refunds: countBy(ofKind('bank_return'), ({ status }) => status),
    hints: countBy(hints, ({ state }) => state),
    lost: [
      ...differenceOf(atBank.map(writeAtBank), payments.map(writePayment)),
      ...differenceOf(payments.map(writePayment), atBank.map(writeAtBank)),
      ...differenceOf(
        acknowledgedTokens(answers),
        payouts.map(({ token }) => fromProviderReference(token)),
      ),
      ...findUnequal(payouts, outgoing),
    ],
    doubled: [
      ...repeated(payments.map(({ railId }) => railId)),
      ...repeated(payouts.map(({ token }) => token)),
      ...repeated(outgoing.map(({ reference }) => reference)),
    ],
    open: [
      ...payouts.filter(({ status }) => status === 'SUBMITTED').map(({ token }) => token),
      ...outgoing.filter(({ state }) => state === 'pending').map(({ reference }) => reference),
    ],
    wrongEvents: await findWrongEvents(db),
    differences: reconciled.flatMap(({ differences }) => differences),
    findings: (await verifyLedger(db)).filter(({ counterexamples }) => counterexamples.length > 0),
  }
}

function writeAtBank(one: { id: string; accountNumber: string; amount: bigint }): string {
  return `${one.id} ${one.accountNumber} ${one.amount}`
}

function writePayment({ railId, number, amount }: PaymentRow): string {
  return `${railId} ${number} ${amount}`
}

function acknowledgedTokens(answers: Answers): string[] {
  return [...answers.values()].map(({ text }) => JSON.parse(text).data.reference as string)
}

/** What our books may say of a payout in each state at the provider. */
const agreed: Record<PayoutState | 'absent', PayoutStatus[]> = {
  pending: [],
  success: ['COMPLETED'],
  // A refund can fail after it was paid.
  failed: ['FAILED', 'REVERSED'],
  // Before it was seen completed, or after.
  reversed: ['FAILED', 'REVERSED'],
  // The provider refused every sending.
  absent: ['FAILED'],
}

type Outgoing = ReturnType<typeof listOutgoing>[number]

function findUnequal(payouts: PayoutRow[], outgoing: Outgoing[]): string[] {
  const atBank = new Map(outgoing.map((one) => [one.reference, one]))
  const ours = new Set(payouts.map(({ token }) => token))
  const unequal = payouts.filter(({ token, amount, status }) => {
    const found = atBank.get(token)
    const isSame = found === undefined || found.amount === amount
    return !isSame || !agreed[found?.state ?? 'absent'].includes(status)
  })
  return [
    ...unequal.map(({ token, status }) => `${token}: ${status}, ${atBank.get(token)?.state}`),
    ...outgoing.filter((one) => !ours.has(one.reference)).map(({ reference }) => reference),
  ]
}

function repeated(names: string[]): string[] {
  return differenceOf(names, [...new Set(names)])
}
