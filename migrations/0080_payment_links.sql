-- Processes that know 0062 may run beside this migration.
-- Pages on which anyone can pay a merchant, again and again: each use is a checkout session.

create table payment_links (
  environment_id integer not null references environments (id),
  id uuid not null,
  -- The end of its URL. Links of all merchants share one address, so no two have the same.
  slug text not null,
  url text not null,
  description text not null,
  -- What each payer pays, in kobo. Null: the payer chooses, within the bounds if there are any.
  amount bigint,
  amount_min bigint,
  amount_max bigint,
  -- Payers may pay in this coin instead, at the rate of the moment.
  crypto_asset text,
  -- What the payer is asked, besides name and e-mail address.
  fields json not null,
  -- Paid sessions after which it is sold out. Null: no limit.
  uses_max integer,
  is_active boolean not null,
  expires_at timestamptz,
  success_url text,
  metadata json not null,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint payment_link_slug_is_short check (
    slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) between 3 and 60),
  constraint payment_link_says_what_it_is_for check (length(description) between 1 and 500),
  constraint payment_link_amounts_are_positive check (
    coalesce(amount, 1) > 0 and coalesce(amount_min, 1) > 0 and coalesce(amount_max, 1) > 0),
  constraint payment_link_has_one_price check (
    amount is null or (amount_min is null and amount_max is null)),
  constraint payment_link_bounds_are_possible check (
    amount_min is null or amount_max is null or amount_min <= amount_max),
  constraint payment_link_coin_is_known check (crypto_asset in ('USDC', 'USDT')),
  constraint payment_link_can_be_used check (uses_max > 0)
);

create unique index payment_link_slug_is_unique on payment_links (slug);

-- The link through which a payer made the session.
alter table checkout_sessions add column payment_link_id uuid;
-- Lists the sessions of a link, and counts those that were paid.
create index checkout_sessions_by_link
  on checkout_sessions (environment_id, payment_link_id, status, id)
  where payment_link_id is not null;
