import { after, type Clock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import type { WalletRail } from '../collections/ports.js'
import { moveAll } from '../ledger/move.js'
import type { Movement } from '../ledger/movement.js'
import { disputesIn, noteDisputes } from '../payouts/disputes.js'
import type { Finding } from '../payouts/ports.js'
import type { Database } from '../postgres/database.js'
import type { Tx } from '../postgres/tx.js'
import {
  type ClaimedSweep,
  claimSweeps,
  endSweeps,
  lockSweeps,
  postponeSweeps,
  type SweepEnd,
  shareSweeps,
} from './store-sweeps.js'

type Tools = { db: Database; rail: WalletRail; clock: Clock; logger: Logger }

type Found = { sweep: ClaimedSweep; finding: Finding }

/**
 * Looks at sweeps that are due: what landed is booked, what can still land is sent again, what
 * never can is given up, and its coins are swept anew. Says how many there were.
 */
export async function concludeSweeps(tools: Tools, now: Date): Promise<number> {
  const { db, rail, clock, logger } = tools
  const sweeps = await claimSweeps(db, now, rail.name)
  if (sweeps.length === 0) return 0
  const findings = await rail.checkSweeps(sweeps)
  const found = sweeps.map((sweep, index) => ({ sweep, finding: findings[index]! }))
  const unseen = found.filter(({ finding }) => finding.state === 'unseen')
  // Later, another worker may be looking at them already; sending twice would do no harm.
  if (clock.now() < after(now, limits.sweeps.leaseMs))
    await rail.sendSweeps(unseen.map(({ sweep }) => sweep))
  for (const { sweep, finding } of found) {
    const { reference, token } = sweep
    if (finding.state === 'failed')
      logger.warn({ reference, reason: finding.reason }, 'a sweep failed')
    if (finding.state === 'gone') logger.warn({ reference, token }, 'a sweep can no longer land')
  }
  await db.transaction((tx) => {
    noteDisputes(tx, now, disputesIn(rail.name, sweeps, findings))
    return conclude(tx, now, found)
  })
  return sweeps.length
}

const ends: Partial<Record<Finding['state'], SweepEnd['state']>> = {
  landed: 'LANDED',
  failed: 'FAILED',
  gone: 'DEAD',
}

async function conclude(tx: Tx, now: Date, found: Found[]): Promise<void> {
  const open = found.filter(({ finding }) => !ends[finding.state])
  postponeSweeps(
    tx,
    after(now, limits.sweeps.lookEveryMs),
    open.map(({ sweep }) => sweep),
  )
  const ended = found.filter(({ finding }) => ends[finding.state])
  if (ended.length === 0) return
  const own = await lockSweeps(
    tx,
    ended.map(({ sweep }) => sweep),
  )
  const concluded = ended.filter(({ sweep }) => own.has(sweep.id))
  const landed = concluded.filter(({ finding }) => finding.state === 'landed')
  await book(
    tx,
    now,
    landed.map(({ sweep }) => sweep),
  )
  endSweeps(tx, now, concluded.map(toEnd))
}

/** What lay in the wallets of an environment lies in the treasury, for the same environment. */
async function book(tx: Tx, now: Date, landed: ClaimedSweep[]): Promise<void> {
  const assets = new Map(landed.map(({ id, asset }) => [id, asset]))
  const shares = await shareSweeps(tx, landed)
  const movements = shares.map(
    ({ id, environmentId, amount }): Movement => ({
      environmentId,
      asset: assets.get(id)!,
      causeId: id,
      isHold: false,
      lines: [{ debit: 'treasury', credit: 'deposits', amount, purpose: 'sweep' }],
    }),
  )
  const moved = await moveAll(tx, now, movements)
  if (!moved.every(({ isMoved }) => isMoved)) throw new Error('a sweep does not fit the books')
}

function toEnd({ sweep: { rail, id }, finding }: Found): SweepEnd {
  const outcome = finding.state === 'failed' ? finding.reason : null
  return { rail, id, state: ends[finding.state]!, outcome }
}
