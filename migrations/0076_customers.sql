-- Processes that know 0062 may run beside this migration.
-- Customers of merchants: who pays invoices, and owns dedicated accounts and wallets.

create table customers (
  environment_id integer not null references environments (id),
  id uuid not null,
  name text not null,
  email text,
  phone text,
  external_reference text,
  metadata json not null,
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  erased_at timestamptz,
  primary key (environment_id, id),
  constraint customer_has_a_name check (name <> ''),
  constraint erased_customer_has_no_personal_data check (
    erased_at is null
    or (email is null and phone is null and external_reference is null
      and metadata::jsonb = '{}'::jsonb)),
  constraint customer_event_sequence_is_positive check (event_sequence > 0)
);

create unique index customer_external_reference_is_unique
  on customers (environment_id, external_reference) where external_reference is not null;

alter table search_terms
  drop constraint search_kind_is_known,
  add constraint search_kind_is_known
    check (kind in ('payment', 'payout', 'account', 'session', 'customer'));
