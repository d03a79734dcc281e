import type { RealTime } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { ScreeningHit, ScreeningVerdict } from '../../screening/ports.js'
import { getPendingById } from '../approvals/pending-payouts.js'
import { type Payout, referenceOf } from '../payout.js'
import { askMembers } from '../requests/create-under-rule.js'
import { recordHit } from './payout-checks.js'
import { auditPayoutScreening } from './screen-destination.js'

/**
 * Whether the recipient is on a list, and the members who are asked do not know it: the payout
 * waits for something else, or for another entry.
 */
export function isNewHit(
  { approval }: Payout,
  verdict: ScreeningVerdict | undefined,
): verdict is ScreeningHit {
  if (verdict?.verdict !== 'hit') return false
  const known = approval!.screening
  return !(known?.verdict === 'hit' && known.list === verdict.list && known.entry === verdict.entry)
}

/** Makes a payout wait for members who know what was found. Does nothing if it no longer waits. */
export async function holdForScreening(
  tx: Tx,
  now: RealTime,
  key: Pick<Payout, 'environmentId' | 'id'>,
  hit: ScreeningHit,
): Promise<void> {
  const { payout } = await getPendingById(tx, key, { isLocked: true })
  if (payout.status !== 'PENDING' || !isNewHit(payout, hit)) return
  recordHit(tx, payout, hit)
  const line = { payout, verdict: hit, action: 'hit', actor: 'screening' } as const
  await auditPayoutScreening(tx, now, line)
  await askMembers(tx, now, payout, 'screening')
}

/** The refusal of the approval that found the hit: its member had not seen it. */
export function foundAtApproval(payout: Payout, { entry, list, version }: ScreeningHit): Refusal {
  return new Refusal('approval_failed', {
    reason: 'screening',
    message: `The recipient of ${referenceOf(payout)} is on a sanctions list: entry ${entry} of ${list} (${version}). It waits for this now, and earlier approvals do not count. Approve it again to send it, or reject it.`,
  })
}
