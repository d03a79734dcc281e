-- Controls of payouts besides limits: a call-back that is asked before money leaves, and other
-- reasons for which a payout waits for a member.

-- The parts of a rule that are not limits. A part that is set is changed with a second person.
create function control_of(rule json, part text) returns jsonb language sql immutable parallel safe
  return nullif((rule -> 'controls' -> part)::jsonb, 'null');

create function has_controls(rule json) returns boolean language sql immutable parallel safe
  return coalesce(control_of(rule, 'callback'), control_of(rule, 'recipients'),
    control_of(rule, 'velocity'), control_of(rule, 'duplicates')) is not null;

create or replace function has_limits(rule json) returns boolean
  language sql immutable parallel safe
  return coalesce(rule -> 'NGN' ->> 'each', rule -> 'USDC' ->> 'each', rule -> 'USDT' ->> 'each')
    is not null or has_controls(rule);

create or replace function is_looser_rule(before json, after json) returns boolean
  language sql immutable parallel safe
  return exists (
    select from unnest(array['NGN', 'USDC', 'USDT']) asset, unnest(array['each', 'perDay']) field
    where before -> asset ->> field is not null and (
      coalesce((after -> asset ->> field)::numeric > (before -> asset ->> field)::numeric, true)
      or before ->> 'appliesTo' = 'all' and after ->> 'appliesTo' is distinct from 'all'))
  or exists (
    select from unnest(array['callback', 'recipients', 'velocity', 'duplicates']) part
    where control_of(before, part) is not null
      and control_of(after, part) is distinct from control_of(before, part));

-- What a pending payout waits for. A payout over the limits alone has no row: it waits for members.
create table payout_checks (
  environment_id integer not null,
  payout_id uuid not null,
  mode text not null,
  -- Why members must approve it. Empty: only the call-back decides.
  reasons text[] not null,
  -- Null: no call-back is asked.
  callback text,
  attempts integer not null default 0,
  -- Why the last attempt, to ask or to send, decided nothing.
  problem text,
  -- What the call-back said when it rejected the payout.
  rejection text,
  -- When members take the place of a call-back that has not answered.
  silent_from timestamptz,
  -- When a worker asks the call-back next, or sends the payout that it approved.
  due_at timestamptz,
  created_at timestamptz not null,
  answered_at timestamptz,
  primary key (environment_id, payout_id),
  constraint check_reasons_are_known check (reasons <@ array[
    'amount', 'callback', 'velocity', 'duplicate', 'new_recipient', 'screening']),
  constraint check_waits_for_something check (callback is not null or cardinality(reasons) > 0),
  constraint callback_state_is_known
    check (callback in ('OPEN', 'APPROVED', 'REJECTED', 'SILENT')),
  constraint open_callback_has_an_end check (callback <> 'OPEN' or silent_from is not null),
  constraint silent_callback_needs_a_member
    check (callback <> 'SILENT' or 'callback' = any (reasons)),
  constraint answered_callback_says_when
    check ((callback in ('APPROVED', 'REJECTED')) = (answered_at is not null)),
  constraint only_rejection_has_words check (rejection is null or callback = 'REJECTED')
);
create index payout_checks_due on payout_checks (mode, due_at) where due_at is not null;
-- Merchants take turns.
create index payout_checks_by_turn on payout_checks (mode, environment_id, due_at)
  where due_at is not null;

create function check_check() returns trigger language plpgsql as $$
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
  return new;
end $$;
create trigger checks_only_get_stricter before update on payout_checks
  for each row execute function check_check();
create trigger payout_checks_are_kept
  before update of environment_id, payout_id, mode, created_at or delete or truncate
  on payout_checks for each statement execute function refuse_change();

-- How many members must approve a pending payout: none if only the call-back decides.
create function approvals_needed(payout payouts) returns integer language sql stable
  return case when exists (select from payout_checks c
      where c.environment_id = payout.environment_id and c.payout_id = payout.id
        and c.reasons = '{}')
    then 0 else approvals_needed(payout.created_by_user, payout.created_by_key) end;

create or replace function check_pending_payout() returns trigger language plpgsql as $$
declare
  callback text := (select c.callback from payout_checks c
    where c.environment_id = old.environment_id and c.payout_id = old.id);
begin
  if new.status = 'SUBMITTED' and coalesce(callback, 'SILENT') in ('APPROVED', 'SILENT')
      and count_approvals(old) >= approvals_needed(old)
    or new.status = 'FAILED' and new.submitted_at is null and new.failure_reason = (case
      when exists (select from payout_approvals
        where environment_id = old.environment_id and payout_id = old.id
          and verdict = 'REJECTED') then 'approval_rejected'
      when callback = 'REJECTED' then 'callback_rejected' else 'approval_expired' end) then
    return new;
  end if;
  raise exception 'pending_payout_leaves_with_approval' using
    errcode = 'check_violation', constraint = 'pending_payout_leaves_with_approval';
end $$;

-- Returns to the sender have no creator, and no call-back is asked about them.
create or replace function check_rule() returns trigger language plpgsql as $$
begin
  if exists (select from added a join environments e
      on e.id = a.environment_id and e.approval_rule is not null
      where a.status <> 'PENDING' and a.batch_id is null
        and (a.created_by_user is not null or a.created_by_key is not null)
        and a.amount > limit_of(e.approval_rule, a.asset, a.created_by_user is null)) then
    raise exception 'payout_over_the_rule_waits' using
      errcode = 'check_violation', constraint = 'payout_over_the_rule_waits';
  end if;
  if exists (select from added a join environments e
      on e.id = a.environment_id and e.approval_rule is not null
      where a.status <> 'PENDING' and control_of(e.approval_rule, 'callback') is not null
        and (a.kind in ('bank_transfer', 'crypto_transfer')
          or a.created_by_user is not null or a.created_by_key is not null)) then
    raise exception 'payout_waits_for_the_callback' using
      errcode = 'check_violation', constraint = 'payout_waits_for_the_callback';
  end if;
  return null;
end $$;

-- A payout of a batch may wait, too.
create or replace function check_batch_payout() returns trigger language plpgsql as $$
begin
  if not exists (
    select from payout_batches b join payout_batch_items i
      on i.environment_id = b.environment_id and i.batch_id = b.id
    where b.environment_id = new.environment_id and b.id = new.batch_id and b.state = 'PROCESSING'
      and (b.kind, b.asset) = (new.kind, new.asset)
      and b.created_by_key is not distinct from new.created_by_key
      and b.created_by_user is not distinct from new.created_by_user
      and i.number = new.batch_item and i.amount = new.amount
      and new.status in ('PENDING', 'SUBMITTED')
      and i.destination ->> 'address' is not distinct from new.destination ->> 'address'
      and i.destination ->> 'bankCode' is not distinct from new.destination ->> 'bankCode'
      and i.destination ->> 'accountNumber'
        is not distinct from new.destination ->> 'accountNumber') then
    raise exception 'payout_is_that_of_its_item' using
      errcode = 'check_violation', constraint = 'payout_is_that_of_its_item';
  end if;
  return new;
end $$;
