-- Processes that know 0093 may run beside this migration.
-- An approval is of what its member knew. When a reason is added to those for which a payout waits,
-- as after a callback that stayed silent, a round of approvals begins: earlier ones do not count, and
-- their members may approve again.

alter table payout_checks
  add column round integer not null default 1,
  add constraint round_is_positive check (round > 0);

create function round_of(payout payouts) returns integer language sql stable
  return coalesce((select c.round from payout_checks c
    where c.environment_id = payout.environment_id and c.payout_id = payout.id), 1);

alter table payout_approvals
  add column round integer not null default 1,
  add constraint approval_is_of_a_round check (round > 0);
drop index member_decides_once;
create unique index member_decides_once
  on payout_approvals (environment_id, payout_id, round, verdict, user_id);

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
  new.round := old.round + case when new.reasons <@ old.reasons then 0 else 1 end;
  return new;
end $$;

create or replace function check_approval() returns trigger language plpgsql as $$
declare
  payout payouts;
  rule text;
begin
  select * into payout from payouts p
    where p.environment_id = new.environment_id and p.id = new.payout_id for no key update of p;
  new.round := round_of(payout);
  rule := case
    when payout.status is distinct from 'PENDING' then 'only_pending_payout_is_decided'
    when payout.order_hash <> new.order_hash then 'approval_is_of_this_order'
    when new.verdict = 'APPROVED' and new.decided_at >= payout.approve_by then 'approval_is_in_time'
    when new.decided_by = 'simulated' then
      case when not is_test(new.environment_id) then 'simulated_decision_is_in_test_mode' end
    when new.decided_by = 'operator' then
      case when not waits_for_screening_only(new.environment_id, new.payout_id)
        then 'operator_decides_screening_only' end
    when new.verdict = 'APPROVED' and new.user_id in (select * from creators_of(
      new.environment_id, payout.created_by_user, payout.created_by_key))
      then 'approver_is_not_creator'
    when not may_approve(new.environment_id, new.user_id) or not exists (
      select from user_sessions s
      where s.id = new.session_id and s.user_id = new.user_id and s.ended_at is null)
      then 'approver_is_a_member_who_may'
    when new.verdict = 'APPROVED' and exists (
      select from (
        select * from creators_of(
          new.environment_id, payout.created_by_user, payout.created_by_key)
        union
        select a.user_id from payout_approvals a
        where a.environment_id = new.environment_id and a.payout_id = new.payout_id
          and a.round = new.round and a.verdict = 'APPROVED' and a.user_id <> new.user_id
        ) others (id)
      where have_shared_access(others.id, new.user_id, new.decided_at))
      then 'approver_shares_no_access'
    end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;

create or replace function approvers_of(payout payouts) returns setof uuid language sql stable
begin atomic
  select a.user_id from payout_approvals a
  where a.environment_id = payout.environment_id and a.payout_id = payout.id
    and a.round = round_of(payout)
    and a.verdict = 'APPROVED' and a.order_hash = payout.order_hash
    and may_approve(payout.environment_id, a.user_id)
    and a.user_id not in (select * from creators_of(
      payout.environment_id, payout.created_by_user, payout.created_by_key));
end;

create or replace function count_approvals(payout payouts) returns bigint language sql stable
begin atomic
  select (select count(*) from approvers_of(payout)) + (
    select coalesce(sum(case when a.decided_by = 'operator' then 2 else 1 end), 0)::bigint
    from payout_approvals a
    where a.environment_id = payout.environment_id and a.payout_id = payout.id
      and a.round = round_of(payout)
      and a.verdict = 'APPROVED' and a.order_hash = payout.order_hash
      and (a.decided_by = 'simulated' and is_test(a.environment_id)
        or a.decided_by = 'operator' and waits_for_screening_only(a.environment_id, a.payout_id)));
end;

-- Approvals that were given while the callback was asked do not say that it stayed silent.
update payout_checks c set round = 2
where callback = 'SILENT' and cardinality(reasons) > 1 and exists (select from payouts p
  where p.environment_id = c.environment_id and p.id = c.payout_id and p.status = 'PENDING');
