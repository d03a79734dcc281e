-- Processes that know 0071 may run beside this migration.
-- Mails that workers send. A mail is written in the transaction of its cause.

create table mails (
  id uuid primary key,
  -- Null: to a person or an operator, for no merchant.
  environment_id integer references environments (id),
  -- Mails of test mode are kept unless the merchant allows the address.
  mode text not null,
  kind text not null,
  cause_id uuid not null,
  recipient text not null,
  -- Links may carry tokens, so it is readable with the installation's secret only.
  sealed_content text not null,
  state text not null,
  due_at timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint mail_mode_is_known check (mode in ('test', 'live')),
  constraint mail_state_is_known check (
    state in ('WAITING', 'KEPT', 'SENT', 'FAILED', 'SUPPRESSED')),
  constraint mail_ends_when_it_no_longer_waits check ((state = 'WAITING') = (ended_at is null))
);
-- One mail for each cause and recipient, whoever retries.
create unique index mail_of_a_cause_is_queued_once on mails (kind, cause_id, recipient);
create index mails_of_environment on mails (environment_id, id);
create index mails_by_state on mails (environment_id, state, id);
create index mails_by_kind on mails (environment_id, kind, id);
create index mails_by_recipient on mails (environment_id, recipient, id);
create index mails_due on mails (mode, due_at) where state = 'WAITING';

-- How many mails workers started to send in a day. Mails beyond the limit wait for the next one.
create table mail_days (
  environment_id integer not null references environments (id),
  day date not null,
  started integer not null,
  primary key (environment_id, day)
);

-- Addresses that get no mail: the mailbox does not exist, or its owner complained.
create table mail_suppressions (
  id uuid primary key,
  -- Null: for all merchants.
  environment_id integer references environments (id),
  -- Of the address in lower case, with the installation's secret.
  address_hash bytea not null,
  -- To compute the hash again when the secret is rotated.
  sealed_address text not null,
  masked_address text not null,
  reason text not null,
  detail text,
  created_at timestamptz not null,
  constraint suppression_reason_is_known check (
    reason in ('no_mailbox', 'bounce', 'complaint'))
);
create unique index address_is_suppressed_once
  on mail_suppressions (address_hash, coalesce(environment_id, 0));
create index suppressions_of_environment on mail_suppressions (environment_id, id);

-- Kinds of mail that people have switched off, or on again.
create table mail_preferences (
  user_id uuid not null references users (id),
  kind text not null,
  is_on boolean not null,
  changed_at timestamptz not null,
  primary key (user_id, kind)
);
