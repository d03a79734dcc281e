-- Payouts that wait for the approval of a second person.

-- Who created the key in the console. Null: an operator did.
alter table api_keys add column created_by_user uuid references users;

-- The approval rule of the settings. A trigger keeps it, so that payouts find it in a row that is read
-- anyway. Null: there is no rule.
alter table environments add column approval_rule json;

-- Changes of settings that a second person must confirm: rules that are looser than before.
create table setting_changes (
  environment_id integer not null references environments,
  id uuid not null,
  approvals json not null,
  approvals_before json not null,
  proposed_by uuid not null references users,
  state text not null,
  decided_by uuid references users,
  decided_at timestamptz,
  -- When the settings got the confirmed rule: a confirmation is used once.
  applied_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (environment_id, id),
  constraint change_state_is_known check (state in ('OPEN', 'CONFIRMED', 'CANCELLED')),
  constraint decided_change_says_by_whom
    check ((state = 'OPEN') = (decided_by is null) and (state = 'OPEN') = (decided_at is null)),
  constraint confirmer_is_not_proposer check (state <> 'CONFIRMED' or decided_by <> proposed_by),
  constraint only_confirmed_change_is_applied check (applied_at is null or state = 'CONFIRMED')
);
create unique index environment_has_one_open_change on setting_changes (environment_id)
  where state = 'OPEN';
create index setting_changes_newest on setting_changes (environment_id, state, id);

create trigger setting_changes_are_never_edited
  before update of environment_id, id, approvals, approvals_before, proposed_by, created_at,
    expires_at or delete or truncate on setting_changes
  for each statement execute function refuse_change();
create trigger decided_change_stays before update of state, decided_by, decided_at on setting_changes
  for each row when (old.state <> 'OPEN') execute function refuse_change();

-- Whether a rule lets payouts pass that waited before.
create function is_looser_rule(before json, after json) returns boolean
  language sql immutable parallel safe
  return exists (
    select from unnest(array['NGN', 'USDC', 'USDT']) asset, unnest(array['each', 'perDay']) field
    where before -> asset ->> field is not null and (
      coalesce((after -> asset ->> field)::numeric > (before -> asset ->> field)::numeric, true)
      or before ->> 'appliesTo' = 'all' and after ->> 'appliesTo' is distinct from 'all'));

create function keep_approval_rule() returns trigger language plpgsql as $$
declare
  before json := case when tg_op <> 'INSERT' then old.document -> 'approvals' end;
  after json := case when tg_op <> 'DELETE' then new.document -> 'approvals' end;
  environment integer := case when tg_op = 'DELETE' then old.environment_id else new.environment_id end;
begin
  if is_looser_rule(before, after) then
    update setting_changes set applied_at = new.updated_at
      where environment_id = environment and state = 'CONFIRMED' and applied_at is null
        and approvals::jsonb = after::jsonb;
    if not found then
      raise exception 'looser_rule_needs_a_second_person' using
        errcode = 'check_violation', constraint = 'looser_rule_needs_a_second_person';
    end if;
  end if;
  if after::text is distinct from before::text then
    update environments set approval_rule = after where id = environment;
  end if;
  return null;
end $$;
create trigger looser_rule_needs_a_second_person after insert or update or delete
  on environment_settings for each row execute function keep_approval_rule();

create function check_approval_rule() returns trigger language plpgsql as $$
begin
  if new.approval_rule::text is distinct from
    (select document -> 'approvals' from environment_settings where environment_id = new.id)::text then
    raise exception 'approval_rule_is_that_of_the_settings' using
      errcode = 'check_violation', constraint = 'approval_rule_is_that_of_the_settings';
  end if;
  return new;
end $$;
create trigger approval_rule_is_that_of_the_settings before update of approval_rule on environments
  for each row execute function check_approval_rule();

-- A payout that waits has an order hash: over kind, asset, amount, fee, destination and reference.
alter table payouts
  add column created_by_user uuid,
  add column order_hash bytea,
  add column approve_by timestamptz,
  alter column submitted_at drop not null,
  drop constraint payout_status_is_known,
  add constraint payout_status_is_known
    check (status in ('PENDING', 'SUBMITTED', 'COMPLETED', 'FAILED', 'REVERSED')),
  add constraint order_hash_is_whole check (length(order_hash) = 32),
  add constraint payout_waits_for_a_time check ((order_hash is null) = (approve_by is null)),
  add constraint pending_payout_is_not_submitted
    check (status <> 'PENDING' or (submitted_at is null and order_hash is not null)),
  add constraint payout_was_submitted_or_waited
    check (submitted_at is not null or (order_hash is not null and status in ('PENDING', 'FAILED')));
create index payouts_by_user on payouts (environment_id, created_by_user, id)
  where created_by_user is not null;
create index payouts_pending on payouts (approve_by) where status = 'PENDING';

drop trigger payout_orders_are_never_edited on payouts;
create trigger payout_orders_are_never_edited
  before update of environment_id, id, kind, rail, asset, amount, fee, requested_amount,
    destination, merchant_reference, metadata, takes_from, created_by_key, created_by_user,
    order_hash, approve_by, created_at
    or delete or truncate on payouts
  for each statement execute function refuse_change();
create trigger submission_time_is_never_edited before update of submitted_at on payouts
  for each row when (old.status <> 'PENDING') execute function refuse_change();

-- One decision per payout: whoever commits first has decided.
create table payout_approvals (
  environment_id integer not null,
  payout_id uuid not null,
  verdict text not null,
  user_id uuid not null references users,
  session_id uuid not null references user_sessions,
  -- The person who created the payout, or the API key that did. Written by a trigger.
  created_by_user uuid,
  order_hash bytea not null,
  reason text,
  -- In the time of the environment.
  decided_at timestamptz not null,
  primary key (environment_id, payout_id),
  constraint verdict_is_known check (verdict in ('APPROVED', 'REJECTED')),
  constraint approver_is_not_creator
    check (verdict = 'REJECTED' or user_id is distinct from created_by_user),
  constraint rejection_says_why check ((verdict = 'REJECTED') = (reason is not null)),
  constraint rejection_is_short check (length(reason) between 1 and 500)
);
create trigger approvals_are_never_edited before update or delete or truncate on payout_approvals
  for each statement execute function refuse_change();

create function check_approval() returns trigger language plpgsql as $$
declare
  payout record;
  rule text;
begin
  select p.status, p.order_hash, p.approve_by, coalesce(p.created_by_user, k.created_by_user) as creator
    into payout
    from payouts p left join api_keys k on k.id = p.created_by_key
    where p.environment_id = new.environment_id and p.id = new.payout_id
    for no key update of p;
  new.created_by_user := payout.creator;
  rule := case
    when payout.status is distinct from 'PENDING' then 'only_pending_payout_is_decided'
    when payout.order_hash <> new.order_hash then 'approval_is_of_this_order'
    when new.verdict = 'APPROVED' and new.decided_at >= payout.approve_by then 'approval_is_in_time'
    when not exists (
      select from user_sessions s
      join users u on u.id = s.user_id and u.disabled_at is null
      join environments e on e.id = new.environment_id
      join memberships m on m.merchant_id = e.merchant_id and m.user_id = u.id
        and m.disabled_at is null and m.role in ('owner', 'admin', 'finance')
        and (e.mode = 'test' or m.may_see_live)
      where s.id = new.session_id and s.user_id = new.user_id and s.ended_at is null)
      then 'approver_is_a_member_who_may'
    end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;
create trigger approval_fits_its_payout before insert on payout_approvals
  for each row execute function check_approval();

create function check_pending_payout() returns trigger language plpgsql as $$
begin
  if new.status = 'SUBMITTED' and exists (select from payout_approvals
      where environment_id = old.environment_id and payout_id = old.id
        and verdict = 'APPROVED' and order_hash = old.order_hash)
    or new.status = 'FAILED' and new.submitted_at is null and new.failure_reason = (case
      when exists (select from payout_approvals
        where environment_id = old.environment_id and payout_id = old.id
          and verdict = 'REJECTED') then 'approval_rejected' else 'approval_expired' end) then
    return new;
  end if;
  raise exception 'pending_payout_leaves_with_approval' using
    errcode = 'check_violation', constraint = 'pending_payout_leaves_with_approval';
end $$;
create trigger pending_payout_leaves_with_approval before update of status on payouts
  for each row when (old.status = 'PENDING' and new.status <> 'PENDING')
  execute function check_pending_payout();

-- A payout that was never submitted has nothing to send.
create function check_attempts() returns trigger language plpgsql as $$
begin
  if exists (select from added where (select p.submitted_at is null from payouts p
      where p.environment_id = added.environment_id and p.id = added.payout_id)) then
    raise exception 'pending_payout_has_no_attempt' using
      errcode = 'check_violation', constraint = 'pending_payout_has_no_attempt';
  end if;
  return null;
end $$;
create trigger pending_payout_has_no_attempt after insert on payout_attempts
  referencing new table as added for each statement execute function check_attempts();

-- What one person sends at once. What somebody sends in a day is summed up by the service.
create function check_rule() returns trigger language plpgsql as $$
begin
  if exists (select from environments where id = new.environment_id
      and new.amount > (approval_rule -> new.asset ->> 'each')::numeric
        * case new.asset when 'NGN' then 1 else 1000000 end) then
    raise exception 'payout_over_the_rule_waits' using
      errcode = 'check_violation', constraint = 'payout_over_the_rule_waits';
  end if;
  return new;
end $$;
create trigger payout_over_the_rule_waits before insert on payouts for each row
  when (new.created_by_user is not null and new.status <> 'PENDING'
    and new.kind in ('bank_transfer', 'crypto_transfer'))
  execute function check_rule();

-- What people ask for who may not decide about payments themselves.
create table payment_requests (
  environment_id integer not null references environments,
  id uuid not null,
  payment_id uuid not null,
  action text not null,
  -- Of a refund. Null: everything.
  amount bigint,
  note text not null,
  requested_by uuid not null references users,
  state text not null,
  decided_by uuid references users,
  created_at timestamptz not null,
  decided_at timestamptz,
  primary key (environment_id, id),
  constraint request_action_is_known check (action in ('accept', 'return', 'refund')),
  constraint only_refund_has_an_amount check (amount is null or (action = 'refund' and amount > 0)),
  constraint request_says_why check (length(note) between 1 and 500),
  constraint request_state_is_known check (state in ('OPEN', 'DONE', 'DECLINED')),
  constraint decided_request_says_by_whom
    check ((state = 'OPEN') = (decided_by is null) and (state = 'OPEN') = (decided_at is null)),
  constraint requester_does_not_decide check (decided_by <> requested_by or state = 'DECLINED')
);
create unique index payment_has_one_open_request on payment_requests (environment_id, payment_id)
  where state = 'OPEN';
create index payment_requests_of_payment on payment_requests (environment_id, payment_id, id);
create trigger payment_requests_are_never_edited
  before update of environment_id, id, payment_id, action, amount, note, requested_by, created_at
    or delete or truncate on payment_requests
  for each statement execute function refuse_change();

-- In a table that was never analysed the planner takes the youngest index with the columns of the key
-- (see migration 0014), so the key is recreated after the indexes above.
alter table payouts drop constraint payouts_pkey, add primary key (environment_id, id);
