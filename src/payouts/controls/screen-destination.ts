import { type AuditLine, writeAuditLine } from '../../audit/write-line.js'
import type { RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { Screening, ScreeningSubject, ScreeningVerdict } from '../../screening/ports.js'
import { type Payout, referenceOf } from '../payout.js'
import type { Destination } from '../ports.js'

/** Undefined: a bank account without a name, as of some refunds, has nothing to compare. */
function subjectOf(destination: Destination, mode: Mode): ScreeningSubject | undefined {
  if (destination.kind === 'wallet') return { kind: 'wallet', value: destination.address, mode }
  const { accountName } = destination
  return accountName === '' ? undefined : { kind: 'name', value: accountName, mode }
}

export async function screenDestination(
  screening: Screening,
  destination: Destination,
  mode: Mode,
): Promise<ScreeningVerdict | undefined> {
  const subject = subjectOf(destination, mode)
  if (!subject) return undefined
  if (!screening.asksProvider) return screening.screenNow(subject)
  return (await screening.screen([subject]))[0]!
}

/** Marks a payout whose destination is on a list, or could not be screened: it has to wait. */
export async function markScreeningHold(
  screening: Screening,
  payout: Payout,
  mode: Mode,
): Promise<Payout> {
  const verdict = await screenDestination(screening, payout.destination, mode)
  return !verdict || verdict.verdict === 'clear' ? payout : { ...payout, screeningHold: verdict }
}

/**
 * Screens the destination of a pending payout again before it is sent, with the current list.
 * Throws if nothing is known about it. Undefined: there is nothing to compare.
 */
export async function screenApproved(
  screening: Screening | undefined,
  db: Queryable,
  payout: Payout,
): Promise<ScreeningVerdict | undefined> {
  if (!screening) return undefined
  const { mode } = await getEnvironmentById(db, payout.environmentId)
  const verdict = await screenDestination(screening, payout.destination, mode)
  if (verdict?.verdict !== 'unknown') return verdict
  throw new Refusal('approval_failed', {
    reason: 'screening',
    message: `The recipient of ${referenceOf(payout)} cannot be screened now: ${verdict.why}. Try again later.`,
  })
}

type ScreeningLine = {
  payout: Pick<Payout, 'environmentId' | 'id' | 'kind'>
  verdict: ScreeningVerdict
  action: 'hit' | 'unknown' | 'approve'
  actor: AuditLine['actor']
  /** Of an approval. */
  reason?: string | undefined
}

/** With the list and its version. The payout shows its recipient to those who may see it. */
export async function auditPayoutScreening(
  tx: Tx,
  now: RealTime,
  { payout, verdict, action, actor, reason }: ScreeningLine,
): Promise<void> {
  const { environmentId } = payout
  const { merchantId } = await getEnvironmentById(tx, environmentId)
  writeAuditLine(tx, now, {
    actor,
    action: `payout_screening.${action}`,
    merchantId,
    environmentId,
    details: {
      reference: referenceOf(payout),
      ...verdict,
      ...(reason !== undefined && { reason }),
    },
    log: 'merchant',
  })
}
