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

const subaccountStatementsAddUp: Proof = {
  claim: 'Every statement of a sub-account is without gaps, adds up and ends at its balance',
  counterexamples: `
    with entries as (
      select environment_id, subaccount_id, asset, subaccount_entry, subaccount_after,
        case when credit = 'sub:' || subaccount_id then amount else -amount end as change
      from ledger_transfers where subaccount_id is not null
      union all
      select environment_id, subaccount_id, asset, subaccount_entry, subaccount_after, amount
      from ledger_resolutions where subaccount_id is not null),
    chained as (
      select *, row_number() over statement as expected_number,
        coalesce(lag(subaccount_after) over statement, 0) + change as expected_after
      from entries
      window statement as (
        partition by environment_id, subaccount_id, asset order by subaccount_entry)),
    broken as (
      select environment_id, 'sub:' || subaccount_id as name, asset, subaccount_entry
      from chained
      where subaccount_entry <> expected_number or subaccount_after <> expected_after),
    ends as (
      select distinct on (environment_id, subaccount_id, asset)
        environment_id, 'sub:' || subaccount_id as name, asset, subaccount_entry, subaccount_after
      from entries order by environment_id, subaccount_id, asset, subaccount_entry desc)
    select * from broken
    union all
    select a.environment_id, a.name, a.asset, a.entry_count from ledger_accounts a
    left join ends e using (environment_id, name, asset)
    where left(a.name, 4) = 'sub:' and (a.entry_count <> coalesce(e.subaccount_entry, 0)
      or a.credits_posted - a.debits_posted - a.debits_pending
        <> coalesce(e.subaccount_after, 0))`,
}

const receivablesAreOwed: Proof = {
  claim: 'What sub-accounts owe adds up to the receivables of every environment and asset',
  counterexamples: `
    select environment_id, asset,
      sum(credits_posted - debits_posted) filter (where name = 'receivables') as receivables,
      sum(debits_posted - credits_posted) filter (where left(name, 9) = 'sub_owed:') as owed
    from ledger_accounts where name = 'receivables' or left(name, 9) = 'sub_owed:'
    group by environment_id, asset
    having coalesce(sum(credits_posted - debits_posted) filter (where name = 'receivables'), 0)
      <> coalesce(sum(debits_posted - credits_posted)
        filter (where left(name, 9) = 'sub_owed:'), 0)`,
}

/**
 * The id in the name of a ledger account: all that follows the first colon. Comparing it with one
 * value allows a hash join, and an environment may have 100,000 sub-accounts.
 */
function subaccountIn(name: string): string {
  return `substr(${name}, strpos(${name}, ':') + 1)`
}

const ledgerAccountsBelongToSubaccounts: Proof = {
  claim: 'Every ledger account of a sub-account belongs to one of its environment',
  counterexamples: `
    select a.environment_id, a.asset, a.name from ledger_accounts a
    where split_part(a.name, ':', 1) in ('sub', 'sub_pending', 'sub_owed') and not exists (
      select from subaccounts s
      where s.environment_id = a.environment_id and s.id::text = ${subaccountIn('a.name')})`,
}

const closedSubaccountsAreEmpty: Proof = {
  claim: 'Every closed sub-account is empty and owes nothing',
  counterexamples: `
    select s.environment_id, s.id, a.asset, a.name from subaccounts s
    join ledger_accounts a on a.environment_id = s.environment_id
      and ${subaccountIn('a.name')} = s.id::text
    where s.status = 'CLOSED' and (a.credits_posted <> a.debits_posted or a.debits_pending > 0)`,
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
  subaccountStatementsAddUp,
  receivablesAreOwed,
  ledgerAccountsBelongToSubaccounts,
  closedSubaccountsAreEmpty,
  resolutionsMatchHolds,
  holdsDebitOneAccount,
  testMoneyStaysInTestMode,
]
