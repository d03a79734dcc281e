-- Payouts and their attempts.

create table payouts (
  environment_id integer not null references environments,
  id uuid not null,
  kind text not null,
  -- The rail. Its name includes the network, so that networks are never mixed.
  rail text not null,
  asset text not null,
  amount bigint not null,
  fee bigint not null,
  -- As the merchant wrote it.
  requested_amount text not null,
  destination json not null,
  merchant_reference text,
  -- Text, to keep the merchant's key order.
  metadata json not null,
  status text not null,
  failure_reason text,
  is_review_required boolean not null default false,
  event_sequence integer not null,
  submitted_at timestamptz not null,
  completed_at timestamptz,
  failed_at timestamptz,
  reversed_at timestamptz,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint payout_kind_is_known check (kind in ('crypto_transfer', 'bank_transfer')),
  constraint payout_asset_fits_kind check ((kind = 'bank_transfer') = (asset = 'NGN')),
  constraint payout_amount_is_positive check (amount > 0),
  constraint payout_fee_is_not_negative check (fee >= 0),
  constraint payout_status_is_known check (
    status in ('SUBMITTED', 'COMPLETED', 'FAILED', 'REVERSED')),
  constraint failed_payout_says_why check ((status = 'FAILED') = (failure_reason is not null)),
  constraint failed_payout_has_its_time check ((status = 'FAILED') = (failed_at is not null)),
  constraint completed_payout_has_its_time check (
    (status in ('COMPLETED', 'REVERSED')) = (completed_at is not null)),
  constraint reversed_payout_has_its_time check (
    (status = 'REVERSED') = (reversed_at is not null)),
  constraint payout_has_told_its_beginning check (event_sequence > 0)
);

create unique index merchant_reference_is_used_once
  on payouts (environment_id, kind, merchant_reference) where merchant_reference is not null;
create index payouts_newest on payouts (environment_id, kind, id);
create index payouts_by_status on payouts (environment_id, kind, status, id);

create index payouts_open on payouts (submitted_at) where status = 'SUBMITTED';

create table payout_attempts (
  environment_id integer not null,
  payout_id uuid not null,
  number integer not null,
  rail text not null,
  -- The rail's id of the attempt: a signature, or our reference.
  token text not null,
  -- The exact bytes to send, committed before they are sent.
  wire bytea not null,
  valid_until bigint,
  state text not null,
  outcome text,
  due_at timestamptz not null,
  looks integer not null default 0,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (environment_id, payout_id, number),
  constraint attempt_is_numbered check (number > 0),
  constraint attempt_state_is_known check (state in ('LIVE', 'LANDED', 'FAILED', 'DEAD')),
  constraint ended_attempt_has_its_time check ((state = 'LIVE') = (ended_at is null))
);

-- Two live attempts could both land and pay twice.
create unique index payout_has_one_live_attempt
  on payout_attempts (environment_id, payout_id) where state = 'LIVE';
-- After one has landed there is no other.
create unique index payout_lands_once
  on payout_attempts (environment_id, payout_id) where state = 'LANDED';
create index payout_attempts_due on payout_attempts (rail, due_at) where state = 'LIVE';

alter table ledger_transfers drop constraint transfer_purpose_is_known;
alter table ledger_transfers add constraint transfer_purpose_is_known check (purpose in (
  'test_funding', 'operator_credit', 'crypto_payout', 'crypto_payout_fee', 'bank_payout',
  'bank_payout_fee', 'bank_payout_reversal', 'bank_payout_fee_reversal'));

-- How far each ordered list of a rail has been read.
create table rail_cursors (
  rail text not null,
  subject text not null,
  position bigint not null,
  primary key (rail, subject)
);

-- Test fundings in coins that are still to be minted to the treasury, so that the chain holds what
-- the books say.
create table coin_backings (
  environment_id integer not null references environments,
  -- The funding that these coins back.
  id uuid not null,
  asset text not null,
  amount bigint not null,
  is_minted boolean not null default false,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint backing_is_in_coins check (asset in ('USDC', 'USDT')),
  constraint backing_is_positive check (amount > 0)
);
create index coin_backings_open on coin_backings (created_at) where not is_minted;
