import { after, toEnvironmentTime } from '../../base/clock.js'
import type { Environment, EnvironmentId, Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { claimDue, type DueTable } from '../../postgres/due.js'
import { sql } from '../../postgres/sql.js'
import { findFrozen } from '../freezes/find-frozen.js'
import { batchLimits } from '../limits.js'
import type { Batch } from './batch.js'
import { advanceBatch, concludeStep } from './conclude-step.js'
import { payStep } from './pay-step.js'
import type { BatchDependencies } from './step.js'
import { findNextDue, getBatch } from './store-batches.js'
import { validateStep } from './validate-step.js'

export const batchesDue: DueTable = {
  table: 'payout_batches',
  keyColumns: ['environment_id', 'id'],
  openCondition: `state in ('VALIDATING', 'PROCESSING')`,
  ownerColumn: 'mode',
  counterColumn: 'attempts',
  returning: 'job.environment_id as environment_id, job.id, job.attempts',
}

type Claim = { environmentId: EnvironmentId; id: string; attempts: number }

/**
 * Continues batches that are due: validates items, pays them and records their results, in bounded
 * steps. The lease only saves work: what is paid is decided by the state of the items under lock.
 * Returns how many batches have more to do at once.
 */
export async function runBatches(dependencies: BatchDependencies, mode: Mode): Promise<number> {
  const { db, clock } = dependencies
  const claims = await claimDue<Claim>(db, batchesDue, {
    owner: mode,
    now: clock.now(),
    limit: batchLimits.batchesPerRunMax,
  })
  const outcomes = await Promise.allSettled(claims.map((claim) => runBatch(dependencies, claim)))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length
}

/** Returns whether there is more to do at once. */
async function runBatch(dependencies: BatchDependencies, claim: Claim): Promise<boolean> {
  const { db, clock } = dependencies
  const { environmentId, id } = claim
  const environment = await getEnvironmentById(db, environmentId)
  const name = { environmentId, reference: toReference(prefixes.payoutBatch, id) }
  const batch = await getBatch(db, name)
  const step = batch.state === 'VALIDATING' ? validateStep : payStep
  // Nothing is paid while the merchant is suspended or the batch frozen; transfers that exist still
  // end.
  const isStopped =
    batch.state === 'PROCESSING' &&
    (environment.isSuspended || (await isFrozen(dependencies, batch, environment)))
  let hasMore = !isStopped
  for (let steps = 0; hasMore && steps < batchLimits.stepsPerRunMax; steps += 1)
    hasMore = await step(dependencies, batch, environment)
  if (batch.state === 'PROCESSING') while (await concludeStep(dependencies, batch));
  if (!hasMore && (await advanceBatch(dependencies, batch, environment))) return false
  const dueAt = hasMore ? clock.now() : await nextDue(dependencies, batch, environment, isStopped)
  // Named with its attempt: a worker that outlived its lease must not change the time of another.
  await db.rows(sql`
    update payout_batches set due_at = ${dueAt}
    where environment_id = ${environmentId} and id = ${id} and attempts = ${claim.attempts}`)
  return hasMore
}

/** A frozen recipient stops single items only; see `payStep`. */
async function isFrozen(
  { db, rails }: BatchDependencies,
  batch: Batch,
  environment: Environment,
): Promise<boolean> {
  const rail = rails.carrierOf(environment, batch.kind)?.name
  const [refusal] = await findFrozen(db, [{ ...batch, rail, destination: null }])
  return refusal !== undefined
}

async function nextDue(
  { db, clock }: BatchDependencies,
  batch: Batch,
  { clockOffsetMs }: Environment,
  isStopped: boolean,
): Promise<Date> {
  const now = clock.now()
  const { itemRetryMs, resultsIntervalMs, resultsIntervalMaxMs } = batchLimits
  if (isStopped) return after(now, itemRetryMs)
  const state = batch.state === 'VALIDATING' ? 'PENDING' : 'VALID'
  const itemDueAt = await findNextDue(db, now, batch, state)
  if (batch.state === 'VALIDATING') return itemDueAt ?? now
  // Most transfers end soon; those that do not may take days.
  const environmentNow = toEnvironmentTime(now, clockOffsetMs)
  const begunAt = batch.approval?.decisions.at(-1)?.at ?? batch.submittedAt ?? environmentNow
  const ageMs = Math.max(0, environmentNow.getTime() - begunAt.getTime())
  const delayMs = Math.min(Math.max(resultsIntervalMs, ageMs / 50), resultsIntervalMaxMs)
  const pollAt = after(now, delayMs)
  return itemDueAt && itemDueAt < pollAt ? itemDueAt : pollAt
}
