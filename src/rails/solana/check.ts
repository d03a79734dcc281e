import { strict as assert } from 'node:assert'
import { limits } from '../../limits.js'
import type { Logger } from '../../log.js'
import { coins } from '../../money/assets.js'
import type { Finding, LiveAttempt, Prepared } from '../../payouts/ports.js'
import type { TransactionError } from './chain-errors.js'
import { type Endpoint, EndpointFailure } from './endpoint.js'
import { askOne, type Endpoints, Unavailable } from './endpoints.js'
import { type Line, readMemos, walkHistory } from './history.js'
import { earliestSlot, judgeAttempt } from './judge-attempt.js'
import { type Chain, lookAtAttempts, type View } from './look-at-attempts.js'
import type { Treasury } from './treasury.js'

export type CheckParts = {
  endpoints: Endpoints
  chain: Chain
  treasury: Treasury
  logger: Logger
  /** What an error means, where the transactions are no payouts. */
  explain?: (error: TransactionError) => string
}

/** A payout, or whatever else is a transaction with a memo that moves the treasury's coins. */
export type Sent = Prepared & Pick<LiveAttempt, 'reference' | 'asset'>

type Chained = Sent & { validUntil: bigint }

/**
 * Asks every endpoint what became of the attempts. An attempt is called gone only when none of
 * them knows it, none can still take it and, after a long outage, nobody has paid it otherwise.
 */
export function createCheck(parts: CheckParts) {
  return async (attempts: Sent[]): Promise<Finding[]> => {
    if (attempts.length === 0) return []
    const views = await lookEverywhere(parts, attempts)
    const findings = attempts.map((attempt) => judge(parts, toChained(attempt), views))
    const doubted = attempts.filter((_, index) => findings[index]!.state === 'gone')
    const paid = await findPaidOtherwise(parts, doubted.map(toChained), views)
    return findings.map((finding, index) =>
      paid.has(attempts[index]!.token) ? { state: 'pending' } : finding,
    )
  }
}

function toChained(attempt: Sent): Chained {
  assert(attempt.validUntil !== null, 'what is sent to a chain ends by itself')
  return attempt as Chained
}

function judge(parts: CheckParts, attempt: Chained, views: View[]): Finding {
  const { endpoints, logger, explain } = parts
  const { finding, isDisputed, error } = judgeAttempt(attempt, views, endpoints.all.length)
  const { reference, token } = attempt
  if (isDisputed)
    logger.error({ reference, token }, 'the endpoints contradict each other: remove the wrong one')
  return explain && error ? { state: 'failed', reason: explain(error) } : finding
}

async function lookEverywhere(parts: CheckParts, attempts: Sent[]): Promise<View[]> {
  const { endpoints, chain, logger } = parts
  const looks = endpoints.all.map((endpoint) =>
    orNothing(logger, endpoint, lookAtAttempts(endpoint, attempts, chain)),
  )
  const views = (await Promise.all(looks)).filter((view) => view !== undefined)
  warnOfLaggards(logger, views)
  return views
}

/** Nothing is ever gone while one of them is stuck, so somebody should know. */
function warnOfLaggards(logger: Logger, views: View[]): void {
  const newest = views.reduce((height, view) => (view.height > height ? view.height : height), 0n)
  for (const { host, height } of views)
    if (newest - height > BigInt(limits.solana.blockhashAge))
      logger.error(
        { host, blocks: Number(newest - height) },
        'an endpoint is far behind the others',
      )
}

async function orNothing<Value>(logger: Logger, { host }: Endpoint, value: Promise<Value>) {
  try {
    return await value
  } catch (error) {
    if (!(error instanceof EndpointFailure || error instanceof Unavailable)) throw error
    logger.warn({ host, trouble: error.message }, 'a node cannot say what became of payouts')
    return undefined
  }
}

/**
 * Looks for the memos of attempts that seem gone since long: our own record may be older than the
 * chain's, as after a restored backup. All endpoints must have looked, or it stays in doubt.
 */
async function findPaidOtherwise(
  parts: CheckParts,
  attempts: Chained[],
  views: View[],
): Promise<Set<string>> {
  const isLong = ({ validUntil }: Chained) =>
    views.some(({ height }) => height > validUntil + BigInt(limits.solana.longOutageBlocks))
  const doubted = new Set<string>()
  for (const coin of coins) {
    const group = attempts.filter((attempt) => attempt.asset === coin && isLong(attempt))
    if (group.length === 0) continue
    const slots = group.flatMap((attempt) => views.map((view) => earliestSlot(attempt, view)))
    const since = slots.reduce((least, slot) => (slot < least ? slot : least))
    const address = parts.treasury.sources[coin].address
    const looks = parts.endpoints.all.map((endpoint) =>
      orNothing(parts.logger, endpoint, findMemos(endpoint, group, { address, since })),
    )
    for (const found of await Promise.all(looks))
      for (const { token } of found ?? group) doubted.add(token)
  }
  for (const token of doubted)
    parts.logger.error({ token }, 'an attempt is gone, but its payout may have been paid otherwise')
  return doubted
}

/** Those of the attempts whose memo is there. Throws when the history is longer than allowed. */
async function findMemos(
  endpoint: Endpoint,
  attempts: Chained[],
  range: { address: string; since: bigint },
): Promise<Chained[]> {
  const listPage = async (...params: unknown[]) => {
    const [page] = await askOne(endpoint, [{ method: 'getSignaturesForAddress', params }])
    return page as Line[]
  }
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
