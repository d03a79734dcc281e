-- Events and their deliveries.

create table webhook_endpoints (
  environment_id integer not null references environments,
  id uuid not null,
  url text not null,
  -- Null: every type.
  event_types text[],
  is_enabled boolean not null,
  created_at timestamptz not null,
  primary key (environment_id, id)
);

create table events (
  environment_id integer not null,
  id uuid not null,
  type text not null,
  resource_id uuid not null,
  -- The payment, payout or change that caused the event.
  cause_id uuid not null,
  sequence integer not null constraint event_sequence_is_positive check (sequence > 0),
  -- The resource as its verify operation returns it. Text, to keep the merchant's key order.
  data text not null,
  created_at timestamptz not null,
  primary key (environment_id, id)
);
create unique index one_event_per_type_and_cause on events (environment_id, cause_id, type);
create unique index event_sequence_grows_per_resource on events (environment_id, resource_id, sequence);
create trigger events_are_never_edited before update or delete or truncate on events
  for each statement execute function refuse_change();

-- One event to one endpoint. The row is the job: due at `due_at` until it is done.
create table deliveries (
  environment_id integer not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  state text not null constraint delivery_state_is_known check (state in ('PENDING', 'DELIVERED', 'GIVEN_UP')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  primary key (environment_id, event_id, endpoint_id)
);
create index deliveries_due on deliveries (due_at) where state = 'PENDING';
