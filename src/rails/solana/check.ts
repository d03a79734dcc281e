import { strict as assert } from 'node:assert'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { coins } from '../../money/assets.js'
import type { AttemptFinding, Examined, LiveAttempt, PreparedAttempt } from '../../payouts/ports.js'
import { readMemos, type SignatureInfo, walkHistory } from './deposits/history.js'
import { type ChainContext, checkAttempts, type NodeView } from './payouts/check-attempts.js'
import { earliestSlot, isExpiredFor, judgeAttempt } from './payouts/judge-attempt.js'
import type { SolanaTreasury } from './payouts/treasury.js'
import type { TransactionError } from './rpc/chain-errors.js'
import { majorityOf, reachedBy } from './rpc/majority.js'
import type { RpcNode } from './rpc/node.js'
import { type RpcNodes, Unavailable } from './rpc/nodes.js'
import { queryEach } from './rpc/quorum.js'

type CheckDependencies = {
  nodes: RpcNodes
  chain: ChainContext
  treasury: SolanaTreasury
  logger: Logger
  /** Maps an on-chain error to a failure reason, for transactions that are not payouts. */
  explain?: (error: TransactionError) => string
}

/** A payout or a sweep: a transaction with a memo that moves the treasury's coins. */
type SentAttempt = PreparedAttempt & Pick<LiveAttempt, 'reference' | 'asset'> & Partial<LiveAttempt>

type ExpiringAttempt = SentAttempt & { validUntil: bigint }

/**
 * Queries every node about the attempts and concludes what a majority reports. An attempt that
 * expired long ago is `gone` only if no other transaction carries its memo.
 */
export function createCheck(dependencies: CheckDependencies) {
  return async (attempts: SentAttempt[]): Promise<AttemptFinding[]> => {
    if (attempts.length === 0) return []
    const expiring = attempts.map(toExpiring)
    const views = await readViews(dependencies, expiring)
    const findings = expiring.map((attempt) => judge(dependencies, attempt, views))
    const gone = expiring.filter((_, index) => findings[index]!.state === 'gone')
    const doubtful = await findPossiblyPaid(dependencies, gone, views)
    return findings.map((finding, index) =>
      doubtful.has(attempts[index]!.token) ? { ...finding, state: 'pending' } : finding,
    )
  }
}

/** The check of one attempt, with everything an operator needs to decide its outcome. */
export function createExamine(dependencies: CheckDependencies) {
  return async (attempt: LiveAttempt): Promise<Examined> => {
    const expiring = toExpiring(attempt)
    const views = await readViews(dependencies, [expiring])
    const { token, validUntil } = expiring
    const needed = majorityOf(dependencies.nodes.all.length)
    const heights = views.map(({ height }) => height)
    const expired = views.filter((view) => isExpiredFor(expiring, view))
    const knowing = views.filter(({ reports }) => reports.get(token)!.status)
    return {
      token,
      validUntil,
      finding: judge(dependencies, expiring, views),
      height: reachedBy(heights, needed),
      isExpired: expired.length >= needed,
      knownBy: knowing.map(({ host }) => host),
    }
  }
}

/** Caps `validUntil`, which one node reported at signing, by what a majority allows. */
function toExpiring(attempt: SentAttempt): ExpiringAttempt {
  const { validUntil, expiresBy } = attempt
  assert(validUntil !== null, 'a transaction has a last valid block height')
  const isCapped = expiresBy != null && expiresBy < validUntil
  return { ...attempt, validUntil: isCapped ? expiresBy : validUntil }
}

function judge(
  dependencies: CheckDependencies,
  attempt: ExpiringAttempt,
  views: NodeView[],
): AttemptFinding {
  const { nodes, logger, explain } = dependencies
  const { finding, error } = judgeAttempt(attempt, views, nodes.all.length)
  const { reference, token } = attempt
  if (finding.state === 'pending') warnOfHistory(dependencies, attempt, views)
  if (finding.disputedBy)
    logger.error({ reference, token, hosts: finding.disputedBy }, 'RPC nodes contradict each other')
  return explain && error ? { ...finding, state: 'failed', reason: explain(error) } : finding
}

/** An expired attempt stays open while too few histories reach back to its signing. */
function warnOfHistory(
  { nodes, logger }: CheckDependencies,
  attempt: ExpiringAttempt,
  views: NodeView[],
): void {
  const { reference, token } = attempt
  const needed = majorityOf(nodes.all.length)
  const expired = views.filter((view) => isExpiredFor(attempt, view))
  const pruned = expired.filter((view) => view.firstAvailableSlot > earliestSlot(attempt, view))
  if (expired.length < needed || expired.length - pruned.length >= needed) return
  const hosts = pruned.map(({ host }) => host)
  logger.error(
    { reference, token, hosts },
    'an expired attempt stays open: the history of these RPC nodes starts after its signing',
  )
}

async function readViews(
  { nodes, chain, logger }: CheckDependencies,
  attempts: ExpiringAttempt[],
): Promise<NodeView[]> {
  const views = await queryEach(nodes.all, logger, (node) => checkAttempts(node, attempts, chain))
  warnOfLag(logger, views)
  return views
}

/** Too many stuck nodes keep every attempt open: the operator must know. */
function warnOfLag(logger: Logger, views: NodeView[]): void {
  const newest = views.reduce((height, view) => (view.height > height ? view.height : height), 0n)
  for (const { host, height } of views) {
    const blocks = newest - height
    if (blocks > BigInt(limits.solana.blockhashAge))
      logger.error({ host, blocks: Number(blocks) }, 'RPC node is far behind the others')
  }
}

/**
 * Of the attempts that expired long ago, those whose memo may be on the chain: another attempt,
 * missing in our database (a restored backup, for example), may have paid. A majority of nodes
 * must have searched and found no such memo.
 */
async function findPossiblyPaid(
  { nodes, treasury, logger }: CheckDependencies,
  attempts: ExpiringAttempt[],
  views: NodeView[],
): Promise<Set<string>> {
  const isLongExpired = ({ validUntil }: ExpiringAttempt) =>
    views.some(({ height }) => height > validUntil + BigInt(limits.solana.longOutageBlocks))
  const possiblyPaid = new Set<string>()
  for (const coin of coins) {
    const group = attempts.filter((attempt) => attempt.asset === coin && isLongExpired(attempt))
    if (group.length === 0) continue
    const slots = group.flatMap((attempt) => views.map((view) => earliestSlot(attempt, view)))
    const since = slots.reduce((least, slot) => (slot < least ? slot : least))
    const { address } = treasury.sources[coin]
    const searches = await queryEach(nodes.all, logger, (node) =>
      findByMemo(node, group, { address, since }),
    )
    for (const attempt of group) {
      const withoutMemo = searches.filter((found) => !found.includes(attempt))
      if (withoutMemo.length < majorityOf(nodes.all.length)) possiblyPaid.add(attempt.token)
    }
  }
  for (const token of possiblyPaid)
    logger.error({ token }, 'an attempt expired, but another transaction may have paid its payout')
  return possiblyPaid
}

/** The attempts whose memo is in the history. Throws when the history exceeds the page limit. */
async function findByMemo(
  node: RpcNode,
  attempts: ExpiringAttempt[],
  range: { address: string; since: bigint },
): Promise<ExpiringAttempt[]> {
  const listPage = (...params: unknown[]) =>
    node.call<SignatureInfo[]>('getSignaturesForAddress', ...params)
  const byReference = new Map(attempts.map((attempt) => [attempt.reference, attempt]))
  const found = new Set<ExpiringAttempt>()
  const walk = walkHistory({ listPage, ...range })
  for (let step = await walk.next(); ; step = await walk.next()) {
    if (step.done && !step.value) throw new Unavailable('the history is too long to search')
    if (step.done) return [...found]
    for (const memo of step.value.filter(({ err }) => err === null).flatMap(readMemos)) {
      const attempt = byReference.get(memo)
      if (attempt) found.add(attempt)
    }
  }
}
