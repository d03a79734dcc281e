-- What was asked with a key and what was answered, kept for 30 days so that developers can see
-- what their servers sent. Secrets and personal data are masked before they come here.
create table request_logs (
  environment_id integer not null,
  -- Begins with the time of the answer, which needs no column and no index of its own.
  id uuid not null,
  -- The caller may have chosen it, and chosen it before.
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
-- Who looks for trouble looks for little among much.
create index request_logs_of_failures on request_logs (environment_id, id) where status >= 400;
