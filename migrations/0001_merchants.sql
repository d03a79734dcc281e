-- Merchants, their environments (one merchant in one mode) and their API keys.

-- Rows that record facts are corrected by another row, never edited.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% rows are never edited or removed', tg_table_name using errcode = 'restrict_violation';
end $$;

-- Fingerprint of the secret that this database was created with. A process with another secret could
-- check no API key and open no sealed value, so it refuses to start.
create table installation (
  is_only boolean primary key default true constraint one_installation check (is_only),
  secret_fingerprint bytea not null
);

create table merchants (
  id uuid primary key,
  display_name text not null
    constraint merchant_has_a_name check (length(display_name) between 1 and 100),
  created_at timestamptz not null
);

-- The integer id is the distribution key of every table that grows.
create table environments (
  id integer primary key generated always as identity,
  merchant_id uuid not null references merchants,
  mode text not null constraint mode_is_known check (mode in ('test', 'live')),
  kyc_status text not null default 'NONE'
    constraint kyc_status_is_known check (kyc_status in ('NONE', 'APPROVED')),
  created_at timestamptz not null,
  constraint one_environment_per_mode unique (merchant_id, mode)
);

-- Only a keyed hash of a key is stored. The hint is the part that may be shown.
create table api_keys (
  id uuid primary key,
  environment_id integer not null references environments,
  kind text not null constraint key_kind_is_known check (kind in ('secret', 'public')),
  name text not null constraint key_has_a_name check (length(name) between 1 and 100),
  hash bytea not null constraint key_hash_is_whole check (length(hash) = 32),
  hint text not null,
  allowed_addresses text[] not null default '{}',
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  rolled_into uuid references api_keys
);
create unique index one_key_per_hash on api_keys (hash);
create index api_keys_by_environment on api_keys (environment_id, created_at);

create table merchant_bank_accounts (
  environment_id integer not null references environments,
  id uuid not null,
  bank_code text not null constraint bank_code_is_digits check (bank_code ~ '^[0-9]{3,6}$'),
  account_number text not null constraint account_number_is_ten_digits check (account_number ~ '^[0-9]{10}$'),
  account_name text not null constraint bank_account_has_a_name check (length(account_name) between 1 and 100),
  is_active boolean not null,
  is_primary boolean not null,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint one_bank_account_once unique (environment_id, bank_code, account_number),
  constraint primary_bank_account_is_active check (is_active or not is_primary)
);
create unique index one_primary_bank_account on merchant_bank_accounts (environment_id) where is_primary;

-- Settings of a merchant; missing ones have their default in the code.
create table environment_settings (
  environment_id integer primary key references environments,
  document json not null,
  version integer not null constraint settings_version_grows check (version > 0),
  updated_at timestamptz not null
);

-- Fees are stored by version, so that every fee ever charged can be explained.
create table fee_schedules (
  environment_id integer not null references environments,
  operation text not null,
  version integer not null constraint fee_version_grows check (version > 0),
  schedule json not null,
  created_at timestamptz not null,
  primary key (environment_id, operation, version)
);

create trigger fee_schedules_are_never_edited before update or delete or truncate on fee_schedules
  for each statement execute function refuse_change();

create table audit_lines (
  id uuid primary key,
  actor text not null,
  action text not null,
  merchant_id uuid,
  environment_id integer,
  details json not null,
  created_at timestamptz not null
);
create trigger audit_lines_are_never_edited before update or delete or truncate on audit_lines
  for each statement execute function refuse_change();
