-- When the hosted page was first viewed.
alter table checkout_sessions add column if not exists opened_at timestamptz;

-- Which key called, why a request was refused, and which resources its path and response name.
-- Entries written before this migration have none of them.
alter table request_logs
  add column key_id uuid,
  add column code text,
  add column reason text,
  add column resource_ids uuid[];
create index request_logs_by_key on request_logs (environment_id, key_id, id);

-- The requests that name a resource. An array index cannot return the newest of many entries, so each
-- name is a row. `resource_ids` of an entry leads to its rows when it is deleted.
create table request_log_resources (
  environment_id integer not null,
  resource_id uuid not null,
  log_id uuid not null,
  primary key (environment_id, resource_id, log_id)
);

-- Lists the deliveries of an endpoint, newest event first. Ids of events start with their time. A
-- delivery that succeeds at once enters it once: when it is inserted and claimed, it is found among
-- the due ones.
create index deliveries_of_endpoint on deliveries (environment_id, endpoint_id, state, event_id)
  where attempts > 0 and not is_under_way;

-- Delivery attempts of an endpoint by the hour in which they started. Workers count in memory and add
-- up here every few seconds, so that an attempt costs no row and no index of its own.
create table delivery_hours (
  environment_id integer not null,
  endpoint_id uuid not null,
  hour timestamptz not null,
  delivered integer not null,
  failed integer not null,
  -- Attempts by duration; src/webhooks/durations.ts defines the classes.
  durations integer[] not null,
  primary key (environment_id, endpoint_id, hour),
  constraint attempts_are_counted check (delivered >= 0 and failed >= 0)
);

-- Decisions of operators that concern one resource.
create index audit_lines_by_reference on audit_lines (environment_id, (details ->> 'reference'), id)
  where environment_id is not null and details ->> 'reference' is not null;
