-- Wallets are collection accounts, like those at a bank: temporary ones expect one amount of one
-- coin, dedicated ones accept any amount of either.
alter table collection_accounts
  alter column asset drop not null,
  drop constraint account_kind_is_known,
  drop constraint account_status_is_known,
  drop constraint asset_fits_kind,
  drop constraint only_virtual_account_waits_for_an_amount,
  drop constraint only_virtual_account_expires,
  drop constraint only_open_account_falls_due,
  add constraint account_kind_is_known check (kind in
    ('virtual_account', 'dedicated_account', 'crypto_wallet', 'dedicated_crypto_wallet')),
  add constraint account_status_is_known check (case
    when kind in ('virtual_account', 'crypto_wallet')
      then status in ('ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED')
    else status in ('ACTIVE', 'INACTIVE') end),
  add constraint asset_fits_kind check (case kind
    when 'crypto_wallet' then asset is not null and asset in ('USDC', 'USDT')
    when 'dedicated_crypto_wallet' then asset is null
    else asset is not null and asset = 'NGN' end),
  add constraint only_wallet_has_no_bank check (
    (kind in ('crypto_wallet', 'dedicated_crypto_wallet')) = (bank_code = '')),
  add constraint only_temporary_account_waits_for_an_amount
    check ((kind in ('virtual_account', 'crypto_wallet')) = (amount is not null)),
  add constraint only_temporary_account_expires
    check ((kind in ('virtual_account', 'crypto_wallet')) = (expires_at is not null)),
  add constraint only_open_account_falls_due check ((due_at is not null)
    = (kind in ('virtual_account', 'crypto_wallet') and status = 'ACTIVE'));

drop index external_reference_is_used_once;
create unique index external_reference_is_used_once
  on collection_accounts (environment_id, merchant_reference, kind)
  where kind in ('dedicated_account', 'dedicated_crypto_wallet');

-- Must be the youngest index: see 0014_keys_of_accounts.sql.
alter table collection_accounts
  drop constraint collection_accounts_pkey,
  add primary key (environment_id, id);

alter table payments
  drop constraint payment_source_is_known,
  add constraint payment_source_is_known check (source in
    ('virtual_account', 'dedicated_account', 'crypto_wallet', 'dedicated_crypto_wallet')),
  add constraint payment_asset_fits_source check (
    (source in ('virtual_account', 'dedicated_account')) = (asset = 'NGN'));

-- The seed's key number of a wallet. A number is used once, even if the wallet was not. After a
-- restore from backup, the sequence must be moved past all numbers used since.
create sequence wallet_numbers as integer;

create table wallets (
  rail text not null,
  address text not null,
  number integer not null,
  -- Our reference: repeating it gives the same wallet.
  reference text not null,
  created_at timestamptz not null,
  primary key (rail, address),
  constraint wallet_number_is_used_once unique (rail, number),
  constraint wallet_reference_is_one_wallet unique (rail, reference)
);

-- Token accounts of wallets. The row is the job of polling one: often while a payment is expected,
-- then less and less.
create table token_accounts (
  rail text not null,
  address text not null,
  wallet text not null,
  -- USDC, USDT, or the address of another mint, which is watched but never credited.
  asset text not null,
  -- Balance after the last transaction read, and that transaction.
  amount bigint not null default 0,
  read_to text,
  read_slot bigint not null default 0,
  -- Read the history whatever the balance says: our own coins have left.
  is_unread boolean not null default false,
  -- Part of the history cannot be read and may hide a deposit.
  has_trouble boolean not null default false,
  -- Polled often until then: a payment is expected or has just arrived.
  busy_until timestamptz not null,
  -- Last time the history was read from further back than necessary.
  audited_at timestamptz not null,
  looks integer not null default 0,
  due_at timestamptz not null,
  primary key (rail, address),
  constraint token_account_amount_is_not_negative check (amount >= 0)
);

create index token_accounts_of_wallet on token_accounts (rail, wallet);
create index token_accounts_due on token_accounts (rail, due_at);
create index token_accounts_in_trouble on token_accounts (rail) where has_trouble;
-- Balances that may be swept.
create index token_accounts_with_coins on token_accounts (rail, asset) where amount > 0;

create trigger wallets_are_never_edited before update or delete or truncate on wallets
  for each statement execute function refuse_change();

-- Refused deposits, by wallet.
create index notices_refused_by_account on notices (rail, (announced ->> 'accountNumber'))
  where state = 'REFUSED';

-- A signed transaction that moves coins from wallets to the treasury. It lands once or never; another
-- sweep moves the coins of one that expired.
create table sweeps (
  rail text not null,
  id uuid not null,
  asset text not null,
  amount bigint not null,
  token text not null,
  wire bytea not null,
  valid_until bigint not null,
  state text not null,
  outcome text,
  looks integer not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (rail, id),
  constraint sweep_asset_is_known check (asset in ('USDC', 'USDT')),
  constraint sweep_amount_is_positive check (amount > 0),
  constraint sweep_state_is_known check (state in ('LIVE', 'LANDED', 'FAILED', 'DEAD')),
  constraint ended_sweep_has_its_time check ((state = 'LIVE') = (ended_at is null)),
  constraint sweep_is_one_transaction unique (rail, token)
);

create index sweeps_due on sweeps (rail, due_at) where state = 'LIVE';

-- The part of a sweep from one token account, which is in one sweep at a time.
create table sweep_parts (
  rail text not null,
  sweep_id uuid not null,
  token_account text not null,
  environment_id integer not null references environments (id),
  account_id uuid not null,
  amount bigint not null,
  -- The token account of a temporary wallet is closed, which refunds its rent.
  is_closing boolean not null,
  is_live boolean not null,
  primary key (rail, sweep_id, token_account),
  constraint sweep_part_is_positive check (amount > 0)
);

create unique index token_account_is_swept_once_at_a_time
  on sweep_parts (rail, token_account) where is_live;
create index sweep_parts_of_token_account on sweep_parts (rail, token_account);

create trigger sweeps_are_never_edited
  before update of rail, id, asset, amount, token, wire, valid_until, created_at
    or delete or truncate on sweeps
  for each statement execute function refuse_change();

create trigger ended_sweep_stays before update on sweeps
  for each row when (old.state <> 'LIVE') execute function refuse_change();

create trigger sweep_parts_are_never_edited
  before update of rail, sweep_id, token_account, environment_id, account_id, amount, is_closing
    or delete or truncate on sweep_parts
  for each statement execute function refuse_change();

-- Returned coins leave from the treasury, to the merchant's chosen destination.
alter table payment_returns
  add column asset text not null default 'NGN',
  add constraint return_asset_is_known check (asset in ('NGN', 'USDC', 'USDT'));
-- Earlier rows are naira; new ones must name their asset.
alter table payment_returns alter column asset drop default;

drop trigger payment_returns_are_never_edited on payment_returns;
create trigger payment_returns_are_never_edited
  before update of environment_id, id, payment_id, rail, asset, amount, takes_from, destination,
      created_at
    or delete or truncate on payment_returns
  for each statement execute function refuse_change();

alter table payouts
  drop constraint payout_kind_is_known,
  drop constraint payout_asset_fits_kind,
  drop constraint payout_has_told_its_beginning,
  drop constraint only_return_takes_from_suspense,
  drop constraint return_is_free,
  add constraint payout_kind_is_known
    check (kind in ('crypto_transfer', 'bank_transfer', 'bank_return', 'crypto_return')),
  add constraint payout_asset_fits_kind
    check ((kind in ('bank_transfer', 'bank_return')) = (asset = 'NGN')),
  add constraint only_return_takes_from_suspense check (takes_from = 'available'
    or (takes_from = 'suspense' and kind in ('bank_return', 'crypto_return'))),
  add constraint return_is_free
    check (kind not in ('bank_return', 'crypto_return') or fee = 0),
  add constraint payout_has_told_its_beginning check (event_sequence >= 0
    and (kind in ('bank_return', 'crypto_return')) = (event_sequence = 0));

alter table ledger_transfers
  drop constraint transfer_purpose_is_known,
  add constraint transfer_purpose_is_known check (purpose in (
    'test_funding', 'operator_credit',
    'crypto_payout', 'crypto_payout_fee',
    'bank_payout', 'bank_payout_fee', 'bank_payout_reversal', 'bank_payout_fee_reversal',
    'payment', 'payment_fee', 'payment_held', 'payment_accepted', 'payment_accepted_fee',
    'payment_return', 'payment_refund', 'payment_return_reversal', 'payment_refund_reversal',
    'sweep'));
