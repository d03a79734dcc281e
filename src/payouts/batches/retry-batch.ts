import type { RealTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { PayoutCreator } from '../requests/creators.js'
import { type Batch, type BatchItem, batchReference, type NewItem } from './batch.js'
import { createBatch } from './create-batch.js'
import { findRetry, lockBatch, readItems } from './store-batches.js'

type Retry = PayoutCreator & { environment: Environment; reference: string; at: Date }

/**
 * Creates a batch of the items of an ended one that were not paid. A second one would pay them
 * twice, so it is refused unless the first ended without a payment. Throws refusals.
 */
export async function retryBatch(
  tx: Tx,
  now: RealTime,
  { environment, reference, at, createdByKey, createdByUser }: Retry,
): Promise<Batch> {
  const batch = await lockBatch(tx, { environmentId: environment.id, reference })
  if (batch.state !== 'COMPLETED')
    throw new Refusal('batch_failed', {
      reason: 'invalid_state',
      message: `${batchReference(batch)} is ${batch.state}. Items are retried when the batch is COMPLETED.`,
    })
  const failed = await readItems(tx, batch, { states: ['FAILED'] })
  if (failed.length === 0)
    throw new Refusal('batch_failed', {
      reason: 'nothing_to_retry',
      message: `No item of ${batchReference(batch)} failed.`,
    })
  const retry = await findRetry(tx, batch)
  if (retry)
    throw new Refusal('batch_failed', {
      reason: 'nothing_to_retry',
      message: `The failed items of ${batchReference(batch)} are in ${batchReference(retry)}, which is ${retry.state}. Continue with that batch.`,
    })
  return createBatch(tx, now, {
    environment,
    kind: batch.kind,
    asset: batch.asset,
    name: batch.name,
    subaccountId: batch.subaccountId,
    retryOf: batch.id,
    items: toNewItems(failed),
    createdByKey,
    createdByUser,
    at,
  })
}

/** A failed transfer has used the reference of its item, and references are unique. */
function toNewItems(failed: BatchItem[]): NewItem[] {
  const taken = new Set(failed.map(({ merchantReference }) => merchantReference))
  return failed.map((item) => {
    let { merchantReference } = item
    if (merchantReference !== null && item.payoutId !== null)
      while (taken.has(merchantReference)) merchantReference = nextReference(merchantReference)
    taken.add(merchantReference)
    const { amount, requestedAmount, destination, recipientId, purpose } = item
    return { amount, requestedAmount, destination, recipientId, merchantReference, purpose }
  })
}

/** `salary-9` becomes `salary-9.retry1`, then `salary-9.retry2`. */
function nextReference(reference: string): string {
  const [, base = reference, count = '0'] = /^(.*)\.retry(\d{1,5})$/.exec(reference) ?? []
  const suffix = `.retry${Number(count) + 1}`
  return base.slice(0, limits.names.length - suffix.length) + suffix
}
