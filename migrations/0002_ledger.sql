-- The books. A ledger account is one name in one environment and one asset. A transfer has both sides
-- in the same environment and asset, so it cannot cross either.

create table ledger_accounts (
  environment_id integer not null references environments,
  asset text not null constraint account_asset_is_known check (asset in ('NGN', 'USDC', 'USDT')),
  name text not null constraint account_name_is_known check (
    name in ('available', 'suspense', 'fees', 'exchange')
    or (name = 'clearing' and asset = 'NGN')
    or (name in ('treasury', 'deposits') and asset <> 'NGN')),
  debits_pending bigint not null default 0,
  debits_posted bigint not null default 0,
  credits_pending bigint not null default 0,
  credits_posted bigint not null default 0,
  -- Number of statement lines written; only `available` has a statement.
  entry_count bigint not null default 0,
  primary key (environment_id, asset, name),
  constraint sums_are_never_negative check (
    debits_pending >= 0 and debits_posted >= 0 and credits_pending >= 0 and credits_posted >= 0),
  constraint available_never_below_zero check (
    name <> 'available' or credits_posted - debits_posted - debits_pending >= 0),
  constraint suspense_never_below_zero check (
    name <> 'suspense' or credits_posted - debits_posted - debits_pending >= 0),
  -- Naira amounts must fit a JSON integer. Held money counts too, because a release must fit.
  constraint naira_balance_fits_the_wire check (
    asset <> 'NGN' or name not in ('available', 'suspense')
    or credits_posted + credits_pending - debits_posted <= 9007199254740991),
  constraint only_available_has_a_statement check (name = 'available' or entry_count = 0)
) with (fillfactor = 50);

-- The primary key is a rule: one cause (a payment, a payout, a funding) moves money once for one
-- purpose, so a credit that is posted twice is refused here whatever the code does.
-- A hold is pending until the one resolution of its cause settles or releases it.
create table ledger_transfers (
  environment_id integer not null,
  cause_id uuid not null,
  purpose text not null,
  asset text not null constraint transfer_asset_is_known check (asset in ('NGN', 'USDC', 'USDT')),
  debit text not null,
  credit text not null,
  amount bigint not null constraint transfer_amount_is_positive check (amount > 0),
  is_hold boolean not null,
  entry_number bigint,
  available_after bigint constraint transfer_leaves_available_whole check (available_after >= 0),
  created_at timestamptz not null,
  primary key (environment_id, cause_id, purpose),
  constraint transfer_has_two_sides check (debit <> credit),
  constraint transfer_purpose_is_known check (purpose in (
    'test_funding', 'operator_credit', 'crypto_payout', 'crypto_payout_fee')),
  constraint hold_sets_money_aside check (not is_hold or debit in ('available', 'suspense')),
  constraint transfer_is_on_the_statement check (
    (debit = 'available' or credit = 'available') = (entry_number is not null)
    and (entry_number is null) = (available_after is null))
);
create unique index transfer_entries_are_numbered_once on ledger_transfers (environment_id, asset, entry_number)
  where entry_number is not null;

-- The primary key is a rule: the holds of a cause are resolved once, together, with one verb.
create table ledger_resolutions (
  environment_id integer not null,
  cause_id uuid not null,
  verb text not null constraint resolution_verb_is_known check (verb in ('settle', 'release')),
  purpose text not null,
  asset text not null,
  debit text not null,
  amount bigint not null constraint resolution_amount_is_positive check (amount > 0),
  entry_number bigint,
  available_after bigint constraint resolution_leaves_available_whole check (available_after >= 0),
  created_at timestamptz not null,
  primary key (environment_id, cause_id),
  constraint release_is_on_the_statement check (
    (verb = 'release' and debit = 'available') = (entry_number is not null)
    and (entry_number is null) = (available_after is null))
);
create unique index resolution_entries_are_numbered_once on ledger_resolutions (environment_id, asset, entry_number)
  where entry_number is not null;

create trigger transfers_are_never_edited before update or delete or truncate on ledger_transfers
  for each statement execute function refuse_change();
create trigger resolutions_are_never_edited before update or delete or truncate on ledger_resolutions
  for each statement execute function refuse_change();
