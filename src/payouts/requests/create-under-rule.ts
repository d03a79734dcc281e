import type { EnvironmentTime } from '../../base/clock.js'
import { after, type RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { firstIdAt } from '../../base/ids.js'
import type { JsonText } from '../../base/json-text.js'
import { Refusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import type { LedgerAccountKey } from '../../ledger/accounts.js'
import { moveWith } from '../../ledger/move.js'
import type { Approvals } from '../../merchants/settings/settings-document.js'
import { formatMoney } from '../../money/amounts.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { findPayingProblem } from '../../subaccounts/lock-paying-subaccounts.js'
import { signInLimits } from '../../team/limits.js'
import { mailApprovers } from '../approvals/approval-mails.js'
import { type ApprovalLimits, limitsOf, needsApproval } from '../approvals/approval-rule.js'
import { findExpiries } from '../approvals/find-approvers.js'
import { describeDestination } from '../describe-destination.js'
import { payoutLimits } from '../limits.js'
import { type Payout, payoutKinds, referenceOf } from '../payout.js'
import { insertPendingPayout } from '../records/store-payouts.js'
import { showPayout } from '../resource.js'
import {
  createPayouts,
  duplicateReference,
  type NewPayout,
  notHeld,
  type Reads,
  readForPayouts,
  toHoldMovement,
} from './create-payouts.js'
import { findNeededApprovals, type PayoutCreator } from './creators.js'
import { hashOrder } from './order-hash.js'

export type RuleRequest = Pick<Payout, 'asset' | 'amount'> &
  PayoutCreator & {
    environmentId: EnvironmentId
    at: EnvironmentTime
  }

/**
 * Whether money that a user or an API key sends to a destination of their choice waits for other
 * members. Before the commit this only decides what to prepare; within it, the locked available
 * balance keeps other payouts of the same users from passing at the same time.
 */
export async function mustWait(db: Queryable, request: RuleRequest): Promise<boolean> {
  const rule = await findRule(db, request)
  if (rule === null) return false
  const { amount } = request
  if (rule.limits.perDay === null || amount > rule.limits.each)
    return needsApproval(rule.limits, { amount, sentInWindow: 0n })
  const senders = await findSenders(db, request, rule)
  const sentInWindow = await sumSent(db, request, senders)
  return needsApproval(rule.limits, { amount, sentInWindow })
}

type Rule = { limits: ApprovalLimits; appliesToKeys: boolean }

async function findRule(
  db: Queryable,
  { environmentId, asset, createdByUser }: RuleRequest,
): Promise<Rule | null> {
  const [row] = await db.rows(sql<{ rule: string | null }>`
    select approval_rule as rule from environments where id = ${environmentId}`)
  if (!row?.rule) return null
  const approvals = JSON.parse(row.rule) as Approvals
  const appliesToKeys = approvals.appliesTo === 'all'
  if (createdByUser === null && !appliesToKeys) return null
  const found = limitsOf(approvals, asset)
  return found && { limits: found, appliesToKeys }
}

type Senders = { users: string[]; keys: string[] }

/**
 * The users behind a payout, those whose account one of them may hold (`team/shared-access.ts`),
 * and the API keys that they may use, with the keys before and after each roll. Keys that no user
 * has seen count as those of one unknown user.
 */
async function findSenders(
  db: Queryable,
  { environmentId, createdByUser, createdByKey, at }: RuleRequest,
  { appliesToKeys }: Rule,
): Promise<Senders> {
  const since = after(at, -signInLimits.linkDistrustMs)
  const [row] = await db.rows(sql<Senders>`
    with recursive links as (select * from access_links(${since})),
    senders as (
      select * from creators_of(${environmentId}, ${createdByUser}, ${createdByKey}) as id
      union
      select case links.maker when senders.id then links.target else links.maker end
      from senders join links on senders.id in (links.maker, links.target)),
    keys as (
      select * from key_chain(${createdByKey}) as id
      union
      select chain from api_key_holders h cross join key_chain(h.key_id) chain
      where h.environment_id = ${environmentId} and h.user_id in (select id from senders)
        and ${appliesToKeys}
      union
      select k.id from api_keys k
      where k.environment_id = ${environmentId} and not exists (select from senders)
        and not exists (select from creators_of(${environmentId}, null, k.id)))
    select array(select id from senders) as users, array(select id from keys) as keys`)
  return row!
}

/**
 * What these senders sent lately without approval, with what their submitted batches have not sent
 * yet. Failed payouts moved nothing.
 */
async function sumSent(
  db: Queryable,
  { environmentId, asset, at }: RuleRequest,
  { users, keys }: Senders,
): Promise<bigint> {
  const since = after(at, -payoutLimits.ruleWindowMs)
  // One condition for each index.
  const senders = [
    sql`created_by_user = any (${users}::uuid[])`,
    sql`created_by_key = any (${keys}::uuid[])`,
  ]
  let sum = 0n
  for (const sender of senders) {
    const [row] = await db.rows(sql<{ sum: bigint }>`
      select ((
        select coalesce(sum(amount), 0) from payouts p
        where environment_id = ${environmentId} and ${sender} and asset = ${asset}
          and id >= ${firstIdAt(since)} and order_hash is null and status <> 'FAILED'
          and (batch_id is null or not exists (select from payout_batches b
            where b.environment_id = p.environment_id and b.id = p.batch_id
              and b.order_hash is not null))
        ) + (
        select coalesce(sum(i.amount), 0) from payout_batches b join payout_batch_items i
          on i.environment_id = b.environment_id and i.batch_id = b.id and i.state = 'VALID'
        where b.environment_id = ${environmentId} and b.state = 'PROCESSING' and ${sender}
          and b.asset = ${asset} and b.order_hash is null))::int8 as sum`)
    sum += row!.sum
  }
  return sum
}

export type CreatedUnderRule = { payout: Payout; shown: JsonText }

/**
 * Creates a payout, or lets it wait if the rule asks for it. It may be signed although it has to
 * wait now, because its creator has sent more meanwhile; then what was signed is forgotten. Throws
 * refusals.
 */
export async function createUnderRule(
  tx: Tx,
  now: RealTime,
  { payout, signed }: { payout: Payout; signed: NewPayout | null },
  request: RuleRequest,
  locked?: Reads,
): Promise<CreatedUnderRule> {
  const { environmentId, asset } = payout
  // Also for money in suspense: the sum of the day is decided under this lock.
  const balance: LedgerAccountKey = { environmentId, asset, name: 'available' }
  const reads = locked ?? (await readForPayouts(tx, [{ payout }], [balance]))
  if (signed === null || (await mustWait(tx, request))) return createPending(tx, now, payout, reads)
  const [created] = await createPayouts(tx, now, [signed], Promise.resolve(reads))
  if (created instanceof Refusal) throw created
  return { payout, shown: signed.shown }
}

/** Holds the money of a payout that waits for approval, and records it. Signs nothing. */
export async function createPending(
  tx: Tx,
  now: RealTime,
  unsigned: Payout,
  reads?: Reads,
): Promise<CreatedUnderRule> {
  const { book, used, paying } = reads ?? (await readForPayouts(tx, [{ payout: unsigned }]))
  if (used.size > 0) throw duplicateReference(unsigned)
  const problem = findPayingProblem(paying, unsigned)
  if (problem) throw problem
  const { environmentId, id, kind, createdAt: waitsSince } = unsigned
  const needed = await findNeededApprovals(tx, unsigned)
  const waiting = { ...unsigned, approvedBy: [], waitsSince, missing: needed }
  const approval = {
    orderHash: hashOrder(unsigned),
    expiresAt: (await findExpiries(tx, environmentId, [waiting])).get(id)!,
    needed,
    decisions: [],
  }
  const payout: Payout = { ...unsigned, status: 'PENDING', submittedAt: null, approval }
  const hold = moveWith(tx, now, book, [toHoldMovement({ payout })])[0]!
  if (!hold.isMoved) throw notHeld(payout, hold)
  insertPendingPayout(tx, payout, approval)
  const shown = showPayout(payout, [])
  const type = payoutKinds[kind].events?.pending
  if (type)
    emitAll(tx, now, [
      { environmentId, type, resourceId: id, causeId: id, sequence: 1, data: shown },
    ])
  const { asset, amount, destination } = payout
  await mailApprovers(tx, now, {
    environmentId,
    waiting,
    what: 'a transfer',
    amount: formatMoney(amount, asset),
    facts: [
      ['To', describeDestination(destination)],
      ['Reference', referenceOf(payout)],
    ],
    expiresAt: approval.expiresAt,
    path: `/payouts/${referenceOf(payout)}`,
  })
  return { payout, shown }
}
