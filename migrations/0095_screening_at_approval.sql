-- Processes that know 0094 may run beside this migration.
-- What screening found about the recipient of a payout that waits, also if it was put on a list after
-- the payout was made. Approvals that were given before do not count.

alter table payout_checks
  add column screening json,
  add constraint finding_is_a_reason check (screening is null or 'screening' = any (reasons));

create or replace function check_check() returns trigger language plpgsql as $$
begin
  if old.callback is distinct from new.callback and old.callback is distinct from 'OPEN' then
    raise exception 'answer_of_callback_stays' using
      errcode = 'check_violation', constraint = 'answer_of_callback_stays';
  end if;
  if not old.reasons <@ new.reasons then
    raise exception 'reasons_of_check_stay' using
      errcode = 'check_violation', constraint = 'reasons_of_check_stay';
  end if;
  if new.callback = 'OPEN' and new.due_at is null and exists (select from payouts p
      where p.environment_id = new.environment_id and p.id = new.payout_id
        and p.status = 'PENDING') then
    raise exception 'open_callback_is_asked' using
      errcode = 'check_violation', constraint = 'open_callback_is_asked';
  end if;
  new.round := old.round + case when new.reasons <@ old.reasons
    and new.screening::jsonb is not distinct from old.screening::jsonb then 0 else 1 end;
  return new;
end $$;

-- A payout over the limits alone gets its check when screening finds something. Members may have
-- approved it by then.
create function begin_round() returns trigger language plpgsql as $$
begin
  new.round := 1 + coalesce((select max(a.round) from payout_approvals a
    where a.environment_id = new.environment_id and a.payout_id = new.payout_id), 0);
  return new;
end $$;
create trigger check_begins_a_round before insert on payout_checks
  for each row execute function begin_round();
