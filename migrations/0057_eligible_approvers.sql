-- Processes that know 0056 may run beside this migration.

-- Who may approve from when, longer waits for new approvers, and decisions of test mode.

-- Since when a member may approve, and the member who gave the right. Null: an operator gave it, or
-- it is older than this column.
alter table memberships
  add column approver_since timestamptz,
  add column approver_by uuid references users;
create index memberships_by_approver_since on memberships (approver_since)
  where approver_by is not null;

-- A writer names the present time and the giver in every change. They are kept only if the change
-- gives the right to approve: in one of the modes, anew, or again.
create function keep_approver_since() returns trigger language plpgsql as $$
declare
  has boolean := new.role in ('owner', 'admin', 'finance') and new.disabled_at is null;
  had boolean := false;
begin
  if tg_op = 'UPDATE' then
    had := old.role in ('owner', 'admin', 'finance') and old.disabled_at is null
      and (old.may_see_live or not new.may_see_live);
    if had or not has then
      new.approver_since := old.approver_since;
      new.approver_by := old.approver_by;
    elsif new.approver_since is not distinct from old.approver_since then
      new.approver_since := now();
      new.approver_by := null;
    end if;
  elsif not has then
    new.approver_since := null;
    new.approver_by := null;
  end if;
  return new;
end $$;
create trigger right_to_approve_has_its_date before insert or update on memberships
  for each row execute function keep_approver_since();

-- What gave one user a way into the account of another, or made the other an approver. A member who
-- gets the right to approve after joining counts as one who joined then.
create function access_links(since timestamptz)
  returns table (maker uuid, target uuid, kind text, given_at timestamptz) language sql stable
begin atomic
  select i.created_by_user, i.resets_user_id, 'password', i.used_at from invitations i
  where i.resets_user_id is not null and i.created_by_user is not null and i.used_at > since
  union all
  select i.created_by_user, u.id,
    case when m.approver_since > i.used_at then 'right' else 'joined' end,
    greatest(i.used_at, m.approver_since)
  from invitations i join users u on u.email = i.email
  left join memberships m on m.merchant_id = i.merchant_id and m.user_id = u.id
  where i.resets_user_id is null and i.created_by_user is not null
    and (i.used_at > since or (i.used_at is not null and m.approver_since > since))
  union all
  select m.approver_by, m.user_id, 'right', m.approver_since from memberships m
  where m.approver_by is not null and m.approver_since > since;
end;

-- A user, the makers of their links, the makers of the links of those, and so on.
create function holders_of(account uuid, since timestamptz) returns setof uuid language sql stable
begin atomic
  with recursive links as (select l.maker, l.target from access_links(since) l),
  holders as (
    select account as id
    union
    select links.maker from holders join links on links.target = holders.id)
  select holders.id from holders;
end;

-- Whether one person may hold the accounts of both users: the rule of src/team/shared-access.ts.
create function have_shared_access(one uuid, other uuid, at timestamptz) returns boolean
  language sql stable
  return exists (
    select from holders_of(one, at - interval '72 hours') a
    join holders_of(other, at - interval '72 hours') b on a = b);

-- Decisions of POST /v1/test/disbursements/{reference}/decide have no user. Each counts as one.
alter table payout_approvals
  drop constraint payout_approvals_pkey,
  add column id uuid not null default gen_random_uuid(),
  add column decided_by text not null default 'user',
  add primary key (environment_id, id),
  alter column user_id drop not null,
  alter column session_id drop not null,
  add constraint decision_is_of_a_member_or_simulated check (decided_by in ('user', 'simulated')),
  add constraint member_decides_in_a_session check (
    (decided_by = 'user') = (user_id is not null)
    and (decided_by = 'user') = (session_id is not null));
create unique index member_decides_once
  on payout_approvals (environment_id, payout_id, verdict, user_id);

alter table payout_batch_approvals
  drop constraint payout_batch_approvals_pkey,
  add column id uuid not null default gen_random_uuid(),
  add column decided_by text not null default 'user',
  add primary key (environment_id, id),
  alter column user_id drop not null,
  alter column session_id drop not null,
  add constraint batch_decision_is_of_a_member_or_simulated
    check (decided_by in ('user', 'simulated')),
  add constraint member_decides_batch_in_a_session check (
    (decided_by = 'user') = (user_id is not null)
    and (decided_by = 'user') = (session_id is not null));
create unique index member_decides_batch_once
  on payout_batch_approvals (environment_id, batch_id, verdict, user_id);

create function is_test(environment integer) returns boolean language sql stable
  return exists (select from environments where id = environment and mode = 'test');

create or replace function check_approval() returns trigger language plpgsql as $$
declare
  payout record;
  rule text;
begin
  select p.status, p.order_hash, p.approve_by, p.created_by_user, p.created_by_key into payout
    from payouts p where p.environment_id = new.environment_id and p.id = new.payout_id
    for no key update of p;
  rule := case
    when payout.status is distinct from 'PENDING' then 'only_pending_payout_is_decided'
    when payout.order_hash <> new.order_hash then 'approval_is_of_this_order'
    when new.verdict = 'APPROVED' and new.decided_at >= payout.approve_by then 'approval_is_in_time'
    when new.decided_by = 'simulated' then
      case when not is_test(new.environment_id) then 'simulated_decision_is_in_test_mode' end
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
          and a.verdict = 'APPROVED' and a.user_id <> new.user_id) others (id)
      where have_shared_access(others.id, new.user_id, new.decided_at))
      then 'approver_shares_no_access'
    end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;

create or replace function check_batch_approval() returns trigger language plpgsql as $$
declare
  batch record;
  rule text;
begin
  select b.state, b.order_hash, b.approve_by, b.created_by_user, b.created_by_key into batch
    from payout_batches b where b.environment_id = new.environment_id and b.id = new.batch_id
    for no key update of b;
  rule := case
    when batch.state is distinct from 'PENDING' then 'only_pending_batch_is_decided'
    when batch.order_hash <> new.order_hash then 'batch_approval_is_of_this_order'
    when new.verdict = 'APPROVED' and new.decided_at >= batch.approve_by
      then 'batch_approval_is_in_time'
    when new.decided_by = 'simulated' then
      case when not is_test(new.environment_id)
        then 'simulated_batch_decision_is_in_test_mode' end
    when new.verdict = 'APPROVED' and new.user_id in (select * from creators_of(
      new.environment_id, batch.created_by_user, batch.created_by_key))
      then 'batch_approver_is_not_creator'
    when not may_approve(new.environment_id, new.user_id) or not exists (
      select from user_sessions s
      where s.id = new.session_id and s.user_id = new.user_id and s.ended_at is null)
      then 'batch_approver_is_a_member_who_may'
    when new.verdict = 'APPROVED' and exists (
      select from (
        select * from creators_of(
          new.environment_id, batch.created_by_user, batch.created_by_key)
        union
        select a.user_id from payout_batch_approvals a
        where a.environment_id = new.environment_id and a.batch_id = new.batch_id
          and a.verdict = 'APPROVED' and a.user_id <> new.user_id) others (id)
      where have_shared_access(others.id, new.user_id, new.decided_at))
      then 'batch_approver_shares_no_access'
    end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;

-- How many approvals of a payout, or of a batch, count: those of members who still may, and
-- simulated ones in test mode.
create function count_approvals(payout payouts) returns bigint language sql stable
begin atomic
  select (select count(*) from approvers_of(payout)) + (
    select count(*) from payout_approvals a
    where a.environment_id = payout.environment_id and a.payout_id = payout.id
      and a.verdict = 'APPROVED' and a.order_hash = payout.order_hash
      and a.decided_by = 'simulated' and is_test(a.environment_id));
end;

create function count_approvals(batch payout_batches) returns bigint language sql stable
begin atomic
  select (select count(*) from approvers_of(batch)) + (
    select count(*) from payout_batch_approvals a
    where a.environment_id = batch.environment_id and a.batch_id = batch.id
      and a.verdict = 'APPROVED' and a.order_hash = batch.order_hash
      and a.decided_by = 'simulated' and is_test(a.environment_id));
end;

create or replace function check_pending_payout() returns trigger language plpgsql as $$
begin
  if new.status = 'SUBMITTED'
      and count_approvals(old) >= approvals_needed(old.created_by_user, old.created_by_key)
    or new.status = 'FAILED' and new.submitted_at is null and new.failure_reason = (case
      when exists (select from payout_approvals
        where environment_id = old.environment_id and payout_id = old.id
          and verdict = 'REJECTED') then 'approval_rejected' else 'approval_expired' end) then
    return new;
  end if;
  raise exception 'pending_payout_leaves_with_approval' using
    errcode = 'check_violation', constraint = 'pending_payout_leaves_with_approval';
end $$;

create or replace function check_batch_state() returns trigger language plpgsql as $$
declare
  is_rejected boolean;
  is_approved boolean;
  rule text;
begin
  if old.state = 'PENDING' then
    is_rejected := exists (select from payout_batch_approvals a
      where a.environment_id = old.environment_id and a.batch_id = old.id
        and a.verdict = 'REJECTED');
    is_approved :=
      count_approvals(old) >= approvals_needed(old.created_by_user, old.created_by_key);
  end if;
  rule := case
    when (old.state, new.state) in (('VALIDATING', 'READY'), ('VALIDATING', 'INVALID'),
      ('VALIDATING', 'CANCELLED'), ('READY', 'CANCELLED'), ('INVALID', 'CANCELLED'),
      ('READY', 'PENDING'), ('INVALID', 'PENDING'), ('PROCESSING', 'COMPLETED')) then null
    when old.state in ('READY', 'INVALID') and new.state = 'PROCESSING' then
      case when exists (
          select from environments where id = new.environment_id
            and new.amount - new.invalid_amount
              > limit_of(approval_rule, new.asset, new.created_by_user is null))
        then 'batch_over_the_rule_waits' end
    when old.state = 'PENDING' then
      case when not case new.state
          when 'PROCESSING' then is_approved and not is_rejected
          when 'REJECTED' then is_rejected
          when 'EXPIRED' then not is_rejected
          else false end
        then 'pending_batch_leaves_with_approval' end
    else 'batch_state_follows_the_one_before'
    end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;

-- A payout or batch waits longer while its approvers are new, and seven days at most.
create function check_longer_wait() returns trigger language plpgsql as $$
declare
  is_pending boolean;
  waits_since timestamptz;
begin
  if tg_table_name = 'payouts' then
    is_pending := old.status = 'PENDING';
    waits_since := old.created_at;
  else
    is_pending := old.state = 'PENDING';
    waits_since := old.submitted_at;
  end if;
  if not coalesce(is_pending and new.approve_by >= old.approve_by
    and new.approve_by <= waits_since + interval '7 days', false) then
    raise exception 'pending_payouts_wait_seven_days_at_most' using
      errcode = 'check_violation', constraint = 'pending_payouts_wait_seven_days_at_most';
  end if;
  return new;
end $$;

drop trigger payout_orders_are_never_edited on payouts;
create trigger payout_orders_are_never_edited
  before update of environment_id, id, kind, rail, asset, amount, fee, requested_amount,
    destination, merchant_reference, metadata, takes_from, created_by_key, created_by_user,
    order_hash, created_at
    or delete or truncate on payouts
  for each statement execute function refuse_change();
create trigger pending_payouts_wait_seven_days_at_most before update of approve_by on payouts
  for each row execute function check_longer_wait();

drop trigger batch_order_stays on payout_batches;
create trigger batch_order_stays before update of order_hash on payout_batches
  for each row when (old.order_hash is not null) execute function refuse_change();
create trigger pending_batches_wait_seven_days_at_most before update of approve_by on payout_batches
  for each row when (old.order_hash is not null) execute function check_longer_wait();
