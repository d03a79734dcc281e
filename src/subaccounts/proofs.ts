import type { Proof } from '../base/proof.js'

const sharesAreCredited: Proof = {
  claim: 'Every share credited its amount less its fee, and there are no other splits',
  counterexamples: `
    with credited as (
      select environment_id, cause_id as id, amount, credit from ledger_transfers
      where purpose = 'split')
    select environment_id, id, s.amount - s.fee as net, c.amount as credited
    from payment_shares s full join credited c using (environment_id, id)
    where (s.amount - s.fee) is distinct from c.amount
      or c.credit <> case when s.release_at is null or s.release_at <= s.created_at
        then 'sub:' else 'sub_pending:' end || s.subaccount_id`,
}

const sharesAreOfTheirPayment: Proof = {
  claim: 'Every payment has at least what its shares got and its fee, and was split as it says',
  counterexamples: `
    with shared as (
      select environment_id, payment_id as id, sum(amount) as amount, sum(fee) as fee,
        min(split_id::text) as split_id, count(distinct split_id) as splits, min(asset) as asset
      from payment_shares group by environment_id, payment_id)
    select s.environment_id, s.id, s.amount, p.amount as of
    from shared s left join payments p using (environment_id, id)
    where p.id is null or s.amount > p.amount or s.fee > p.fee or s.splits <> 1
      or s.split_id is distinct from p.split_id::text or s.asset <> p.asset`,
}

const releasesMatchShares: Proof = {
  claim: 'Every released share was credited what refunds had left of it, and no other was',
  counterexamples: `
    with released as (
      select environment_id, cause_id as id, amount from ledger_transfers
      where purpose = 'split_release'),
    taken as (
      select t.environment_id, t.share_id as id, sum(case l.purpose
        when 'split_refund_pending' then l.amount else -l.amount end) as amount
      from ledger_transfers l
      join share_take_backs t on t.environment_id = l.environment_id and t.id = l.cause_id
      where l.purpose in ('split_refund_pending', 'split_refund_pending_reversal')
      group by t.environment_id, t.share_id)
    select environment_id, id, s.status, r.amount, t.amount as taken_before
    from payment_shares s full join released r using (environment_id, id)
    left join taken t using (environment_id, id)
    where s.id is null or (r.amount is not null and s.released_at is null)
      or (s.released_at is not null
        and coalesce(r.amount, 0) + coalesce(t.amount, 0) <> s.amount - s.fee)`,
}

const pendingMoneyBelongsToShares: Proof = {
  claim: 'What is pending for a sub-account is what its pending shares have left',
  counterexamples: `
    with pending as (
      select environment_id, asset, 'sub_pending:' || subaccount_id as name,
        sum(amount - fee - taken_pending) as amount
      from payment_shares where status = 'PENDING'
      group by environment_id, asset, subaccount_id),
    booked as (
      select environment_id, asset, name, credits_posted - debits_posted as amount
      from ledger_accounts where left(name, 12) = 'sub_pending:')
    select environment_id, asset, name, p.amount as pending, b.amount as booked
    from pending p full join booked b using (environment_id, asset, name)
    where coalesce(p.amount, 0) <> coalesce(b.amount, 0)`,
}

const takeBacksMatchShares: Proof = {
  claim: 'What was taken back of a share is the sum of what refunds took and did not give back',
  counterexamples: `
    with taken as (
      select environment_id, share_id as id, sum(taken + taken_pending + owed) as amount
      from share_take_backs where state <> 'GIVEN_BACK' group by environment_id, share_id)
    select environment_id, id, s.taken_back, t.amount
    from payment_shares s full join taken t using (environment_id, id)
    where s.id is null or s.taken_back <> coalesce(t.amount, 0)`,
}

const takeBacksMoveTheirMoney: Proof = {
  claim: 'Every take-back moved what it took and what it is owed',
  counterexamples: `
    with moved as (
      select environment_id, cause_id as id,
        coalesce(sum(amount) filter (where purpose = 'split_refund'), 0) as taken,
        coalesce(sum(amount) filter (where purpose = 'split_refund_pending'), 0) as taken_pending,
        coalesce(sum(amount) filter (where purpose = 'receivable'), 0) as owed,
        coalesce(sum(amount) filter (where purpose in ('split_refund_reversal',
          'split_refund_pending_reversal', 'receivable_reversal')), 0) as given
      from ledger_transfers
      where purpose in ('split_refund', 'split_refund_pending', 'receivable',
        'split_refund_reversal', 'split_refund_pending_reversal', 'receivable_reversal')
      group by environment_id, cause_id)
    select environment_id, id, to_json(t) as take_back, to_json(m) as moved
    from share_take_backs t full join moved m using (environment_id, id)
    where (t.taken, t.taken_pending, t.owed)
        is distinct from (m.taken, m.taken_pending, m.owed)
      or m.given <> case when t.state = 'GIVEN_BACK' then t.taken + t.taken_pending + t.owed
        else 0 end`,
}

export const subaccountProofs: Proof[] = [
  sharesAreCredited,
  sharesAreOfTheirPayment,
  releasesMatchShares,
  pendingMoneyBelongsToShares,
  takeBacksMatchShares,
  takeBacksMoveTheirMoney,
]
