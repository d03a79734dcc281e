-- API keys whose payouts wait for a member, whatever their amount: for agents and other programs
-- that propose payouts and send none.

alter table api_keys add column payouts_wait boolean not null default false,
  add constraint only_secret_keys_wait check (not payouts_wait or kind = 'secret');
create index keys_whose_payouts_wait on api_keys (id) where payouts_wait;

-- For good: a key that stopped waiting would send what its holder could only propose.
create trigger key_keeps_its_wait before update of payouts_wait on api_keys
  for each statement execute function refuse_change();

create function check_rolled_key() returns trigger language plpgsql as $$
begin
  if exists (select from api_keys k where k.id = new.rolled_into and not k.payouts_wait) then
    raise exception 'rolled_key_waits_like_the_old_one' using
      errcode = 'check_violation', constraint = 'rolled_key_waits_like_the_old_one';
  end if;
  return new;
end $$;
create trigger rolled_key_waits_like_the_old_one before update of rolled_into on api_keys
  for each row when (new.payouts_wait and new.rolled_into is not null)
  execute function check_rolled_key();

create function key_waits(key uuid) returns boolean language sql stable
  return exists (select from api_keys where id = key and payouts_wait);

alter table payout_checks drop constraint check_reasons_are_known,
  add constraint check_reasons_are_known check (reasons <@ array[
    'amount', 'key', 'callback', 'velocity', 'duplicate', 'new_recipient', 'screening']);

-- A payout of such a key waits for members, also if a callback approved it.
create or replace function approvals_needed(payout payouts) returns integer language sql stable
  return case when exists (select from payout_checks c
      where c.environment_id = payout.environment_id and c.payout_id = payout.id
        and c.reasons = '{}') and not key_waits(payout.created_by_key)
    then 0 else approvals_needed(payout.created_by_user, payout.created_by_key) end;

-- What a member approved as a batch does not wait again.
create function check_waiting_key() returns trigger language plpgsql as $$
begin
  if exists (select from api_keys k join added a on a.created_by_key = k.id
      where k.payouts_wait and a.status <> 'PENDING' and a.batch_id is null) then
    raise exception 'payout_of_this_key_waits' using
      errcode = 'check_violation', constraint = 'payout_of_this_key_waits';
  end if;
  return null;
end $$;
create trigger payout_of_this_key_waits after insert on payouts
  referencing new table as added for each statement execute function check_waiting_key();

create function check_batch_of_waiting_key() returns trigger language plpgsql as $$
begin
  raise exception 'batch_of_this_key_waits' using
    errcode = 'check_violation', constraint = 'batch_of_this_key_waits';
end $$;
create trigger batch_of_this_key_waits before update of state on payout_batches
  for each row when (old.state in ('READY', 'INVALID') and new.state = 'PROCESSING'
    and key_waits(new.created_by_key))
  execute function check_batch_of_waiting_key();
