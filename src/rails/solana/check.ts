import { strict as assert } from 'node:assert'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { coins } from '../../money/assets.js'
import type { Examined, Finding, LiveAttempt, Prepared } from '../../payouts/ports.js'
import type { TransactionError } from './chain-errors.js'
import { type ChainContext, checkAttempts, type EndpointView } from './check-attempts.js'
import type { RpcEndpoint } from './endpoint.js'
import { type Endpoints, Unavailable } from './endpoints.js'
import { readMemos, type SignatureLine, walkHistory } from './history.js'
import { earliestSlot, isExpiredFor, judgeAttempt } from './judge-attempt.js'
import { askEach, majorityOf, reachedBy } from './quorum.js'
import type { SolanaTreasury } from './treasury.js'

export type CheckParts = {
  endpoints: Endpoints
  chain: ChainContext
  treasury: SolanaTreasury
  logger: Logger
  /** What an error means, where the transactions are no payouts. */
  explain?: (error: TransactionError) => string
}

/** A payout, or whatever else is a transaction with a memo that moves the treasury's coins. */
export type SentAttempt = Prepared & Pick<LiveAttempt, 'reference' | 'asset'> & Partial<LiveAttempt>

type Chained = SentAttempt & { validUntil: bigint }

/**
 * Asks every endpoint what became of the attempts, and concludes what a majority of them says. An
 * attempt that is long gone must not have been paid by another one either.
 */
export function createCheck(parts: CheckParts) {
  return async (attempts: SentAttempt[]): Promise<Finding[]> => {
    if (attempts.length === 0) return []
    const chained = attempts.map(toChained)
    const views = await lookEverywhere(parts, chained)
    const findings = chained.map((attempt) => judge(parts, attempt, views))
    const gone = chained.filter((_, index) => findings[index]!.state === 'gone')
    const doubted = await findPaidOtherwise(parts, gone, views)
    return findings.map((finding, index) =>
      doubted.has(attempts[index]!.token) ? { ...finding, state: 'pending' } : finding,
    )
  }
}

/** The same for one attempt, with all that an operator needs to decide what became of it. */
export function createExamine(parts: CheckParts) {
  return async (attempt: LiveAttempt): Promise<Examined> => {
    const chained = toChained(attempt)
    const views = await lookEverywhere(parts, [chained])
    const { token, validUntil } = chained
    const needed = majorityOf(parts.endpoints.all.length)
    const expired = views.filter((view) => isExpiredFor(chained, view))
    const knowing = views.filter(({ sightings }) => sightings.get(token)!.status)
    return {
      token,
      validUntil,
      finding: judge(parts, chained, views),
      height: reachedBy(
        views.map(({ height }) => height),
        needed,
      ),
      isExpired: expired.length >= needed,
      knownBy: knowing.map(({ host }) => host),
    }
  }
}

/** No later than the endpoints are known to allow, whatever was said when it was signed. */
function toChained(attempt: SentAttempt): Chained {
  const { validUntil, expiresBy } = attempt
  assert(validUntil !== null, 'what is sent to a chain ends by itself')
  const isCapped = expiresBy != null && expiresBy < validUntil
  return { ...attempt, validUntil: isCapped ? expiresBy : validUntil }
}

function judge(parts: CheckParts, attempt: Chained, views: EndpointView[]): Finding {
  const { endpoints, logger, explain } = parts
  const { finding, error } = judgeAttempt(attempt, views, endpoints.all.length)
  const { reference, token } = attempt
  if (finding.disputedBy)
    logger.error({ reference, token, hosts: finding.disputedBy }, 'endpoints contradict each other')
  return explain && error ? { ...finding, state: 'failed', reason: explain(error) } : finding
}

async function lookEverywhere(parts: CheckParts, attempts: Chained[]): Promise<EndpointView[]> {
  const { endpoints, chain, logger } = parts
  const looks = await askEach(endpoints.all, logger, (endpoint) =>
    checkAttempts(endpoint, attempts, chain),
  )
  const views = looks.map(({ value }) => value)
  warnOfLaggards(logger, views)
  return views
}

/** Too many endpoints that are stuck keep everything from ending: the operator must know. */
function warnOfLaggards(logger: Logger, views: EndpointView[]): void {
  const newest = views.reduce((height, view) => (view.height > height ? view.height : height), 0n)
  for (const { host, height } of views)
    if (newest - height > BigInt(limits.solana.blockhashAge))
      logger.error(
        { host, blocks: Number(newest - height) },
        'an endpoint is far behind the others',
      )
}

/**
 * Searches for the memos of attempts that seem gone since long: our own record may be older than
 * the chain's, as after a restored backup. A majority must have searched and found none.
 */
async function findPaidOtherwise(
  { endpoints, treasury, logger }: CheckParts,
  attempts: Chained[],
  views: EndpointView[],
): Promise<Set<string>> {
  const isLong = ({ validUntil }: Chained) =>
    views.some(({ height }) => height > validUntil + BigInt(limits.solana.longOutageBlocks))
  const doubted = new Set<string>()
  for (const coin of coins) {
    const group = attempts.filter((attempt) => attempt.asset === coin && isLong(attempt))
    if (group.length === 0) continue
    const slots = group.flatMap((attempt) => views.map((view) => earliestSlot(attempt, view)))
    const since = slots.reduce((least, slot) => (slot < least ? slot : least))
    const { address } = treasury.sources[coin]
    const searches = await askEach(endpoints.all, logger, (endpoint) =>
      findMemos(endpoint, group, { address, since }),
    )
    for (const attempt of group) {
      const clean = searches.filter(({ value }) => !value.includes(attempt))
      if (clean.length < majorityOf(endpoints.all.length)) doubted.add(attempt.token)
    }
  }
  for (const token of doubted)
    logger.error({ token }, 'an attempt is gone, but its payout may have been paid otherwise')
  return doubted
}

/** Those of the attempts whose memo is there. Throws when the history is longer than allowed. */
async function findMemos(
  endpoint: RpcEndpoint,
  attempts: Chained[],
  range: { address: string; since: bigint },
): Promise<Chained[]> {
  const listPage = (...params: unknown[]) =>
    endpoint.call<SignatureLine[]>('getSignaturesForAddress', ...params)
  const wanted = new Map(attempts.map((attempt) => [attempt.reference, attempt]))
  const found = new Set<Chained>()
  const walk = walkHistory({ listPage, ...range })
  for (let step = await walk.next(); ; step = await walk.next()) {
    if (step.done && !step.value) throw new Unavailable('the history is too long to walk')
    if (step.done) return [...found]
    for (const memo of step.value.filter(({ err }) => err === null).flatMap(readMemos)) {
      const attempt = wanted.get(memo)
      if (attempt) found.add(attempt)
    }
  }
}
