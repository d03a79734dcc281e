import { after } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import type { Logger } from '../base/log.js'
import { insertNotices, type NewNotice } from '../collections/notices/store-notices.js'
import type { Database } from '../postgres/database.js'
import { ConnectionLost, isTransient, OutcomeUnknown } from '../postgres/wire/failures.js'
import { depositLimits } from './limits.js'
import { writePollResults } from './store-token-accounts.js'
import { insertTokenAccounts, type NewTokenAccount } from './store-wallets.js'
import type { PollResult, TokenAccount } from './token-account.js'

type RecordingDependencies = { db: Database; rail: { name: string }; mode: Mode; logger: Logger }

type Polls = { results: PollResult[]; strays: NewTokenAccount[] }

/**
 * Records poll results in one transaction and returns the notices. If the database rejects them,
 * records each alone: anyone can send anything to a wallet, and one bad transaction must not hold
 * up the deposits of others.
 */
export async function recordPolls(
  dependencies: RecordingDependencies,
  now: Date,
  polls: Polls,
): Promise<NewNotice[]> {
  const { logger } = dependencies
  const { results, strays } = polls
  try {
    return await record(dependencies, now, polls)
  } catch (error) {
    if (isDatabaseFailure(error)) throw error
    logger.warn({ err: error, polls: results.length }, 'recording poll results one by one')
  }
  const notices: NewNotice[] = []
  for (const result of results) {
    const own = strays.filter(({ wallet }) => wallet === result.account.wallet)
    notices.push(...(await recordAlone(dependencies, now, result, own)))
  }
  return notices
}

async function record(
  { db, rail, mode }: RecordingDependencies,
  now: Date,
  { results, strays }: Polls,
): Promise<NewNotice[]> {
  const deposits = results.flatMap((result) => result.deposits)
  const notices = deposits.map((payment) => ({
    rail: rail.name,
    mode,
    id: payment.id,
    reported: payment,
    body: null,
  }))
  await db.transaction(async (tx) => {
    if (notices.length > 0) insertNotices(tx, { now, dueAt: now }, notices)
    insertTokenAccounts(tx, now, strays)
    writePollResults(tx, results)
  })
  return notices
}

/** A result that cannot be recorded marks its account as troubled; those are polled separately. */
async function recordAlone(
  dependencies: RecordingDependencies,
  now: Date,
  result: PollResult,
  strays: NewTokenAccount[],
): Promise<NewNotice[]> {
  try {
    return await record(dependencies, now, { results: [result], strays })
  } catch (error) {
    if (isDatabaseFailure(error)) throw error
    const { account } = result
    const { rail, wallet, address } = account
    dependencies.logger.error({ err: error, rail, wallet, address }, 'deposits may be hidden')
    const troubled = toTroubled(now, account, (error as Error).message)
    await dependencies.db.transaction(async (tx) => writePollResults(tx, [troubled]))
    return []
  }
}

function toTroubled(now: Date, account: TokenAccount, why: string): PollResult {
  const { amount, readTo, readSlot, busyUntil, auditedAt } = account
  return {
    account,
    amount,
    readTo,
    readSlot,
    busyUntil,
    auditedAt,
    isUnread: true,
    deposits: [],
    unreadPolls: account.unreadPolls + 1,
    trouble: { unreadable: [], holes: [], why },
    dueAt: after(now, depositLimits.troubledPollIntervalMs),
  }
}

/** The database failed, not the data: the accounts are polled again when the lease ends. */
function isDatabaseFailure(error: unknown): boolean {
  const isLost = error instanceof ConnectionLost || error instanceof OutcomeUnknown
  return isLost || isTransient(error)
}
