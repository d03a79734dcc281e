import type { EnvironmentTime, RealTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import type { Asset } from '../../money/assets.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { destinationKey } from '../describe-destination.js'
import type { PayoutCreator } from '../requests/creators.js'
import type { Batch, BatchKind, ItemWarning, NewItem } from './batch.js'
import { insertBatch } from './store-batches.js'

export type BatchRequest = PayoutCreator & {
  environment: Environment
  kind: BatchKind
  asset: Asset
  name: string | null
  subaccountId: string | null
  retryOf: string | null
  items: NewItem[]
  at: EnvironmentTime
}

/** Records a batch, to be validated by a worker. */
export function createBatch(tx: Tx, now: RealTime, request: BatchRequest): Batch {
  const { environment, items, at } = request
  const warned = warnOfDuplicates(items)
  const batch: Batch = {
    environmentId: environment.id,
    id: newId(at),
    mode: environment.mode,
    kind: request.kind,
    asset: request.asset,
    name: request.name,
    subaccountId: request.subaccountId,
    retryOf: request.retryOf,
    itemCount: items.length,
    amount: items.reduce((sum, { amount }) => sum + amount, 0n),
    createdByKey: request.createdByKey,
    createdByUser: request.createdByUser,
    createdAt: at,
    state: 'VALIDATING',
    validCount: 0,
    invalidCount: 0,
    submittedCount: 0,
    completedCount: 0,
    failedCount: 0,
    warnedCount: warned.filter(({ warnings }) => warnings.length > 0).length,
    invalidAmount: 0n,
    paidAmount: 0n,
    paidFee: 0n,
    paidLevy: 0n,
    fee: 0n,
    levy: 0n,
    validatedAt: null,
    submittedAt: null,
    endedAt: null,
    approval: null,
  }
  insertBatch(tx, now, batch, warned)
  return batch
}

/** The same recipient and amount as an earlier item may be a mistake, and may be meant. */
function warnOfDuplicates(items: NewItem[]): (NewItem & { warnings: ItemWarning[] })[] {
  const firsts = new Map<string, number>()
  return items.map((item, index) => {
    const key = `${destinationKey(item.destination)} ${item.amount}`
    const first = firsts.get(key)
    if (first === undefined) {
      firsts.set(key, index + 1)
      return { ...item, warnings: [] }
    }
    const message = `Same recipient and amount as row ${first}.`
    return { ...item, warnings: [{ code: 'duplicate_in_batch', message }] }
  })
}
