-- Levies on naira transfers, such as the stamp duty, held and settled beside the fee of a payout.
-- Processes that know 0062 may run beside this migration.

-- The newest entry whose period includes the time of a transfer decides; an amount of 0 ends a levy.
create table levies (
  id bigint generated always as identity primary key,
  kind text not null constraint levy_kind_is_known check (kind in ('stamp_duty')),
  mode text not null constraint levy_mode_is_known check (mode in ('test', 'live')),
  -- Null: every naira rail.
  rail text,
  threshold bigint not null constraint levy_threshold_is_not_negative check (threshold >= 0),
  amount bigint not null constraint levy_amount_is_not_negative check (amount >= 0),
  exempts text[] not null constraint levy_exemptions_are_known
    check (exempts <@ array['salary', 'own_accounts']),
  holds_from timestamptz not null,
  holds_until timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  -- A transfer that was already priced keeps its price.
  constraint levy_is_never_set_for_the_past check (holds_from >= created_at),
  constraint levy_ends_after_it_begins check (holds_until > holds_from)
);
create trigger levies_are_never_edited before update or delete or truncate on levies
  for each statement execute function refuse_change();

-- What an operator has learned about a provider. The newest entry whose time is not after that of a
-- transfer decides; it may be in the past, because it corrects what was believed.
create table levy_debits (
  id bigint generated always as identity primary key,
  rail text not null,
  debits text not null constraint levy_debit_is_known
    check (debits in ('no', 'with_transfer', 'apart')),
  since timestamptz not null,
  created_at timestamptz not null,
  created_by text not null
);
create trigger levy_debits_are_never_edited before update or delete or truncate on levy_debits
  for each statement execute function refuse_change();

alter table payouts
  add column levy bigint not null default 0,
  add column purpose text,
  add constraint payout_levy_is_not_negative check (levy >= 0),
  add constraint only_bank_transfer_has_a_levy check (levy = 0 or kind = 'bank_transfer'),
  add constraint payout_purpose_is_known
    check (purpose is null or (purpose = 'salary' and kind = 'bank_transfer'));
-- Never changes with the state of a payout, and has no row for a payout without a levy.
create index payouts_with_levy on payouts (environment_id, id) where levy > 0;

drop trigger payout_orders_are_never_edited on payouts;
create trigger payout_orders_are_never_edited before delete or truncate or update of
  environment_id, id, kind, rail, asset, amount, fee, levy, purpose, requested_amount, destination,
  merchant_reference, metadata, takes_from, created_by_key, created_by_user, order_hash, created_at
  on payouts for each statement execute function refuse_change();

alter table payout_batches
  add column levy bigint not null default 0,
  add column paid_levy bigint not null default 0,
  add constraint batch_levies_are_not_negative check (
    levy >= 0 and paid_levy >= 0 and (completed_count > 0 or paid_levy = 0));

alter table payout_batch_items
  add column levy bigint,
  add column purpose text constraint item_purpose_is_known check (purpose in ('salary'));
drop trigger batch_items_are_never_edited on payout_batch_items;
create trigger batch_items_are_never_edited before delete or truncate or update of
  environment_id, batch_id, number, amount, requested_amount, destination, merchant_reference,
  purpose
  on payout_batch_items for each statement execute function refuse_change();

-- Reports of levies read statements, as those of fees do.
alter table ledger_transfers add constraint levies_are_on_a_statement check (
  (debit <> 'levies' and credit <> 'levies') or entry_number is not null
  or subaccount_entry is not null);
