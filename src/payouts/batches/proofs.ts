import type { Proof } from '../../base/proof.js'

const itemsHaveTheirPayouts: Proof = {
  claim: 'Every item of a batch has at most one payout, of its amount and to its recipient',
  counterexamples: `
    select environment_id, batch_id, i.number, i.payout_id, p.id as paid_by
    from (select *, number as batch_item from payout_batch_items where payout_id is not null) i
    full join (select *, destination as sent_to from payouts where batch_id is not null) p
      using (environment_id, batch_id, batch_item)
    where i.payout_id is distinct from p.id or i.amount is distinct from p.amount
      or i.fee is distinct from p.fee
      or coalesce(i.levy, 0) is distinct from coalesce(p.levy, 0)
      or i.purpose is distinct from p.purpose
      or i.merchant_reference is distinct from p.merchant_reference
      or i.destination ->> 'address' is distinct from p.sent_to ->> 'address'
      or i.destination ->> 'bankCode' is distinct from p.sent_to ->> 'bankCode'
      or i.destination ->> 'accountNumber' is distinct from p.sent_to ->> 'accountNumber'`,
}

const batchesCountTheirItems: Proof = {
  claim: 'The counts and sums of every batch equal its items',
  counterexamples: `
    select b.environment_id, b.id, b.state from payout_batches b
    left join (
      select environment_id, batch_id, count(*) as items, sum(amount) as amount,
        count(*) filter (where state = 'VALID') as valid,
        count(*) filter (where state = 'INVALID') as invalid,
        count(*) filter (where state = 'SUBMITTED') as submitted,
        count(*) filter (where state = 'COMPLETED') as completed,
        count(*) filter (where state = 'FAILED') as failed,
        count(*) filter (where warnings is not null) as warned,
        coalesce(sum(amount) filter (where state = 'INVALID'), 0) as invalid_amount,
        coalesce(sum(amount) filter (where state = 'COMPLETED'), 0) as paid_amount,
        coalesce(sum(fee) filter (where state = 'COMPLETED'), 0) as paid_fee,
        coalesce(sum(levy) filter (where state = 'COMPLETED'), 0) as paid_levy
      from payout_batch_items group by environment_id, batch_id) i
      on i.environment_id = b.environment_id and i.batch_id = b.id
    where (b.item_count, b.amount, b.valid_count, b.invalid_count, b.submitted_count,
        b.completed_count, b.failed_count, b.warned_count, b.invalid_amount, b.paid_amount,
        b.paid_fee, b.paid_levy)
      is distinct from (i.items, i.amount, i.valid, i.invalid, i.submitted, i.completed, i.failed,
        i.warned, i.invalid_amount, i.paid_amount, i.paid_fee,
        i.paid_levy)`,
}

const itemsFollowTheirBatch: Proof = {
  claim: 'Only submitted batches have payouts, and completed ones have only ended items',
  counterexamples: `
    select b.environment_id, b.id, b.state, i.number, i.state as item_state, p.status
    from payout_batches b
    join payout_batch_items i on i.environment_id = b.environment_id and i.batch_id = b.id
    left join payouts p on p.environment_id = i.environment_id and p.id = i.payout_id
    where i.payout_id is not null and b.state not in ('PROCESSING', 'COMPLETED')
      or b.state = 'COMPLETED' and i.state not in ('INVALID', 'COMPLETED', 'FAILED')
      or i.state = 'COMPLETED' and p.status not in ('COMPLETED', 'REVERSED')
      or i.state = 'FAILED' and i.payout_id is not null and p.status <> 'FAILED'`,
}

const waitingBatchesWereApproved: Proof = {
  claim:
    'Every batch that waited for approval was paid only after enough other members approved it',
  counterexamples: `
    select b.environment_id, b.id, b.state, d.approvals, d.rejections from payout_batches b
    left join api_keys k on k.id = b.created_by_key
    cross join lateral (
      select count(*) filter (where a.verdict = 'REJECTED') as rejections,
        count(*) filter (where a.verdict = 'APPROVED' and a.order_hash = b.order_hash
          and (a.decided_by = 'simulated' and b.mode = 'test'
            or a.user_id is distinct from b.created_by_user
              and a.user_id is distinct from k.created_by_user
              and a.user_id is not null)) as approvals
      from payout_batch_approvals a
      where a.environment_id = b.environment_id and a.batch_id = b.id) d
    where b.order_hash is not null and case
      when b.state in ('PROCESSING', 'COMPLETED') then d.rejections > 0
        or d.approvals < approvals_needed(b.created_by_user, b.created_by_key)
      else (d.rejections > 0) <> (b.state = 'REJECTED') end`,
}

const completedBatchesHaveTheirEvent: Proof = {
  claim: 'Every completed batch emitted one event, and no other batch did',
  counterexamples: `
    select environment_id, id, b.state, e.events from payout_batches b
    full join (
      select environment_id, resource_id as id, count(*) as events from events
      where type = 'batch.completed' group by environment_id, resource_id) e
      using (environment_id, id)
    where coalesce(e.events, 0) <> case when b.state = 'COMPLETED' then 1 else 0 end`,
}

const simulatedDecisionsAreTests: Proof = {
  claim: 'Every simulated decision about a batch is in test mode',
  counterexamples: `
    select a.environment_id, a.batch_id, a.verdict from payout_batch_approvals a
    join environments e on e.id = a.environment_id
    where (a.decided_by = 'simulated' or a.user_id is null) and e.mode <> 'test'`,
}

export const batchProofs: Proof[] = [
  itemsHaveTheirPayouts,
  batchesCountTheirItems,
  itemsFollowTheirBatch,
  waitingBatchesWereApproved,
  simulatedDecisionsAreTests,
  completedBatchesHaveTheirEvent,
]
