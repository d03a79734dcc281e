-- A hosted page for one payment. Its state is that of its account.
create table checkout_sessions (
  environment_id integer not null references environments (id),
  id uuid not null,
  -- Public and unguessable: anyone who knows it may read the session.
  reference text not null,
  account_id uuid not null,
  description text not null,
  customer_name text not null,
  customer_email text not null,
  merchant_reference text,
  url text not null,
  success_url text,
  cancel_url text,
  metadata json not null,
  event_sequence integer not null default 0,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint session_reference_is_long check (length(reference) = 42),
  constraint session_has_one_account unique (environment_id, account_id),
  constraint session_says_what_it_is_for check (length(description) between 1 and 500)
);

create unique index session_reference_is_one_session on checkout_sessions (reference);
create index checkout_sessions_by_reference
  on checkout_sessions (environment_id, merchant_reference, id) where merchant_reference is not null;

alter table collection_accounts add column session_id uuid,
  add constraint only_virtual_account_has_a_session
    check (session_id is null or kind = 'virtual_account');
