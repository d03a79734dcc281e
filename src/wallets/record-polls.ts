import { after } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { insertNotices, type NewNotice } from '../collections/store-notices.js'
import type { Database } from '../postgres/database.js'
import { ConnectionLost, isTransient, OutcomeUnknown } from '../postgres/failures.js'
import { type PollResult, writePollResults } from './store-token-accounts.js'
import { insertTokenAccounts, type NewTokenAccount } from './store-wallets.js'

type Tools = { db: Database; rail: { name: string }; mode: Mode; logger: Logger }

type Kept = { looks: PollResult[]; strays: NewTokenAccount[] }

/**
 * Keeps what looks have found, all of it at once. Where the database does not take it, each alone:
 * anybody may send anything to a wallet, and what cannot be kept of one must not keep back what
 * came to others. Says which notices there are now.
 */
export async function recordPolls(tools: Tools, now: Date, kept: Kept): Promise<NewNotice[]> {
  const { logger } = tools
  try {
    return await keep(tools, now, kept)
  } catch (error) {
    if (isPassing(error)) throw error
    logger.warn({ err: error, looks: kept.looks.length }, 'looks are kept one by one')
  }
  const notices: NewNotice[] = []
  for (const look of kept.looks) {
    const strays = kept.strays.filter(({ wallet }) => wallet === look.one.wallet)
    notices.push(...(await keepAlone(tools, now, { looks: [look], strays })))
  }
  return notices
}

async function keep(
  { db, rail, mode }: Tools,
  now: Date,
  { looks, strays }: Kept,
): Promise<NewNotice[]> {
  const notices = looks.flatMap(({ deposits }) =>
    deposits.map((announced) => ({
      rail: rail.name,
      mode,
      id: announced.id,
      announced,
      body: null,
    })),
  )
  await db.transaction(async (tx) => {
    if (notices.length > 0) insertNotices(tx, { now, dueAt: now }, notices)
    insertTokenAccounts(tx, now, strays)
    writePollResults(tx, looks)
  })
  return notices
}

/** What cannot be kept is trouble of that account, which is watched apart from then on. */
async function keepAlone(tools: Tools, now: Date, kept: Kept): Promise<NewNotice[]> {
  try {
    return await keep(tools, now, kept)
  } catch (error) {
    if (isPassing(error)) throw error
    const { one } = kept.looks[0]!
    const { rail, wallet, address } = one
    tools.logger.error({ err: error, rail, wallet, address }, 'deposits may be hidden')
    await tools.db.transaction(async (tx) =>
      writePollResults(tx, [troubled(now, one, error as Error)]),
    )
    return []
  }
}

/** As it was before the look. */
function troubled(now: Date, one: PollResult['one'], { message: why }: Error): PollResult {
  const { amount, readTo, readSlot, busyUntil, auditedAt } = one
  return {
    one,
    amount,
    readTo,
    readSlot,
    busyUntil,
    auditedAt,
    isUnread: true,
    deposits: [],
    unreadLooks: one.unreadLooks + 1,
    trouble: { unreadable: [], holes: [], why },
    dueAt: after(now, limits.deposits.troubleEveryMs),
  }
}

/** The database failed, not what it was given: it is looked again when the lease is over. */
function isPassing(error: unknown): boolean {
  const isLost = error instanceof ConnectionLost || error instanceof OutcomeUnknown
  return isLost || isTransient(error)
}
