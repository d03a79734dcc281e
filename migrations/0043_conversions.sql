-- Rates, quotes and conversions between naira and coins, and what the operator has to sell.

-- A rate is naira for one coin, in millionths: Manilla buys coins at `buy` and sells them at `sell`.
-- Rates of test mode are simulated and not stored.
create table rates (
  id uuid primary key,
  asset text not null constraint rate_is_of_a_coin check (asset in ('USDC', 'USDT')),
  buy bigint not null,
  sell bigint not null,
  -- Set by an operator, or the median of the configured sources.
  origin text not null constraint rate_origin_is_known check (origin in ('operator', 'sources')),
  -- The operator, or the names of the sources.
  given_by text not null,
  created_at timestamptz not null,
  -- Null: an operator's rate holds until it is withdrawn or replaced.
  expires_at timestamptz,
  withdrawn_at timestamptz,
  constraint rate_buys_below_it_sells check (buy > 0 and sell >= buy),
  constraint rate_of_sources_expires check (origin = 'operator' or expires_at is not null)
);
create index rates_newest on rates (asset, origin, created_at);
create trigger rates_are_never_edited
  before update of id, asset, buy, sell, origin, given_by, created_at, expires_at or delete or truncate
  on rates for each statement execute function refuse_change();

-- What each source said last, and why it was not used.
create table rate_readings (
  source text not null,
  asset text not null,
  buy bigint,
  sell bigint,
  read_at timestamptz not null,
  problem text,
  primary key (source, asset)
);

-- Quotes are deleted when they are old: a conversion has a copy of what it used.
create table conversion_quotes (
  environment_id integer not null references environments,
  id uuid not null,
  source_asset text not null,
  target_asset text not null,
  source_amount bigint not null,
  fee bigint not null,
  target_amount bigint not null,
  rate bigint not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (environment_id, id)
);
create index conversion_quotes_by_expiry on conversion_quotes (expires_at);

create table conversions (
  environment_id integer not null references environments,
  id uuid not null,
  -- Null: priced and converted at once, for a transfer.
  quote_id uuid,
  source_asset text not null,
  target_asset text not null,
  -- What left the balance, with the fee.
  source_amount bigint not null,
  fee bigint not null,
  target_amount bigint not null,
  rate bigint not null,
  -- The transfer that it pays for.
  payout_id uuid,
  created_by_key uuid,
  created_by_user uuid references users,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint conversion_crosses_naira check (
    source_asset in ('NGN', 'USDC', 'USDT') and target_asset in ('NGN', 'USDC', 'USDT')
    and (source_asset = 'NGN') <> (target_asset = 'NGN')),
  constraint conversion_has_amounts check (
    fee >= 0 and source_amount > fee and target_amount > 0 and rate > 0),
  -- The target is never more than the rate gives for the source without the fee. A rate of one is a
  -- millionth of a naira for a coin, so 10^10 of it are a kobo for a millionth of a coin.
  constraint conversion_gives_no_more_than_its_rate check (case when source_asset = 'NGN'
    then target_amount::numeric * rate <= (source_amount - fee)::numeric * 10000000000
    else target_amount::numeric * 10000000000 <= (source_amount - fee)::numeric * rate end)
);
create unique index quote_is_used_once on conversions (environment_id, quote_id)
  where quote_id is not null;
create unique index payout_has_one_conversion on conversions (environment_id, payout_id)
  where payout_id is not null;
create trigger conversions_are_never_edited before update or delete or truncate on conversions
  for each statement execute function refuse_change();

-- The operator's own money of each mode and asset, which conversions sell and fill.
create table exchange_positions (
  mode text not null constraint position_mode_is_known check (mode in ('test', 'live')),
  asset text not null constraint position_asset_is_known check (asset in ('NGN', 'USDC', 'USDT')),
  -- Put in by the operator, less what was taken out.
  stock bigint not null default 0,
  -- Bought from merchants and sold to them, without fees.
  bought bigint not null default 0,
  sold bigint not null default 0,
  -- The most that the operator wants to have. Null: no limit.
  ceiling bigint constraint position_ceiling_is_positive check (ceiling > 0),
  primary key (mode, asset),
  constraint position_sums_are_never_negative check (bought >= 0 and sold >= 0),
  constraint only_existing_money_is_sold check (stock + bought - sold >= 0)
);
insert into exchange_positions (mode, asset)
select mode, asset from unnest(array['test', 'live']) mode, unnest(array['NGN', 'USDC', 'USDT']) asset;
create trigger positions_stay before delete or truncate on exchange_positions
  for each statement execute function refuse_change();

create table exchange_stock (
  id uuid primary key,
  mode text not null,
  asset text not null,
  amount bigint not null constraint stock_changes_by_an_amount check (amount <> 0),
  -- The operator. Test mode adds by itself what its conversions lack.
  given_by text not null,
  note text not null,
  created_at timestamptz not null,
  foreign key (mode, asset) references exchange_positions
);
create index exchange_stock_newest on exchange_stock (mode, asset, created_at);
create trigger stock_is_never_edited before update or delete or truncate on exchange_stock
  for each statement execute function refuse_change();

alter table ledger_transfers
  drop constraint transfer_purpose_is_known,
  add constraint transfer_purpose_is_known check (purpose in (
    'test_funding', 'operator_credit',
    'crypto_payout', 'crypto_payout_fee',
    'bank_payout', 'bank_payout_fee', 'bank_payout_reversal', 'bank_payout_fee_reversal',
    'payment', 'payment_fee', 'payment_held', 'payment_accepted', 'payment_accepted_fee',
    'payment_return', 'payment_refund', 'payment_return_reversal', 'payment_refund_reversal',
    'sweep', 'conversion', 'conversion_fee', 'conversion_credit'));
