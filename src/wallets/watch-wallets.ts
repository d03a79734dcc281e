import { after, type Clock } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { isDedicated } from '../collections/account.js'
import type { PaymentLane } from '../collections/payment-lane.js'
import type { HistoryRange, WalletRail } from '../collections/ports.js'
import { isCoin } from '../money/assets.js'
import { noteDisputes } from '../payouts/disputes.js'
import type { Database } from '../postgres/database.js'
import { type Reading, readHistories } from './read-histories.js'
import { type Left, readHistory } from './read-history.js'
import { recordPolls } from './record-polls.js'
import {
  claimTokenAccounts,
  type PollResult,
  postponePolls,
  type TokenAccount,
} from './store-token-accounts.js'

type Tools = {
  db: Database
  rail: WalletRail
  mode: Mode
  lane: PaymentLane
  clock: Clock
  logger: Logger
  /** Whether it is about those that could not be read, instead of all others. */
  isTroubled?: boolean
}

/**
 * Looks at the token accounts that are due, all in few calls; reads the history of those that
 * changed, or might have without showing it; keeps what came as notices, and has them judged. Says
 * how many there were.
 */
export async function watchWallets(tools: Tools, now: Date): Promise<number> {
  const { db, rail, lane, logger, isTroubled = false } = tools
  if (!(await rail.hasMetItsChain())) return 0
  const claimed = await claimTokenAccounts(db, now, { rail: rail.name, isTroubled })
  if (claimed.length === 0) return 0

  const { looks, strays, putOff } = await whileLeased(tools, claimed, async () => {
    const { seen, putOff } = await lookAt(tools, now, claimed)
    const looks = seen.map((one) => conclude(tools, now, one))
    await keepDisputes(db, now, rail, seen)
    return { looks, strays: await findStrays(tools, now, looks), putOff }
  }).catch(async (error: unknown) => {
    await postponePolls(db, after(now, limits.deposits.retryMs), claimed)
    throw error
  })
  const notices = await recordPolls(tools, now, { looks, strays })
  await postponePolls(db, now, putOff)
  await Promise.all(
    notices.map(({ body, announced, ...name }) =>
      lane.run(name).catch((error) => logger.error({ err: error, ...name }, 'a deposit waits')),
    ),
  )
  return claimed.length
}

/**
 * However long nodes take, nobody else looks at the same meanwhile: what two have begun, each after
 * the other's lease, neither could keep. Of a process that dies the lease ends by itself.
 */
async function whileLeased<Result>(
  { db, clock, logger }: Tools,
  claimed: TokenAccount[],
  work: () => Promise<Result>,
): Promise<Result> {
  const { leaseMs } = limits.deposits
  let renewal = Promise.resolve()
  const renew = async () => {
    await postponePolls(db, after(clock.now(), leaseMs), claimed).catch((error: unknown) =>
      logger.warn({ err: error }, 'looks could not be leased for longer'),
    )
  }
  const timer = setInterval(() => {
    renewal = renewal.then(renew)
  }, leaseMs / 4)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await renewal
  }
}

type Seen = { one: TokenAccount; held: bigint | null; reading: Reading | undefined }

async function keepDisputes(db: Database, now: Date, rail: WalletRail, seen: Seen[]) {
  const read = seen.flatMap(({ reading }) =>
    reading && !(reading instanceof Error) ? [reading] : [],
  )
  const disputes = read.flatMap(({ disputes = [] }) => disputes)
  const agreed = read.flatMap(({ moves }) => moves.map(({ signature }) => signature))
  if (disputes.length + agreed.length === 0) return
  await db.transaction(async (tx) => noteDisputes(tx, now, { rail: rail.name, disputes, agreed }))
}

/** Of many that should be read, or where it takes long, some are put off until the next look. */
async function lookAt(
  { rail, clock }: Tools,
  now: Date,
  claimed: TokenAccount[],
): Promise<{ seen: Seen[]; putOff: TokenAccount[] }> {
  const held = await readHeld(rail, claimed)
  const doubted = claimed.filter(
    (one) => one.amount !== held.get(one) || one.isUnread || one.hasTrouble || isAuditDue(now, one),
  )
  const chosen = doubted.slice(0, limits.deposits.historiesAtOnce)
  const begun = clock.elapsedMs()
  const readings = await readHistories(
    rail,
    chosen.map((one) => toRange(now, one)),
    { isOver: () => clock.elapsedMs() - begun > limits.deposits.readMs },
  )
  const read = new Map(chosen.map((one, index) => [one, readings[index]]))
  const putOff = doubted.filter((one) => !read.get(one))
  const isPutOff = new Set(putOff)
  const seen = claimed
    .filter((one) => !isPutOff.has(one))
    .map((one) => ({ one, held: held.get(one)!, reading: read.get(one) }))
  return { seen, putOff }
}

/** Of tokens that are not ours no amount is asked for: they may lie anywhere, under any program. */
async function readHeld(
  rail: WalletRail,
  claimed: TokenAccount[],
): Promise<Map<TokenAccount, bigint | null>> {
  const own = claimed.filter(({ asset }) => isCoin(asset))
  const amounts = await rail.pollAmounts(own)
  const known = claimed.map((one) => [one, one.amount] as const)
  return new Map<TokenAccount, bigint | null>([
    ...known,
    ...own.map((one, index) => [one, amounts[index]!] as const),
  ])
}

/**
 * An audit begins no later than where reading has ended: what was never read may be older. What
 * stays unread is read with an overlap, too: it may be of the slot in which reading ended.
 */
function toRange(now: Date, one: TokenAccount): HistoryRange {
  const { address: tokenAccount, readTo, readSlot, hasTrouble, unreadLooks } = one
  const isStuck = hasTrouble || (unreadLooks + 1) % limits.deposits.overlapEvery === 0
  const isFurtherBack = readTo !== null && (isStuck || isAuditDue(now, one))
  const since = after(now, -limits.deposits.auditedMs)
  return {
    tokenAccount,
    after: readTo,
    ...(readTo !== null && { afterSlot: readSlot }),
    ...(isFurtherBack && { since }),
  }
}

/** Once a day, where something happened lately, the history is read from further back. */
function isAuditDue(now: Date, { auditedAt, busyUntil }: TokenAccount): boolean {
  const { auditEveryMs, auditedMs } = limits.deposits
  return auditedAt <= after(now, -auditEveryMs) && busyUntil > after(now, -auditedMs)
}

/** An audit is done when nothing was missing, and it came to the end. */
function conclude({ logger }: Tools, now: Date, { one, held, reading }: Seen): PollResult {
  const read = readHistory(now, one, { held, reading })
  const unreadLooks = read.isUnread ? one.unreadLooks + 1 : 0
  const isLasting = unreadLooks > limits.deposits.unreadLooks
  const isPartial = reading && !(reading instanceof Error) && reading.isPartial
  const lasting = isLasting ? differenceOf(one, held, { ...read, isPartial }) : null
  const left = { ...read, trouble: read.trouble ?? lasting }
  const { address, wallet, rail, hasTrouble, auditedAt } = one
  // The first time it may be a node that is behind.
  if (left.trouble)
    logger[hasTrouble || isLasting ? 'error' : 'warn'](
      { rail, wallet, address, ...left.trouble },
      'deposits may be hidden',
    )
  const isWhole = reading && !isPartial && !left.trouble && !left.isUnread
  const isAudited = isWhole && isAuditDue(now, one)
  const dueAt = after(now, nextLookMs(now, one, left))
  return { ...left, one, unreadLooks, dueAt, auditedAt: isAudited ? now : auditedAt }
}

/** Everything that all nodes know could be read, and it does not fit together. */
function differenceOf(
  { booked }: TokenAccount,
  held: bigint | null,
  { amount, isPartial }: { amount: bigint; isPartial: boolean | undefined },
): Left['trouble'] {
  const onChain = held === null ? 'no majority of endpoints agrees' : `the chain holds ${held}`
  const why = `${onChain}, the history leaves ${amount}, the books have ${booked}`
  return { unreadable: [], holes: [], why: isPartial ? `${why}; too few endpoints know more` : why }
}

/** Often while something happens; of what rests, the longer it has rested the more seldom. */
function nextLookMs(now: Date, { kind, asset, hasTrouble }: TokenAccount, left: Left): number {
  const { lookEveryMs, longestLookMs, longestRestMs, troubleEveryMs } = limits.deposits
  if (left.trouble && hasTrouble) return troubleEveryMs
  if (left.isUnread) return lookEveryMs
  if (!isCoin(asset)) return limits.deposits.auditEveryMs
  const restedMs = now.getTime() - left.busyUntil.getTime()
  const isForGood = kind !== null && isDedicated({ kind })
  return Math.min(Math.max(lookEveryMs, restedMs / 10), isForGood ? longestLookMs : longestRestMs)
}

/**
 * Other tokens that came to wallets are watched from then on, though never credited. Where nobody
 * tells of them, the next audit asks again.
 */
async function findStrays({ rail, logger }: Tools, now: Date, looks: PollResult[]) {
  const audited = looks.filter(({ one, auditedAt }) => auditedAt !== one.auditedAt)
  if (audited.length === 0) return []
  const wallets = new Set(audited.map(({ one }) => one.wallet))
  const found = await rail.findStrayTokens([...wallets]).catch((error: unknown) => {
    logger.warn({ err: error, wallets: wallets.size }, 'nobody told of other tokens in wallets')
    return []
  })
  return found.map((stray) => ({ ...stray, rail: rail.name, busyUntil: now, isUnread: true }))
}
