-- A test environment's clock can be moved ahead of real time.
alter table environments
  add column clock_offset_ms bigint not null default 0,
  add constraint clock_moves_forward_only check (clock_offset_ms >= 0),
  add constraint only_test_clocks_move check (mode = 'test' or clock_offset_ms = 0);

-- Collection accounts: account numbers at a bank, later wallets on a chain. Accounts that expect one
-- amount store the sums and variance of their payments, for display.
create table collection_accounts (
  environment_id integer not null references environments (id),
  id uuid not null,
  kind text not null,
  rail text not null,
  number text not null,
  account_name text not null,
  bank_code text not null,
  bank_name text not null,
  asset text not null,
  amount bigint,
  merchant_reference text not null,
  metadata json not null,
  status text not null,
  variance text not null default 'NONE',
  amount_received bigint not null default 0,
  amount_accepted bigint not null default 0,
  amount_held bigint not null default 0,
  amount_returning bigint not null default 0,
  amount_returned bigint not null default 0,
  event_sequence integer not null default 0,
  expires_at timestamptz,
  paid_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  -- Real time, also if the environment's clock is ahead.
  due_at timestamptz,
  primary key (environment_id, id),
  constraint account_kind_is_known check (kind in ('virtual_account', 'dedicated_account')),
  constraint account_status_is_known check (case kind
    when 'virtual_account' then status in ('ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED')
    else status in ('ACTIVE', 'INACTIVE') end),
  constraint variance_is_known
    check (variance in ('NONE', 'UNDERPAID', 'OVERPAID', 'LATE', 'DUPLICATE')),
  constraint asset_fits_kind check (asset = 'NGN'),
  constraint only_virtual_account_waits_for_an_amount
    check ((kind = 'virtual_account') = (amount is not null)),
  constraint only_virtual_account_expires
    check ((kind = 'virtual_account') = (expires_at is not null)),
  constraint amount_is_positive check (amount > 0),
  constraint paid_account_has_its_time
    check ((status = 'PAID') = (paid_at is not null)),
  constraint ended_account_has_its_time
    check ((status in ('CANCELLED', 'INACTIVE')) = (ended_at is not null)),
  constraint only_open_account_falls_due
    check ((due_at is not null) = (kind = 'virtual_account' and status = 'ACTIVE')),
  constraint account_amounts_add_up check (
    amount_received = amount_accepted + amount_held + amount_returning + amount_returned
    and least(amount_accepted, amount_held, amount_returning, amount_returned) >= 0)
) with (fillfactor = 80);

-- A bank reports the number, not its owner, so a number always belongs to one account.
create unique index number_is_one_account on collection_accounts (rail, number);
create unique index external_reference_is_used_once
  on collection_accounts (environment_id, merchant_reference) where kind = 'dedicated_account';
create index collection_accounts_newest on collection_accounts (environment_id, kind, id);
create index collection_accounts_by_status
  on collection_accounts (environment_id, kind, status, id);
create index collection_accounts_by_reference
  on collection_accounts (environment_id, kind, merchant_reference, id);
create index collection_accounts_due on collection_accounts (due_at) where status = 'ACTIVE';

-- Money received. Every kobo is in exactly one of four amounts.
create table payments (
  environment_id integer not null references environments (id),
  id uuid not null,
  account_id uuid not null,
  source text not null,
  rail text not null,
  -- The bank's id: a payment that is reported twice is one payment.
  rail_id text not null,
  asset text not null,
  amount bigint not null,
  amount_accepted bigint not null,
  amount_held bigint not null,
  amount_returning bigint not null,
  amount_returned bigint not null,
  fee bigint not null,
  variance text not null,
  status text not null generated always as (case
    when amount_held > 0 then 'HELD'
    when amount_returning > 0 then 'RETURNING'
    when amount_accepted > 0 then 'ACCEPTED'
    else 'RETURNED' end) stored,
  sender json not null,
  session_id text,
  narration text,
  event_sequence integer not null,
  received_at timestamptz not null,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint payment_source_is_known check (source in ('virtual_account', 'dedicated_account')),
  constraint payment_asset_is_known check (asset in ('NGN', 'USDC', 'USDT')),
  constraint payment_amount_is_positive check (amount > 0),
  constraint all_of_a_payment_is_somewhere check (
    amount = amount_accepted + amount_held + amount_returning + amount_returned
    and least(amount_accepted, amount_held, amount_returning, amount_returned) >= 0),
  constraint payment_fee_is_not_negative check (fee >= 0),
  constraint payment_variance_is_known
    check (variance in ('NONE', 'UNDERPAID', 'OVERPAID', 'LATE', 'DUPLICATE'))
);

create unique index payment_is_taken_once on payments (rail, rail_id);
create index payments_of_account on payments (environment_id, account_id, id);
create index payments_by_status on payments (environment_id, status, id);

-- Money of a payment on its way back. The row waits to become a payout with the same id; from then on
-- the payout has the status.
create table payment_returns (
  environment_id integer not null references environments (id),
  id uuid not null,
  payment_id uuid not null,
  rail text not null,
  amount bigint not null,
  -- Held money is in suspense; a refund takes from the accepted amount.
  takes_from text not null,
  destination json not null,
  state text not null,
  tries integer not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint return_is_positive check (amount > 0),
  constraint return_takes_from_is_known check (takes_from in ('suspense', 'available')),
  constraint return_state_is_known
    check (state in ('WAITING', 'SENT', 'RETURNED', 'FAILED', 'REVERSED')),
  constraint refund_is_sent_at_once check (state <> 'WAITING' or takes_from = 'suspense')
);

create index payment_returns_of_payment on payment_returns (environment_id, payment_id, id);
create index payment_returns_due on payment_returns (rail, due_at) where state = 'WAITING';

-- Notices of payments from banks, each stored once as received.
create table notices (
  rail text not null,
  mode text not null,
  -- The bank's id of the payment.
  id text not null,
  announced json not null,
  -- Null: found by query.
  body text,
  state text not null,
  reason text,
  looks integer not null default 0,
  due_at timestamptz not null,
  received_at timestamptz not null,
  primary key (rail, mode, id),
  constraint notice_mode_is_known check (mode in ('test', 'live')),
  constraint notice_state_is_known check (state in ('WAITING', 'UNMATCHED', 'TAKEN', 'REFUSED')),
  constraint refused_notice_says_why check ((state = 'REFUSED') = (reason is not null))
);

create index notices_refused on notices (received_at) where state = 'REFUSED';
create index notices_due on notices (rail, due_at) where state in ('WAITING', 'UNMATCHED');

-- Payouts without an API request: money that is returned to where it came from.
alter table payouts
  add column takes_from text not null default 'available',
  drop constraint payout_kind_is_known,
  drop constraint payout_asset_fits_kind,
  drop constraint payout_has_told_its_beginning,
  add constraint payout_kind_is_known
    check (kind in ('crypto_transfer', 'bank_transfer', 'bank_return')),
  add constraint payout_asset_fits_kind
    check ((kind in ('bank_transfer', 'bank_return')) = (asset = 'NGN')),
  add constraint only_return_takes_from_suspense check (
    takes_from = 'available' or (takes_from = 'suspense' and kind = 'bank_return')),
  add constraint return_is_free check (kind <> 'bank_return' or fee = 0),
  -- Events of a return belong to its payment.
  add constraint payout_has_told_its_beginning
    check (event_sequence >= 0 and (kind = 'bank_return') = (event_sequence = 0));

alter table ledger_transfers
  drop constraint transfer_purpose_is_known,
  add constraint transfer_purpose_is_known check (purpose in (
    'test_funding', 'operator_credit',
    'crypto_payout', 'crypto_payout_fee',
    'bank_payout', 'bank_payout_fee', 'bank_payout_reversal', 'bank_payout_fee_reversal',
    'payment', 'payment_fee', 'payment_held', 'payment_accepted', 'payment_accepted_fee',
    'payment_return', 'payment_refund', 'payment_return_reversal', 'payment_refund_reversal'));
