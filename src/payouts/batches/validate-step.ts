import { after, minute, toEnvironmentTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { leaseLimits } from '../../postgres/limits.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { readRule } from '../controls/find-wait.js'
import { judgeRecipients } from '../controls/judge-recipients.js'
import { batchLimits } from '../limits.js'
import { payoutKinds } from '../payout.js'
import { refuseRecipient } from '../recipients/judge-recipient.js'
import type { Recipient } from '../recipients/recipient.js'
import { duplicateReference, findReferences } from '../requests/create-payouts.js'
import type { FeeLine } from '../requests/fee-book.js'
import type { Quote } from '../requests/prepare-payouts.js'
import {
  type Batch,
  type BatchItem,
  batchReference,
  type ItemProblem,
  type ItemState,
} from './batch.js'
import { findRepeats } from './find-repeats.js'
import { creationFee, findWalletItems, firstItemByWallet, walletOfItem } from './new-wallets.js'
import {
  type BatchDependencies,
  findItemRecipients,
  isTemporary,
  itemsPerStep,
  toProblem,
} from './step.js'
import { findDueItems, type ItemChange, lockBatch, lockItems, writeItems } from './store-batches.js'

/**
 * Validates the next items of a batch: the rail classifies the destination or resolves its name,
 * the fee is priced, and repeated payments are reported. Moves no money. An item that the rail
 * cannot check in time is invalid, so that it does not block the others. Returns whether items were
 * due.
 */
export async function validateStep(
  dependencies: BatchDependencies,
  batch: Batch,
  environment: Environment,
): Promise<boolean> {
  const { db, clock } = dependencies
  const limit = itemsPerStep(dependencies, batch, environment)
  const items = await findDueItems(db, clock.now(), batch, { state: 'PENDING', limit })
  if (items.length === 0) return false
  const environmentNow = toEnvironmentTime(clock.now(), environment.clockOffsetMs)
  const since = after(environmentNow, -batchLimits.repeatsWithinMs)
  const recipients = await findItemRecipients(db, batch, items)
  const refused = await findRefused(db, batch, items, environmentNow)
  const [quotes, repeats, used] = await Promise.all([
    Promise.all(
      items.map((item, index) =>
        quoteItem(dependencies, batch, environment, { item, recipient: recipients[index] }),
      ),
    ),
    findRepeats(db, since, batch, items),
    findReferences(
      db,
      items.map((item) => ({ payout: toReferenced(batch, item) })),
    ),
  ])
  const checked = await chargeOnce(db, batch, items, quotes)
  const now = clock.now()
  const checkedBy = after(batch.createdAt, batchLimits.checkedWithinMs)
  const isOverdue = environmentNow >= checkedBy
  const changes = items.map((before, index): ItemChange => {
    const found = repeats.get(before.number)
    const named = toReferenced(batch, before)
    const isUsed = used.has(`${named.environmentId}/${named.kind}/${named.merchantReference}`)
    const quote = isUsed ? duplicateReference(named) : (refused[index] ?? checked[index]!)
    const judged = judge(before, quote, isOverdue)
    const isWaiting = judged.state === 'PENDING'
    const warnings = found && !isWaiting ? [...before.warnings, ...found] : before.warnings
    return {
      before,
      after: { ...judged, warnings },
      dueAt: isWaiting ? after(now, batchLimits.itemRetryMs) : null,
    }
  })
  await db.transaction(async (tx) => {
    const name = { environmentId: batch.environmentId, reference: batchReference(batch) }
    const locked = await lockBatch(tx, name)
    if (locked.state !== 'VALIDATING') return
    const numbers = items.map(({ number }) => number)
    const open = await lockItems(tx, locked, { state: 'PENDING', numbers })
    const own = changes.filter(({ before }) => open.has(before.number))
    writeItems(tx, locked, own, { dueAt: after(now, leaseLimits.leaseMs) })
  })
  return true
}

/** A refusal for each item that the rule about recipients does not allow now. */
async function findRefused(
  db: Queryable,
  { environmentId, kind, asset }: Batch,
  items: BatchItem[],
  at: Date,
): Promise<(Refusal | undefined)[]> {
  const rule = (await readRule(db, environmentId))?.controls?.recipients
  if (!rule) return []
  const payouts = items.map(({ amount, destination }) => ({ asset, amount, destination, at }))
  const verdicts = await judgeRecipients(db, rule, environmentId, payouts)
  return verdicts.map((verdict) =>
    verdict === null || verdict === 'approve'
      ? undefined
      : refuseRecipient(payoutKinds[kind].refusal, verdict),
  )
}

function toReferenced({ environmentId, kind }: Batch, { merchantReference }: BatchItem) {
  return { environmentId, kind, merchantReference }
}

async function quoteItem(
  { preparation }: BatchDependencies,
  { kind, asset }: Batch,
  environment: Environment,
  { item, recipient }: { item: BatchItem; recipient: Recipient | undefined },
): Promise<Outcome<Quote>> {
  const { amount, requestedAmount, destination, purpose } = item
  if (recipient?.status === 'DISABLED') {
    const recipientId = recipient.id
    return refuseRecipient(payoutKinds[kind].refusal, { reason: 'recipient_disabled', recipientId })
  }
  return preparation.quote({
    environment,
    kind,
    asset,
    amount,
    requestedAmount,
    destination,
    recipient: recipient ?? null,
    purpose,
  })
}

/** Of the items that pay one new wallet, only the first is charged for its token account. */
async function chargeOnce(
  db: Queryable,
  batch: Batch,
  items: BatchItem[],
  quotes: Outcome<Quote>[],
): Promise<Outcome<Quote>[]> {
  const creating = items.flatMap((item, index) => {
    const quote = quotes[index]!
    const address = walletOfItem(item)
    const isCreating = !(quote instanceof Refusal) && quote.lines.some(isCreation)
    return isCreating && address !== undefined ? [{ number: item.number, address }] : []
  })
  if (creating.length === 0) return quotes
  const addresses = [...new Set(creating.map(({ address }) => address))]
  const states: ItemState[] = ['PENDING', 'VALID']
  const own = new Set(items.map(({ number }) => number))
  const others = (await findWalletItems(db, batch, { addresses, states })).filter(
    ({ number }) => !own.has(number),
  )
  const first = firstItemByWallet([...creating, ...others])
  return quotes.map((quote, index) => {
    const item = items[index]!
    if (quote instanceof Refusal || !quote.lines.some(isCreation)) return quote
    if (first.get(walletOfItem(item)!) === item.number) return quote
    const lines = quote.lines.filter((line) => !isCreation(line))
    return { ...quote, lines, fee: lines.reduce((sum, line) => sum + line.amount, 0n) }
  })
}

function isCreation({ operation }: FeeLine): boolean {
  return operation === creationFee
}

function judge(item: BatchItem, quote: Outcome<Quote>, isOverdue: boolean): BatchItem {
  if (quote instanceof Refusal) {
    const problem = toProblem(quote)
    if (!isTemporary(quote)) return { ...item, state: 'INVALID', problem }
    // In a large batch the first check may be late, so every item is retried at least once.
    if (!isOverdue || item.problem === null) return { ...item, state: 'PENDING', problem }
    return { ...item, state: 'INVALID', problem: toUnchecked(problem) }
  }
  const { fee, levy, destination } = quote
  const account = destination.kind === 'bank_account' ? destination : undefined
  return {
    ...item,
    state: 'VALID',
    fee,
    levy,
    bankName: account?.bankName ?? null,
    accountName: account?.accountName ?? null,
    problem: null,
  }
}

/** The first sentence says what happened; the others are about a request that can be repeated. */
function toUnchecked({ reason, message }: ItemProblem): ItemProblem {
  const minutes = batchLimits.checkedWithinMs / minute
  const cause = message.replace(/\. .*/s, '.')
  return {
    reason,
    message: `${cause} The item was not checked within ${minutes} minutes; upload it again later.`,
  }
}
