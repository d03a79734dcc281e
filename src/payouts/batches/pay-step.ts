import { after, toEnvironmentTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { toJson } from '../../base/json-text.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { subaccountName } from '../../ledger/accounts.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { leaseLimits } from '../../postgres/limits.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { batchLimits } from '../limits.js'
import { payoutKinds } from '../payout.js'
import { type NewPayout, readForPayouts } from '../requests/create-payouts.js'
import { createControlled } from '../requests/create-under-rule.js'
import type { PayoutRequest } from '../requests/prepare-payouts.js'
import { type Batch, type BatchItem, batchReference, type ItemState } from './batch.js'
import { findWalletItems, firstItemByWallet, walletOfItem } from './new-wallets.js'
import {
  type BatchDependencies,
  findItemRecipients,
  isTemporary,
  itemsPerStep,
  toProblem,
} from './step.js'
import { findDueItems, type ItemChange, lockBatch, lockItems, writeItems } from './store-batches.js'

/**
 * Pays the next items of a batch, through the same code as single payouts. A payout and the state
 * of its item commit together, and only items that no worker has paid are locked: a worker that is
 * killed, or a second one, pays no item twice. Nothing is paid for a merchant that was suspended
 * meanwhile. Returns whether it may be called again at once.
 */
export async function payStep(
  dependencies: BatchDependencies,
  batch: Batch,
  environment: Environment,
): Promise<boolean> {
  const { db, clock, send } = dependencies
  const limit = itemsPerStep(dependencies, batch, environment)
  const items = await findDueItems(db, clock.now(), batch, { state: 'VALID', limit })
  if (items.length === 0) return false
  const prepared = await prepareAll(dependencies, batch, environment, items)
  const creating = await findCreating(dependencies, batch, items, prepared)

  const now = clock.now()
  const committed = await db.transaction(async (tx) => {
    const name = { environmentId: batch.environmentId, reference: batchReference(batch) }
    const locked = await lockBatch(tx, name)
    if (locked.state !== 'PROCESSING') return []
    if ((await getEnvironmentById(tx, batch.environmentId)).isSuspended) return undefined
    const numbers = items.map(({ number }) => number)
    const open = await lockItems(tx, locked, { state: 'VALID', numbers })
    const all = items.flatMap((item, index) =>
      open.has(item.number) ? [{ item, outcome: prepared[index]! }] : [],
    )
    const waiting = await findWaiting(tx, locked, creating, open)
    const own = all.filter(({ item }) => !waiting.has(item))
    const newPayouts = own.flatMap(({ outcome }) => (outcome instanceof Refusal ? [] : [outcome]))
    const created =
      newPayouts.length > 0
        ? await createControlled(tx, now, newPayouts, await readForPayouts(tx, newPayouts))
        : []
    const refusals = new Map<NewPayout, Refusal>()
    const submitted: NewPayout[] = []
    for (const [index, outcome] of created.entries()) {
      const newPayout = newPayouts[index]!
      if (outcome instanceof Refusal) refusals.set(newPayout, outcome)
      else if (outcome.status === 'SUBMITTED') submitted.push(newPayout)
    }
    const changes = own.map(({ item, outcome }) => {
      const refused = outcome instanceof Refusal ? outcome : refusals.get(outcome)
      return refused
        ? refuse(item, refused, { now, environment })
        : submit(item, outcome as NewPayout)
    })
    const deferred = [...waiting].map((item): ItemChange => {
      const dueAt = after(now, batchLimits.itemRetryMs)
      return { before: item, after: { ...item, problem: null }, dueAt }
    })
    const dueAt = after(now, leaseLimits.leaseMs)
    writeItems(tx, locked, [...changes, ...deferred], { dueAt })
    return submitted
  })
  for (const payout of committed ?? []) send(payout)
  return committed !== undefined
}

type Creating = { item: BatchItem; address: string }

/** The items whose transfer creates the token account of its wallet: they cost more than others. */
async function findCreating(
  { fees }: BatchDependencies,
  { kind }: Batch,
  items: BatchItem[],
  prepared: Outcome<NewPayout>[],
): Promise<Creating[]> {
  const creating: Creating[] = []
  for (const [index, item] of items.entries()) {
    const address = walletOfItem(item)
    const outcome = prepared[index]!
    if (address === undefined || outcome instanceof Refusal) continue
    const { environmentId, amount, fee } = outcome.payout
    const base = await fees.price({
      environmentId,
      operations: [payoutKinds[kind].baseFee],
      amount,
    })
    if (fee > base.reduce((sum, line) => sum + line.amount, 0n)) creating.push({ item, address })
  }
  return creating
}

/** Those whose account an earlier item of the batch creates, which has not ended. */
async function findWaiting(
  tx: Tx,
  batch: Batch,
  creating: Creating[],
  open: ReadonlySet<number>,
): Promise<Set<BatchItem>> {
  if (creating.length === 0) return new Set()
  const addresses = [...new Set(creating.map(({ address }) => address))]
  const states: ItemState[] = ['VALID', 'SUBMITTED']
  const first = firstItemByWallet(await findWalletItems(tx, batch, { addresses, states }))
  const later = creating.filter(
    ({ item, address }) => open.has(item.number) && first.get(address)! < item.number,
  )
  return new Set(later.map(({ item }) => item))
}

/**
 * Finished at once, not after the commit: an item that finds the treasury short would otherwise
 * wait for the others of its step, which wait for it.
 */
async function prepareAll(
  { db, preparation, clock }: BatchDependencies,
  batch: Batch,
  environment: Environment,
  items: BatchItem[],
): Promise<Outcome<NewPayout>[]> {
  const recipients = await findItemRecipients(db, batch, items)
  const environmentNow = toEnvironmentTime(clock.now(), environment.clockOffsetMs)
  return Promise.all(
    items.map(async (item, index) => {
      const recipient = recipients[index] ?? null
      const request = { ...toPayoutRequest(batch, environment, item), recipient }
      const prepared = await preparation.prepare(environmentNow, request)
      if (!(prepared instanceof Refusal)) prepared.finish()
      return prepared
    }),
  )
}

/** The name that was approved is sent along: an account that changed hands is refused. */
function toPayoutRequest(batch: Batch, environment: Environment, item: BatchItem): PayoutRequest {
  const { destination, accountName, number } = item
  const isNamed = destination.kind === 'bank_account' && accountName !== null
  return {
    environment,
    kind: batch.kind,
    asset: batch.asset,
    amount: item.amount,
    requestedAmount: item.requestedAmount,
    destination: isNamed ? { ...destination, accountName } : destination,
    merchantReference: item.merchantReference,
    purpose: item.purpose,
    metadata: toJson({ batch: batchReference(batch), row: number }),
    createdByKey: batch.createdByKey,
    createdByUser: batch.createdByUser,
    ...(batch.subaccountId !== null && { takesFrom: subaccountName(batch.subaccountId) }),
    batchItem: { batchId: batch.id, number },
  }
}

function submit(before: BatchItem, { payout }: NewPayout): ItemChange {
  const { destination, fee, levy, id } = payout
  const account = destination.kind === 'bank_account' ? destination : undefined
  return {
    before,
    after: {
      ...before,
      state: 'SUBMITTED',
      fee,
      levy,
      bankName: account?.bankName ?? null,
      accountName: account?.accountName ?? null,
      problem: null,
      payoutId: id,
    },
    dueAt: null,
  }
}

function refuse(
  before: BatchItem,
  refusal: Refusal,
  { now, environment }: { now: Date; environment: Environment },
): ItemChange {
  const problem = toProblem(refusal)
  if (isTemporary(refusal))
    return { before, after: { ...before, problem }, dueAt: after(now, batchLimits.itemRetryMs) }
  const endedAt = toEnvironmentTime(now, environment.clockOffsetMs)
  return { before, after: { ...before, state: 'FAILED', problem, endedAt }, dueAt: null }
}
