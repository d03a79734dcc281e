import Type, { type Static } from 'typebox'
import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { anyAmount, reference, resource, withDescription, withExample } from '../../base/shapes.js'
import { toWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { TakeBack } from './share.js'

const states = ['TAKEN', 'GIVING_BACK', 'GIVEN_BACK'] as const

/** What one sub-account gave to a refund, of all of its shares. */
export type RefundSplit = {
  subaccountId: string
  asset: Asset
  amount: bigint
  owed: bigint
  state: (typeof states)[number]
}

/** By refund, in the order of the lines; refunds without any are left out. */
export async function findRefundSplits(
  db: Queryable,
  environmentId: EnvironmentId,
  returnIds: string[],
): Promise<Map<string, RefundSplit[]>> {
  const found = new Map<string, RefundSplit[]>()
  if (returnIds.length === 0) return found
  const rows = await db.rows(sql<RefundSplit & { returnId: string }>`
    select t.return_id, t.subaccount_id, t.asset, t.state, sum(t.owed)::int8 as owed,
      sum(t.taken + t.taken_pending + t.owed)::int8 as amount
    from share_take_backs t
    join payment_shares s on s.environment_id = t.environment_id and s.id = t.share_id
    where t.environment_id = ${environmentId} and t.return_id = any (${returnIds}::uuid[])
    group by t.return_id, t.subaccount_id, t.asset, t.state
    order by min(s.part), min(s.line)`)
  for (const { returnId, ...split } of rows) {
    const splits = found.get(returnId)
    if (splits) splits.push(split)
    else found.set(returnId, [split])
  }
  return found
}

/** The same of a refund that is created. */
export function toRefundSplits(takeBacks: TakeBack[]): RefundSplit[] {
  const splits = new Map<string, RefundSplit>()
  for (const { subaccountId, asset, taken, takenPending, owed } of takeBacks) {
    const before = splits.get(subaccountId) ?? { amount: 0n, owed: 0n }
    splits.set(subaccountId, {
      subaccountId,
      asset,
      amount: before.amount + taken + takenPending + owed,
      owed: before.owed + owed,
      state: 'TAKEN',
    })
  }
  return [...splits.values()]
}

export const refundSplit = resource('RefundSplit', {
  subaccount: reference(prefixes.subaccount, 'The sub-account that gives back.'),
  amount: withExample(
    withDescription(anyAmount, 'What it gives to the refund, with what it owes for it.'),
    156_250,
  ),
  owed: withExample(
    withDescription(anyAmount, 'The part that it did not have. Its next credits pay it first.'),
    0,
  ),
  status: Type.Enum([...states], {
    description:
      '`GIVING_BACK` and `GIVEN_BACK`: the refund failed or was reversed, so it gets the amount again.',
    examples: ['TAKEN'],
  }),
})

export function showRefundSplit(split: RefundSplit): Static<typeof refundSplit> {
  const { subaccountId, asset, amount, owed, state } = split
  return {
    subaccount: toReference(prefixes.subaccount, subaccountId),
    amount: toWire(amount, asset),
    owed: toWire(owed, asset),
    status: state,
  }
}
