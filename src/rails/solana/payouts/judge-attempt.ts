import { limits } from '../../../base/limits.js'
import type { AttemptFinding } from '../../../payouts/ports.js'
import { payoutFailureOf, type TransactionError } from '../rpc/chain-errors.js'
import { findAgreed, majorityOf, reachedBy } from '../rpc/majority.js'
import type { NodeView, SignatureReport } from './check-attempts.js'

type JudgedAttempt = {
  finding: AttemptFinding
  error?: TransactionError
}

type Attempt = { token: string; validUntil: bigint; signedSlot?: bigint | null }
type Vote = { view: NodeView; report: SignatureReport }

const { blockhashAge, finalizedAfter, slotsPerBlock, unfinalizedBlocksMax } = limits.solana

/**
 * Decides the state of an attempt from all nodes' views. `landed`, `failed` and `gone` each
 * need a majority of the configured nodes; one that does not respond, or does not know the
 * signature, supports none of them.
 */
export function judgeAttempt(attempt: Attempt, views: NodeView[], nodes: number): JudgedAttempt {
  const needed = majorityOf(nodes)
  const votes = views.map((view) => ({ view, report: view.reports.get(attempt.token)! }))
  const finalized = votes.filter(({ report }) => report.status?.isFinalized)
  const agreed = findAgreed(finalized, needed, outcomeOf)
  const disputedBy = findContradiction(attempt, votes)
  const toVerdict = (finding: AttemptFinding): JudgedAttempt => ({
    finding: disputedBy.length > 0 ? { ...finding, disputedBy } : finding,
  })
  if (agreed) {
    const { error } = agreed.report.status!
    return error
      ? { ...toVerdict({ state: 'failed', reason: payoutFailureOf(error) }), error }
      : toVerdict({ state: 'landed' })
  }
  if (votes.filter((vote) => isGoneFor(attempt, vote)).length >= needed)
    return toVerdict({ state: 'gone' })
  // Sending again is safe and helps only while a block can still include the attempt, and is
  // pointless once a majority has seen it.
  const known = votes.filter(({ report }) => report.status !== null)
  const mayLand = views.some(({ height }) => height <= attempt.validUntil)
  // `validUntil` came from one node. If that node lied, the attempt would stay open for
  // years: the height that a majority has finalized caps it.
  const heights = views.map(({ height }) => height)
  const reached = reachedBy(heights, needed)
  const expiresBy = reached !== undefined ? reached + BigInt(unfinalizedBlocksMax) : undefined
  const isValidityTooLong = expiresBy !== undefined && expiresBy < attempt.validUntil
  return toVerdict({
    state: mayLand && known.length < needed ? 'unseen' : 'pending',
    ...(isValidityTooLong && { expiresBy }),
  })
}

function outcomeOf({ report: { status } }: Vote): string {
  return `${status!.slot} ${JSON.stringify(status!.error)}`
}

/** Hosts of nodes that contradict each other, beyond what lag or pruning explains. */
function findContradiction(attempt: Attempt, votes: Vote[]): string[] {
  const finalized = votes.filter(({ report }) => report.status?.isFinalized)
  const isLagging = (slot: bigint) =>
    finalized.some(({ report }) => slot < report.status!.slot + BigInt(finalizedAfter))
  const denying = votes.filter(
    ({ view, report }) =>
      finalized.length > 0 &&
      report.status === null &&
      !isLagging(report.slot) &&
      (!report.isHistorySearched || hasBlocksOf(attempt, view)),
  )
  const isContradicted = denying.length > 0 || new Set(finalized.map(outcomeOf)).size > 1
  return isContradicted ? [...finalized, ...denying].map(({ view }) => view.host) : []
}

/**
 * The attempt can never land: it has expired, and all blocks that could include it were searched.
 * One URL may be served by several nodes, so the node that searched must be at least as recent as
 * the one that reported the height.
 */
function isGoneFor(attempt: Attempt, { view, report }: Vote): boolean {
  return (
    report.status === null &&
    isExpiredFor(attempt, view) &&
    report.isHistorySearched &&
    report.slot >= view.slot &&
    hasBlocksOf(attempt, view)
  )
}

/**
 * No future block can include the attempt. The height is finalized, and the margin costs only
 * seconds. `validUntil` may be too low, because one node reported it; then the blockhash is
 * still valid, and an attempt that is declared dead too early could be paid twice.
 */
export function isExpiredFor({ token, validUntil }: Attempt, view: NodeView): boolean {
  const { isBlockhashValid } = view.reports.get(token)!
  return view.height > validUntil + BigInt(finalizedAfter) && !isBlockhashValid
}

/** False when the node has pruned blocks that could include the attempt. */
function hasBlocksOf(attempt: Attempt, view: NodeView): boolean {
  return view.firstAvailableSlot <= earliestSlot(attempt, view)
}

/**
 * No block before this slot can include the attempt. Without the slot of signing, it is estimated
 * from the height, ever further back as the attempt ages: some slots have no block.
 */
export function earliestSlot(
  { validUntil, signedSlot }: Pick<Attempt, 'validUntil' | 'signedSlot'>,
  view: NodeView,
): bigint {
  if (signedSlot != null) return signedSlot
  const blocks = view.height - validUntil + BigInt(blockhashAge)
  const slot = view.slot - blocks * BigInt(slotsPerBlock)
  return slot > 0n ? slot : 0n
}
