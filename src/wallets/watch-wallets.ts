import { after, type Clock } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import type { Logger } from '../base/log.js'
import { isDedicated } from '../collections/accounts/account.js'
import type { JudgingLane } from '../collections/notices/notice-lanes.js'
import type { HistoryRange, ReportedPayment, WalletRail } from '../collections/ports.js'
import { formatMoney } from '../money/amounts.js'
import { coins, isCoin } from '../money/assets.js'
import { recordDisputes } from '../payouts/reconciliation/disputes.js'
import type { Database } from '../postgres/database.js'
import { whileLeased } from '../postgres/due.js'
import { judgeHistory } from './judge-history.js'
import { depositLimits } from './limits.js'
import { type HistoryReading, readHistories } from './read-histories.js'
import { recordPolls } from './record-polls.js'
import {
  claimTokenAccounts,
  postponePolls,
  tokenAccountsDue,
  troubledDue,
} from './store-token-accounts.js'
import type { HistoryTrouble, HistoryVerdict, PollResult, TokenAccount } from './token-account.js'

type WatchDependencies = {
  db: Database
  rail: WalletRail
  mode: Mode
  lane: JudgingLane
  clock: Clock
  logger: Logger
  /** Polls only the accounts whose history could not be read, instead of all others. */
  isTroubled?: boolean
}

/**
 * Polls the token accounts that are due and reads the history of those that changed, or may have
 * changed unnoticed. Records deposits as notices and judges them. Returns how many were due.
 */
export async function watchWallets(dependencies: WatchDependencies, now: Date): Promise<number> {
  const { db, rail, lane, logger, isTroubled = false } = dependencies
  if (!(await rail.isChainKnown())) return 0
  const claimed = await claimTokenAccounts(db, now, { rail: rail.name, isTroubled })
  if (claimed.length === 0) return 0

  // Two workers that poll the same accounts would each invalidate the other's results.
  const due = isTroubled ? troubledDue : tokenAccountsDue
  const { results, strays, postponed } = await whileLeased(
    dependencies,
    due,
    { owner: rail.name, now },
    () => pollAndJudge(dependencies, now, claimed),
  ).catch(async (error: unknown) => {
    await postponePolls(db, after(now, depositLimits.retryMs), claimed)
    throw error
  })
  const notices = await recordPolls(dependencies, now, { results, strays })
  await postponePolls(db, now, postponed)
  await Promise.all(
    notices.map(({ body, reported, ...key }) =>
      lane
        .run(key)
        .catch((error) => logger.error({ err: error, ...key }, 'a deposit was not judged yet')),
    ),
  )
  return claimed.length
}

async function pollAndJudge(dependencies: WatchDependencies, now: Date, claimed: TokenAccount[]) {
  const { polls, postponed } = await pollAccounts(dependencies, now, claimed)
  const results = polls.map((poll) => toResult(dependencies, now, poll))
  await recordPolledDisputes(dependencies, now, polls)
  return { results, strays: await findStrays(dependencies, now, results), postponed }
}

type Poll = {
  account: TokenAccount
  balance: bigint | null
  reading: HistoryReading | undefined
}

async function recordPolledDisputes(
  { db, rail }: WatchDependencies,
  now: Date,
  polls: Poll[],
): Promise<void> {
  const histories = polls.flatMap(({ reading }) =>
    reading && !(reading instanceof Error) ? [reading] : [],
  )
  const disputes = histories.flatMap((history) => history.disputes ?? [])
  const agreed = histories.flatMap(({ moves }) => moves.map(({ signature }) => signature))
  if (disputes.length + agreed.length === 0) return
  await db.transaction(async (tx) => recordDisputes(tx, now, { rail: rail.name, disputes, agreed }))
}

/** Postpones histories to the next poll when there are too many or reading takes too long. */
async function pollAccounts(
  { rail, clock }: WatchDependencies,
  now: Date,
  claimed: TokenAccount[],
): Promise<{ polls: Poll[]; postponed: TokenAccount[] }> {
  const balances = await readBalances(rail, claimed)
  const needsReading = (account: TokenAccount) =>
    account.amount !== balances.get(account) ||
    account.isUnread ||
    account.hasTrouble ||
    isAuditDue(now, account)
  const toRead = claimed.filter(needsReading)
  const chosen = toRead.slice(0, depositLimits.historiesPerPollMax)
  const startedMs = clock.elapsedMs()
  const readings = await readHistories(
    rail,
    chosen.map((account) => toRange(now, account)),
    () => clock.elapsedMs() - startedMs > depositLimits.historyReadMs,
  )
  const readingOf = new Map(chosen.map((account, index) => [account, readings[index]]))
  const postponed = new Set(toRead.filter((account) => !readingOf.get(account)))
  const polls = claimed
    .filter((account) => !postponed.has(account))
    .map((account) => ({
      account,
      balance: balances.get(account)!,
      reading: readingOf.get(account),
    }))
  return { polls, postponed: [...postponed] }
}

/** Keeps the known amount of tokens that are not our coins: they can be under any program. */
async function readBalances(
  rail: WalletRail,
  claimed: TokenAccount[],
): Promise<Map<TokenAccount, bigint | null>> {
  const ofCoins = claimed.filter(({ asset }) => isCoin(asset))
  const amounts = await rail.pollAmounts(ofCoins)
  return new Map<TokenAccount, bigint | null>([
    ...claimed.map((account) => [account, account.amount] as const),
    ...ofCoins.map((account, index) => [account, amounts[index]!] as const),
  ])
}

/**
 * An audit starts at `since` or where reading ended, whichever is older. So does a history that
 * stays unread: the missing transaction may be in the slot where reading ended.
 */
function toRange(now: Date, account: TokenAccount): HistoryRange {
  const { address: tokenAccount, readTo, readSlot, hasTrouble, unreadPolls } = account
  const isStuck = hasTrouble || (unreadPolls + 1) % depositLimits.overlapEveryPolls === 0
  const isOverlapping = readTo !== null && (isStuck || isAuditDue(now, account))
  const since = after(now, -depositLimits.auditLookbackMs)
  return {
    tokenAccount,
    after: readTo,
    ...(readTo !== null && { afterSlot: readSlot }),
    ...(isOverlapping && { since }),
  }
}

/** Accounts that were busy lately have the last days of their history read again once a day. */
function isAuditDue(now: Date, { auditedAt, busyUntil }: TokenAccount): boolean {
  const { auditIntervalMs, auditLookbackMs } = depositLimits
  return auditedAt <= after(now, -auditIntervalMs) && busyUntil > after(now, -auditLookbackMs)
}

/** An audit is complete when the whole history was read without gaps. */
function toResult(
  { logger, rail: { mints } }: WatchDependencies,
  now: Date,
  { account, balance, reading }: Poll,
): PollResult {
  const judged = judgeHistory(now, account, { balance, reading })
  const deposits = judged.deposits.map((deposit) => nameCoin(mints, deposit))
  const unreadPolls = judged.isUnread ? account.unreadPolls + 1 : 0
  const isUnreadTooLong = unreadPolls > depositLimits.unreadPollsMax
  const isPartial = reading && !(reading instanceof Error) && reading.isPartial
  const mismatch = isUnreadTooLong
    ? describeMismatch(account, balance, { ...judged, isPartial })
    : null
  const verdict = { ...judged, trouble: judged.trouble ?? mismatch }
  const { address, wallet, rail, hasTrouble, auditedAt } = account
  // The first time, a node may only be lagging.
  if (verdict.trouble)
    logger[hasTrouble || isUnreadTooLong ? 'error' : 'warn'](
      { rail, wallet, address, ...verdict.trouble },
      'deposits may be hidden',
    )
  const isComplete = reading && !isPartial && !verdict.trouble && !verdict.isUnread
  const isAudited = isComplete && isAuditDue(now, account)
  const dueAt = after(now, nextPollMs(now, account, verdict))
  return {
    ...verdict,
    deposits,
    account,
    unreadPolls,
    dueAt,
    auditedAt: isAudited ? now : auditedAt,
  }
}

/**
 * A coin of ours in a token account that is not the associated one is watched like another token,
 * under the address of its mint.
 */
function nameCoin(mints: WalletRail['mints'], deposit: ReportedPayment): ReportedPayment {
  const coin = coins.find((known) => mints[known] === deposit.currency)
  return coin ? { ...deposit, currency: coin, isInOtherTokenAccount: true } : deposit
}

/** The history is readable, but balance, history and books do not match. */
function describeMismatch(
  { asset, booked }: TokenAccount,
  balance: bigint | null,
  { amount, isPartial }: { amount: bigint; isPartial: boolean | undefined },
): HistoryTrouble {
  // The decimals of other tokens are not known.
  const show = (units: bigint | null) =>
    units !== null && isCoin(asset) ? formatMoney(units, asset) : `${units ?? 0n} units`
  const onChain =
    balance === null ? 'no majority of endpoints agrees' : `the chain holds ${show(balance)}`
  const why = `${onChain}, the history leaves ${show(amount)}, the books have ${show(booked)}`
  return { unreadable: [], holes: [], why: isPartial ? `${why}; too few endpoints know more` : why }
}

/** Polls busy accounts often, and idle ones less the longer they have been idle. */
function nextPollMs(
  now: Date,
  { kind, asset, hasTrouble }: TokenAccount,
  verdict: HistoryVerdict,
): number {
  const {
    pollIntervalMs,
    dedicatedPollIntervalMaxMs,
    temporaryPollIntervalMaxMs,
    troubledPollIntervalMs,
    auditIntervalMs,
  } = depositLimits
  if (verdict.trouble && hasTrouble) return troubledPollIntervalMs
  if (verdict.isUnread) return pollIntervalMs
  if (!isCoin(asset)) return auditIntervalMs
  const idleMs = now.getTime() - verdict.busyUntil.getTime()
  const isPermanent = kind !== null && isDedicated({ kind })
  return Math.min(
    Math.max(pollIntervalMs, idleMs / 10),
    isPermanent ? dedicatedPollIntervalMaxMs : temporaryPollIntervalMaxMs,
  )
}

/**
 * Finds other tokens in audited wallets, which are watched from then on but never credited. If the
 * nodes do not respond, the next audit tries again.
 */
async function findStrays({ rail, logger }: WatchDependencies, now: Date, results: PollResult[]) {
  const audited = results.filter(({ account, auditedAt }) => auditedAt !== account.auditedAt)
  if (audited.length === 0) return []
  const wallets = new Set(audited.map(({ account }) => account.wallet))
  const found = await rail.findStrayTokens([...wallets]).catch((error: unknown) => {
    logger.warn({ err: error, wallets: wallets.size }, 'could not search wallets for other tokens')
    return []
  })
  return found.map((stray) => ({ ...stray, rail: rail.name, busyUntil: now, isUnread: true }))
}
