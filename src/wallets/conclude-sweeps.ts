import { after, type Clock, type RealTime } from '../base/clock.js'
import type { Logger } from '../base/log.js'
import type { WalletRail } from '../collections/ports.js'
import { moveAll } from '../ledger/move.js'
import type { Movement } from '../ledger/movement.js'
import { formatDecimal } from '../money/amounts.js'
import type { AttemptFinding } from '../payouts/ports.js'
import { disputesIn, recordDisputes } from '../payouts/reconciliation/disputes.js'
import type { Database } from '../postgres/database.js'
import { type Lease, whileLeased } from '../postgres/due.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { sweepLimits } from './limits.js'
import {
  type ClaimedSweep,
  claimSweeps,
  endSweeps,
  lockSweeps,
  postponeSweeps,
  type SweepEnd,
  shareSweeps,
  sweepsDue,
} from './store-sweeps.js'

type SweepDependencies = { db: Database; rail: WalletRail; clock: Clock; logger: Logger }

type CheckedSweep = { sweep: ClaimedSweep; finding: AttemptFinding }

/**
 * Checks the sweeps that are due: books those that landed, sends again those that can still land,
 * and ends the others, whose coins are swept again. Returns how many were due.
 */
export async function concludeSweeps(dependencies: SweepDependencies, now: Date): Promise<number> {
  const { db, rail } = dependencies
  const sweeps = await claimSweeps(db, now, rail.name)
  if (sweeps.length === 0) return 0
  await whileLeased(dependencies, sweepsDue, { owner: rail.name, now }, (lease) =>
    checkClaimed(dependencies, now, sweeps, lease),
  )
  return sweeps.length
}

async function checkClaimed(
  { db, rail, logger }: SweepDependencies,
  now: Date,
  sweeps: ClaimedSweep[],
  lease: Lease,
): Promise<void> {
  const findings = await rail.checkSweeps(sweeps)
  const checked = sweeps.map((sweep, index) => ({ sweep, finding: findings[index]! }))
  const unseen = checked.filter(({ finding }) => finding.state === 'unseen')
  // After the lease, another worker sends them. Sending twice would do no harm.
  if (lease.holds()) await rail.sendSweeps(unseen.map(({ sweep }) => sweep))
  for (const { sweep, finding } of checked) {
    const { reference, token } = sweep
    if (finding.state === 'failed')
      logger.warn({ reference, reason: finding.reason }, 'a sweep failed')
    if (finding.state === 'gone') logger.warn({ reference, token }, 'a sweep can no longer land')
  }
  const landed = await db.transaction((tx) => {
    recordDisputes(tx, now, disputesIn(rail.name, sweeps, findings))
    return conclude(tx, now, checked)
  })
  for (const { asset, amount, reference } of landed)
    logger.info(
      { sweep: reference, amount: formatDecimal(amount, asset), asset, rail: rail.name },
      'sweep landed',
    )
}

const endStates: Partial<Record<AttemptFinding['state'], SweepEnd['state']>> = {
  landed: 'LANDED',
  failed: 'FAILED',
  gone: 'DEAD',
}

/** Returns the sweeps that landed. */
async function conclude(tx: Tx, now: RealTime, checked: CheckedSweep[]): Promise<ClaimedSweep[]> {
  const open = checked.filter(({ finding }) => !endStates[finding.state])
  postponeSweeps(
    tx,
    after(now, sweepLimits.pollIntervalMs),
    open.map(({ sweep }) => sweep),
  )
  const ended = checked.filter(({ finding }) => endStates[finding.state])
  if (ended.length === 0) return []
  const own = await lockSweeps(
    tx,
    ended.map(({ sweep }) => sweep),
  )
  const concluded = ended.filter(({ sweep }) => own.has(sweep.id))
  const landed = concluded
    .filter(({ finding }) => finding.state === 'landed')
    .map(({ sweep }) => sweep)
  await book(tx, now, landed)
  endSweeps(tx, now, concluded.map(toEnd))
  return landed
}

/** Moves each environment's share from its deposits to its treasury. */
async function book(tx: Tx, now: RealTime, landed: ClaimedSweep[]): Promise<void> {
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
  if (!moved.every(({ isMoved }) => isMoved)) throw new Error('the ledger refused to book a sweep')
}

function toEnd({ sweep: { rail, id }, finding }: CheckedSweep): SweepEnd {
  const outcome = finding.state === 'failed' ? finding.reason : null
  return { rail, id, state: endStates[finding.state]!, outcome }
}
