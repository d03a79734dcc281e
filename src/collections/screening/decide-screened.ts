import { type AuditLine, writeAuditLine } from '../../audit/write-line.js'
import type { RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Screening, ScreeningVerdict } from '../../screening/ports.js'
import { findApprovingTeam } from '../../team/approvers.js'
import { explainWait, judgeFreedom } from '../../team/shared-access.js'
import { type Payment, paymentReference } from '../payments/payment.js'
import { type DecideScreened, heldForScreening } from '../payments/resolve-payment.js'
import { screeningSubjectOf } from './screen-senders.js'

/** Screens the sender again, with the current list. Never throws. */
export async function screenPayment(
  screening: Screening | undefined,
  { sender }: Pick<Payment, 'sender'>,
  mode: Mode,
): Promise<ScreeningVerdict> {
  if (!screening) return { verdict: 'unknown', why: 'no screening is configured' }
  const subject = screeningSubjectOf(sender, mode)
  if (subject === undefined) return { verdict: 'unknown', why: 'the bank reported no name' }
  if ('verdict' in subject) return subject
  const [verdict] = await screening.screen([subject])
  return verdict!
}

type MembersDecision = {
  action: 'accept' | 'return'
  decider: { userId: string }
  verdict: ScreeningVerdict
  /** In the time of the environment. */
  at: Date
}

/**
 * The decision of two members: the one who asked for it, whose rights are checked again, and the
 * one who decides. They share no access. Throws refusals, before anything is written.
 */
export function decidedByMembers(
  tx: Tx,
  { action, decider: { userId }, verdict, at }: MembersDecision,
): DecideScreened {
  return async (payment) => {
    const { environmentId, id } = payment
    const [asked] = await tx.rows(sql<{ id: string; requestedBy: string; name: string }>`
      select r.id, r.requested_by, u.name
      from payment_requests r join users u on u.id = r.requested_by
      where r.environment_id = ${environmentId} and r.payment_id = ${id} and r.state = 'OPEN'
        and r.action = ${action}
      for update of r`)
    if (!asked) throw heldForScreening(payment)
    const reference = paymentReference(payment)
    if (asked.requestedBy === userId)
      throw new Refusal('payment_action_failed', {
        reason: 'screening',
        message: `You asked for it yourself. ${reference} is held for screening, so another member must decide.`,
      })
    const subject = { creators: [asked.requestedBy], approvedBy: [userId], waitsSince: at }
    const team = await findApprovingTeam(tx, environmentId, [subject], 'payments.ask')
    if (!team.members.some((member) => member.id === asked.requestedBy))
      throw new Refusal('payment_action_failed', {
        reason: 'screening',
        message: `${asked.name}, who asked for it, may no longer ask for decisions about payments. Decline the request; another member must ask.`,
      })
    const freedom = judgeFreedom(team.links, at, [userId, asked.requestedBy])
    if (freedom.from > at)
      throw new Refusal('payment_action_failed', {
        reason: 'shared_access',
        message: `You may decide about ${reference} ${explainWait(freedom, { userId, at })}. Until then another member must decide.`,
      })
    return { verdict, requestId: asked.id, operator: null }
  }
}

type ScreeningLine = Omit<AuditLine, 'action' | 'details'> & {
  /** What happened to the payment. */
  action: 'hit' | 'clear' | 'accept' | 'return'
  payment: Pick<Payment, 'id'>
  verdict: ScreeningVerdict
}

/** Does not repeat the name: the payment shows its sender to members who may see payers. */
export function auditScreening(tx: Tx, now: RealTime, line: ScreeningLine): void {
  const { action, payment, verdict, ...rest } = line
  writeAuditLine(tx, now, {
    ...rest,
    action: `payment_screening.${action}`,
    details: { reference: paymentReference(payment), ...verdict },
  })
}
