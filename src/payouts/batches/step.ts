import type { Clock } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import type { Refusal } from '../../base/refusal.js'
import type { Database } from '../../postgres/database.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { batchLimits } from '../limits.js'
import type { PayoutRails } from '../rails.js'
import type { Recipient } from '../recipients/recipient.js'
import { findRecipients } from '../recipients/store-recipients.js'
import type { NewPayout } from '../requests/create-payouts.js'
import type { FeeBook } from '../requests/fee-book.js'
import type { PayoutPreparation } from '../requests/prepare-payouts.js'
import type { Batch, BatchItem, ItemProblem } from './batch.js'

/** What a worker needs to run a step of a batch. */
export type BatchDependencies = {
  db: Database
  rails: PayoutRails
  preparation: PayoutPreparation
  fees: FeeBook
  clock: Clock
  logger: Logger
  /** Sends a committed payout, without waiting for it. */
  send: (committed: NewPayout) => void
}

/** Fewer at a bank where each item is a call of its own. */
export function itemsPerStep(
  { rails }: Pick<BatchDependencies, 'rails'>,
  { kind }: Pick<Batch, 'kind'>,
  environment: Environment,
): number {
  const { itemsPerStepMax, callsPerStepMax } = batchLimits
  return rails.carrierOf(environment, kind)?.takesBatches ? itemsPerStepMax : callsPerStepMax
}

/** The saved recipients of these items, as they are now. */
export async function findItemRecipients(
  db: Queryable,
  { environmentId }: Pick<Batch, 'environmentId'>,
  items: Pick<BatchItem, 'recipientId'>[],
): Promise<(Recipient | undefined)[]> {
  const keys = items.flatMap(({ recipientId: id }) => (id === null ? [] : [{ environmentId, id }]))
  if (keys.length === 0) return items.map(() => undefined)
  const found = await findRecipients(db, keys)
  const byId = new Map(found.map((recipient) => [recipient?.id, recipient]))
  return items.map(({ recipientId }) => (recipientId === null ? undefined : byId.get(recipientId)))
}

/** The bank, chain or treasury cannot take it now, or its payout is frozen: the item waits. */
export function isTemporary({ status, reason }: Refusal): boolean {
  return status >= 500 || reason === 'payouts_frozen'
}

export function toProblem({ code, reason, message }: Refusal): ItemProblem {
  return { reason: reason ?? code, message }
}
