-- Users behind API keys, payouts that two members must approve, and settlement destinations that
-- wait for a second member.

-- Users who have seen an API key: each may have used it.
create table api_key_holders (
  environment_id integer not null references environments,
  key_id uuid not null references api_keys,
  user_id uuid not null references users,
  how text not null constraint way_to_see_a_key_is_known
    check (how in ('created', 'rolled', 'revealed')),
  -- When the user saw it first, in real time.
  seen_at timestamptz not null,
  primary key (environment_id, key_id, user_id)
);
create index api_key_holders_by_user on api_key_holders (environment_id, user_id);
create trigger key_holders_are_never_edited before update or delete or truncate on api_key_holders
  for each statement execute function refuse_change();
create unique index key_replaces_one on api_keys (rolled_into) where rolled_into is not null;

insert into api_key_holders
  select k.environment_id, k.id, k.created_by_user,
    case when exists (select from api_keys old where old.rolled_into = k.id)
      then 'rolled' else 'created' end, k.created_at
  from api_keys k where k.created_by_user is not null;
-- A line names the key by its hint. Two keys of one environment with one hint count both.
insert into api_key_holders
  select k.environment_id, k.id, l.user_id, 'revealed', min(l.created_at)
  from audit_lines l
  join users u on u.id = l.user_id
  join api_keys k on k.environment_id = l.environment_id and k.hint = l.details ->> 'hint'
  where l.action = 'api_key.reveal'
  group by k.environment_id, k.id, l.user_id
  on conflict do nothing;

-- A key, those that it replaced and those that replaced it.
create function key_chain(key uuid) returns setof uuid language sql stable
begin atomic
  with recursive earlier as (
    select k.id from api_keys k where k.id = key
    union select k.id from api_keys k join earlier on k.rolled_into = earlier.id),
  later as (
    select k.id, k.rolled_into from api_keys k where k.id = key
    union select k.id, k.rolled_into from api_keys k join later on k.id = later.rolled_into)
  select earlier.id from earlier union select later.id from later;
end;

-- The users who may have created a payout: none of them approves it.
create function creators_of(environment integer, by_user uuid, by_key uuid) returns setof uuid
  language sql stable
begin atomic
  select by_user where by_user is not null
  union
  select h.user_id from key_chain(by_key) chain join api_key_holders h
    on h.environment_id = environment and h.key_id = chain
  where by_user is null;
end;

-- A key that no member made may be known to anyone: two members must approve what it pays out.
create function approvals_needed(by_user uuid, by_key uuid) returns integer language sql stable
  return case when by_user is not null or exists (
    select from api_keys where id = by_key and created_by_user is not null) then 1 else 2 end;

create function may_approve(environment integer, approver uuid) returns boolean
  language sql stable
  return exists (
    select from environments e
    join memberships m on m.merchant_id = e.merchant_id and m.user_id = approver
      and m.disabled_at is null and m.role in ('owner', 'admin', 'finance')
      and (e.mode = 'test' or m.may_see_live)
    join users u on u.id = approver and u.disabled_at is null
    where e.id = environment);

-- Up to two members approve a payout; the first rejection ends it.
alter table payout_approvals
  drop constraint payout_approvals_pkey,
  drop constraint approver_is_not_creator,
  drop column created_by_user,
  add primary key (environment_id, payout_id, verdict, user_id);
create unique index payout_is_rejected_once on payout_approvals (environment_id, payout_id)
  where verdict = 'REJECTED';

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
    when new.verdict = 'APPROVED' and new.user_id in (select * from creators_of(
      new.environment_id, payout.created_by_user, payout.created_by_key))
      then 'approver_is_not_creator'
    when not may_approve(new.environment_id, new.user_id) or not exists (
      select from user_sessions s
      where s.id = new.session_id and s.user_id = new.user_id and s.ended_at is null)
      then 'approver_is_a_member_who_may'
    end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;

-- Who approved a payout, of those who still may and have not seen its key since.
create function approvers_of(payout payouts) returns setof uuid language sql stable
begin atomic
  select a.user_id from payout_approvals a
  where a.environment_id = payout.environment_id and a.payout_id = payout.id
    and a.verdict = 'APPROVED' and a.order_hash = payout.order_hash
    and may_approve(payout.environment_id, a.user_id)
    and a.user_id not in (select * from creators_of(
      payout.environment_id, payout.created_by_user, payout.created_by_key));
end;

create or replace function check_pending_payout() returns trigger language plpgsql as $$
begin
  if new.status = 'SUBMITTED' and (select count(*) from approvers_of(old))
      >= approvals_needed(old.created_by_user, old.created_by_key)
    or new.status = 'FAILED' and new.submitted_at is null and new.failure_reason = (case
      when exists (select from payout_approvals
        where environment_id = old.environment_id and payout_id = old.id
          and verdict = 'REJECTED') then 'approval_rejected' else 'approval_expired' end) then
    return new;
  end if;
  raise exception 'pending_payout_leaves_with_approval' using
    errcode = 'check_violation', constraint = 'pending_payout_leaves_with_approval';
end $$;

-- The same for batches.
alter table payout_batch_approvals
  drop constraint payout_batch_approvals_pkey,
  drop constraint batch_approver_is_not_creator,
  drop column created_by_user,
  add primary key (environment_id, batch_id, verdict, user_id);
create unique index batch_is_rejected_once on payout_batch_approvals (environment_id, batch_id)
  where verdict = 'REJECTED';

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
    when new.verdict = 'APPROVED' and new.user_id in (select * from creators_of(
      new.environment_id, batch.created_by_user, batch.created_by_key))
      then 'batch_approver_is_not_creator'
    when not may_approve(new.environment_id, new.user_id) or not exists (
      select from user_sessions s
      where s.id = new.session_id and s.user_id = new.user_id and s.ended_at is null)
      then 'batch_approver_is_a_member_who_may'
    end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;

create function approvers_of(batch payout_batches) returns setof uuid language sql stable
begin atomic
  select a.user_id from payout_batch_approvals a
  where a.environment_id = batch.environment_id and a.batch_id = batch.id
    and a.verdict = 'APPROVED' and a.order_hash = batch.order_hash
    and may_approve(batch.environment_id, a.user_id)
    and a.user_id not in (select * from creators_of(
      batch.environment_id, batch.created_by_user, batch.created_by_key));
end;

-- What a rule lets pass at once, in the smallest unit. Null: everything.
create function limit_of(rule json, asset text, is_of_key boolean) returns numeric
  language sql immutable parallel safe
  return case when not is_of_key or rule ->> 'appliesTo' = 'all'
    then (rule -> asset ->> 'each')::numeric * case asset when 'NGN' then 1 else 1000000 end end;

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
    is_approved := (select count(*) from approvers_of(old))
      >= approvals_needed(old.created_by_user, old.created_by_key);
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

-- What one user or key sends at once. What they send in a day is summed up by the service. One
-- statement for all rows: an environment without a rule costs one look into a small index.
create index environments_with_a_rule on environments (id) where approval_rule is not null;
drop trigger payout_over_the_rule_waits on payouts;
drop function check_rule();
create function check_rule() returns trigger language plpgsql as $$
begin
  if exists (select from added a join environments e
      on e.id = a.environment_id and e.approval_rule is not null
      where a.status <> 'PENDING' and a.batch_id is null
        and (a.created_by_user is not null or a.created_by_key is not null)
        and a.amount > limit_of(e.approval_rule, a.asset, a.created_by_user is null)) then
    raise exception 'payout_over_the_rule_waits' using
      errcode = 'check_violation', constraint = 'payout_over_the_rule_waits';
  end if;
  return null;
end $$;
create trigger payout_over_the_rule_waits after insert on payouts
  referencing new table as added for each statement execute function check_rule();

create function has_limits(rule json) returns boolean language sql immutable parallel safe
  return coalesce(rule -> 'NGN' ->> 'each', rule -> 'USDC' ->> 'each', rule -> 'USDT' ->> 'each')
    is not null;

-- Destinations of settlements that a member chose. Under a rule, or if the bank names another
-- holder in live mode, settlements to one wait until a second member or an operator confirms it.
alter table merchant_bank_accounts
  -- Null: an operator did, or it is older than this column.
  add column chosen_by_user uuid references users,
  -- From the names that the operator approved.
  add column name_differs boolean not null default false,
  add column confirmed_at timestamptz,
  -- Null in a confirmed account: an operator did.
  add column confirmed_by_user uuid references users,
  add constraint confirmer_did_not_choose_the_account check (confirmed_by_user <> chosen_by_user),
  add constraint confirmed_account_says_when check (
    confirmed_by_user is null or confirmed_at is not null);

drop trigger settlement_wallets_are_never_edited on settlement_wallets;
alter table settlement_wallets
  add column confirmed_at timestamptz,
  add column confirmed_by_user uuid references users,
  add constraint confirmer_did_not_choose_the_wallet check (confirmed_by_user <> chosen_by_user),
  add constraint confirmed_wallet_says_when check (
    confirmed_by_user is null or confirmed_at is not null);
-- Those in use were visible to all members while they waited.
update settlement_wallets set confirmed_at = usable_from where usable_from <= now();
create trigger settlement_wallets_are_never_edited
  before update of environment_id, id, asset, address, usable_from, chosen_by_user, created_at
    or delete or truncate on settlement_wallets
  for each statement execute function refuse_change();

create function check_confirmation() returns trigger language plpgsql as $$
begin
  if not exists (select from environments e
      join memberships m on m.merchant_id = e.merchant_id and m.user_id = new.confirmed_by_user
        and m.disabled_at is null and m.role in ('owner', 'admin')
        and (e.mode = 'test' or m.may_see_live)
      join users u on u.id = m.user_id and u.disabled_at is null
      where e.id = new.environment_id) then
    raise exception 'confirmer_is_a_member_who_may' using
      errcode = 'check_violation', constraint = 'confirmer_is_a_member_who_may';
  end if;
  return new;
end $$;
create trigger confirmer_is_a_member_who_may
  before insert or update of confirmed_by_user on merchant_bank_accounts
  for each row when (new.confirmed_by_user is not null) execute function check_confirmation();
create trigger confirmer_is_a_member_who_may
  before insert or update of confirmed_by_user on settlement_wallets
  for each row when (new.confirmed_by_user is not null) execute function check_confirmation();

-- Whether settlements to the primary bank account, or to the wallet, wait for a confirmation.
create function is_unconfirmed(environment integer, is_wallet boolean) returns boolean
  language sql stable
  return coalesce((
    select case when is_wallet
      then has_limits(e.approval_rule) and coalesce((
        select w.confirmed_at is null from settlement_wallets w
        where w.environment_id = e.id order by w.id desc limit 1), true)
      else exists (
        select from merchant_bank_accounts a
        where a.environment_id = e.id and a.is_primary and a.chosen_by_user is not null
          and a.confirmed_at is null
          and (has_limits(e.approval_rule) or (e.mode = 'live' and a.name_differs)))
      end
    from environments e where e.id = environment), false);

create function check_settlement() returns trigger language plpgsql as $$
begin
  if is_unconfirmed(new.environment_id, new.conversion_id is not null) then
    raise exception 'settlement_goes_to_a_confirmed_destination' using
      errcode = 'check_violation', constraint = 'settlement_goes_to_a_confirmed_destination';
  end if;
  return new;
end $$;
create trigger settlement_goes_to_a_confirmed_destination before insert on settlements
  for each row execute function check_settlement();
