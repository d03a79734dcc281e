-- Screening: payments whose sender is on a list of sanctioned wallets and names, or could not be
-- screened, are held whole until two people decide, or until the sender turns out to be clear.
-- Processes that do not know screening would credit such payments, so none may run beside.

-- What a provider reported about the sender, before the notice is judged.
alter table notices add column screening json;

alter table payments add column held_for text;
alter table payments
  add constraint payment_hold_is_known check (held_for in ('screening')),
  add constraint payment_held_for_screening_is_not_accepted check (
    held_for is null or amount_accepted = 0);

-- Why a payment is held. Money is due while its verdict is to be recorded or may still change.
create table payment_screenings (
  environment_id integer not null references environments (id),
  payment_id uuid not null,
  mode text not null,
  verdict text not null,
  list text,
  version text,
  entry text,
  why text,
  screened_at timestamptz not null,
  attempts integer not null default 0,
  due_at timestamptz,
  primary key (environment_id, payment_id),
  constraint screening_mode_is_known check (mode in ('test', 'live')),
  constraint screening_verdict_is_known check (verdict in ('hit', 'unknown', 'clear')),
  constraint screening_names_its_list check (
    (verdict <> 'unknown') = (list is not null and version is not null)),
  constraint hit_names_its_entry check ((verdict = 'hit') = (entry is not null)),
  constraint unknown_verdict_says_why check ((verdict = 'unknown') = (why is not null))
);
create index payment_screenings_due on payment_screenings (mode, due_at) where due_at is not null;

-- Who let a payment that was held for screening go on, and what the lists said then. `clear`: no
-- person, because the sender is on no list.
create table screening_decisions (
  environment_id integer not null references environments (id),
  id uuid not null,
  payment_id uuid not null,
  action text not null,
  verdict text not null,
  list text,
  version text,
  entry text,
  why text,
  request_id uuid,
  operator text,
  created_at timestamptz not null,
  primary key (environment_id, id),
  foreign key (environment_id, payment_id) references payment_screenings (environment_id, payment_id),
  foreign key (environment_id, request_id) references payment_requests (environment_id, id),
  constraint screening_action_is_known check (action in ('accept', 'return', 'clear')),
  constraint only_a_clear_sender_needs_no_person check (
    case action
      when 'clear' then verdict = 'clear' and request_id is null and operator is null
      else num_nonnulls(request_id, operator) = 1
    end)
);
create index screening_decisions_of_payment on screening_decisions (environment_id, payment_id);
create unique index request_decides_once on screening_decisions (environment_id, request_id)
  where request_id is not null;
create trigger screening_decisions_are_never_edited
  before update or delete or truncate on screening_decisions
  for each statement execute function refuse_change();

-- Money that is held for screening moves only with a decision that is written in the same
-- transaction. Two members made it: one asked for it, and another one answered.
create function require_screening_decision() returns trigger language plpgsql as $$
begin
  if not exists (
    select from screening_decisions d
    left join payment_requests r on r.environment_id = d.environment_id and r.id = d.request_id
    where d.environment_id = new.environment_id and d.payment_id = new.id
      and d.xmin = pg_current_xact_id()::xid
      and case d.action
        when 'clear' then new.held_for is null
        when 'accept' then new.held_for is null and new.amount_returning = old.amount_returning
        else new.amount_accepted = 0
      end
      and (d.request_id is null or r.payment_id = new.id and r.state = 'DONE'
        and r.decided_by <> r.requested_by
        and r.action = d.action))
  then
    raise exception 'payment % is held for screening, and its move was not decided', new.id
      using errcode = 'check_violation', constraint = 'screened_payment_moves_by_decision';
  end if;
  return null;
end $$;

create constraint trigger screened_payment_moves_by_decision
  after update on payments deferrable initially deferred
  for each row when (old.held_for is not null
    and (new.held_for is null or new.amount_returning > old.amount_returning))
  execute function require_screening_decision();

-- An operator decides about a payout that waits for screening and nothing else: other reasons are
-- the merchant's own rules.
alter table payout_approvals
  drop constraint decision_is_of_a_member_or_simulated,
  add constraint decision_is_of_a_member_an_operator_or_simulated
    check (decided_by in ('user', 'simulated', 'operator'));

create function waits_for_screening_only(environment integer, payout uuid) returns boolean
  language sql stable
  return exists (select from payout_checks c
    where c.environment_id = environment and c.payout_id = payout and c.reasons = '{screening}');

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
          and a.verdict = 'APPROVED' and a.user_id <> new.user_id) others (id)
      where have_shared_access(others.id, new.user_id, new.decided_at))
      then 'approver_shares_no_access'
    end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;

-- That of an operator suffices alone.
create or replace function count_approvals(payout payouts) returns bigint language sql stable
begin atomic
  select (select count(*) from approvers_of(payout)) + (
    select coalesce(sum(case when a.decided_by = 'operator' then 2 else 1 end), 0)::bigint
    from payout_approvals a
    where a.environment_id = payout.environment_id and a.payout_id = payout.id
      and a.verdict = 'APPROVED' and a.order_hash = payout.order_hash
      and (a.decided_by = 'simulated' and is_test(a.environment_id)
        or a.decided_by = 'operator' and waits_for_screening_only(a.environment_id, a.payout_id)));
end;
