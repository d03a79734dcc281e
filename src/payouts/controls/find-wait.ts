import type { EnvironmentId } from '../../base/environment.js'
import type { Approvals } from '../../merchants/settings/settings-document.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { isOverLimits, type LimitRequest } from '../approvals/sent-in-window.js'
import { refuseFrozen } from '../freezes/find-frozen.js'
import type { FreezablePayout } from '../freezes/freeze.js'
import type { Payout } from '../payout.js'
import type { Destination } from '../ports.js'
import { isNewRecipient } from './judge-recipients.js'
import { type CountedPayout, judgeDuplicates, judgeVelocity } from './velocity.js'
import type { Wait, WaitReason } from './wait.js'

/** What controls check besides the amount. */
type ControlledTerms = {
  /** Null: not chosen yet, so what depends on it is not judged. */
  destination: Destination | null
  /** The recipient of a claim named it: it cannot have been saved. */
  isClaimed?: boolean | undefined
  /** Whether the caller says that it is no duplicate. Undefined: the caller cannot say. */
  confirmsDuplicate?: boolean | undefined
}

export type RuleRequest = LimitRequest & {
  /** Absent: only limits apply, as to refunds. */
  controlled?: ControlledTerms | undefined
  screeningHold?: Payout['screeningHold']
}

/**
 * What a payout waits for before it is sent; null: nothing. Before the commit this only decides
 * what to prepare; within it, the locked available balance keeps other payouts of the environment
 * from passing at the same time. Throws the refusal of a control.
 */
export async function findWait(db: Queryable, request: RuleRequest): Promise<Wait | null> {
  const approvals = await readRule(db, request.environmentId)
  const keyWaits = await doesKeyWait(db, request.createdByKey)
  const others: WaitReason[] = [...(keyWaits ? keyReasons : []), ...screeningReasons(request)]
  if (approvals === null) return toWait(others, null)
  const isOver = await isOverLimits(db, request, approvals)
  const reasons: WaitReason[] = isOver ? ['amount', ...others] : others
  const { controlled } = request
  if (!controlled) return toWait(reasons, null)
  return judgeControls(db, approvals, { ...request, ...controlled }, { reasons })
}

type ControlledPayout = Pick<
  Payout,
  'environmentId' | 'asset' | 'amount' | 'createdByKey' | 'createdByUser'
> &
  ControlledTerms & { at: Date }

/**
 * What controls ask for, besides the given reasons. `besides` are payouts of the same transaction
 * that are not written yet. Throws the refusal of a control.
 */
export async function judgeControls(
  db: Queryable,
  { controls }: Approvals,
  payout: ControlledPayout,
  { reasons = [], besides = [] }: { reasons?: WaitReason[]; besides?: CountedPayout[] } = {},
): Promise<Wait | null> {
  if (!controls) return toWait(reasons, null)
  const { callback, recipients, velocity, duplicates } = controls
  const found = [...reasons]
  const sent = { ...payout, besides }
  const { destination } = payout
  const placed = destination && { ...sent, destination }
  if (recipients && placed && (await isNewRecipient(db, recipients, placed)))
    found.push('new_recipient')
  if (velocity && (await judgeVelocity(db, velocity, sent))) found.push('velocity')
  const duplicate = duplicates && placed && (await judgeDuplicates(db, duplicates, placed))
  if (duplicate) found.push(duplicate)
  return toWait(found, callback?.retryMinutes ?? null)
}

const keyReasons: WaitReason[] = ['key']

/** Whether the payouts of an API key wait for members, also without any approval rule. */
export async function doesKeyWait(db: Queryable, keyId: string | null): Promise<boolean> {
  if (keyId === null) return false
  const [row] = await db.rows(sql<{ waits: boolean }>`select key_waits(${keyId}) as waits`)
  return row!.waits
}

/**
 * Throws the refusal that a payout would get now because of its recipient, or because it is frozen:
 * a price must not be followed by that. A payout that would wait for members passes.
 */
export async function refuseUnpayable(
  db: Queryable,
  payout: FreezablePayout & Parameters<typeof isNewRecipient>[2],
): Promise<void> {
  await refuseFrozen(db, payout)
  const recipients = (await readRule(db, payout.environmentId))?.controls?.recipients
  if (recipients) await isNewRecipient(db, recipients, payout)
}

export function toWait(reasons: WaitReason[], callbackMinutes: number | null): Wait | null {
  return reasons.length > 0 || callbackMinutes !== null ? { reasons, callbackMinutes } : null
}

/** A destination that screening holds waits for members, also without any approval rule. */
export function screeningReasons({ screeningHold }: Pick<Payout, 'screeningHold'>): WaitReason[] {
  return screeningHold ? ['screening'] : []
}

/** The rule of an environment; null if it has none. */
export async function readRule(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<Approvals | null> {
  const [row] = await db.rows(sql<{ rule: string | null }>`
    select approval_rule as rule from environments where id = ${environmentId}`)
  return row?.rule ? JSON.parse(row.rule) : null
}
