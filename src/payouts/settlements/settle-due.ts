import { after, type Clock, type RealTime, second, toEnvironmentTime } from '../../base/clock.js'
import type { Environment, EnvironmentId, Mode } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import { Refusal } from '../../base/refusal.js'
import { getEnvironmentById, lockEnvironment } from '../../merchants/environments.js'
import { logFacts } from '../../merchants/log-facts.js'
import { getSettings } from '../../merchants/settings/settings.js'
import { ofOwner, scheduleSettlement } from '../../merchants/settings/settlement-schedule.js'
import { formatDecimal } from '../../money/amounts.js'
import type { Database } from '../../postgres/database.js'
import { claimDue, type DueTable, whileLeased } from '../../postgres/due.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { getSubaccountById } from '../../subaccounts/store-subaccounts.js'
import { settlementLimits } from '../limits.js'
import type { NewPayout } from '../requests/create-payouts.js'
import { createSettlement } from './create-settlement.js'
import { prepareSettlement } from './prepare-settlement.js'
import type { SettlementDependencies } from './prepared-settlement.js'
import { settlementReference } from './settlement.js'

type ScheduleDependencies = SettlementDependencies & {
  db: Database
  clock: Clock
  mode: Mode
  /** Sends a committed payout, without waiting for it. */
  send: (committed: NewPayout) => void
  logger: Logger
}

export const schedulesDue: DueTable = {
  table: 'settlement_schedules',
  keyColumns: ['environment_id', 'owner_id'],
  openCondition: 'true',
  ownerColumn: 'mode',
  counterColumn: 'attempts',
  returning: `job.environment_id, job.subaccount_id, job.attempts,
    case when not job.settles_rest then
    job.scheduled_for end as scheduled_for`,
}

/** Without `scheduledFor` it is the rest of a settlement on request. */
type Claim = {
  environmentId: EnvironmentId
  /** Null: the merchant is settled. */
  subaccountId: string | null
  scheduledFor: Date | null
  attempts: number
}

/**
 * Makes the settlements that are due. One that the bank cannot take now, that cannot be converted
 * now, that is frozen, or whose money was spent meanwhile, is tried again after a while, and one to
 * a new bank account or wallet when that becomes usable; one that is refused for good, or has
 * nothing to pay, is left to the next scheduled time. Several missed times become one settlement.
 * Returns how many were due.
 */
export async function settleDue(dependencies: ScheduleDependencies, now: Date): Promise<number> {
  const owner = dependencies.mode
  const limit = settlementLimits.perBatchMax
  const claims = await claimDue<Claim>(dependencies.db, schedulesDue, { owner, now, limit })
  if (claims.length === 0) return 0
  const outcomes = await whileLeased(dependencies, schedulesDue, { owner, now }, () =>
    Promise.allSettled(claims.map((claim) => settle(dependencies, now, claim))),
  )
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return claims.length
}

async function settle(dependencies: ScheduleDependencies, now: Date, claim: Claim): Promise<void> {
  const { db, logger, send } = dependencies
  const { environmentId, subaccountId, scheduledFor } = claim
  const environment = await getEnvironmentById(db, environmentId)
  const refuse = (refusal: Refusal) =>
    postpone(dependencies, now, claim, { refusal, isTemporary: isTemporary(refusal) })
  if (environment.isSuspended) return refuse(suspended)
  const environmentNow = toEnvironmentTime(now, environment.clockOffsetMs)
  const subaccount =
    subaccountId === null ? null : await getSubaccountById(db, { environmentId, id: subaccountId })
  const request = {
    environment,
    subaccount,
    requestedBy: { createdByKey: null, createdByUser: null },
    scheduledFor,
    requestedAmount: null,
    hasMinimum: true,
  }
  const prepared = await prepareSettlement(dependencies, environmentNow, request)
  if (prepared instanceof Refusal) return refuse(prepared)

  const { payout, hasRest } = prepared
  const created = await db
    .transaction(async (tx) => {
      if (!(await lockClaim(tx, claim))) return undefined
      const outcome = await createSettlement(tx, now, prepared)
      if (outcome instanceof Refusal) return outcome
      if (hasRest) keepDue(tx, now, claim)
      else await scheduleNext(tx, now, claim)
      return outcome
    })
    .finally(payout.finish)
  // Our lease ended: another worker makes it.
  if (!created) return
  if (created instanceof Refusal) {
    // If other payouts took the money meanwhile, the next try chooses an amount from what remains.
    const wasSpent = created.reason === 'nothing_to_settle'
    const temporarily = { refusal: created, isTemporary: wasSpent || isTemporary(created) }
    return postpone(dependencies, now, claim, temporarily)
  }
  if (created.payout.status === 'SUBMITTED') send(payout)
  const fields = {
    settlement: settlementReference(created.settlement),
    amount: formatDecimal(created.payout.amount, created.payout.asset),
    asset: created.payout.asset,
  }
  logFacts({ db, logger }, [{ environmentId }], () => ({ message: 'settlement created', fields }))
}

const suspended = new Refusal('forbidden', {
  reason: 'merchant_suspended',
  message: 'The merchant is suspended.',
})

/**
 * A worker that outlived its lease finds another count and must not settle again. Locks the
 * environment first, as a change of settings or of the test clock does.
 */
async function lockClaim(tx: Tx, claim: Claim): Promise<boolean> {
  await lockEnvironment(tx, claim.environmentId)
  const rows = await tx.rows(sql`
    select from settlement_schedules
    where ${own(claim)} and attempts = ${claim.attempts} for no key update`)
  return rows.length > 0
}

/** The rest of what one transfer may carry is settled at once, for the same time or request. */
function keepDue(tx: Tx, now: RealTime, claim: Claim): void {
  tx.write(sql`
    update settlement_schedules set due_at = ${now}, last_refusal = null, refused_at = null
    where ${own(claim)}`)
}

async function scheduleNext(
  tx: Tx,
  now: RealTime,
  claim: Claim,
  lastRefusal: string | null = null,
): Promise<void> {
  const { environmentId, scheduledFor } = claim
  const environment = await getEnvironmentById(tx, environmentId)
  if (!scheduledFor) return endRest(tx, now, claim, environment, lastRefusal)
  const { settlement } = await getSettings(tx, environment)
  const subaccountId = claim.subaccountId ?? undefined
  const settings =
    subaccountId === undefined
      ? settlement
      : {
          ...settlement,
          schedule: (await getSubaccountById(tx, { environmentId, id: subaccountId }))
            .settlementSchedule,
        }
  await scheduleSettlement(tx, now, { environment, settings, subaccountId })
  tx.write(sql`
    update settlement_schedules set ${refusedWith(now, lastRefusal)} where ${own(claim)}`)
}

/** Back to the schedule, if there is one. Its time may have come meanwhile. */
function endRest(
  tx: Tx,
  now: RealTime,
  claim: Claim,
  { clockOffsetMs }: Environment,
  lastRefusal: string | null,
): void {
  tx.write(sql`
    delete from settlement_schedules where ${own(claim)} and scheduled_for is null`)
  tx.write(sql`
    update settlement_schedules set settles_rest = false, ${refusedWith(now, lastRefusal)},
      due_at = scheduled_for - ${clockOffsetMs}::float8 * interval '1 millisecond'
    where ${own(claim)}`)
}

function refusedWith(now: RealTime, lastRefusal: string | null): Sql {
  const refusedAt = lastRefusal === null ? null : now
  return sql`last_refusal = ${lastRefusal}, refused_at = ${refusedAt}`
}

function own({ environmentId, subaccountId }: Claim): Sql {
  return ofOwner({ environmentId, subaccountId: subaccountId ?? undefined })
}

function isTemporary({ status, code, reason }: Refusal): boolean {
  const waiting = [
    'bank_account_waiting',
    'wallet_waiting',
    'destination_unconfirmed',
    'payouts_frozen',
  ]
  const isWaiting = waiting.some((waitingReason) => waitingReason === reason)
  return status >= 500 || code === 'insufficient_balance' || reason === 'capacity' || isWaiting
}

async function postpone(
  { db, logger }: ScheduleDependencies,
  now: Date,
  claim: Claim,
  { refusal, isTemporary }: { refusal: Refusal; isTemporary: boolean },
): Promise<void> {
  const { environmentId } = claim
  const { reason, message, retryAfterSeconds } = refusal
  const retryMs = Math.max(settlementLimits.retryMs, (retryAfterSeconds ?? 0) * second)
  const hasNothing = reason === 'nothing_to_settle' && !isTemporary
  await db.transaction(async (tx) => {
    if (!(await lockClaim(tx, claim))) return
    if (isTemporary)
      tx.write(sql`
        update settlement_schedules set ${refusedWith(now, message)},
          due_at = ${after(now, retryMs)}
        where ${own(claim)}`)
    else await scheduleNext(tx, now, claim, hasNothing ? null : message)
  })
  if (hasNothing) return
  const outcome = isTemporary ? 'settlement is tried again later' : 'settlement refused'
  logger.warn({ environmentId, reason, why: message }, outcome)
}
