-- Requests and responses of merchants, kept for 30 days, so that developers see what their servers
-- sent. Secrets and personal data are masked before they are stored.
create table request_logs (
  environment_id integer not null,
  -- Starts with the time of the response, which needs no column or index of its own.
  id uuid not null,
  -- Callers may choose it, and may repeat it.
  request_id text not null,
  key_name text not null,
  method text not null,
  path text not null,
  query text,
  status smallint not null,
  duration_us integer not null,
  is_replayed boolean not null,
  request_body text,
  is_request_cut boolean not null,
  response_body text,
  is_response_cut boolean not null,
  primary key (environment_id, id)
);
create index request_logs_by_request_id on request_logs (environment_id, request_id, id);
-- Failed requests are rare, so searches for them need an index.
create index request_logs_of_failures on request_logs (environment_id, id) where status >= 400;
