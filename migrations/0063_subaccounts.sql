-- Processes that know 0062 may run beside this migration.
-- Sub-accounts: what a merchant owes to its sellers, as names of ledger accounts beside its own
-- (docs/decisions/0032).

create table subaccounts (
  environment_id integer not null references environments (id),
  id uuid not null,
  name text not null,
  email text,
  external_reference text,
  bank_code text,
  account_number text,
  account_name text,
  wallet_address text,
  status text not null default 'ACTIVE',
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  closed_at timestamptz,
  primary key (environment_id, id),
  constraint subaccount_status_is_known check (status in ('ACTIVE', 'PAUSED', 'CLOSED')),
  constraint subaccount_has_a_name check (name <> ''),
  constraint subaccount_bank_account_is_whole check (
    (bank_code is null) = (account_number is null)
    and (account_number is null) = (account_name is null)),
  constraint closed_subaccount_says_when check ((status = 'CLOSED') = (closed_at is not null)),
  constraint subaccount_event_sequence_is_positive check (event_sequence > 0)
);

create unique index subaccount_external_reference_is_unique
  on subaccounts (environment_id, external_reference) where external_reference is not null;
create index subaccounts_by_status on subaccounts (environment_id, status, id);

-- Money between a merchant and a sub-account, or between two. Null: the merchant.
create table subaccount_transfers (
  environment_id integer not null references environments (id),
  id uuid not null,
  from_subaccount_id uuid,
  to_subaccount_id uuid,
  asset text not null,
  amount bigint not null,
  note text,
  created_by_key uuid,
  created_by_user uuid,
  created_at timestamptz not null,
  primary key (environment_id, id),
  foreign key (environment_id, from_subaccount_id) references subaccounts (environment_id, id),
  foreign key (environment_id, to_subaccount_id) references subaccounts (environment_id, id),
  constraint transferred_asset_is_known check (asset in ('NGN', 'USDC', 'USDT')),
  constraint transferred_amount_is_positive check (amount > 0),
  constraint transfer_has_two_ends check (from_subaccount_id is distinct from to_subaccount_id)
);

create index transfers_from_subaccount
  on subaccount_transfers (environment_id, from_subaccount_id, id)
  where from_subaccount_id is not null;
create index transfers_to_subaccount on subaccount_transfers (environment_id, to_subaccount_id, id)
  where to_subaccount_id is not null;
create trigger subaccount_transfers_are_never_edited
  before update or delete or truncate on subaccount_transfers
  for each statement execute function refuse_change();

-- `sub:` is what a sub-account may spend, `sub_pending:` is released to it later, `sub_owed:` is what
-- it owes the merchant; `receivables` is the other side of all that is owed.
alter table ledger_accounts
  drop constraint account_name_is_known,
  add constraint account_name_is_known check (
    name in ('available', 'suspense', 'fees', 'exchange')
    or (name in ('clearing', 'levies') and asset = 'NGN')
    or (name in ('treasury', 'deposits') and asset <> 'NGN')
    or name = 'receivables'
    or split_part(name, ':', 1) in ('sub', 'sub_pending', 'sub_owed')),
  drop constraint only_available_has_a_statement,
  add constraint only_spendable_money_has_a_statement check (
    entry_count = 0 or name = 'available' or left(name, 4) = 'sub:'),
  add constraint subaccount_never_below_zero check (
    left(name, 4) <> 'sub:' or credits_posted - debits_posted - debits_pending >= 0),
  add constraint pending_never_below_zero check (
    left(name, 12) <> 'sub_pending:' or credits_posted - debits_posted - debits_pending >= 0),
  add constraint no_more_is_recovered_than_owed check (
    left(name, 9) <> 'sub_owed:' or credits_posted <= debits_posted),
  drop constraint naira_balance_fits_the_wire,
  add constraint naira_balance_fits_the_wire check (
    asset <> 'NGN'
    or (name not in ('available', 'suspense')
      and left(name, 4) <> 'sub:' and left(name, 12) <> 'sub_pending:')
    or credits_posted + credits_pending - debits_posted <= 9007199254740991);

-- The number on the statement of a sub-account, and its balance afterwards. A transfer between the
-- merchant and a sub-account is on both statements.
alter table ledger_transfers
  add column subaccount_id uuid,
  add column subaccount_entry bigint,
  add column subaccount_after bigint;
alter table ledger_resolutions
  add column subaccount_id uuid,
  add column subaccount_entry bigint,
  add column subaccount_after bigint;

create unique index transfer_subaccount_entries_are_numbered_once
  on ledger_transfers (environment_id, subaccount_id, asset, subaccount_entry)
  where subaccount_id is not null;
create unique index resolution_subaccount_entries_are_numbered_once
  on ledger_resolutions (environment_id, subaccount_id, asset, subaccount_entry)
  where subaccount_id is not null;

alter table ledger_transfers
  drop constraint fees_are_on_the_statement,
  add constraint fees_are_on_a_statement check (
    (debit <> 'fees' and credit <> 'fees') or entry_number is not null
    or subaccount_entry is not null),
  drop constraint hold_sets_money_aside,
  add constraint hold_sets_money_aside check (
    not is_hold or debit in ('available', 'suspense') or left(debit, 4) = 'sub:'),
  -- Both branches are true or false, never null: a check that is null accepts the row.
  add constraint transfer_is_on_the_statement_of_its_subaccount check (
    case when subaccount_id is null
      then subaccount_entry is null and subaccount_after is null
        and left(debit, 4) <> 'sub:' and left(credit, 4) <> 'sub:'
      else subaccount_entry is not null and coalesce(subaccount_after, -1) >= 0
        and ((debit = 'sub:' || subaccount_id and left(credit, 4) <> 'sub:')
          or (credit = 'sub:' || subaccount_id and left(debit, 4) <> 'sub:'))
    end),
  drop constraint transfer_purpose_is_known,
  add constraint transfer_purpose_is_known check (purpose in (
    'test_funding', 'operator_credit', 'crypto_payout', 'crypto_payout_fee', 'bank_payout',
    'bank_payout_fee', 'bank_payout_levy', 'bank_payout_reversal', 'bank_payout_fee_reversal',
    'bank_payout_levy_reversal', 'payment',
    'payment_fee', 'payment_held', 'payment_accepted', 'payment_accepted_fee', 'payment_return',
    'payment_refund', 'payment_return_reversal', 'payment_refund_reversal', 'sweep', 'conversion',
    'conversion_fee', 'conversion_credit', 'subaccount_transfer', 'subaccount_transfer_back',
    'split', 'split_release', 'split_refund', 'split_refund_reversal', 'split_refund_pending',
    'split_refund_pending_reversal', 'receivable',
    'receivable_reversal', 'split_recovered', 'split_receivable_ended', 'transfer_recovered',
    'transfer_receivable_ended'));

alter table ledger_resolutions
  add constraint resolution_is_on_the_statement_of_its_subaccount check (
    case when subaccount_id is null
      then subaccount_entry is null and subaccount_after is null
        and (verb = 'settle' or left(debit, 4) <> 'sub:')
      else subaccount_entry is not null and coalesce(subaccount_after, -1) >= 0
        and verb = 'release' and debit = 'sub:' || subaccount_id
    end);

-- Like first_entry_at, on the statement of a sub-account.
create function first_subaccount_entry_at(
  environment integer, subaccount uuid, of_asset text, wanted timestamptz)
returns bigint language plpgsql stable as $$
declare
  low bigint := 1;
  high bigint := 1;
  middle bigint;
  written timestamptz;
begin
  select entry_count + 1 into high from ledger_accounts
    where environment_id = environment and asset = of_asset and name = 'sub:' || subaccount;
  while low < high loop
    middle := (low + high) / 2;
    select created_at into written from ledger_transfers
      where environment_id = environment and subaccount_id = subaccount and asset = of_asset
        and subaccount_entry = middle;
    if not found then
      select created_at into written from ledger_resolutions
        where environment_id = environment and subaccount_id = subaccount and asset = of_asset
          and subaccount_entry = middle;
    end if;
    if written < wanted then low := middle + 1; else high := middle; end if;
  end loop;
  return low;
end $$;

-- What a payout from a sub-account takes.
alter table payouts
  drop constraint only_return_takes_from_suspense,
  add constraint only_return_takes_from_suspense check (
    takes_from = 'available' or left(takes_from, 4) = 'sub:'
    or (takes_from = 'suspense' and kind in ('bank_return', 'crypto_return')));
