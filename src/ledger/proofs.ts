import type { Proof } from '../base/proof.js'

const debitsEqualCredits: Proof = {
  claim: 'Debits equal credits, pending and posted, in every environment and asset',
  counterexamples: `
    select environment_id, asset,
      sum(debits_pending) - sum(credits_pending) as pending,
      sum(debits_posted) - sum(credits_posted) as posted
    from ledger_accounts group by environment_id, asset
    having sum(debits_pending) <> sum(credits_pending)
      or sum(debits_posted) <> sum(credits_posted)`,
}

const balancesEqualTransfers: Proof = {
  claim: 'Every balance is the sum of its transfers',
  counterexamples: `
    with lines as (
      select t.*, t.is_hold and r.verb is null as is_pending,
        not t.is_hold or r.verb = 'settle' as is_posted
      from ledger_transfers t
      left join ledger_resolutions r using (environment_id, cause_id)),
    sides as (
      select environment_id, asset, debit as name, is_pending, is_posted,
        amount as debit, 0 as credit
      from lines
      union all
      select environment_id, asset, credit, is_pending, is_posted, 0, amount from lines),
    sums as (
      select environment_id, asset, name,
        coalesce(sum(debit) filter (where is_pending), 0) as debits_pending,
        coalesce(sum(debit) filter (where is_posted), 0) as debits_posted,
        coalesce(sum(credit) filter (where is_pending), 0) as credits_pending,
        coalesce(sum(credit) filter (where is_posted), 0) as credits_posted
      from sides group by environment_id, asset, name)
    select environment_id, asset, name, to_json(a) as account, to_json(s) as transfers
    from ledger_accounts a full join sums s using (environment_id, asset, name)
    where (a.debits_pending, a.debits_posted, a.credits_pending, a.credits_posted)
      is distinct from (s.debits_pending, s.debits_posted, s.credits_pending, s.credits_posted)
      and not (s is null and a.debits_pending = 0 and a.debits_posted = 0
        and a.credits_pending = 0 and a.credits_posted = 0)`,
}

const statementsAddUp: Proof = {
  claim: 'Every statement is without gaps, adds up line by line and ends at the balance',
  counterexamples: `
    with entries as (
      select environment_id, asset, entry_number, available_after,
        case when credit = 'available' then amount else -amount end as change
      from ledger_transfers where entry_number is not null
      union all
      select environment_id, asset, entry_number, available_after, amount
      from ledger_resolutions where entry_number is not null),
    chained as (
      select *, row_number() over statement as expected_number,
        coalesce(lag(available_after) over statement, 0) + change as expected_after
      from entries
      window statement as (partition by environment_id, asset order by entry_number)),
    broken as (
      select environment_id, asset, entry_number from chained
      where entry_number <> expected_number or available_after <> expected_after),
    ends as (
      select distinct on (environment_id, asset)
        environment_id, asset, entry_number, available_after
      from entries order by environment_id, asset, entry_number desc)
    select * from broken
    union all
    select a.environment_id, a.asset, a.entry_count from ledger_accounts a
    left join ends e using (environment_id, asset)
    where a.name = 'available' and (a.entry_count <> coalesce(e.entry_number, 0)
      or a.credits_posted - a.debits_posted - a.debits_pending <> coalesce(e.available_after, 0))`,
}

const resolutionsMatchHolds: Proof = {
  claim: 'Every resolution settles or releases exactly what its cause holds',
  counterexamples: `
    select r.environment_id, r.cause_id, r.amount, sum(t.amount) as held
    from ledger_resolutions r
    left join ledger_transfers t on t.environment_id = r.environment_id
      and t.cause_id = r.cause_id and t.is_hold and t.asset = r.asset and t.debit = r.debit
    group by r.environment_id, r.cause_id, r.amount
    having sum(t.amount) is distinct from r.amount`,
}

const holdsDebitOneAccount: Proof = {
  claim: 'All lines of a hold debit the same account',
  counterexamples: `
    select environment_id, cause_id from ledger_transfers where is_hold
    group by environment_id, cause_id having count(distinct (asset, debit)) > 1`,
}

const testMoneyStaysInTestMode: Proof = {
  claim: 'Test money is only in test environments',
  counterexamples: `
    select t.environment_id, t.cause_id from ledger_transfers t
    join environments e on e.id = t.environment_id
    where t.purpose = 'test_funding' and e.mode <> 'test'`,
}

export const ledgerProofs: Proof[] = [
  debitsEqualCredits,
  balancesEqualTransfers,
  statementsAddUp,
  resolutionsMatchHolds,
  holdsDebitOneAccount,
  testMoneyStaysInTestMode,
]
