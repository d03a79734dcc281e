-- A member who approves a payout to a recipient on a sanctions list says why. Processes that do not
-- know this would have such approvals refused as a failure, so none may run beside this migration.

alter table payout_approvals drop constraint rejection_says_why,
  add constraint rejection_says_why check (verdict = 'APPROVED' or reason is not null);

create function check_release() returns trigger language plpgsql as $$
begin
  if exists (select from payout_checks c where c.environment_id = new.environment_id
      and c.payout_id = new.payout_id and c.screening ->> 'verdict' = 'hit') then
    raise exception 'release_of_a_hit_says_why' using
      errcode = 'check_violation', constraint = 'release_of_a_hit_says_why';
  end if;
  return new;
end $$;
-- What an operator decides has its evidence in the audit log.
create trigger release_of_a_hit_says_why before insert on payout_approvals
  for each row when (new.verdict = 'APPROVED' and new.reason is null and new.decided_by <> 'operator')
  execute function check_release();
