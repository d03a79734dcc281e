-- Claims: money that a merchant sets aside for a recipient who says later where to send it. Processes
-- that do not know claims would end the payout of one without opening the claim again, so none may
-- run beside this migration.

create table claims (
  environment_id integer not null references environments (id),
  id uuid not null,
  -- SHA-256 of the token in the link. The token itself is not stored.
  token_hash bytea not null,
  status text not null,
  asset text not null,
  amount bigint not null,
  -- What the payout may cost at most, at the fees of the day of creation.
  fee_max bigint not null,
  description text not null,
  recipient_name text,
  email text,
  merchant_reference text,
  metadata json not null,
  -- Null: no secret word.
  word_hash bytea,
  word_salt bytea,
  word_cost integer,
  word_block_size integer,
  word_parallelism integer,
  -- Wrong secret words, and bank accounts and wallets that were looked up, since it was unlocked.
  guesses integer not null default 0,
  lookups integer not null default 0,
  -- How often its money was set aside: once, and again after each payout that failed.
  openings integer not null default 1,
  -- Null unless it is claimed.
  payout_id uuid,
  created_by_key uuid,
  created_by_user uuid,
  event_sequence integer not null default 1,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  claimed_at timestamptz,
  -- When it expired or was cancelled.
  ended_at timestamptz,
  primary key (environment_id, id),
  constraint claim_status_is_known check (status in ('OPEN', 'CLAIMED', 'EXPIRED', 'CANCELLED')),
  constraint claim_asset_is_known check (asset in ('NGN', 'USDC', 'USDT')),
  constraint claim_amount_is_positive check (amount > 0),
  constraint claim_fee_is_not_negative check (fee_max >= 0),
  constraint claim_token_is_hashed check (length(token_hash) = 32),
  constraint claim_has_its_payout check ((status = 'CLAIMED') = (payout_id is not null)),
  constraint claimed_claim_has_its_time check ((status = 'CLAIMED') = (claimed_at is not null)),
  constraint ended_claim_has_its_time check (
    (status in ('EXPIRED', 'CANCELLED')) = (ended_at is not null)),
  constraint claim_word_is_whole check (
    num_nulls(word_hash, word_salt, word_cost, word_block_size, word_parallelism) in (0, 5)),
  constraint claim_guesses_are_limited check (guesses between 0 and 5),
  constraint claim_lookups_are_limited check (lookups between 0 and 20),
  constraint claim_openings_are_counted check (openings > 0),
  constraint claim_event_sequence_is_positive check (event_sequence > 0)
);
create unique index claim_of_token on claims (token_hash);
create unique index claim_has_its_own_payout on claims (environment_id, payout_id)
  where payout_id is not null;
create unique index claim_reference_is_unique on claims (environment_id, merchant_reference)
  where merchant_reference is not null;
create index claims_by_status on claims (environment_id, status, id);
create index open_claims_by_expiry on claims (environment_id, expires_at) where status = 'OPEN';

-- Each time that the money of a claim was set aside. The id is the cause of the hold in the ledger.
create table claim_holds (
  environment_id integer not null references environments (id),
  id uuid not null,
  claim_id uuid not null,
  opening integer not null,
  amount bigint not null,
  -- Null: the money is held.
  ended_as text,
  payout_id uuid,
  created_at timestamptz not null,
  primary key (environment_id, id),
  foreign key (environment_id, claim_id) references claims (environment_id, id),
  constraint claim_hold_has_an_amount check (amount > 0),
  constraint claim_hold_end_is_known check (ended_as in ('CLAIMED', 'EXPIRED', 'CANCELLED')),
  constraint claimed_hold_has_a_payout check (
    (ended_as is not distinct from 'CLAIMED') = (payout_id is not null)),
  constraint claim_opening_is_numbered check (opening > 0)
);
create unique index claim_opens_once on claim_holds (environment_id, claim_id, opening);
create unique index claim_holds_money_once on claim_holds (environment_id, claim_id)
  where ended_as is null;
create unique index claim_hold_becomes_one_payout on claim_holds (environment_id, payout_id)
  where payout_id is not null;

alter table ledger_transfers
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
    'transfer_receivable_ended', 'take_back_recovered', 'take_back_receivable_ended',
    'payout_recovered', 'payout_receivable_ended', 'claim')),
  -- The money of a claim is only set aside. Its payout pays it.
  add constraint claim_only_holds check (
    purpose <> 'claim' or (is_hold and debit = 'available' and credit = 'suspense'));
