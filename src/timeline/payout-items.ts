import { after } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { sayWait } from '../payouts/controls/wait.js'
import { payoutLimits } from '../payouts/limits.js'
import type { AttemptState, Payout } from '../payouts/payout.js'
import { isReturn, referenceOf } from '../payouts/payout.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { timelineLimits } from './limits.js'
import type { TimelineItem } from './resource.js'
import { sayAmount } from './say-amount.js'

export type AttemptRow = {
  payoutId: string
  number: number
  token: string
  /** Attempts of a chain expire. */
  isOnChain: boolean
  state: AttemptState
  outcome: string | null
  createdAt: Date
  endedAt: Date | null
}

/** The latest attempts of each payout, oldest first. */
export async function readAttempts(
  db: Queryable,
  environmentId: EnvironmentId,
  payoutIds: string[],
): Promise<AttemptRow[]> {
  return db.rows(sql<AttemptRow>`
    select a.payout_id, a.number, a.token, a.valid_until is not null as is_on_chain, a.state,
      a.outcome, a.created_at, a.ended_at
    from unnest(${payoutIds}::uuid[]) payout (id) cross join lateral (
      select * from payout_attempts
      where environment_id = ${environmentId} and payout_id = payout.id
      order by number desc limit ${timelineLimits.attemptsMax}) a
    order by a.payout_id, a.number`)
}

const endings: Record<Exclude<AttemptState, 'LIVE'>, string> = {
  LANDED: 'arrived',
  FAILED: 'failed and moved nothing',
  DEAD: 'expired and moved nothing',
}

export function toAttemptItems(attempt: AttemptRow, reference: string): TimelineItem[] {
  const { number, state, outcome, createdAt, endedAt } = attempt
  const base = { reference, money: null, isInEnvironmentTime: false }
  const details = {
    attempt: number,
    status: state,
    ...(attempt.isOnChain && { signature: attempt.token }),
  }
  const started: TimelineItem = {
    ...base,
    at: createdAt,
    kind: 'payout_attempt',
    title: `Attempt ${number} ${attempt.isOnChain ? 'signed' : 'ordered'}`,
    details,
  }
  if (state === 'LIVE' || endedAt === null) return [started]
  const ended: TimelineItem = {
    ...base,
    at: endedAt,
    kind: 'payout_attempt_ended',
    title: `Attempt ${number} ${endings[state]}`,
    details: { ...details, ...(outcome !== null && { reason: outcome }) },
  }
  return [started, ended]
}

/** What happened to the payout as a whole. */
export function toPayoutItems(payout: Payout): TimelineItem[] {
  const { amount, asset, approval, createdAt, submittedAt, completedAt } = payout
  const { failedAt, reversedAt } = payout
  const said = sayAmount(amount, asset)
  const words = isReturn(payout) ? 'Return' : 'Transfer'
  const base = {
    isInEnvironmentTime: true,
    reference: referenceOf(payout),
    money: { amount, asset },
    details: {},
  }
  const items: (TimelineItem | null)[] = [
    approval && {
      ...base,
      at: createdAt,
      kind: 'payout_pending',
      title: `${words} of ${said} to ${sayDestination(payout)} ${sayWait(approval)}`,
    },
    ...(approval?.decisions ?? []).map(
      ({ verdict, user, isOfOperator, reason, at }): TimelineItem => {
        const name = user?.name ?? (isOfOperator ? 'The operator' : 'A simulated member')
        const isApproval = verdict === 'APPROVED'
        return {
          ...base,
          at,
          kind: isApproval ? 'payout_approved' : 'payout_rejected',
          title: `${name} ${isApproval ? 'approved' : 'rejected'} it`,
          details: reason === null ? {} : { reason },
        }
      },
    ),
    submittedAt && {
      ...base,
      at: submittedAt,
      kind: 'payout_submitted',
      title: `${words} of ${said} to ${sayDestination(payout)} is on the way`,
    },
    payout.isReviewRequired && submittedAt
      ? {
          ...base,
          at: after(submittedAt, payoutLimits.reviewAfterMs),
          kind: 'review_required',
          title: 'No outcome is known after three days: the operator reviews it',
        }
      : null,
    completedAt && {
      ...base,
      at: completedAt,
      kind: 'payout_ended',
      title: `${words} of ${said} arrived`,
      details: { status: 'COMPLETED' },
    },
    failedAt && {
      ...base,
      at: failedAt,
      kind: 'payout_ended',
      title: `${words} of ${said} failed`,
      details: {
        status: 'FAILED',
        ...(payout.failureReason !== null && { reason: payout.failureReason }),
      },
    },
    reversedAt && {
      ...base,
      at: reversedAt,
      kind: 'payout_ended',
      title: `${words} of ${said} came back`,
      details: { status: 'REVERSED' },
    },
  ]
  return items.filter((item) => item !== null)
}

function sayDestination({ destination }: Payout): string {
  if (destination.kind === 'wallet') return destination.address
  const { accountName, accountNumber, bankName, bankCode } = destination
  const bank = bankName || `bank ${bankCode}`
  return accountName ? `${accountName}, ${bank}` : `${accountNumber}, ${bank}`
}
