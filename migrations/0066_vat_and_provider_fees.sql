-- The VAT that our fees contain, and what providers charge us.
-- Processes that know 0062 may run beside this migration.

-- The rate of a mode from a time on, until the next one. A rate holds from the future on, or was
-- set before the first fee of its mode: so the VAT of a fee follows from when it was charged.
create table vat_rates (
  mode text not null,
  holds_from timestamptz not null,
  basis_points integer not null,
  given_by text not null,
  created_at timestamptz not null,
  primary key (mode, holds_from),
  constraint vat_mode_is_known check (mode in ('test', 'live')),
  constraint vat_is_at_most_the_net_fee check (basis_points between 0 and 10000)
);

create trigger vat_rates_are_never_edited
  before update or delete or truncate on vat_rates
  for each statement execute function refuse_change();

-- The part of `amount` that is VAT. Only fees contain some.
alter table report_entries
  add column vat bigint default 0 not null,
  add constraint vat_is_part_of_the_amount check (vat between 0 and amount);

-- What a provider charged for a payment or a payout, in kobo. Without a row it is unknown.
create table provider_fees (
  environment_id integer not null references environments,
  -- Of the payment or payout.
  cause_id uuid not null,
  rail text not null,
  amount bigint not null,
  created_at timestamptz not null,
  primary key (environment_id, cause_id),
  constraint provider_fee_is_not_negative check (amount >= 0)
);

create trigger provider_fees_are_never_edited
  before update or delete or truncate on provider_fees
  for each statement execute function refuse_change();
