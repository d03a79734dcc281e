import type { EnvironmentId } from '../base/environment.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { timelineLimits } from './limits.js'
import type { TimelineItem } from './resource.js'

type DecisionRow = {
  action: string
  outcome: string | null
  /** What a member wanted it to be. */
  status: string | null
  createdAt: Date
  /** Set if a member of the merchant did it. */
  name: string | null
}

/** The payout's own items say who approved or rejected it. */
const saidByPayout = [
  'disbursement.approve',
  'disbursement.reject',
  'payout_screening.approve',
  'payout_screening.release',
  'payout_screening.reject',
]

/**
 * What members did with a resource in the console, and what operators decided about it. Which
 * operator decided and with what evidence stays internal.
 */
export async function readOperatorItems(
  db: Queryable,
  environmentId: EnvironmentId,
  reference: string,
): Promise<TimelineItem[]> {
  const rows = await db.rows(sql<DecisionRow>`
    select l.action, l.details ->> 'outcome' as outcome,
      l.details -> 'body' ->> 'status' as status, l.created_at,
      case when l.chain = l.merchant_id then coalesce(u.name, l.actor) end as name
    from audit_lines l left join users u on u.id = l.user_id
    where l.environment_id = ${environmentId} and l.details ->> 'reference' = ${reference}
      and (l.chain is distinct from l.merchant_id or l.user_id is not null)
      and l.action <> all (${saidByPayout})
    order by l.id desc limit ${timelineLimits.decisionsMax}`)
  return rows.toReversed().map(({ action, outcome, status, createdAt, name }) => ({
    at: createdAt,
    isInEnvironmentTime: false,
    kind: name === null ? 'operator_decision' : 'member_action',
    title: titleOf({ action, outcome, status, name }),
    reference,
    money: null,
    details: outcome === null || name !== null ? {} : { status: outcome },
  }))
}

/** Verbs of actions as sentences say them. */
const past: Record<string, string> = {
  create: 'created it',
  refund: 'refunded it',
  resolve: 'decided it',
  decide: 'decided it',
  accept: 'accepted it',
  return: 'returned it',
  cancel: 'cancelled it',
  requery: 'checked for payments',
  settle: 'settled it',
  resend: 'sent it again',
  submit: 'submitted it',
  finalize: 'finalized it',
  send: 'mailed it',
  credit: 'credited it',
  void: 'voided it',
  add: 'linked an item',
  remove: 'removed an item',
  close: 'closed it',
  reopen: 'reopened it',
}

/** A schedule is paused, resumed and ended by a change of its status. */
const pastOfSchedule: Record<string, string> = {
  PAUSED: 'paused it',
  ACTIVE: 'resumed it',
  ENDED: 'ended it',
}

function titleOf({ action, outcome, status, name }: Omit<DecisionRow, 'createdAt'>): string {
  const ofSchedule = action === 'invoice_schedule.change' ? pastOfSchedule[status ?? ''] : undefined
  const did = ofSchedule ?? past[action.split('.').at(-1)!] ?? 'changed it'
  if (name !== null) return `${name} ${did}`
  return outcome === null ? `The operator ${did}` : `The operator decided the outcome: ${outcome}`
}
