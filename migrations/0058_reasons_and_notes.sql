-- `Retry-After` of a stored refusal, why a payment was refunded, and notes of the team.
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

-- What members write about a payment or a payout, for their own team. Kept as long as the resource.
create table notes (
  environment_id integer not null references environments,
  id uuid not null,
  -- Of the payment or payout.
  resource_id uuid not null,
  author_id uuid not null references users,
  -- Null: withdrawn. That there was a note, by whom and when, stays.
  text text,
  created_at timestamptz not null,
  withdrawn_at timestamptz,
  primary key (environment_id, id),
  constraint note_is_short check (length(text) between 1 and 2000),
  constraint withdrawn_note_has_no_text check ((text is null) = (withdrawn_at is not null))
);
create index notes_of_resource on notes (environment_id, resource_id, id);

create trigger notes_are_never_edited
  before update of environment_id, id, resource_id, author_id, created_at
    or delete or truncate on notes
  for each statement execute function refuse_change();

-- The only change is to withdraw one, once.
create function only_withdraw() returns trigger language plpgsql as $$
begin
  if old.withdrawn_at is null and new.withdrawn_at is not null then
    return new;
  end if;
  raise exception 'notes are withdrawn once, and not edited' using errcode = 'restrict_violation';
end $$;
create trigger notes_are_only_withdrawn before update on notes
  for each row execute function only_withdraw();
