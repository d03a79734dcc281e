-- Webhook endpoints with their secrets, and deliveries with every attempt.

-- Secrets are sealed with the service's secret; only the public key is readable.
alter table webhook_endpoints
  add column secret text not null,
  -- A list of {secret, until}: replaced secrets keep signing until their overlap ends.
  add column previous_secrets json not null default '[]',
  add column signing_key text not null,
  add column public_key text not null,
  add column description text not null default '',
  -- The first failure since the last success.
  add column failing_since timestamptz,
  add column disabled_reason text,
  -- Number of events about this endpoint itself.
  add column event_sequence integer not null default 0,
  add column deleted_at timestamptz,
  add constraint disabled_reason_is_known check (disabled_reason in ('merchant', 'gone', 'failing')),
  add constraint disabled_endpoint_says_why check (is_enabled = (disabled_reason is null)),
  add constraint deleted_endpoint_is_disabled check (deleted_at is null or not is_enabled);

-- Due deliveries are claimed per endpoint, so that a dead endpoint cannot block the others.
drop index deliveries_due;
create index deliveries_due on deliveries (environment_id, endpoint_id, due_at) where state = 'PENDING';
alter table deliveries
  -- Attempts that count against the schedule; a redelivery resets them.
  add column tries integer not null default 0,
  add column finished_at timestamptz,
  -- A worker is sending it until `due_at`.
  add column is_under_way boolean not null default false,
  add constraint tries_are_attempts check (tries between 0 and attempts),
  add constraint finished_delivery_has_an_end check ((state = 'PENDING') = (finished_at is null));

create table delivery_attempts (
  environment_id integer not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  number integer not null,
  -- The URL at that time; the endpoint may have changed since.
  url text not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- Null: no response.
  status integer,
  error text,
  response text not null default '',
  primary key (environment_id, event_id, endpoint_id, number),
  constraint attempt_is_numbered check (number > 0),
  constraint duration_is_not_negative check (duration_ms >= 0),
  constraint attempt_has_an_end check ((status is null) <> (error is null)),
  constraint response_is_cut check (octet_length(response) <= 4096),
  constraint error_is_short check (octet_length(error) <= 200)
);

create index events_newest_first on events (environment_id, created_at, id);
create index events_by_resource on events (environment_id, resource_id, created_at);

-- Whether a low balance was reported, so that each fall is reported once.
create table low_balances (
  environment_id integer not null references environments,
  asset text not null,
  is_low boolean not null,
  event_sequence integer not null,
  changed_at timestamptz not null,
  primary key (environment_id, asset),
  constraint asset_is_known check (asset in ('NGN', 'USDC', 'USDT')),
  constraint event_sequence_is_positive check (event_sequence > 0)
);
