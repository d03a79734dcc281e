import { strict as assert } from 'node:assert'
import type { RealTime } from '../../base/clock.js'
import type { JsonText } from '../../base/json-text.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import type { LedgerAccountKey } from '../../ledger/accounts.js'
import type { Book } from '../../ledger/book.js'
import { lockLedgerAccounts } from '../../ledger/lock-accounts.js'
import { accountsOf, moveWith } from '../../ledger/move.js'
import type { Movement, MovementLine, NotMoved } from '../../ledger/movement.js'
import { formatMoney } from '../../money/amounts.js'
import { assets } from '../../money/assets.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import {
  findPayingProblem,
  lockPayingSubaccounts,
  type PayingSubaccounts,
} from '../../subaccounts/lock-paying-subaccounts.js'
import { mayPayClaim } from '../claims/claim.js'
import {
  hasCreator,
  isReturn,
  type Payout,
  payingSubaccountOf,
  payoutKinds,
  purposesOf,
} from '../payout.js'
import type { PreparedAttempt } from '../ports.js'
import { refuseRecipient } from '../recipients/judge-recipient.js'
import { lockRecipientsOf } from '../recipients/store-recipients.js'
import { insertAttempts, insertPayouts, type NewAttempt } from '../records/store-payouts.js'
import { showPayout } from '../resource.js'
import { maySettle } from '../settlements/settlement.js'

export type NewPayout = {
  payout: Payout
  attempt: PreparedAttempt
  /** The age of an attempt decides when it is polled. */
  preparedAt: RealTime
  /** The payout as it starts, for the answer and the event. */
  shown: JsonText
  /** The process that sends it checks it this long afterwards. Undefined: only workers poll it. */
  checkAfterMs?: number | undefined
}

export function toNewPayout(
  payout: Payout,
  attempt: PreparedAttempt,
  preparedAt: RealTime,
  checkAfterMs?: number,
): NewPayout {
  const { token } = attempt
  const shownAttempt = { number: 1, token, state: 'LIVE', createdAt: preparedAt } as const
  const shown = showPayout(payout, [shownAttempt])
  return { payout, attempt, preparedAt, shown, checkAfterMs }
}

/**
 * The locked accounts and sub-accounts, and the merchants' references that payouts are known to
 * have used.
 */
export type Reads = {
  book: Book
  used: ReadonlySet<string>
  paying: PayingSubaccounts
  /** Payouts whose recipient is disabled, by id. */
  disabled: ReadonlySet<string>
}

export async function readForPayouts(
  tx: Tx,
  newPayouts: Pick<NewPayout, 'payout'>[],
  /** Locked, too. */
  more: LedgerAccountKey[] = [],
): Promise<Reads> {
  const accounts = newPayouts.map(toHoldMovement).flatMap(accountsOf)
  const [disabled, paying, book, used] = await Promise.all([
    findDisabled(tx, newPayouts),
    lockPayingSubaccounts(
      tx,
      newPayouts.map(({ payout }) => payout),
    ),
    lockLedgerAccounts(tx, [...accounts, ...ruledBalances(newPayouts), ...more]),
    tx.isFirstRun ? noReferences : findReferences(tx, newPayouts),
  ])
  return { book, used, paying, disabled }
}

/**
 * Those whose recipient is disabled. A transfer of an API key belongs to its recipient, if it is
 * saved; payouts that took longer to prepare may go to one that was saved since.
 */
async function findDisabled(
  tx: Tx,
  newPayouts: Pick<NewPayout, 'payout'>[],
): Promise<ReadonlySet<string>> {
  const payouts = newPayouts.map(({ payout }) => payout).filter(mayGoToRecipient)
  if (payouts.length === 0) return noReferences
  return new Set(Array.from(await lockRecipientsOf(tx, payouts), ({ id }) => id))
}

/**
 * Returns to the sender and settlements of the merchant go to any account, so a disabled recipient
 * may have it.
 */
function mayGoToRecipient(payout: Payout): boolean {
  if (payout.recipientId !== null || payout.batchItem || mayPayClaim(payout)) return true
  if (maySettle(payout) && payingSubaccountOf(payout) !== null) return true
  // Those that screening holds may go to their sender. Their approval checks the recipient.
  return isReturn(payout) && hasCreator(payout) && !payout.screeningHold
}

/** The refusal of a payout whose recipient is disabled. */
export function findRecipientProblem(
  { disabled }: Pick<Reads, 'disabled'>,
  { kind, id, recipientId }: Pick<Payout, 'kind' | 'id' | 'recipientId'>,
): Refusal | undefined {
  if (!disabled.has(id)) return undefined
  return refuseRecipient(payoutKinds[kind].refusal, { reason: 'recipient_disabled', recipientId })
}

/** Approval rules are changed and counted under the lock of the merchant's own balance. */
function ruledBalances(newPayouts: Pick<NewPayout, 'payout'>[]): LedgerAccountKey[] {
  return newPayouts
    .filter(({ payout }) => payingSubaccountOf(payout) !== null)
    .map(({ payout: { environmentId, asset } }) => ({ environmentId, asset, name: 'available' }))
}

const noReferences: ReadonlySet<string> = new Set()

/**
 * Holds the money and records each payout as submitted, with the attempt to send. All or nothing
 * per payout: one that the balance does not cover, whose sub-account does not pay, whose recipient
 * is disabled, or whose reference was already used, is refused alone. Nothing is sent here.
 */
export async function createPayouts(
  tx: Tx,
  now: RealTime,
  newPayouts: NewPayout[],
  reads = readForPayouts(tx, newPayouts),
): Promise<Outcome<Payout>[]> {
  assert(
    !newPayouts.some(({ payout }) => payout.screeningHold),
    'a listed destination waits for members',
  )
  const { book, used, paying, disabled } = await reads
  const isUsed = findDuplicates(newPayouts, used)
  const unpaid = new Map<NewPayout, Refusal>()
  if (paying.size + disabled.size > 0)
    for (const newPayout of newPayouts) {
      const { payout } = newPayout
      const problem =
        findPayingProblem(paying, payout) ?? findRecipientProblem({ disabled }, payout)
      if (problem) unpaid.set(newPayout, problem)
    }
  const fresh = newPayouts.filter((one) => !isUsed.has(one) && !unpaid.has(one))
  const holds = moveWith(tx, now, book, fresh.map(toHoldMovement))
  const holdOf = new Map(fresh.map((one, index) => [one, holds[index]!]))
  const created = fresh.filter((one) => holdOf.get(one)!.isMoved)
  // What is not inserted never meets the unique index. A merchant who repeats a payout has to read
  // that it was made, not that the balance, which it has spent, does not cover it.
  const uncovered = fresh.filter((one) => !holdOf.get(one)!.isMoved)
  if (tx.isFirstRun && uncovered.length > 0)
    for (const one of findDuplicates(uncovered, await findReferences(tx, uncovered)))
      isUsed.add(one)

  insertPayouts(
    tx,
    created.map(({ payout }) => payout),
  )
  insertAttempts(tx, now, created.map(toAttempt))
  emitAll(tx, now, created.flatMap(toSubmittedEvent))
  return newPayouts.map((one) => {
    if (isUsed.has(one)) return duplicateReference(one.payout)
    const problem = unpaid.get(one)
    if (problem) return problem
    const hold = holdOf.get(one)!
    return hold.isMoved ? one.payout : notHeld(one.payout, hold)
  })
}

const columns = { environmentId: 'int4', kind: 'text', merchantReference: 'text' } as const

/**
 * Reads the next reference at or after each one, and keeps those that are equal. Only the unique
 * index has that order. By equality, while the table has no statistics, the planner takes the index
 * on the status for as selective and reads all payouts of the environment for each row.
 *
 * Still, at about 200 payouts the unique index has one level more than others and counts as dearer.
 * A plan made then is harmless only if it is not kept while the table grows.
 */
const selectReferences = listStatement<typeof columns, { key: string }>({
  name: 'find_merchant_references',
  columns,
  isReplanned: true,
  text: (list) => `
    select concat_ws('/', p.environment_id, p.kind, p.merchant_reference) as key
    from ${list} cross join lateral (
      select next.environment_id, next.kind, next.merchant_reference from payouts next
      where next.environment_id = list.environment_id
        and (next.kind, next.merchant_reference) >= (list.kind, list.merchant_reference)
        and next.merchant_reference is not null
      order by next.kind, next.merchant_reference limit 1) p
    where p.kind = list.kind and p.merchant_reference = list.merchant_reference`,
})

type Referenced = Pick<Payout, 'environmentId' | 'kind' | 'merchantReference'>

/** The references of these that earlier payouts have used, as `environment/kind/reference`. */
export async function findReferences(
  db: Queryable,
  newPayouts: { payout: Referenced }[],
): Promise<Set<string>> {
  const rows = newPayouts.flatMap(({ payout: { environmentId, kind, merchantReference } }) =>
    merchantReference === null ? [] : [{ environmentId, kind, merchantReference }],
  )
  if (rows.length === 0) return new Set()
  return new Set((await db.rows(selectReferences(rows))).map(({ key }) => key))
}

/** As `findReferences` returns it. */
export function referenceKey({ environmentId, kind, merchantReference }: Referenced): string {
  return `${environmentId}/${kind}/${merchantReference}`
}

/**
 * Those whose reference an earlier payout, or one before it in the list, has used. In the first run
 * of a group earlier ones are not queried: the group fails at the unique index and runs again.
 */
function findDuplicates(newPayouts: NewPayout[], earlier: ReadonlySet<string>): Set<NewPayout> {
  const used = new Set(earlier)
  return new Set(
    newPayouts.filter(({ payout }) => {
      if (payout.merchantReference === null) return false
      const key = referenceKey(payout)
      const isUsed = used.has(key)
      used.add(key)
      return isUsed
    }),
  )
}

/** Reserves amount, fee and levy. The amount leaves `clearing` (banks) or `treasury` (coins). */
export function toHoldMovement({ payout }: Pick<NewPayout, 'payout'>): Movement {
  const { environmentId, asset, id, amount, fee, levy, takesFrom: debit } = payout
  const purposes = purposesOf(payout)
  const lines: MovementLine[] = [
    { debit, credit: assets[asset].holder, amount, purpose: purposes.amount },
  ]
  if (fee > 0n) lines.push({ debit, credit: 'fees', amount: fee, purpose: purposes.fee })
  if (levy > 0n) lines.push({ debit, credit: 'levies', amount: levy, purpose: purposes.levy })
  return { environmentId, asset, causeId: id, isHold: true, lines }
}

function toAttempt({ payout, attempt, preparedAt, checkAfterMs }: NewPayout): NewAttempt {
  return { ...attempt, payout, number: 1, createdAt: preparedAt, checkAfterMs }
}

function toSubmittedEvent({ payout, shown }: NewPayout) {
  const { environmentId, id, kind } = payout
  const type = payoutKinds[kind].events?.submitted
  return type
    ? [{ environmentId, type, resourceId: id, causeId: id, sequence: 1, data: shown }]
    : []
}

export function duplicateReference({
  kind,
  merchantReference,
}: Pick<Payout, 'kind' | 'merchantReference'>): Refusal {
  return new Refusal(payoutKinds[kind].refusal, {
    reason: 'duplicate_reference',
    message: `merchantReference ${merchantReference} was already used. Send a new one, or none.`,
  })
}

export function notHeld(payout: Payout, { why, available }: NotMoved): Refusal {
  return why === 'not_covered' ? notCovered(payout, { available }) : beyondLimit(payout)
}

/** The open payouts of the merchant would exceed what a ledger account can hold. */
function beyondLimit({ kind, asset, amount }: Payout): Refusal {
  return new Refusal(payoutKinds[kind].refusal, {
    reason: 'balance_limit',
    message:
      `With ${formatMoney(amount, asset)} more, your open transfers would exceed the ` +
      'largest amount that the ledger can hold. Send less, or wait until some have ended.',
  })
}

export function notCovered(
  {
    asset,
    amount,
    fee,
    levy,
    takesFrom,
  }: Pick<Payout, 'asset' | 'amount' | 'fee' | 'levy' | 'takesFrom'>,
  { available }: Pick<NotMoved, 'available'>,
): Refusal {
  const needed = formatMoney(amount + fee + levy, asset)
  const has = formatMoney(available, asset)
  const withFee = describeExtras({ fee, levy })
  const payingSubaccount = payingSubaccountOf({ takesFrom })
  if (payingSubaccount !== null)
    return new Refusal('insufficient_balance', {
      message:
        `The transfer needs ${needed}${withFee}; ${has} is available in ${payingSubaccount}. ` +
        'Move money to the sub-account, or send less.',
    })
  return new Refusal('insufficient_balance', {
    message:
      `The transfer needs ${needed}${withFee}; ${has} is available. ` +
      'Fund the balance, or send less.',
  })
}

/** What a sum contains besides the amount: `' with its fee and stamp duty'`. */
export function describeExtras({ fee, levy }: Pick<Payout, 'fee' | 'levy'>): string {
  if (levy > 0n) return fee > 0n ? ' with its fee and stamp duty' : ' with its stamp duty'
  return fee > 0n ? ' with its fee' : ''
}
