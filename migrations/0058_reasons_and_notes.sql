-- `Retry-After` of a stored refusal, and why a payment was refunded.
-- Processes that know 0056 may run beside this migration.

-- A repeat of a refused request gets the same header as the first one.
alter table idempotency_keys
  add column retry_after_seconds integer,
  add constraint only_refusals_say_when_to_retry check (
    retry_after_seconds is null or (status >= 400 and retry_after_seconds >= 0));

-- Why a payment was refunded. Returns of money that was never accepted need no reason.
alter table payment_returns
  add column reason text,
  add column note text,
  add constraint refund_reason_is_known check (
    reason in ('duplicate', 'requested_by_customer', 'fraudulent', 'other')),
  add constraint refund_note_is_short check (length(note) between 1 and 500),
  add constraint only_refunds_say_why check (
    takes_from = 'available' or (reason is null and note is null));

drop trigger payment_returns_are_never_edited on payment_returns;
create trigger payment_returns_are_never_edited
  before update of environment_id, id, payment_id, rail, asset, amount, takes_from, destination,
      created_at, reason, note
    or delete or truncate on payment_returns
  for each statement execute function refuse_change();
