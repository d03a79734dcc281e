-- Settlements that convert naira to coins and pay these to a wallet of the merchant.

-- Wallets that members chose in live mode. The newest one counts, and only while the settings name
-- it. Settlements to it wait, so that the other members can stop a thief.
create table settlement_wallets (
  environment_id integer not null references environments,
  id uuid not null,
  asset text not null
    constraint settlement_wallet_takes_coins check (asset in ('USDC', 'USDT')),
  address text not null,
  usable_from timestamptz not null,
  chosen_by_user uuid not null references users,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint settlement_wallet_waits check (usable_from >= created_at + interval '72 hours')
);
create trigger settlement_wallets_are_never_edited
  before update or delete or truncate on settlement_wallets
  for each statement execute function refuse_change();

-- Of a settlement to a wallet: its conversion, and the naira that it took, with its fee.
alter table settlements
  add column conversion_id uuid,
  add column converted_amount bigint,
  add column conversion_fee bigint,
  add constraint settlement_converts_whole check (
    (conversion_id is null and converted_amount is null and conversion_fee is null)
    or (conversion_id is not null and converted_amount is not null
      and conversion_fee >= 0 and converted_amount > conversion_fee)),
  add constraint settlement_has_its_own_conversion unique (environment_id, conversion_id);
