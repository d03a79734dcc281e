-- Processes that know 0048 may run beside this migration.

-- Old events are deleted by the worker job of src/events/delete-old-events.ts and in no other way.
-- It names the time before which it deletes, for its transaction only. Events of the last 90 days
-- are kept whatever it names: merchants may still ask to have them delivered again.
create function keep_recent_events() returns trigger language plpgsql as $$
begin
  if old.created_at < nullif(current_setting('manilla.events_deleted_before', true), '')::timestamptz
    and old.created_at < now() - interval '90 days' then
    return old;
  end if;
  raise exception 'events rows are never edited or removed' using errcode = 'restrict_violation',
    hint = 'Workers delete them when they are older than EVENT_DAYS.';
end $$;

drop trigger events_are_never_edited on events;
create trigger events_are_never_edited before update or truncate on events
  for each statement execute function refuse_change();
create trigger recent_events_are_kept before delete on events
  for each row execute function keep_recent_events();

-- A session is deleted only if no decision names it.
create index payout_approvals_by_session on payout_approvals (session_id);
create index payout_batch_approvals_by_session on payout_batch_approvals (session_id);
