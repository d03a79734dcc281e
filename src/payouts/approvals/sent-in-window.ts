import { after, type EnvironmentTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { firstIdAt } from '../../base/ids.js'
import type { Approvals } from '../../merchants/settings/settings-document.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { signInLimits } from '../../team/limits.js'
import { payoutLimits } from '../limits.js'
import type { Payout } from '../payout.js'
import type { PayoutCreator } from '../requests/creators.js'
import { limitsOf, needsApproval } from './approval-rule.js'

export type LimitRequest = Pick<Payout, 'asset' | 'amount'> &
  PayoutCreator & {
    environmentId: EnvironmentId
    at: EnvironmentTime
  }

/** Whether money that a user or an API key sends is above the limits of a rule. */
export async function isOverLimits(
  db: Queryable,
  request: LimitRequest,
  approvals: Approvals,
): Promise<boolean> {
  const appliesToKeys = approvals.appliesTo === 'all'
  if (request.createdByUser === null && !appliesToKeys) return false
  const found = limitsOf(approvals, request.asset)
  if (found === null) return false
  const { amount } = request
  if (found.perDay === null || amount > found.each)
    return needsApproval(found, { amount, sentInWindow: 0n })
  const senders = await findSenders(db, request, { appliesToKeys })
  const sentInWindow = await sumSent(db, request, senders)
  return needsApproval(found, { amount, sentInWindow })
}

type Senders = { users: string[]; keys: string[] }

/**
 * The users behind a payout, those whose account one of them may hold (`team/shared-access.ts`),
 * and the API keys that they may use, with the keys before and after each roll. Keys that no user
 * has seen count as those of one unknown user.
 */
async function findSenders(
  db: Queryable,
  { environmentId, createdByUser, createdByKey, at }: LimitRequest,
  { appliesToKeys }: { appliesToKeys: boolean },
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
  { environmentId, asset, at }: LimitRequest,
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
          and id >= ${firstIdAt(since)} and status <> 'FAILED'
          and (order_hash is null or exists (select from payout_checks c
            where c.environment_id = p.environment_id and c.payout_id = p.id and c.reasons = '{}'))
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
