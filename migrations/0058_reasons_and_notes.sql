-- `Retry-After` of a stored refusal.
-- Processes that know 0056 may run beside this migration.

-- A repeat of a refused request gets the same header as the first one.
alter table idempotency_keys
  add column retry_after_seconds integer,
  add constraint only_refusals_say_when_to_retry check (
    retry_after_seconds is null or (status >= 400 and retry_after_seconds >= 0));
