-- The whole schema, written from a migrated database by `npm run generate`. Do not edit.

CREATE OR REPLACE FUNCTION public.access_links(since timestamp with time zone)
 RETURNS TABLE(maker uuid, target uuid, kind text, given_at timestamp with time zone)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT i.created_by_user,
     i.resets_user_id,
     'password'::text,
     i.used_at
    FROM invitations i
   WHERE ((i.resets_user_id IS NOT NULL) AND (i.created_by_user IS NOT NULL) AND (i.used_at > access_links.since))
 UNION ALL
  SELECT i.created_by_user,
     u.id,
         CASE
             WHEN (m.approver_since > i.used_at) THEN 'right'::text
             ELSE 'joined'::text
         END AS "case",
     GREATEST(i.used_at, m.approver_since) AS "greatest"
    FROM ((invitations i
      JOIN users u ON ((u.email = i.email)))
      LEFT JOIN memberships m ON (((m.merchant_id = i.merchant_id) AND (m.user_id = u.id))))
   WHERE ((i.resets_user_id IS NULL) AND (i.created_by_user IS NOT NULL) AND ((i.used_at > access_links.since) OR ((i.used_at IS NOT NULL) AND (m.approver_since > access_links.since))))
 UNION ALL
  SELECT m.approver_by,
     m.user_id,
     'right'::text,
     m.approver_since
    FROM memberships m
   WHERE ((m.approver_by IS NOT NULL) AND (m.approver_since > access_links.since));
END
;

CREATE OR REPLACE FUNCTION public.approvals_needed(by_user uuid, by_key uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE
RETURN CASE WHEN ((by_user IS NOT NULL) OR (EXISTS (SELECT FROM api_keys WHERE ((api_keys.id = approvals_needed.by_key) AND (api_keys.created_by_user IS NOT NULL))))) THEN 1 ELSE 2 END
;

CREATE OR REPLACE FUNCTION public.approvals_needed(payout payouts)
 RETURNS integer
 LANGUAGE sql
 STABLE
RETURN CASE WHEN ((EXISTS (SELECT FROM payout_checks c WHERE ((c.environment_id = (approvals_needed.payout).environment_id) AND (c.payout_id = (approvals_needed.payout).id) AND (c.reasons = '{}'::text[])))) AND (NOT key_waits((payout).created_by_key))) THEN 0 ELSE approvals_needed((payout).created_by_user, (payout).created_by_key) END
;

CREATE OR REPLACE FUNCTION public.approvers_of(batch payout_batches)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT a.user_id
    FROM payout_batch_approvals a
   WHERE ((a.environment_id = (approvers_of.batch).environment_id) AND (a.batch_id = (approvers_of.batch).id) AND (a.verdict = 'APPROVED'::text) AND (a.order_hash = (approvers_of.batch).order_hash) AND may_approve((approvers_of.batch).environment_id, a.user_id) AND (NOT (a.user_id IN ( SELECT creators_of.creators_of
            FROM creators_of((approvers_of.batch).environment_id, (approvers_of.batch).created_by_user, (approvers_of.batch).created_by_key) creators_of(creators_of)))));
END
;

CREATE OR REPLACE FUNCTION public.approvers_of(payout payouts)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT a.user_id
    FROM payout_approvals a
   WHERE ((a.environment_id = (approvers_of.payout).environment_id) AND (a.payout_id = (approvers_of.payout).id) AND (a.round = round_of(approvers_of.payout)) AND (a.verdict = 'APPROVED'::text) AND (a.order_hash = (approvers_of.payout).order_hash) AND may_approve((approvers_of.payout).environment_id, a.user_id) AND (NOT (a.user_id IN ( SELECT creators_of.creators_of
            FROM creators_of((approvers_of.payout).environment_id, (approvers_of.payout).created_by_user, (approvers_of.payout).created_by_key) creators_of(creators_of)))));
END
;

CREATE OR REPLACE FUNCTION public.audit_field(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN (COALESCE(((octet_length(convert_to(value, 'UTF8'::name)) || ':'::text) || value), '-'::text) || '
'::text)
;

CREATE OR REPLACE FUNCTION public.begin_round()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.round := 1 + coalesce((select max(a.round) from payout_approvals a
    where a.environment_id = new.environment_id and a.payout_id = new.payout_id), 0);
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.breaks_recipient_rule(payout payouts, rule jsonb)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM ((SELECT (breaks_recipient_rule.payout).environment_id AS environment_id) p LEFT JOIN recipients r ON (((r.environment_id = p.environment_id) AND (((r.kind = 'bank_account'::text) AND (r.bank_code = ((breaks_recipient_rule.payout).destination ->> 'bankCode'::text)) AND (r.account_number = ((breaks_recipient_rule.payout).destination ->> 'accountNumber'::text))) OR ((r.kind = 'wallet'::text) AND (r.address = ((breaks_recipient_rule.payout).destination ->> 'address'::text))))))) WHERE (((r.id IS NULL) AND (((breaks_recipient_rule.rule ->> 'onlySaved'::text))::boolean OR ((breaks_recipient_rule.rule ->> 'approveFirst'::text))::boolean)) OR (r.status = 'DISABLED'::text) OR (((breaks_recipient_rule.rule ->> 'approveFirst'::text))::boolean AND (NOT (EXISTS (SELECT FROM payouts paid WHERE ((paid.environment_id = r.environment_id) AND (paid.recipient_id = r.id) AND (paid.status = 'COMPLETED'::text) AND (paid.created_at >= r.active_since)))))) OR ((jsonb_typeof((breaks_recipient_rule.rule -> 'coolingOff'::text)) = 'object'::text) AND ((r.id IS NULL) OR ((breaks_recipient_rule.payout).created_at < (r.active_since + (((((breaks_recipient_rule.rule -> 'coolingOff'::text) ->> 'hours'::text))::integer)::double precision * '01:00:00'::interval)))) AND COALESCE((((breaks_recipient_rule.payout).amount)::numeric > (((((breaks_recipient_rule.rule -> 'coolingOff'::text) -> 'above'::text) ->> (breaks_recipient_rule.payout).asset))::numeric * (CASE (breaks_recipient_rule.payout).asset WHEN 'NGN'::text THEN 1 ELSE 1000000 END)::numeric)), true)))))
;

CREATE OR REPLACE FUNCTION public.chain_audit_line()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  head audit_heads;
begin
  new.chain := coalesce(new.chain, new.merchant_id, '00000000-0000-0000-0000-000000000000');
  select * into head from audit_heads where chain = new.chain for no key update;
  if not found then
    insert into audit_heads values (new.chain, 0, decode(repeat('00', 32), 'hex'))
      on conflict do nothing;
    select * into head from audit_heads where chain = new.chain for no key update;
  end if;
  new.number := head.number + 1;
  new.previous_hash := head.hash;
  new.hash := hash_audit_line(new);
  update audit_heads set number = new.number, hash = new.hash where chain = new.chain;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.check_approval_rule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.approval_rule::text is distinct from
    (select document -> 'approvals' from environment_settings where environment_id = new.id)::text then
    raise exception 'approval_rule_is_that_of_the_settings' using
      errcode = 'check_violation', constraint = 'approval_rule_is_that_of_the_settings';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_approving_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from session_ends s join environments e on e.merchant_id = s.merchant_id
      where e.id = new.environment_id and s.session_id = new.session_id) then
    raise exception 'approving_session_is_open' using
      errcode = 'check_violation', constraint = 'approving_session_is_open';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_attempts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from added where (select p.submitted_at is null from payouts p
      where p.environment_id = added.environment_id and p.id = added.payout_id)) then
    raise exception 'pending_payout_has_no_attempt' using
      errcode = 'check_violation', constraint = 'pending_payout_has_no_attempt';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_batch_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.check_batch_of_waiting_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'batch_of_this_key_waits' using
    errcode = 'check_violation', constraint = 'batch_of_this_key_waits';
end $function$
;

CREATE OR REPLACE FUNCTION public.check_batch_payout()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.check_batch_state()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.check_case_item()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  rule text;
begin
  -- No foreign keys: they would take part in every update of a payment or payout.
  rule := case
    when exists (select from cases
      where environment_id = new.environment_id and id = new.case_id and status <> 'OPEN')
      then 'items_of_closed_cases_stay'
    when new.payment_id is not null and not exists (select from payments
      where environment_id = new.environment_id and id = new.payment_id)
      then 'case_item_is_a_payment'
    when new.payout_id is not null and not exists (select from payouts
      where environment_id = new.environment_id and id = new.payout_id)
      then 'case_item_is_a_payout' end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_check()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.check_confirmation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.check_freezes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from payout_freezes where thawed_at is null)
      and exists (select from added a where is_frozen(a.environment_id, a.rail, a.created_by_key,
        a.created_by_user, a.destination)) then
    raise exception 'frozen_payout_is_not_made' using
      errcode = 'check_violation', constraint = 'frozen_payout_is_not_made';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_frozen_claim()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_frozen(new.environment_id, new.rail, new.created_by_key, new.created_by_user, null) then
    raise exception 'frozen_return_is_not_claimed' using
      errcode = 'check_violation', constraint = 'frozen_return_is_not_claimed';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_frozen_pending()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_frozen(new.environment_id, new.rail, new.created_by_key, new.created_by_user,
      new.destination) then
    raise exception 'frozen_payout_stays_pending' using
      errcode = 'check_violation', constraint = 'frozen_payout_stays_pending';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_link_use()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  maker record;
  given record;
  rule text;
begin
  if new.used_at is null or old.used_at is not null then
    return new;
  end if;
  if new.made_in_merchant_id is not null then
    select m.role, m.may_see_live into given from memberships m join users u on u.id = m.user_id
      where m.merchant_id = new.made_in_merchant_id and m.user_id = new.resets_user_id
        and m.disabled_at is null and u.disabled_at is null and not u.is_operator
        and not exists (select from memberships o
          where o.user_id = u.id and o.merchant_id <> new.made_in_merchant_id);
    if not found then
      rule := 'password_link_is_for_a_member_of_one_merchant';
    end if;
  else
    select new.role, new.may_see_live into given;
  end if;
  if rule is null and new.created_by_user is not null then
    select u.is_operator, m.role, m.may_see_live into maker from users u
      left join memberships m on m.user_id = u.id and m.disabled_at is null
        and m.merchant_id = coalesce(new.merchant_id, new.made_in_merchant_id)
      where u.id = new.created_by_user and u.disabled_at is null;
    if not coalesce(case
        when given.role is null then maker.is_operator
        else maker.role = 'owner' or (maker.role = 'admin' and given.role <> 'owner')
      end, false)
      or (given.role is not null and given.may_see_live and not maker.may_see_live) then
      rule := 'link_is_worth_what_its_maker_may_give';
    end if;
  end if;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_longer_wait()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.check_pending_payout()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.check_recipient()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  recipient recipients;
begin
  -- Payouts share the lock. A change of the recipient waits for them, or they see it.
  if new.recipient_id is not null then
    select * into recipient from recipients
    where environment_id = new.environment_id and id = new.recipient_id for share;
  elsif new.destination ->> 'address' is not null then
    select * into recipient from recipients
    where environment_id = new.environment_id and kind = 'wallet'
      and address = new.destination ->> 'address' for share;
  else
    select * into recipient from recipients
    where environment_id = new.environment_id and kind = 'bank_account'
      and bank_code = new.destination ->> 'bankCode'
      and account_number = new.destination ->> 'accountNumber' for share;
  end if;
  -- The foreign key reports one that does not exist.
  if not found then
    return new;
  end if;
  -- A settlement may go to any account of the merchant.
  if recipient.status <> 'ACTIVE' and not exists (select from settlements s
      where s.environment_id = new.environment_id and s.payout_id = new.id) then
    raise exception 'disabled_recipient_is_not_paid' using
      errcode = 'check_violation', constraint = 'disabled_recipient_is_not_paid';
  end if;
  if new.recipient_id is not null
      and (recipient.bank_code, recipient.account_number, recipient.account_name, recipient.address)
      is distinct from (new.destination ->> 'bankCode', new.destination ->> 'accountNumber',
        new.destination ->> 'accountName', new.destination ->> 'address') then
    raise exception 'payout_goes_to_its_recipient' using
      errcode = 'check_violation', constraint = 'payout_goes_to_its_recipient';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_recipient_rule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from added a join environments e
      on e.id = a.environment_id and e.approval_rule is not null
    cross join lateral (select control_of(e.approval_rule, 'recipients') as rule) c
    where c.rule is not null and a.status <> 'PENDING'
      and (a.kind in ('bank_transfer', 'crypto_transfer')
        or a.created_by_key is not null or a.created_by_user is not null)
      and coalesce(left(a.merchant_reference, 4), '') <> 'set_'
      and breaks_recipient_rule(a, c.rule)) then
    raise exception 'payout_keeps_to_the_recipient_rule' using
      errcode = 'check_violation', constraint = 'payout_keeps_to_the_recipient_rule';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_release()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from payout_checks c where c.environment_id = new.environment_id
      and c.payout_id = new.payout_id and c.screening ->> 'verdict' = 'hit') then
    raise exception 'release_of_a_hit_says_why' using
      errcode = 'check_violation', constraint = 'release_of_a_hit_says_why';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_rolled_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from api_keys k where k.id = new.rolled_into and not k.payouts_wait) then
    raise exception 'rolled_key_waits_like_the_old_one' using
      errcode = 'check_violation', constraint = 'rolled_key_waits_like_the_old_one';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_rule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.check_settlement()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.subaccount_id is null
      and is_unconfirmed(new.environment_id, new.conversion_id is not null) then
    raise exception 'settlement_goes_to_a_confirmed_destination' using
      errcode = 'check_violation', constraint = 'settlement_goes_to_a_confirmed_destination';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_settling_reference()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  rule jsonb := (select control_of(e.approval_rule, 'recipients') from environments e
    where e.id = new.environment_id);
begin
  if rule is not null and breaks_recipient_rule(new, rule) and not exists (
      select from settlements s
      where s.environment_id = new.environment_id and s.payout_id = new.id) then
    raise exception 'payout_keeps_to_the_recipient_rule' using
      errcode = 'check_violation', constraint = 'payout_keeps_to_the_recipient_rule';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.check_waiting_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from api_keys k join added a on a.created_by_key = k.id
      where k.payouts_wait and a.status <> 'PENDING' and a.batch_id is null) then
    raise exception 'payout_of_this_key_waits' using
      errcode = 'check_violation', constraint = 'payout_of_this_key_waits';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.control_of(rule json, part text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN NULLIF((((rule -> 'controls'::text) -> part))::jsonb, 'null'::jsonb)
;

CREATE OR REPLACE FUNCTION public.count_approvals(batch payout_batches)
 RETURNS bigint
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (( SELECT count(*) AS count
            FROM approvers_of(count_approvals.batch) approvers_of(approvers_of)) + ( SELECT count(*) AS count
            FROM payout_batch_approvals a
           WHERE ((a.environment_id = (count_approvals.batch).environment_id) AND (a.batch_id = (count_approvals.batch).id) AND (a.verdict = 'APPROVED'::text) AND (a.order_hash = (count_approvals.batch).order_hash) AND (a.decided_by = 'simulated'::text) AND is_test(a.environment_id))));
END
;

CREATE OR REPLACE FUNCTION public.count_approvals(payout payouts)
 RETURNS bigint
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (( SELECT count(*) AS count
            FROM approvers_of(count_approvals.payout) approvers_of(approvers_of)) + ( SELECT COALESCE(sum(
                 CASE
                     WHEN (a.decided_by = 'operator'::text) THEN 2
                     ELSE 1
                 END), (0)::bigint) AS "coalesce"
            FROM payout_approvals a
           WHERE ((a.environment_id = (count_approvals.payout).environment_id) AND (a.payout_id = (count_approvals.payout).id) AND (a.round = round_of(count_approvals.payout)) AND (a.verdict = 'APPROVED'::text) AND (a.order_hash = (count_approvals.payout).order_hash) AND (((a.decided_by = 'simulated'::text) AND is_test(a.environment_id)) OR ((a.decided_by = 'operator'::text) AND waits_for_screening_only(a.environment_id, a.payout_id))))));
END
;

CREATE OR REPLACE FUNCTION public.creators_of(environment integer, by_user uuid, by_key uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT creators_of.by_user AS by_user
   WHERE (creators_of.by_user IS NOT NULL)
 UNION
  SELECT h.user_id
    FROM (key_chain(creators_of.by_key) chain(chain)
      JOIN api_key_holders h ON (((h.environment_id = creators_of.environment) AND (h.key_id = chain.chain))))
   WHERE (creators_of.by_user IS NULL);
END
;

CREATE OR REPLACE FUNCTION public.erase_fields(value jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return case jsonb_typeof(value)
    when 'object' then (
      select coalesce(jsonb_object_agg(field.name, case
        when jsonb_typeof(field.value) = 'string' and field.value <> '""' and field.name in
          ('name', 'accountName', 'accountNumber', 'address', 'email', 'phone', 'narration')
        then '"[erased]"'
        else erase_fields(field.value) end), '{}')
      from jsonb_each(value) field (name, value))
    when 'array' then (
      select coalesce(jsonb_agg(erase_fields(item.value) order by item.number), '[]')
      from jsonb_array_elements(value) with ordinality item (value, number))
    else value end;
end $function$
;

CREATE OR REPLACE FUNCTION public.first_entry_at(environment integer, of_asset text, wanted timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  low bigint := 1;
  high bigint := 1;
  middle bigint;
  written timestamptz;
begin
  select entry_count + 1 into high from ledger_accounts
    where environment_id = environment and asset = of_asset and name = 'available';
  while low < high loop
    middle := (low + high) / 2;
    select created_at into written from ledger_transfers
      where environment_id = environment and asset = of_asset and entry_number = middle;
    if not found then
      select created_at into written from ledger_resolutions
        where environment_id = environment and asset = of_asset and entry_number = middle;
    end if;
    if written < wanted then low := middle + 1; else high := middle; end if;
  end loop;
  return low;
end $function$
;

CREATE OR REPLACE FUNCTION public.first_subaccount_entry_at(environment integer, subaccount uuid, of_asset text, wanted timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  low bigint := 1;
  high bigint := 1;
  middle bigint;
  written timestamptz;
begin
  select entry_count + 1 into high from ledger_accounts
    where environment_id = environment and asset = of_asset and name = 'sub:' || subaccount;
  while low < high loop
    middle := (low + high) / 2;
    select created_at into written from ledger_transfers
      where environment_id = environment and subaccount_id = subaccount and asset = of_asset
        and subaccount_entry = middle;
    if not found then
      select created_at into written from ledger_resolutions
        where environment_id = environment and subaccount_id = subaccount and asset = of_asset
          and subaccount_entry = middle;
    end if;
    if written < wanted then low := middle + 1; else high := middle; end if;
  end loop;
  return low;
end $function$
;

CREATE OR REPLACE FUNCTION public.has_controls(rule json)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (COALESCE(control_of(rule, 'callback'::text), control_of(rule, 'recipients'::text), control_of(rule, 'velocity'::text), control_of(rule, 'duplicates'::text)) IS NOT NULL)
;

CREATE OR REPLACE FUNCTION public.has_limits(rule json)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((COALESCE(((rule -> 'NGN'::text) ->> 'each'::text), ((rule -> 'USDC'::text) ->> 'each'::text), ((rule -> 'USDT'::text) ->> 'each'::text)) IS NOT NULL) OR has_controls(rule))
;

CREATE OR REPLACE FUNCTION public.hash_audit_line(line audit_lines)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
RETURN sha256(((line).previous_hash || convert_to(((((((((((((('manilla audit line 1
'::text || audit_field(((line).chain)::text)) || audit_field(((line).number)::text)) || audit_field(((line).id)::text)) || audit_field((line).actor)) || audit_field((line).action)) || audit_field(((line).merchant_id)::text)) || audit_field(((line).environment_id)::text)) || audit_field(((line).details)::text)) || audit_field((((EXTRACT(epoch FROM (line).created_at) * (1000000)::numeric))::bigint)::text)) || audit_field(((line).user_id)::text)) || audit_field(((line).session_id)::text)) || audit_field((line).address)) || audit_field((line).request_id)), 'UTF8'::name)))
;

CREATE OR REPLACE FUNCTION public.have_shared_access(one uuid, other uuid, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM (holders_of(have_shared_access.one, (have_shared_access.at - '72:00:00'::interval)) a(a) JOIN holders_of(have_shared_access.other, (have_shared_access.at - '72:00:00'::interval)) b(b) ON ((a.a = b.b)))))
;

CREATE OR REPLACE FUNCTION public.holders_of(account uuid, since timestamp with time zone)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH RECURSIVE links AS (
          SELECT l.maker,
             l.target
            FROM access_links(holders_of.since) l(maker, target, kind, given_at)
         ), holders AS (
          SELECT holders_of.account AS id
         UNION
          SELECT links.maker
            FROM (holders holders_1
              JOIN links ON ((links.target = holders_1.id)))
         )
  SELECT holders.id
    FROM holders;
END
;

CREATE OR REPLACE FUNCTION public.is_erasure(was jsonb, becomes jsonb, field text, in_metadata boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  kind text := jsonb_typeof(was);
  old_text text := was #>> '{}';
  new_text text := becomes #>> '{}';
  is_metadata boolean := in_metadata or field = 'metadata';
begin
  if becomes = was or becomes = '"[erased]"' and (kind = 'string' or kind = 'number' and (
      in_metadata or field ~* '((account|phone|mobile)(_?(number|no))?|msisdn|nuban)$')) then
    return true;
  end if;
  if kind is distinct from jsonb_typeof(becomes) then
    return false;
  end if;
  if kind = 'object' then
    return (select count(*) from jsonb_object_keys(was)) =
        (select count(*) from jsonb_object_keys(becomes))
      and not exists (select from jsonb_each(becomes) item (name, value)
        where not case
          when was ? item.name then is_erasure(was -> item.name, item.value, item.name, is_metadata)
          else item.name = '[erased]' end);
  end if;
  if kind = 'array' then
    return jsonb_array_length(was) = jsonb_array_length(becomes)
      and not exists (select from generate_series(0, jsonb_array_length(was) - 1) at
        where not is_erasure(was -> at, becomes -> at, null, is_metadata));
  end if;
  if kind = 'string' and left(old_text, 4) = '\x7b' and left(new_text, 4) = '\x7b' then
    return is_erasure(
      convert_from(decode(substr(old_text, 3), 'hex'), 'UTF8')::jsonb,
      convert_from(decode(substr(new_text, 3), 'hex'), 'UTF8')::jsonb, field, in_metadata);
  end if;
  if kind = 'string' and left(old_text, 1) in ('{', '[') and left(new_text, 1) in ('{', '[') then
    return is_erasure(old_text::jsonb, new_text::jsonb, field, in_metadata);
  end if;
  return false;
exception
  when invalid_text_representation or character_not_in_repertoire or untranslatable_character then
    return false;
end $function$
;

CREATE OR REPLACE FUNCTION public.is_frozen(environment integer, rail_name text, key uuid, creator uuid, destination json)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM payout_freezes f WHERE ((f.thawed_at IS NULL) AND ((f.environment_id = is_frozen.environment) OR (f.environment_id IS NULL)) AND CASE f.kind WHEN 'merchant'::text THEN true WHEN 'key'::text THEN ((f.subject)::uuid IN (SELECT key_chain.key_chain FROM key_chain(is_frozen.key) key_chain(key_chain))) WHEN 'member'::text THEN (f.subject = (is_frozen.creator)::text) WHEN 'recipient'::text THEN CASE WHEN ((is_frozen.destination ->> 'address'::text) IS NULL) THEN (lower(f.subject) = lower(concat((is_frozen.destination ->> 'bankCode'::text), '/', (is_frozen.destination ->> 'accountNumber'::text)))) ELSE (f.subject = (is_frozen.destination ->> 'address'::text)) END ELSE (f.subject = is_frozen.rail_name) END)))
;

CREATE OR REPLACE FUNCTION public.is_held(at timestamp with time zone, environment integer, row_text text, ids uuid[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from legal_holds h
    where h.released_at is null and (h.until is null or h.until > at)
      and (h.merchant_id is null or environment is null or h.merchant_id =
        (select e.merchant_id from environments e where e.id = environment))
      and (h.resource_id = any (ids) or h.resource_id is null and strpos(lower(row_text),
        case h.kind when 'bank_account' then split_part(h.subject, ':', 2)
          else lower(h.subject) end) > 0))
$function$
;

CREATE OR REPLACE FUNCTION public.is_looser_rule(before json, after json)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((EXISTS (SELECT FROM unnest(ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]) asset(asset), unnest(ARRAY['each'::text, 'perDay'::text]) field(field) WHERE ((((is_looser_rule.before -> asset.asset) ->> field.field) IS NOT NULL) AND (COALESCE(((((is_looser_rule.after -> asset.asset) ->> field.field))::numeric > (((is_looser_rule.before -> asset.asset) ->> field.field))::numeric), true) OR (((is_looser_rule.before ->> 'appliesTo'::text) = 'all'::text) AND ((is_looser_rule.after ->> 'appliesTo'::text) IS DISTINCT FROM 'all'::text)))))) OR (EXISTS (SELECT FROM unnest(ARRAY['callback'::text, 'recipients'::text, 'velocity'::text, 'duplicates'::text]) part(part) WHERE ((control_of(is_looser_rule.before, part.part) IS NOT NULL) AND (control_of(is_looser_rule.after, part.part) IS DISTINCT FROM control_of(is_looser_rule.before, part.part))))))
;

CREATE OR REPLACE FUNCTION public.is_test(environment integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM environments WHERE ((environments.id = is_test.environment) AND (environments.mode = 'test'::text))))
;

CREATE OR REPLACE FUNCTION public.is_unconfirmed(environment integer, is_wallet boolean)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN COALESCE((SELECT CASE WHEN is_unconfirmed.is_wallet THEN (has_limits(e.approval_rule) AND COALESCE((SELECT (w.confirmed_at IS NULL) FROM settlement_wallets w WHERE (w.environment_id = e.id) ORDER BY w.id DESC LIMIT 1), true)) ELSE (EXISTS (SELECT FROM merchant_bank_accounts a WHERE ((a.environment_id = e.id) AND a.is_primary AND (a.chosen_by_user IS NOT NULL) AND (a.confirmed_at IS NULL) AND (has_limits(e.approval_rule) OR ((e.mode = 'live'::text) AND a.name_differs))))) END AS "exists" FROM environments e WHERE (e.id = is_unconfirmed.environment)), false)
;

CREATE OR REPLACE FUNCTION public.keep_approval_rule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_approver_since()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_audit_head()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if pg_trigger_depth() < 2
    or (tg_op = 'INSERT' and new.number <> 0)
    or (tg_op = 'UPDATE' and (new.chain <> old.chain or new.number <> old.number + 1)) then
    raise exception 'an audit head moves only with its line'
      using errcode = 'restrict_violation', constraint = 'audit_numbers_have_no_gap';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_legal_hold()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.released_at is null and new.released_at is not null
    and to_jsonb(old) - '{released_by,released_at}'::text[]
      = to_jsonb(new) - '{released_by,released_at}'::text[]
    or old.released_at is not null and current_setting('manilla.erasing', true) = 'on' then
    return new;
  end if;
  raise exception 'legal holds are released once, and not edited'
    using errcode = 'restrict_violation', constraint = 'legal_holds_are_only_released';
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_logged_head()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.chain <> old.chain or new.number < old.number
    or (new.number = old.number and new.hash <> old.hash) then
    raise exception 'a logged audit head never goes back'
      using errcode = 'restrict_violation', constraint = 'logged_head_never_goes_back';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_one_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.role = 'owner' and old.disabled_at is null
    and (tg_op = 'DELETE' or new.role <> 'owner' or new.disabled_at is not null) then
    perform from merchants where id = old.merchant_id for no key update;
    if not exists (select from memberships where merchant_id = old.merchant_id
      and user_id <> old.user_id and role = 'owner' and disabled_at is null) then
      raise exception 'one_owner_remains' using errcode = 'check_violation', constraint = 'one_owner_remains';
    end if;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_operator_action()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    raise exception 'operator_action_stays' using errcode = 'check_violation';
  end if;
  if old.state <> 'WAITING' or (new.id, new.kind, new.subject, new.payload::text, new.merchant_id,
      new.proposed_by, new.proposed_at, new.expires_at)
    is distinct from (old.id, old.kind, old.subject, old.payload::text, old.merchant_id,
      old.proposed_by, old.proposed_at, old.expires_at) then
    raise exception 'operator_action_is_not_edited'
      using errcode = 'check_violation', constraint = 'operator_action_is_not_edited';
  end if;
  if new.state = 'DONE' and not exists (select from users
      where id = new.confirmed_by and is_operator and disabled_at is null) then
    raise exception 'operator_confirms'
      using errcode = 'check_violation', constraint = 'operator_confirms';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_recent_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.created_at < nullif(current_setting('manilla.events_deleted_before', true), '')::timestamptz
    and old.created_at < now() - interval '90 days' then
    return old;
  end if;
  raise exception 'events rows are never edited or removed' using errcode = 'restrict_violation',
    hint = 'Workers delete them when they are older than EVENT_DAYS.';
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_used_link()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.used_at is not null then
    raise exception 'link_is_used_once' using errcode = 'check_violation', constraint = 'link_is_used_once';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.key_chain(key uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH RECURSIVE earlier AS (
          SELECT k.id
            FROM api_keys k
           WHERE (k.id = key_chain.key)
         UNION
          SELECT k.id
            FROM (api_keys k
              JOIN earlier ON ((k.rolled_into = earlier.id)))
         ), later AS (
          SELECT k.id,
             k.rolled_into
            FROM api_keys k
           WHERE (k.id = key_chain.key)
         UNION
          SELECT k.id,
             k.rolled_into
            FROM (api_keys k
              JOIN later ON ((k.id = later.rolled_into)))
         )
  SELECT earlier.id
    FROM earlier
 UNION
  SELECT later.id
    FROM later;
END
;

CREATE OR REPLACE FUNCTION public.key_waits(key uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM api_keys WHERE ((api_keys.id = key_waits.key) AND api_keys.payouts_wait)))
;

CREATE OR REPLACE FUNCTION public.limit_of(rule json, asset text, is_of_key boolean)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((NOT is_of_key) OR ((rule ->> 'appliesTo'::text) = 'all'::text)) THEN ((((rule -> asset) ->> 'each'::text))::numeric * (CASE asset WHEN 'NGN'::text THEN 1 ELSE 1000000 END)::numeric) ELSE NULL::numeric END
;

CREATE OR REPLACE FUNCTION public.may_approve(environment integer, approver uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM ((environments e JOIN memberships m ON (((m.merchant_id = e.merchant_id) AND (m.user_id = may_approve.approver) AND (m.disabled_at IS NULL) AND (m.role = ANY (ARRAY['owner'::text, 'admin'::text, 'finance'::text])) AND ((e.mode = 'test'::text) OR m.may_see_live)))) JOIN users u ON (((u.id = may_approve.approver) AND (u.disabled_at IS NULL)))) WHERE (e.id = may_approve.environment)))
;

CREATE OR REPLACE FUNCTION public.note_report_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  changed_at timestamptz;
begin
  if tg_table_name = 'payouts' then
    changed_at := coalesce(new.completed_at, new.failed_at);
  else
    changed_at := new.created_at;
  end if;
  if changed_at < date_trunc('day', clock_timestamp() - interval '30 minutes', 'Africa/Lagos') then
    insert into report_changes (environment_id, report, day_start, transaction_id)
    values (new.environment_id, tg_argv[0], date_trunc('day', changed_at, 'Africa/Lagos'),
      pg_current_xact_id())
    on conflict do nothing;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.only_erase()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  was jsonb := to_jsonb(old);
  becomes jsonb := to_jsonb(new);
  -- Computed from the others after this trigger.
  generated text[] := array(select attname from pg_attribute
    where attrelid = tg_relid and attgenerated <> '');
  name text;
begin
  if (was - tg_argv - generated) is distinct from (becomes - tg_argv - generated) then
    raise exception '% rows are never edited, only erased', tg_table_name
      using errcode = 'restrict_violation', constraint = tg_name;
  end if;
  foreach name in array tg_argv loop
    if not is_erasure(was -> name, becomes -> name, name, false) then
      raise exception '% of % is never edited, only erased', name, tg_table_name
        using errcode = 'restrict_violation', constraint = tg_name;
    end if;
  end loop;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.only_withdraw()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.withdrawn_at is null and new.withdrawn_at is not null
    or current_setting('manilla.erasing', true) = 'on' then
    return new;
  end if;
  raise exception 'notes are withdrawn once, and not edited' using errcode = 'restrict_violation';
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_attempt_on_another_chain()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from payout_attempts earlier
    where earlier.environment_id = new.environment_id and earlier.payout_id = new.payout_id
      and earlier.valid_until is not null and earlier.rail <> new.rail)
  then
    raise exception 'payout % has an attempt on another chain than %', new.payout_id, new.rail
      using errcode = 'check_violation', constraint = 'attempts_stay_on_one_chain';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and current_setting('manilla.erasing', true) = 'on'
    and (tg_table_name like 'sandbox\_%' or exists (select from pg_trigger
      where tgrelid = tg_relid and tgname = 'only_personal_data_is_erased' and tgenabled = 'O'))
  then
    return case when tg_level = 'ROW' then new end;
  end if;
  raise exception '% rows are never edited or removed', tg_table_name
    using errcode = 'restrict_violation', constraint = tg_name;
end $function$
;

CREATE OR REPLACE FUNCTION public.require_line_of_head()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from audit_lines
    where chain = new.chain and number = new.number and hash = new.hash) then
    raise exception 'an audit head moved without a line'
      using errcode = 'restrict_violation', constraint = 'audit_numbers_have_no_gap';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.require_screening_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.round_of(payout payouts)
 RETURNS integer
 LANGUAGE sql
 STABLE
RETURN COALESCE((SELECT c.round FROM payout_checks c WHERE ((c.environment_id = (round_of.payout).environment_id) AND (c.payout_id = (round_of.payout).id))), 1)
;

CREATE OR REPLACE FUNCTION public.search_words(text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  if $1 ~ '^[0-9A-Za-z]{2,40}( [0-9A-Za-z]{2,40}){0,3}$' then
    return string_to_array(lower($1), ' ');
  end if;
  return search_words_of_any_text($1);
end $function$
;

CREATE OR REPLACE FUNCTION public.search_words_of_any_text(text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ARRAY(SELECT DISTINCT word.word FROM regexp_split_to_table(lower(translate(regexp_replace(NORMALIZE($1, NFD), '[\u0300-\u036f\u2019'']'::text, ''::text, 'g'::text), 'ƁɓƊɗƘƙƳƴ'::text, 'bbddkkyy'::text)), '[^0-9a-z\u0080-\uffff]+'::text) word(word) WHERE ((length(word.word) >= 2) AND (length(word.word) <= 40)) LIMIT 12)
;

CREATE OR REPLACE FUNCTION public.waits_for_screening_only(environment integer, payout uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM payout_checks c WHERE ((c.environment_id = waits_for_screening_only.environment) AND (c.payout_id = waits_for_screening_only.payout) AND (c.reasons = '{screening}'::text[]))))
;

create table allocation_moves (
  environment_id integer not null,
  id uuid not null,
  reallocation_id uuid not null,
  allocation_id uuid not null,
  amount bigint not null,
  created_at timestamp with time zone not null,
  constraint allocation_move_has_an_amount CHECK ((amount > 0)),
  constraint allocation_moves_environment_id_allocation_id_fkey FOREIGN KEY (environment_id, allocation_id) REFERENCES payment_allocations(environment_id, id),
  constraint allocation_moves_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint allocation_moves_environment_id_reallocation_id_fkey FOREIGN KEY (environment_id, reallocation_id) REFERENCES reallocations(environment_id, id),
  constraint allocation_moves_pkey PRIMARY KEY (environment_id, id)
);

create table allocation_refunds (
  environment_id integer not null,
  id uuid not null,
  return_id uuid not null,
  allocation_id uuid not null,
  of_invoice bigint not null,
  of_credit bigint not null,
  state text not null,
  created_at timestamp with time zone not null,
  other_invoice_id uuid,
  paid_amount bigint,
  constraint allocation_refund_has_an_amount CHECK (((of_invoice >= 0) AND (of_credit >= 0) AND (COALESCE(paid_amount, (0)::bigint) >= 0) AND (((of_invoice + of_credit) + COALESCE(paid_amount, (0)::bigint)) > 0))),
  constraint allocation_refund_state_is_known CHECK ((state = ANY (ARRAY['TAKEN'::text, 'GIVEN_BACK'::text]))),
  constraint allocation_refunds_environment_id_allocation_id_fkey FOREIGN KEY (environment_id, allocation_id) REFERENCES payment_allocations(environment_id, id),
  constraint allocation_refunds_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint allocation_refunds_environment_id_other_invoice_id_fkey FOREIGN KEY (environment_id, other_invoice_id) REFERENCES invoices(environment_id, id),
  constraint allocation_refunds_pkey PRIMARY KEY (environment_id, id),
  constraint refund_of_other_invoice_takes_no_credit CHECK (((other_invoice_id IS NULL) OR ((of_invoice > 0) AND (of_credit = 0))))
);

create table api_key_holders (
  environment_id integer not null,
  key_id uuid not null,
  user_id uuid not null,
  how text not null,
  seen_at timestamp with time zone not null,
  constraint api_key_holders_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint api_key_holders_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id),
  constraint api_key_holders_pkey PRIMARY KEY (environment_id, key_id, user_id),
  constraint api_key_holders_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint way_to_see_a_key_is_known CHECK ((how = ANY (ARRAY['created'::text, 'rolled'::text, 'revealed'::text])))
);

create table api_keys (
  id uuid not null,
  environment_id integer not null,
  kind text not null,
  name text not null,
  hash bytea not null,
  hint text not null,
  allowed_addresses text[] default '{}'::text[] not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  rolled_into uuid,
  secret_fingerprint bytea,
  created_by_user uuid,
  permissions text[],
  sealed_key text,
  subaccount_id uuid,
  payouts_wait boolean default false not null,
  constraint api_keys_created_by_user_fkey FOREIGN KEY (created_by_user) REFERENCES users(id),
  constraint api_keys_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_rolled_into_fkey FOREIGN KEY (rolled_into) REFERENCES api_keys(id),
  constraint key_has_a_name CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint key_has_its_subaccount FOREIGN KEY (environment_id, subaccount_id) REFERENCES subaccounts(environment_id, id),
  constraint key_hash_is_whole CHECK ((length(hash) = 32)),
  constraint key_kind_is_known CHECK ((kind = ANY (ARRAY['secret'::text, 'public'::text]))),
  constraint key_of_a_subaccount_only_reads CHECK (((subaccount_id IS NULL) OR ((kind = 'secret'::text) AND (permissions <@ ARRAY['balances.see'::text, 'payouts.see'::text, 'subaccounts.see'::text]) AND (permissions IS NOT NULL)))),
  constraint key_permissions_are_named CHECK ((cardinality(permissions) > 0)),
  constraint only_secret_keys_wait CHECK (((NOT payouts_wait) OR (kind = 'secret'::text))),
  constraint only_secret_test_keys_are_kept CHECK (((sealed_key IS NULL) OR (hint ~~ 'sk\_test\_%'::text)))
);

create table audit_heads (
  chain uuid not null,
  number bigint not null,
  hash bytea not null,
  constraint audit_head_has_its_line TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint audit_heads_pkey PRIMARY KEY (chain),
  constraint head_hash_is_whole CHECK ((length(hash) = 32)),
  constraint head_number_is_not_negative CHECK ((number >= 0))
) with (fillfactor=50);

create table audit_lines (
  id uuid not null,
  actor text not null,
  action text not null,
  merchant_id uuid,
  environment_id integer,
  details json not null,
  created_at timestamp with time zone not null,
  chain uuid not null,
  number bigint not null,
  previous_hash bytea not null,
  hash bytea not null,
  user_id uuid,
  session_id uuid,
  address text,
  request_id text,
  constraint audit_lines_pkey PRIMARY KEY (id),
  constraint chain_is_of_the_merchant CHECK (((chain = '00000000-0000-0000-0000-000000000000'::uuid) OR (NOT (chain IS DISTINCT FROM merchant_id)))),
  constraint line_hash_is_whole CHECK (((length(hash) = 32) AND (length(previous_hash) = 32)))
);

create table audit_logged_heads (
  chain uuid not null,
  number bigint not null,
  hash bytea not null,
  logged_at timestamp with time zone not null,
  constraint audit_logged_heads_pkey PRIMARY KEY (chain),
  constraint logged_hash_is_whole CHECK ((length(hash) = 32))
);

create table audit_verifications (
  chain uuid not null,
  verified_at timestamp with time zone not null,
  lines bigint not null,
  fault text,
  constraint audit_verifications_pkey PRIMARY KEY (chain)
);

create table bank_orders (
  rail text not null,
  token text not null,
  sendings integer default 0 not null,
  refusals integer default 0 not null,
  refusal text,
  busy_until timestamp with time zone,
  closed_at timestamp with time zone,
  first_sent_at timestamp with time zone not null,
  constraint bank_orders_pkey PRIMARY KEY (rail, token),
  constraint only_refused_order_is_closed CHECK (((closed_at IS NULL) OR (refusals = sendings))),
  constraint refusals_answer_sendings CHECK ((refusals <= sendings)),
  constraint sendings_are_not_negative CHECK ((sendings >= 0))
);

create table case_items (
  environment_id integer not null,
  id uuid not null,
  case_id uuid not null,
  payment_id uuid,
  payout_id uuid,
  recipient_id uuid,
  customer_id uuid,
  resource_id uuid default COALESCE(payment_id, payout_id, recipient_id, customer_id) not null,
  added_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint case_item_is_a_customer FOREIGN KEY (environment_id, customer_id) REFERENCES customers(environment_id, id),
  constraint case_item_is_a_recipient FOREIGN KEY (environment_id, recipient_id) REFERENCES recipients(environment_id, id),
  constraint case_item_is_one_resource CHECK ((num_nonnulls(payment_id, payout_id, recipient_id, customer_id) = 1)),
  constraint case_items_environment_id_case_id_fkey FOREIGN KEY (environment_id, case_id) REFERENCES cases(environment_id, id),
  constraint case_items_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint case_items_pkey PRIMARY KEY (environment_id, id)
);

create table cases (
  environment_id integer not null,
  id uuid not null,
  mode text not null,
  kind text not null,
  status text not null,
  title text not null,
  description text,
  external_reference text,
  assignee_id uuid,
  deadline timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer default 0 not null,
  outcome text,
  outcome_note text,
  created_by_key uuid,
  created_by_user uuid,
  event_sequence integer default 1 not null,
  created_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  changed_at timestamp with time zone default now() not null,
  constraint case_description_is_short CHECK (((length(description) >= 1) AND (length(description) <= 2000))),
  constraint case_event_sequence_is_positive CHECK ((event_sequence > 0)),
  constraint case_external_reference_is_short CHECK (((length(external_reference) >= 1) AND (length(external_reference) <= 100))),
  constraint case_has_one_creator CHECK ((num_nonnulls(created_by_key, created_by_user) = 1)),
  constraint case_kind_is_known CHECK ((kind = ANY (ARRAY['FRAUD'::text, 'COMPLAINT'::text, 'RECALL'::text, 'OTHER'::text]))),
  constraint case_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint case_outcome_is_known CHECK ((outcome = ANY (ARRAY['UPHELD'::text, 'REJECTED'::text, 'OTHER'::text]))),
  constraint case_outcome_note_is_short CHECK (((length(outcome_note) >= 1) AND (length(outcome_note) <= 500))),
  constraint case_status_is_known CHECK ((status = ANY (ARRAY['OPEN'::text, 'CLOSED'::text]))),
  constraint case_title_is_short CHECK (((length(title) >= 1) AND (length(title) <= 200))),
  constraint cases_assignee_id_fkey FOREIGN KEY (assignee_id) REFERENCES users(id),
  constraint cases_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint cases_pkey PRIMARY KEY (environment_id, id),
  constraint closed_case_has_its_outcome CHECK ((((status = 'CLOSED'::text) = (outcome IS NOT NULL)) AND ((status = 'CLOSED'::text) = (closed_at IS NOT NULL)))),
  constraint only_an_outcome_has_a_note CHECK (((outcome IS NOT NULL) OR (outcome_note IS NULL))),
  constraint only_open_deadlines_are_due CHECK (((due_at IS NULL) OR ((status = 'OPEN'::text) AND (deadline IS NOT NULL)))),
  constraint other_outcome_has_a_note CHECK (((outcome <> 'OTHER'::text) OR (outcome_note IS NOT NULL)))
);

create table chains (
  mode text not null,
  genesis_hash text not null,
  pinned_at timestamp with time zone not null,
  constraint chain_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint chains_pkey PRIMARY KEY (mode),
  constraint only_live_uses_mainnet CHECK (((mode = 'live'::text) = (genesis_hash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'::text)))
);

create table checkout_sessions (
  environment_id integer not null,
  id uuid not null,
  reference text not null,
  account_id uuid,
  description text not null,
  customer_name text not null,
  customer_email text not null,
  merchant_reference text,
  url text not null,
  success_url text,
  cancel_url text,
  metadata json not null,
  event_sequence integer default 0 not null,
  created_at timestamp with time zone not null,
  wallet_id uuid,
  status text default 'pending'::text not null,
  opened_at timestamp with time zone,
  amount bigint,
  crypto_rate bigint,
  payment_link_id uuid,
  constraint checkout_sessions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint checkout_sessions_pkey PRIMARY KEY (environment_id, id),
  constraint ended_session_has_an_event CHECK (((status = 'pending'::text) = (event_sequence = 0))),
  constraint only_prices_in_coins_have_a_rate CHECK (((crypto_rate IS NULL) OR ((crypto_rate > 0) AND (wallet_id IS NOT NULL)))),
  constraint session_can_be_paid CHECK (((account_id IS NOT NULL) OR ((wallet_id IS NOT NULL) AND (amount IS NOT NULL)))),
  constraint session_has_one_account UNIQUE (environment_id, account_id),
  constraint session_reference_is_long CHECK ((length(reference) = 42)),
  constraint session_says_what_it_is_for CHECK (((length(description) >= 1) AND (length(description) <= 500))),
  constraint session_status_is_known CHECK ((status = ANY (ARRAY['pending'::text, 'paid'::text, 'expired'::text, 'cancelled'::text])))
);

create table claim_holds (
  environment_id integer not null,
  id uuid not null,
  claim_id uuid not null,
  opening integer not null,
  amount bigint not null,
  ended_as text,
  payout_id uuid,
  created_at timestamp with time zone not null,
  constraint claim_hold_end_is_known CHECK ((ended_as = ANY (ARRAY['CLAIMED'::text, 'EXPIRED'::text, 'CANCELLED'::text]))),
  constraint claim_hold_has_an_amount CHECK ((amount > 0)),
  constraint claim_holds_environment_id_claim_id_fkey FOREIGN KEY (environment_id, claim_id) REFERENCES claims(environment_id, id),
  constraint claim_holds_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint claim_holds_pkey PRIMARY KEY (environment_id, id),
  constraint claim_opening_is_numbered CHECK ((opening > 0)),
  constraint claimed_hold_has_a_payout CHECK (((NOT (ended_as IS DISTINCT FROM 'CLAIMED'::text)) = (payout_id IS NOT NULL)))
);

create table claims (
  environment_id integer not null,
  id uuid not null,
  token_hash bytea not null,
  status text not null,
  asset text not null,
  amount bigint not null,
  fee_max bigint not null,
  description text not null,
  recipient_name text,
  email text,
  merchant_reference text,
  metadata json not null,
  word_hash bytea,
  word_salt bytea,
  word_cost integer,
  word_block_size integer,
  word_parallelism integer,
  guesses integer default 0 not null,
  lookups integer default 0 not null,
  openings integer default 1 not null,
  payout_id uuid,
  created_by_key uuid,
  created_by_user uuid,
  event_sequence integer default 1 not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  claimed_at timestamp with time zone,
  ended_at timestamp with time zone,
  payment_id uuid,
  rail text,
  takes_from text default 'available'::text not null,
  constraint claim_amount_is_positive CHECK ((amount > 0)),
  constraint claim_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint claim_event_sequence_is_positive CHECK ((event_sequence > 0)),
  constraint claim_fee_is_not_negative CHECK ((fee_max >= 0)),
  constraint claim_guesses_are_limited CHECK (((guesses >= 0) AND (guesses <= 5))),
  constraint claim_has_its_payout CHECK (((status = 'CLAIMED'::text) = (payout_id IS NOT NULL))),
  constraint claim_lookups_are_limited CHECK (((lookups >= 0) AND (lookups <= 20))),
  constraint claim_of_payment_has_its_rail CHECK (((payment_id IS NULL) = (rail IS NULL))),
  constraint claim_of_payment_is_free CHECK (((payment_id IS NULL) OR (fee_max = 0))),
  constraint claim_openings_are_counted CHECK ((openings > 0)),
  constraint claim_status_is_known CHECK ((status = ANY (ARRAY['OPEN'::text, 'CLAIMED'::text, 'EXPIRED'::text, 'CANCELLED'::text]))),
  constraint claim_takes_from_is_known CHECK (((takes_from = 'available'::text) OR ((takes_from = 'suspense'::text) AND (payment_id IS NOT NULL)))),
  constraint claim_token_is_hashed CHECK ((length(token_hash) = 32)),
  constraint claim_word_is_whole CHECK ((num_nulls(word_hash, word_salt, word_cost, word_block_size, word_parallelism) = ANY (ARRAY[0, 5]))),
  constraint claimed_claim_has_its_time CHECK (((status = 'CLAIMED'::text) = (claimed_at IS NOT NULL))),
  constraint claims_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint claims_pkey PRIMARY KEY (environment_id, id),
  constraint ended_claim_has_its_time CHECK (((status = ANY (ARRAY['EXPIRED'::text, 'CANCELLED'::text])) = (ended_at IS NOT NULL)))
);

create table clock_moves (
  environment_id integer not null,
  moved_at timestamp with time zone not null,
  offset_before_ms bigint not null,
  constraint clock_moves_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint clock_moves_pkey PRIMARY KEY (environment_id, moved_at)
);

create table coin_backings (
  environment_id integer not null,
  id uuid not null,
  asset text not null,
  amount bigint not null,
  is_minted boolean default false not null,
  created_at timestamp with time zone not null,
  constraint backing_is_in_coins CHECK ((asset = ANY (ARRAY['USDC'::text, 'USDT'::text]))),
  constraint backing_is_positive CHECK ((amount > 0)),
  constraint coin_backings_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint coin_backings_pkey PRIMARY KEY (environment_id, id)
);

create table collection_accounts (
  environment_id integer not null,
  id uuid not null,
  kind text not null,
  rail text not null,
  number text not null,
  account_name text not null,
  bank_code text not null,
  bank_name text not null,
  asset text,
  amount bigint,
  merchant_reference text not null,
  metadata json not null,
  status text not null,
  variance text default 'NONE'::text not null,
  amount_received bigint default 0 not null,
  amount_accepted bigint default 0 not null,
  amount_held bigint default 0 not null,
  amount_returning bigint default 0 not null,
  amount_returned bigint default 0 not null,
  event_sequence integer default 0 not null,
  expires_at timestamp with time zone,
  paid_at timestamp with time zone,
  ended_at timestamp with time zone,
  created_at timestamp with time zone not null,
  due_at timestamp with time zone,
  session_id uuid,
  requested_amount text,
  rail_account text not null,
  cancellation_reason text,
  customer json,
  split_id uuid,
  customer_id uuid,
  invoice_id uuid,
  constraint account_amounts_add_up CHECK (((amount_received = (((amount_accepted + amount_held) + amount_returning) + amount_returned)) AND (LEAST(amount_accepted, amount_held, amount_returning, amount_returned) >= 0))),
  constraint account_kind_is_known CHECK ((kind = ANY (ARRAY['virtual_account'::text, 'dedicated_account'::text, 'crypto_wallet'::text, 'dedicated_crypto_wallet'::text]))),
  constraint account_of_invoice_has_its_customer CHECK (((invoice_id IS NULL) OR (customer_id IS NOT NULL))),
  constraint account_status_is_known CHECK (
CASE
    WHEN (kind = ANY (ARRAY['virtual_account'::text, 'crypto_wallet'::text])) THEN (status = ANY (ARRAY['ACTIVE'::text, 'PAID'::text, 'EXPIRED'::text, 'CANCELLED'::text]))
    ELSE (status = ANY (ARRAY['ACTIVE'::text, 'INACTIVE'::text]))
END),
  constraint amount_is_positive CHECK ((amount > 0)),
  constraint asset_fits_kind CHECK (
CASE kind
    WHEN 'crypto_wallet'::text THEN ((asset IS NOT NULL) AND (asset = ANY (ARRAY['USDC'::text, 'USDT'::text])))
    WHEN 'dedicated_crypto_wallet'::text THEN (asset IS NULL)
    ELSE ((asset IS NOT NULL) AND (asset = 'NGN'::text))
END),
  constraint collection_accounts_pkey PRIMARY KEY (environment_id, id),
  constraint customer_has_no_identity_number CHECK (((customer IS NULL) OR (((customer)::jsonb - ARRAY['name'::text, 'email'::text, 'phone'::text]) = '{}'::jsonb))),
  constraint ended_account_has_its_time CHECK (((status = ANY (ARRAY['CANCELLED'::text, 'INACTIVE'::text])) = (ended_at IS NOT NULL))),
  constraint only_cancelled_account_has_a_reason CHECK (((cancellation_reason IS NULL) OR ((status = 'CANCELLED'::text) AND (cancellation_reason = ANY (ARRAY['requested'::text, 'session_paid'::text]))))),
  constraint only_dedicated_accounts_have_a_customer CHECK (((customer IS NULL) OR (kind = 'dedicated_account'::text))),
  constraint only_open_account_falls_due CHECK (((due_at IS NOT NULL) = ((kind = ANY (ARRAY['virtual_account'::text, 'crypto_wallet'::text])) AND (status = 'ACTIVE'::text)))),
  constraint only_temporary_account_expires CHECK (((kind = ANY (ARRAY['virtual_account'::text, 'crypto_wallet'::text])) = (expires_at IS NOT NULL))),
  constraint only_temporary_account_has_a_session CHECK (((session_id IS NULL) OR (kind = ANY (ARRAY['virtual_account'::text, 'crypto_wallet'::text])))),
  constraint only_temporary_account_waits_for_an_amount CHECK (((kind = ANY (ARRAY['virtual_account'::text, 'crypto_wallet'::text])) = (amount IS NOT NULL))),
  constraint only_wallet_has_no_bank CHECK (
CASE
    WHEN (kind = ANY (ARRAY['crypto_wallet'::text, 'dedicated_crypto_wallet'::text])) THEN ((bank_code = ''::text) AND (bank_name = ''::text))
    ELSE (bank_name <> ''::text)
END),
  constraint only_wallet_keeps_how_it_was_asked CHECK (((requested_amount IS NOT NULL) = (kind = 'crypto_wallet'::text))),
  constraint paid_account_has_its_time CHECK (((status = 'PAID'::text) = (paid_at IS NOT NULL))),
  constraint variance_is_known CHECK ((variance = ANY (ARRAY['NONE'::text, 'UNDERPAID'::text, 'OVERPAID'::text, 'LATE'::text, 'DUPLICATE'::text])))
) with (fillfactor=80);

create table conversion_quotes (
  environment_id integer not null,
  id uuid not null,
  source_asset text not null,
  target_asset text not null,
  source_amount bigint not null,
  fee bigint not null,
  target_amount bigint not null,
  rate bigint not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint conversion_quotes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint conversion_quotes_pkey PRIMARY KEY (environment_id, id)
);

create table conversions (
  environment_id integer not null,
  id uuid not null,
  quote_id uuid,
  source_asset text not null,
  target_asset text not null,
  source_amount bigint not null,
  fee bigint not null,
  target_amount bigint not null,
  rate bigint not null,
  payout_id uuid,
  created_by_key uuid,
  created_by_user uuid,
  created_at timestamp with time zone not null,
  constraint conversion_crosses_naira CHECK (((source_asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text])) AND (target_asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text])) AND ((source_asset = 'NGN'::text) <> (target_asset = 'NGN'::text)))),
  constraint conversion_gives_no_more_than_its_rate CHECK (
CASE
    WHEN (source_asset = 'NGN'::text) THEN (((target_amount)::numeric * (rate)::numeric) <= (((source_amount - fee))::numeric * ('10000000000'::bigint)::numeric))
    ELSE (((target_amount)::numeric * ('10000000000'::bigint)::numeric) <= (((source_amount - fee))::numeric * (rate)::numeric))
END),
  constraint conversion_has_amounts CHECK (((fee >= 0) AND (source_amount > fee) AND (target_amount > 0) AND (rate > 0))),
  constraint conversions_created_by_user_fkey FOREIGN KEY (created_by_user) REFERENCES users(id),
  constraint conversions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint conversions_pkey PRIMARY KEY (environment_id, id)
);

create table credit_notes (
  environment_id integer not null,
  id uuid not null,
  invoice_id uuid not null,
  amount bigint not null,
  amount_to_customer bigint not null,
  reason text,
  created_by_key uuid,
  created_by_user uuid,
  created_at timestamp with time zone not null,
  constraint credit_note_has_an_amount CHECK (((amount > 0) AND ((amount_to_customer >= 0) AND (amount_to_customer <= amount)))),
  constraint credit_notes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint credit_notes_environment_id_invoice_id_fkey FOREIGN KEY (environment_id, invoice_id) REFERENCES invoices(environment_id, id),
  constraint credit_notes_pkey PRIMARY KEY (environment_id, id)
);

create table customer_credit_entries (
  environment_id integer not null,
  customer_id uuid not null,
  asset text not null,
  number bigint not null,
  kind text not null,
  amount bigint not null,
  balance_after bigint not null,
  cause_id uuid not null,
  created_at timestamp with time zone not null,
  invoice_id uuid,
  constraint applied_credit_is_taken CHECK (
CASE kind
    WHEN 'applied'::text THEN (amount < 0)
    WHEN 'unapplied'::text THEN (amount > 0)
    ELSE true
END),
  constraint applied_credit_names_its_invoice CHECK (((kind = ANY (ARRAY['applied'::text, 'unapplied'::text])) = (invoice_id IS NOT NULL))),
  constraint credit_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint credit_changes_something CHECK ((amount <> 0)),
  constraint credit_is_never_negative CHECK (((balance_after >= 0) AND (number > 0))),
  constraint credit_kind_is_known CHECK ((kind = ANY (ARRAY['payment'::text, 'credit_note'::text, 'refund'::text, 'refund_reversal'::text, 'applied'::text, 'unapplied'::text, 'reallocation'::text]))),
  constraint customer_credit_entries_environment_id_customer_id_fkey FOREIGN KEY (environment_id, customer_id) REFERENCES customers(environment_id, id),
  constraint customer_credit_entries_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint customer_credit_entries_environment_id_invoice_id_fkey FOREIGN KEY (environment_id, invoice_id) REFERENCES invoices(environment_id, id),
  constraint customer_credit_entries_pkey PRIMARY KEY (environment_id, customer_id, asset, number)
);

create table customers (
  environment_id integer not null,
  id uuid not null,
  name text not null,
  email text,
  phone text,
  external_reference text,
  metadata json not null,
  event_sequence integer default 1 not null,
  created_at timestamp with time zone not null,
  erased_at timestamp with time zone,
  constraint customer_event_sequence_is_positive CHECK ((event_sequence > 0)),
  constraint customer_has_a_name CHECK ((name <> ''::text)),
  constraint customers_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint customers_pkey PRIMARY KEY (environment_id, id),
  constraint erased_customer_has_no_personal_data CHECK (((erased_at IS NULL) OR ((email IS NULL) AND (phone IS NULL) AND (external_reference IS NULL) AND ((metadata)::jsonb = '{}'::jsonb))))
);

create table default_customers (
  environment_id integer not null,
  sealed_customer text not null,
  updated_at timestamp with time zone not null,
  constraint default_customers_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint default_customers_pkey PRIMARY KEY (environment_id)
);

create table deliveries (
  environment_id integer not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  state text not null,
  attempts integer default 0 not null,
  due_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  tries integer default 0 not null,
  finished_at timestamp with time zone,
  is_under_way boolean default false not null,
  constraint deliveries_pkey PRIMARY KEY (environment_id, event_id, endpoint_id),
  constraint delivery_state_is_known CHECK ((state = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'GIVEN_UP'::text]))),
  constraint finished_delivery_has_an_end CHECK (((state = 'PENDING'::text) = (finished_at IS NULL))),
  constraint tries_are_attempts CHECK (((tries >= 0) AND (tries <= attempts)))
);

create table delivery_attempts (
  environment_id integer not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  number integer not null,
  url text not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  status integer,
  error text,
  response text default ''::text not null,
  constraint attempt_has_an_end CHECK (((status IS NULL) <> (error IS NULL))),
  constraint attempt_is_numbered CHECK ((number > 0)),
  constraint delivery_attempts_pkey PRIMARY KEY (environment_id, event_id, endpoint_id, number),
  constraint duration_is_not_negative CHECK ((duration_ms >= 0)),
  constraint error_is_short CHECK ((octet_length(error) <= 200)),
  constraint response_is_cut CHECK ((octet_length(response) <= 4096))
);

create table delivery_hours (
  environment_id integer not null,
  endpoint_id uuid not null,
  hour timestamp with time zone not null,
  delivered integer not null,
  failed integer not null,
  durations integer[] not null,
  constraint attempts_are_counted CHECK (((delivered >= 0) AND (failed >= 0))),
  constraint delivery_hours_pkey PRIMARY KEY (environment_id, endpoint_id, hour)
);

create table disputes (
  rail text not null,
  subject text not null,
  hosts text not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint dispute_is_seen_after_it_began CHECK ((last_seen_at >= first_seen_at)),
  constraint disputes_pkey PRIMARY KEY (rail, subject)
);

create table environment_settings (
  environment_id integer not null,
  document json not null,
  version integer not null,
  updated_at timestamp with time zone not null,
  constraint environment_settings_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint environment_settings_pkey PRIMARY KEY (environment_id),
  constraint settings_version_grows CHECK ((version > 0))
);

create table environments (
  id integer generated always as identity not null,
  merchant_id uuid not null,
  mode text not null,
  kyc_status text default 'NONE'::text not null,
  created_at timestamp with time zone not null,
  clock_offset_ms bigint default 0 not null,
  collect_bank text,
  payout_bank text,
  approval_rule json,
  constraint clock_moves_forward_only CHECK ((clock_offset_ms >= 0)),
  constraint environments_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint environments_pkey PRIMARY KEY (id),
  constraint kyc_status_is_known CHECK ((kyc_status = ANY (ARRAY['NONE'::text, 'DRAFT'::text, 'SUBMITTED'::text, 'MORE_NEEDED'::text, 'APPROVED'::text, 'REJECTED'::text]))),
  constraint mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint one_environment_per_mode UNIQUE (merchant_id, mode),
  constraint only_test_clocks_move CHECK (((mode = 'test'::text) OR (clock_offset_ms = 0)))
);

create table events (
  environment_id integer not null,
  id uuid not null,
  type text not null,
  resource_id uuid not null,
  cause_id uuid not null,
  sequence integer not null,
  data text not null,
  created_at timestamp with time zone not null,
  constraint event_sequence_is_positive CHECK ((sequence > 0)),
  constraint events_pkey PRIMARY KEY (environment_id, id)
);

create table exchange_positions (
  mode text not null,
  asset text not null,
  stock bigint default 0 not null,
  bought bigint default 0 not null,
  sold bigint default 0 not null,
  ceiling bigint,
  constraint exchange_positions_pkey PRIMARY KEY (mode, asset),
  constraint only_existing_money_is_sold CHECK ((((stock + bought) - sold) >= 0)),
  constraint position_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint position_ceiling_is_positive CHECK ((ceiling > 0)),
  constraint position_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint position_sums_are_never_negative CHECK (((bought >= 0) AND (sold >= 0)))
);

create table exchange_stock (
  id uuid not null,
  mode text not null,
  asset text not null,
  amount bigint not null,
  given_by text not null,
  note text not null,
  created_at timestamp with time zone not null,
  constraint exchange_stock_mode_asset_fkey FOREIGN KEY (mode, asset) REFERENCES exchange_positions(mode, asset),
  constraint exchange_stock_pkey PRIMARY KEY (id),
  constraint stock_changes_by_an_amount CHECK ((amount <> 0))
);

create table fee_schedules (
  environment_id integer not null,
  operation text not null,
  version integer not null,
  schedule json not null,
  created_at timestamp with time zone not null,
  constraint fee_schedules_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint fee_schedules_pkey PRIMARY KEY (environment_id, operation, version),
  constraint fee_version_grows CHECK ((version > 0))
);

create table idempotency_keys (
  environment_id integer not null,
  digest uuid not null,
  key text not null,
  fingerprint bytea not null,
  status smallint,
  answer text,
  is_sealed boolean default false not null,
  created_at timestamp with time zone not null,
  forget_at timestamp with time zone,
  caller_id uuid,
  retry_after_seconds integer,
  constraint fingerprint_is_whole CHECK ((length(fingerprint) = 32)),
  constraint idempotency_keys_pkey PRIMARY KEY (environment_id, digest),
  constraint only_refusals_say_when_to_retry CHECK (((retry_after_seconds IS NULL) OR ((status >= 400) AND (retry_after_seconds >= 0)))),
  constraint secret_is_for_one_caller CHECK ((is_sealed = (caller_id IS NOT NULL)))
);

create table installation (
  is_only boolean default true not null,
  secret_fingerprint bytea not null,
  old_secret_fingerprint bytea,
  constraint installation_pkey PRIMARY KEY (is_only),
  constraint old_secret_is_another CHECK ((old_secret_fingerprint <> secret_fingerprint)),
  constraint one_installation CHECK (is_only)
);

create table invitations (
  id uuid not null,
  hash bytea not null,
  email text not null,
  merchant_id uuid,
  role text,
  may_see_live boolean not null,
  is_operator boolean not null,
  resets_user_id uuid,
  created_by text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_by_user uuid,
  made_in_merchant_id uuid,
  constraint invitation_has_one_purpose CHECK (
CASE
    WHEN (resets_user_id IS NOT NULL) THEN ((merchant_id IS NULL) AND (role IS NULL) AND (NOT is_operator))
    ELSE (((merchant_id IS NOT NULL) = (role IS NOT NULL)) AND ((merchant_id IS NOT NULL) OR is_operator))
END),
  constraint invitations_created_by_user_fkey FOREIGN KEY (created_by_user) REFERENCES users(id),
  constraint invitations_made_in_merchant_id_fkey FOREIGN KEY (made_in_merchant_id) REFERENCES merchants(id),
  constraint invitations_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_resets_user_id_fkey FOREIGN KEY (resets_user_id) REFERENCES users(id),
  constraint invited_email_is_lower_case CHECK ((email = lower(email))),
  constraint invited_role_is_known CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'finance'::text, 'developer'::text, 'support'::text, 'viewer'::text]))),
  constraint link_hash_is_whole CHECK ((length(hash) = 32)),
  constraint link_is_used_once CHECK (((used_at IS NULL) OR (revoked_at IS NULL))),
  constraint only_password_link_is_made_in_a_merchant CHECK (((made_in_merchant_id IS NULL) OR ((resets_user_id IS NOT NULL) AND (created_by_user IS NOT NULL))))
);

create table invoice_deadlines (
  environment_id integer not null,
  id uuid not null,
  mode text not null,
  invoice_id uuid not null,
  kind text not null,
  instalment_due_at timestamp with time zone not null,
  planned_for timestamp with time zone not null,
  due_at timestamp with time zone not null,
  attempts integer default 0 not null,
  constraint deadline_kind_is_known CHECK ((kind = ANY (ARRAY['overdue'::text, 'reminder'::text]))),
  constraint deadline_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint invoice_deadlines_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint invoice_deadlines_environment_id_invoice_id_fkey FOREIGN KEY (environment_id, invoice_id) REFERENCES invoices(environment_id, id),
  constraint invoice_deadlines_pkey PRIMARY KEY (environment_id, id)
);

create table invoice_schedules (
  environment_id integer not null,
  id uuid not null,
  mode text not null,
  customer_id uuid not null,
  status text not null,
  frequency text not null,
  every integer not null,
  month_day integer,
  weekday text,
  starts_on text not null,
  ends_on text,
  first_period text not null,
  next_period text,
  runs integer default 0 not null,
  due_after_days integer not null,
  series text not null,
  asset text not null,
  lines json not null,
  discount json,
  memo text,
  footer text,
  metadata json not null,
  base_url text not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  due_at timestamp with time zone not null,
  attempts integer default 0 not null,
  language text default 'en'::text not null,
  constraint ended_schedule_has_no_next_period CHECK ((((status = 'ENDED'::text) = (next_period IS NULL)) AND ((status = 'ENDED'::text) = (ended_at IS NOT NULL)))),
  constraint invoice_schedules_environment_id_customer_id_fkey FOREIGN KEY (environment_id, customer_id) REFERENCES customers(environment_id, id),
  constraint invoice_schedules_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint invoice_schedules_pkey PRIMARY KEY (environment_id, id),
  constraint schedule_days_are_dates CHECK (((starts_on ~ '^\d{4}-\d\d-\d\d$'::text) AND (first_period ~ '^\d{4}-\d\d-\d\d$'::text) AND (COALESCE(ends_on, starts_on) ~ '^\d{4}-\d\d-\d\d$'::text) AND (COALESCE(next_period, starts_on) ~ '^\d{4}-\d\d-\d\d$'::text))),
  constraint schedule_ends_after_its_periods CHECK (((ends_on IS NULL) OR (next_period <= ends_on))),
  constraint schedule_language_is_known CHECK ((language = ANY (ARRAY['en'::text, 'fr'::text]))),
  constraint schedule_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint schedule_rule_is_whole CHECK (((every > 0) AND
CASE frequency
    WHEN 'monthly'::text THEN (((month_day >= 1) AND (month_day <= 31)) AND (weekday IS NULL))
    WHEN 'weekly'::text THEN ((month_day IS NULL) AND (weekday IS NOT NULL))
    ELSE false
END)),
  constraint schedule_status_is_known CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'PAUSED'::text, 'ENDED'::text])))
);

create table invoice_series (
  environment_id integer not null,
  series text not null,
  last_number bigint not null,
  constraint invoice_number_is_positive CHECK ((last_number > 0)),
  constraint invoice_series_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint invoice_series_is_a_word CHECK ((series ~ '^[A-Z][A-Z0-9]{0,11}$'::text)),
  constraint invoice_series_pkey PRIMARY KEY (environment_id, series)
);

create table invoices (
  environment_id integer not null,
  id uuid not null,
  customer_id uuid not null,
  series text not null,
  number bigint,
  status text not null,
  asset text not null,
  lines json not null,
  discount json,
  subtotal bigint not null,
  discount_amount bigint not null,
  vat bigint not null,
  total bigint not null,
  amount_due bigint not null,
  amount_paid bigint default 0 not null,
  amount_credited bigint default 0 not null,
  amount_refunded bigint default 0 not null,
  instalments json not null,
  due_at timestamp with time zone,
  next_due_at timestamp with time zone,
  memo text,
  footer text,
  metadata json not null,
  page_token text not null,
  url text not null,
  event_sequence integer default 0 not null,
  created_at timestamp with time zone not null,
  finalized_at timestamp with time zone,
  paid_at timestamp with time zone,
  voided_at timestamp with time zone,
  sent_at timestamp with time zone,
  sends integer default 0 not null,
  schedule_id uuid,
  period text,
  language text default 'en'::text not null,
  constraint final_invoice_has_a_number CHECK (((status = 'DRAFT'::text) = (number IS NULL))),
  constraint final_invoice_says_when CHECK ((((status = 'DRAFT'::text) = (finalized_at IS NULL)) AND ((status = 'VOID'::text) = (voided_at IS NOT NULL)) AND ((status = 'PAID'::text) = (paid_at IS NOT NULL)) AND ((status = 'DRAFT'::text) OR (due_at IS NOT NULL)) AND ((status = ANY (ARRAY['OPEN'::text, 'PARTIALLY_PAID'::text])) = (next_due_at IS NOT NULL)))),
  constraint invoice_amounts_add_up CHECK (((total = (((amount_due + amount_paid) + amount_credited) + amount_refunded)) AND (LEAST(amount_due, amount_paid, amount_credited, amount_refunded) >= 0))),
  constraint invoice_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint invoice_is_paid_when_nothing_is_due CHECK (
CASE status
    WHEN 'DRAFT'::text THEN (amount_due = total)
    WHEN 'OPEN'::text THEN ((amount_due > 0) AND (amount_paid = 0))
    WHEN 'PARTIALLY_PAID'::text THEN ((amount_due > 0) AND (amount_paid > 0))
    WHEN 'PAID'::text THEN (amount_due = 0)
    ELSE (amount_credited = total)
END),
  constraint invoice_language_is_known CHECK ((language = ANY (ARRAY['en'::text, 'fr'::text]))),
  constraint invoice_of_schedule_has_a_period CHECK (((schedule_id IS NULL) = (period IS NULL))),
  constraint invoice_status_is_known CHECK ((status = ANY (ARRAY['DRAFT'::text, 'OPEN'::text, 'PARTIALLY_PAID'::text, 'PAID'::text, 'VOID'::text]))),
  constraint invoice_total_adds_up CHECK (((total = ((subtotal - discount_amount) + vat)) AND (LEAST(subtotal, discount_amount, vat, total) >= 0))),
  constraint invoices_environment_id_customer_id_fkey FOREIGN KEY (environment_id, customer_id) REFERENCES customers(environment_id, id),
  constraint invoices_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint invoices_environment_id_schedule_id_fkey FOREIGN KEY (environment_id, schedule_id) REFERENCES invoice_schedules(environment_id, id),
  constraint invoices_pkey PRIMARY KEY (environment_id, id),
  constraint sent_invoice_says_when CHECK (((sends >= 0) AND ((sends > 0) = (sent_at IS NOT NULL)) AND ((status <> 'DRAFT'::text) OR (sends = 0))))
);

create table kyc_decisions (
  merchant_id uuid not null,
  id uuid not null,
  outcome text not null,
  note text,
  decided_by text not null,
  created_at timestamp with time zone not null,
  constraint kyc_decisions_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint kyc_decisions_pkey PRIMARY KEY (merchant_id, id),
  constraint kyc_note_is_short CHECK (((length(note) >= 1) AND (length(note) <= 2000))),
  constraint kyc_outcome_is_known CHECK ((outcome = ANY (ARRAY['approve'::text, 'ask'::text, 'reject'::text]))),
  constraint kyc_refusal_has_a_note CHECK (((outcome = 'approve'::text) OR (note IS NOT NULL)))
);

create table kyc_documents (
  merchant_id uuid not null,
  id uuid not null,
  kind text not null,
  name text not null,
  content_type text not null,
  size_bytes integer not null,
  sealed_content bytea not null,
  created_at timestamp with time zone not null,
  constraint kyc_document_has_a_name CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint kyc_document_is_small CHECK (((size_bytes >= 1) AND (size_bytes <= 5242880))),
  constraint kyc_document_kind_is_known CHECK ((kind = ANY (ARRAY['registration'::text, 'identity'::text, 'address'::text, 'other'::text]))),
  constraint kyc_document_type_is_known CHECK ((content_type = ANY (ARRAY['application/pdf'::text, 'image/png'::text, 'image/jpeg'::text]))),
  constraint kyc_documents_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint kyc_documents_pkey PRIMARY KEY (merchant_id, id)
);

create table kyc_submissions (
  merchant_id uuid not null,
  sealed_form text not null,
  updated_at timestamp with time zone not null,
  submitted_at timestamp with time zone,
  constraint kyc_submissions_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint kyc_submissions_pkey PRIMARY KEY (merchant_id)
);

create table ledger_accounts (
  environment_id integer not null,
  asset text not null,
  name text not null,
  debits_pending bigint default 0 not null,
  debits_posted bigint default 0 not null,
  credits_pending bigint default 0 not null,
  credits_posted bigint default 0 not null,
  entry_count bigint default 0 not null,
  constraint account_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint account_name_is_known CHECK (((name = ANY (ARRAY['available'::text, 'suspense'::text, 'fees'::text, 'exchange'::text])) OR ((name = ANY (ARRAY['clearing'::text, 'levies'::text])) AND (asset = 'NGN'::text)) OR ((name = ANY (ARRAY['treasury'::text, 'deposits'::text])) AND (asset <> 'NGN'::text)) OR (name = 'receivables'::text) OR (split_part(name, ':'::text, 1) = ANY (ARRAY['sub'::text, 'sub_pending'::text, 'sub_owed'::text])))),
  constraint available_never_below_zero CHECK (((name <> 'available'::text) OR (((credits_posted - debits_posted) - debits_pending) >= 0))),
  constraint ledger_accounts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint ledger_accounts_pkey PRIMARY KEY (environment_id, asset, name),
  constraint naira_balance_fits_the_wire CHECK (((asset <> 'NGN'::text) OR ((name <> ALL (ARRAY['available'::text, 'suspense'::text])) AND ("left"(name, 4) <> 'sub:'::text) AND ("left"(name, 12) <> 'sub_pending:'::text)) OR (((credits_posted + credits_pending) - debits_posted) <= '9007199254740991'::bigint))),
  constraint no_more_is_recovered_than_owed CHECK ((("left"(name, 9) <> 'sub_owed:'::text) OR (credits_posted <= debits_posted))),
  constraint only_spendable_money_has_a_statement CHECK (((entry_count = 0) OR (name = 'available'::text) OR ("left"(name, 4) = 'sub:'::text))),
  constraint pending_never_below_zero CHECK ((("left"(name, 12) <> 'sub_pending:'::text) OR (((credits_posted - debits_posted) - debits_pending) >= 0))),
  constraint subaccount_never_below_zero CHECK ((("left"(name, 4) <> 'sub:'::text) OR (((credits_posted - debits_posted) - debits_pending) >= 0))),
  constraint sums_are_never_negative CHECK (((debits_pending >= 0) AND (debits_posted >= 0) AND (credits_pending >= 0) AND (credits_posted >= 0))),
  constraint suspense_never_below_zero CHECK (((name <> 'suspense'::text) OR (((credits_posted - debits_posted) - debits_pending) >= 0)))
) with (fillfactor=50);

create table ledger_resolutions (
  environment_id integer not null,
  cause_id uuid not null,
  verb text not null,
  purpose text not null,
  asset text not null,
  debit text not null,
  amount bigint not null,
  entry_number bigint,
  available_after bigint,
  created_at timestamp with time zone not null,
  subaccount_id uuid,
  subaccount_entry bigint,
  subaccount_after bigint,
  constraint ledger_resolutions_pkey PRIMARY KEY (environment_id, cause_id),
  constraint release_is_on_the_statement CHECK (((((verb = 'release'::text) AND (debit = 'available'::text)) = (entry_number IS NOT NULL)) AND ((entry_number IS NULL) = (available_after IS NULL)))),
  constraint resolution_amount_is_positive CHECK ((amount > 0)),
  constraint resolution_is_on_the_statement_of_its_subaccount CHECK (
CASE
    WHEN (subaccount_id IS NULL) THEN ((subaccount_entry IS NULL) AND (subaccount_after IS NULL) AND ((verb = 'settle'::text) OR ("left"(debit, 4) <> 'sub:'::text)))
    ELSE ((subaccount_entry IS NOT NULL) AND (COALESCE(subaccount_after, ('-1'::integer)::bigint) >= 0) AND (verb = 'release'::text) AND (debit = ('sub:'::text || subaccount_id)))
END),
  constraint resolution_leaves_available_whole CHECK ((available_after >= 0)),
  constraint resolution_verb_is_known CHECK ((verb = ANY (ARRAY['settle'::text, 'release'::text])))
);

create table ledger_transfers (
  environment_id integer not null,
  cause_id uuid not null,
  purpose text not null,
  asset text not null,
  debit text not null,
  credit text not null,
  amount bigint not null,
  is_hold boolean not null,
  entry_number bigint,
  available_after bigint,
  created_at timestamp with time zone not null,
  subaccount_id uuid,
  subaccount_entry bigint,
  subaccount_after bigint,
  constraint claim_only_holds CHECK (((purpose <> 'claim'::text) OR (is_hold AND (((debit = 'available'::text) AND (credit = 'suspense'::text)) OR ((debit = 'suspense'::text) AND (credit =
CASE asset
    WHEN 'NGN'::text THEN 'clearing'::text
    ELSE 'deposits'::text
END)))))),
  constraint fees_are_on_a_statement CHECK ((((debit <> 'fees'::text) AND (credit <> 'fees'::text)) OR (entry_number IS NOT NULL) OR (subaccount_entry IS NOT NULL))),
  constraint hold_sets_money_aside CHECK (((NOT is_hold) OR (debit = ANY (ARRAY['available'::text, 'suspense'::text])) OR ("left"(debit, 4) = 'sub:'::text))),
  constraint ledger_transfers_pkey PRIMARY KEY (environment_id, cause_id, purpose),
  constraint levies_are_on_a_statement CHECK ((((debit <> 'levies'::text) AND (credit <> 'levies'::text)) OR (entry_number IS NOT NULL) OR (subaccount_entry IS NOT NULL))),
  constraint transfer_amount_is_positive CHECK ((amount > 0)),
  constraint transfer_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint transfer_has_two_sides CHECK ((debit <> credit)),
  constraint transfer_is_on_the_statement CHECK (((((debit = 'available'::text) OR (credit = 'available'::text)) = (entry_number IS NOT NULL)) AND ((entry_number IS NULL) = (available_after IS NULL)))),
  constraint transfer_is_on_the_statement_of_its_subaccount CHECK (
CASE
    WHEN (subaccount_id IS NULL) THEN ((subaccount_entry IS NULL) AND (subaccount_after IS NULL) AND ("left"(debit, 4) <> 'sub:'::text) AND ("left"(credit, 4) <> 'sub:'::text))
    ELSE ((subaccount_entry IS NOT NULL) AND (COALESCE(subaccount_after, ('-1'::integer)::bigint) >= 0) AND (((debit = ('sub:'::text || subaccount_id)) AND ("left"(credit, 4) <> 'sub:'::text)) OR ((credit = ('sub:'::text || subaccount_id)) AND ("left"(debit, 4) <> 'sub:'::text))))
END),
  constraint transfer_leaves_available_whole CHECK ((available_after >= 0)),
  constraint transfer_purpose_is_known CHECK ((purpose = ANY (ARRAY['test_funding'::text, 'operator_credit'::text, 'crypto_payout'::text, 'crypto_payout_fee'::text, 'bank_payout'::text, 'bank_payout_fee'::text, 'bank_payout_levy'::text, 'bank_payout_reversal'::text, 'bank_payout_fee_reversal'::text, 'bank_payout_levy_reversal'::text, 'payment'::text, 'payment_fee'::text, 'payment_held'::text, 'payment_accepted'::text, 'payment_accepted_fee'::text, 'payment_return'::text, 'payment_refund'::text, 'payment_return_reversal'::text, 'payment_refund_reversal'::text, 'sweep'::text, 'conversion'::text, 'conversion_fee'::text, 'conversion_credit'::text, 'subaccount_transfer'::text, 'subaccount_transfer_back'::text, 'split'::text, 'split_release'::text, 'split_refund'::text, 'split_refund_reversal'::text, 'split_refund_pending'::text, 'split_refund_pending_reversal'::text, 'receivable'::text, 'receivable_reversal'::text, 'split_recovered'::text, 'split_receivable_ended'::text, 'transfer_recovered'::text, 'transfer_receivable_ended'::text, 'take_back_recovered'::text, 'take_back_receivable_ended'::text, 'payout_recovered'::text, 'payout_receivable_ended'::text, 'claim'::text])))
);

create table legal_holds (
  id uuid not null,
  kind text not null,
  subject text not null,
  resource_id uuid,
  merchant_id uuid,
  case_reference text,
  reason text not null,
  placed_by text not null,
  placed_at timestamp with time zone not null,
  until timestamp with time zone,
  released_by text,
  released_at timestamp with time zone,
  constraint hold_ends_after_it_starts CHECK ((until > placed_at)),
  constraint hold_has_a_subject CHECK ((subject <> ''::text)),
  constraint hold_kind_is_known CHECK ((kind = ANY (ARRAY['email'::text, 'phone'::text, 'bank_account'::text, 'wallet'::text, 'customer'::text, 'resource'::text]))),
  constraint legal_holds_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint legal_holds_pkey PRIMARY KEY (id),
  constraint only_resources_have_an_id CHECK (((resource_id IS NOT NULL) = (kind = ANY (ARRAY['customer'::text, 'resource'::text])))),
  constraint release_is_whole CHECK (((released_by IS NULL) = (released_at IS NULL)))
);

create table levies (
  id bigint generated always as identity not null,
  kind text not null,
  mode text not null,
  rail text,
  threshold bigint not null,
  amount bigint not null,
  exempts text[] not null,
  holds_from timestamp with time zone not null,
  holds_until timestamp with time zone,
  created_at timestamp with time zone not null,
  created_by text not null,
  constraint levies_pkey PRIMARY KEY (id),
  constraint levy_amount_is_not_negative CHECK ((amount >= 0)),
  constraint levy_ends_after_it_begins CHECK ((holds_until > holds_from)),
  constraint levy_exemptions_are_known CHECK ((exempts <@ ARRAY['salary'::text, 'own_accounts'::text])),
  constraint levy_is_never_set_for_the_past CHECK ((holds_from >= created_at)),
  constraint levy_kind_is_known CHECK ((kind = 'stamp_duty'::text)),
  constraint levy_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint levy_threshold_is_not_negative CHECK ((threshold >= 0))
);

create table levy_debits (
  id bigint generated always as identity not null,
  rail text not null,
  debits text not null,
  since timestamp with time zone not null,
  created_at timestamp with time zone not null,
  created_by text not null,
  constraint levy_debit_is_known CHECK ((debits = ANY (ARRAY['no'::text, 'with_transfer'::text, 'apart'::text]))),
  constraint levy_debits_pkey PRIMARY KEY (id)
);

create table low_balances (
  environment_id integer not null,
  asset text not null,
  is_low boolean not null,
  event_sequence integer not null,
  changed_at timestamp with time zone not null,
  constraint asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint event_sequence_is_positive CHECK ((event_sequence > 0)),
  constraint low_balances_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint low_balances_pkey PRIMARY KEY (environment_id, asset)
);

create table mail_days (
  environment_id integer not null,
  day date not null,
  started integer not null,
  constraint mail_days_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint mail_days_pkey PRIMARY KEY (environment_id, day)
);

create table mail_preferences (
  user_id uuid not null,
  kind text not null,
  is_on boolean not null,
  changed_at timestamp with time zone not null,
  constraint mail_preferences_pkey PRIMARY KEY (user_id, kind),
  constraint mail_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table mail_suppressions (
  id uuid not null,
  environment_id integer,
  address_hash bytea not null,
  sealed_address text not null,
  masked_address text not null,
  reason text not null,
  detail text,
  created_at timestamp with time zone not null,
  constraint mail_suppressions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint mail_suppressions_pkey PRIMARY KEY (id),
  constraint suppression_reason_is_known CHECK ((reason = ANY (ARRAY['no_mailbox'::text, 'bounce'::text, 'complaint'::text])))
);

create table mails (
  id uuid not null,
  environment_id integer,
  mode text not null,
  kind text not null,
  cause_id uuid not null,
  recipient text not null,
  sealed_content text not null,
  state text not null,
  due_at timestamp with time zone not null,
  attempts integer default 0 not null,
  last_error text,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint mail_ends_when_it_no_longer_waits CHECK (((state = 'WAITING'::text) = (ended_at IS NULL))),
  constraint mail_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint mail_state_is_known CHECK ((state = ANY (ARRAY['WAITING'::text, 'KEPT'::text, 'SENT'::text, 'FAILED'::text, 'SUPPRESSED'::text]))),
  constraint mails_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint mails_pkey PRIMARY KEY (id)
);

create table memberships (
  merchant_id uuid not null,
  user_id uuid not null,
  role text not null,
  may_see_live boolean not null,
  created_at timestamp with time zone not null,
  disabled_at timestamp with time zone,
  approver_since timestamp with time zone,
  approver_by uuid,
  constraint memberships_approver_by_fkey FOREIGN KEY (approver_by) REFERENCES users(id),
  constraint memberships_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint memberships_pkey PRIMARY KEY (merchant_id, user_id),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint role_is_known CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'finance'::text, 'developer'::text, 'support'::text, 'viewer'::text])))
);

create table merchant_bank_accounts (
  environment_id integer not null,
  id uuid not null,
  bank_code text not null,
  account_number text not null,
  account_name text not null,
  is_active boolean not null,
  is_primary boolean not null,
  created_at timestamp with time zone not null,
  usable_from timestamp with time zone,
  chosen_by_user uuid,
  name_differs boolean default false not null,
  confirmed_at timestamp with time zone,
  confirmed_by_user uuid,
  constraint account_number_is_ten_digits CHECK ((account_number ~ '^[0-9]{10}$'::text)),
  constraint bank_account_has_a_name CHECK (((length(account_name) >= 1) AND (length(account_name) <= 100))),
  constraint bank_code_is_plain CHECK ((bank_code ~ '^[0-9A-Za-z]{3,9}$'::text)),
  constraint confirmed_account_says_when CHECK (((confirmed_by_user IS NULL) OR (confirmed_at IS NOT NULL))),
  constraint confirmer_did_not_choose_the_account CHECK ((confirmed_by_user <> chosen_by_user)),
  constraint merchant_bank_accounts_chosen_by_user_fkey FOREIGN KEY (chosen_by_user) REFERENCES users(id),
  constraint merchant_bank_accounts_confirmed_by_user_fkey FOREIGN KEY (confirmed_by_user) REFERENCES users(id),
  constraint merchant_bank_accounts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint merchant_bank_accounts_pkey PRIMARY KEY (environment_id, id),
  constraint one_bank_account_once UNIQUE (environment_id, bank_code, account_number),
  constraint primary_bank_account_is_active CHECK ((is_active OR (NOT is_primary)))
);

create table merchants (
  id uuid not null,
  display_name text not null,
  created_at timestamp with time zone not null,
  suspended_at timestamp with time zone,
  constraint merchant_has_a_name CHECK (((length(display_name) >= 1) AND (length(display_name) <= 100))),
  constraint merchants_pkey PRIMARY KEY (id)
);

create table notes (
  environment_id integer not null,
  id uuid not null,
  resource_id uuid not null,
  author_id uuid not null,
  text text,
  created_at timestamp with time zone not null,
  withdrawn_at timestamp with time zone,
  constraint note_is_short CHECK (((length(text) >= 1) AND (length(text) <= 2000))),
  constraint notes_author_id_fkey FOREIGN KEY (author_id) REFERENCES users(id),
  constraint notes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint notes_pkey PRIMARY KEY (environment_id, id),
  constraint withdrawn_note_has_no_text CHECK (((text IS NULL) = (withdrawn_at IS NOT NULL)))
);

create table notice_hints (
  rail text not null,
  mode text not null,
  id text not null,
  hint json not null,
  body text not null,
  state text default 'OPEN'::text not null,
  reason text,
  rail_account text,
  attempts integer default 0 not null,
  due_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  constraint hint_state_is_known CHECK ((state = ANY (ARRAY['OPEN'::text, 'CONFIRMED'::text, 'REJECTED'::text, 'DROPPED'::text]))),
  constraint notice_hints_pkey PRIMARY KEY (rail, mode, id),
  constraint only_ended_hint_has_a_reason CHECK (((state <> 'OPEN'::text) OR (reason IS NULL)))
);

create table notices (
  rail text not null,
  mode text not null,
  id text not null,
  report json not null,
  body text,
  state text not null,
  reason text,
  attempts integer default 0 not null,
  due_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  assigned_account text,
  screening json,
  constraint notice_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint notice_state_is_known CHECK ((state = ANY (ARRAY['WAITING'::text, 'UNMATCHED'::text, 'BOOKED'::text, 'REFUSED'::text]))),
  constraint notices_pkey PRIMARY KEY (rail, mode, id),
  constraint refused_notice_says_why CHECK (((state = 'REFUSED'::text) = (reason IS NOT NULL)))
);

create table opened_bank_accounts (
  rail text not null,
  reference text not null,
  number text not null,
  account_name text not null,
  bank_code text not null,
  bank_name text not null,
  amount bigint,
  expires_at timestamp with time zone,
  details json not null,
  created_at timestamp with time zone not null,
  constraint opened_bank_accounts_pkey PRIMARY KEY (rail, reference)
);

create table operator_actions (
  id uuid not null,
  kind text not null,
  subject text not null,
  payload json not null,
  merchant_id uuid,
  state text default 'WAITING'::text not null,
  proposed_by uuid not null,
  proposed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  confirmed_by uuid,
  ended_at timestamp with time zone,
  result json,
  constraint action_expires_later CHECK ((expires_at > proposed_at)),
  constraint action_is_confirmed_in_time CHECK (((state <> 'DONE'::text) OR (ended_at < expires_at))),
  constraint action_kind_is_known CHECK ((kind = ANY (ARRAY['payout.decide'::text, 'notice.assign'::text, 'rail.pause'::text, 'rail.resume'::text, 'balance.credit'::text, 'exchange.add'::text, 'exchange.take'::text, 'rate.set'::text, 'payouts.thaw'::text]))),
  constraint action_state_is_known CHECK ((state = ANY (ARRAY['WAITING'::text, 'DONE'::text, 'WITHDRAWN'::text, 'EXPIRED'::text]))),
  constraint confirmed_by_another CHECK ((confirmed_by <> proposed_by)),
  constraint done_action_is_confirmed CHECK (((state = 'DONE'::text) = (confirmed_by IS NOT NULL))),
  constraint ended_action_has_its_time CHECK (((state = 'WAITING'::text) = (ended_at IS NULL))),
  constraint operator_actions_confirmed_by_fkey FOREIGN KEY (confirmed_by) REFERENCES users(id),
  constraint operator_actions_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint operator_actions_pkey PRIMARY KEY (id),
  constraint operator_actions_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES users(id)
);

create table operator_views (
  session_id uuid not null,
  merchant_id uuid not null,
  reason text not null,
  created_at timestamp with time zone not null,
  until timestamp with time zone not null,
  constraint operator_views_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint operator_views_pkey PRIMARY KEY (session_id, merchant_id, created_at),
  constraint operator_views_session_id_fkey FOREIGN KEY (session_id) REFERENCES user_sessions(id),
  constraint view_has_a_reason CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);

create table passkeys (
  id uuid not null,
  user_id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint counter_is_not_negative CHECK ((counter >= 0)),
  constraint passkey_has_a_name CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table passwords (
  user_id uuid not null,
  salt bytea not null,
  hash bytea not null,
  cost integer not null,
  block_size integer not null,
  parallelism integer not null,
  changed_at timestamp with time zone not null,
  constraint cost_is_a_power_of_two CHECK (((cost >= 2) AND ((cost & (cost - 1)) = 0))),
  constraint password_hash_is_whole CHECK ((length(hash) = 32)),
  constraint passwords_block_size_check CHECK ((block_size > 0)),
  constraint passwords_parallelism_check CHECK ((parallelism > 0)),
  constraint passwords_pkey PRIMARY KEY (user_id),
  constraint passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint salt_is_long_enough CHECK ((length(salt) >= 16))
);

create table paused_rails (
  rail text not null,
  reason text not null,
  paused_by text not null,
  paused_at timestamp with time zone not null,
  constraint pause_has_a_reason CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint paused_rails_pkey PRIMARY KEY (rail)
);

create table payment_allocations (
  environment_id integer not null,
  id uuid not null,
  payment_id uuid not null,
  invoice_id uuid,
  place smallint not null,
  amount bigint not null,
  created_at timestamp with time zone not null,
  reallocation_id uuid,
  paid_asset text,
  paid_amount bigint,
  constraint allocation_has_an_amount CHECK ((amount > 0)),
  constraint allocation_of_coins_is_not_moved CHECK (((paid_asset IS NULL) OR (reallocation_id IS NULL))),
  constraint allocation_of_coins_is_whole CHECK (((paid_asset IS NULL) = (paid_amount IS NULL))),
  constraint allocation_of_reallocation FOREIGN KEY (environment_id, reallocation_id) REFERENCES reallocations(environment_id, id),
  constraint coins_pay_an_invoice CHECK (((paid_asset IS NULL) OR ((paid_asset = ANY (ARRAY['USDC'::text, 'USDT'::text])) AND (paid_amount > 0) AND (invoice_id IS NOT NULL)))),
  constraint payment_allocations_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint payment_allocations_environment_id_invoice_id_fkey FOREIGN KEY (environment_id, invoice_id) REFERENCES invoices(environment_id, id),
  constraint payment_allocations_pkey PRIMARY KEY (environment_id, id)
);

create table payment_links (
  environment_id integer not null,
  id uuid not null,
  slug text not null,
  url text not null,
  description text not null,
  amount bigint,
  amount_min bigint,
  amount_max bigint,
  crypto_asset text,
  fields json not null,
  uses_max integer,
  is_active boolean not null,
  expires_at timestamp with time zone,
  success_url text,
  metadata json not null,
  created_at timestamp with time zone not null,
  constraint payment_link_amounts_are_positive CHECK (((COALESCE(amount, (1)::bigint) > 0) AND (COALESCE(amount_min, (1)::bigint) > 0) AND (COALESCE(amount_max, (1)::bigint) > 0))),
  constraint payment_link_bounds_are_possible CHECK (((amount_min IS NULL) OR (amount_max IS NULL) OR (amount_min <= amount_max))),
  constraint payment_link_can_be_used CHECK ((uses_max > 0)),
  constraint payment_link_coin_is_known CHECK ((crypto_asset = ANY (ARRAY['USDC'::text, 'USDT'::text]))),
  constraint payment_link_has_one_price CHECK (((amount IS NULL) OR ((amount_min IS NULL) AND (amount_max IS NULL)))),
  constraint payment_link_says_what_it_is_for CHECK (((length(description) >= 1) AND (length(description) <= 500))),
  constraint payment_link_slug_is_short CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND ((length(slug) >= 3) AND (length(slug) <= 60)))),
  constraint payment_links_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint payment_links_pkey PRIMARY KEY (environment_id, id)
);

create table payment_requests (
  environment_id integer not null,
  id uuid not null,
  payment_id uuid not null,
  action text not null,
  amount bigint,
  note text not null,
  requested_by uuid not null,
  state text not null,
  decided_by uuid,
  created_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  constraint decided_request_says_by_whom CHECK ((((state = 'OPEN'::text) = (decided_by IS NULL)) AND ((state = 'OPEN'::text) = (decided_at IS NULL)))),
  constraint only_refund_has_an_amount CHECK (((amount IS NULL) OR ((action = 'refund'::text) AND (amount > 0)))),
  constraint payment_requests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  constraint payment_requests_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint payment_requests_pkey PRIMARY KEY (environment_id, id),
  constraint payment_requests_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id),
  constraint request_action_is_known CHECK ((action = ANY (ARRAY['accept'::text, 'return'::text, 'refund'::text]))),
  constraint request_says_why CHECK (((length(note) >= 1) AND (length(note) <= 500))),
  constraint request_state_is_known CHECK ((state = ANY (ARRAY['OPEN'::text, 'DONE'::text, 'DECLINED'::text]))),
  constraint requester_does_not_decide CHECK (((decided_by <> requested_by) OR (state = 'DECLINED'::text)))
);

create table payment_returns (
  environment_id integer not null,
  id uuid not null,
  payment_id uuid not null,
  rail text not null,
  amount bigint not null,
  takes_from text not null,
  destination json,
  state text not null,
  tries integer default 0 not null,
  due_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  asset text not null,
  reason text,
  note text,
  claim_id uuid,
  constraint only_refunds_say_why CHECK (((takes_from = 'available'::text) OR ((reason IS NULL) AND (note IS NULL)))),
  constraint payment_returns_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint payment_returns_pkey PRIMARY KEY (environment_id, id),
  constraint refund_is_sent_at_once CHECK (((state <> 'WAITING'::text) OR (takes_from = 'suspense'::text))),
  constraint refund_note_is_short CHECK (((length(note) >= 1) AND (length(note) <= 500))),
  constraint refund_reason_is_known CHECK ((reason = ANY (ARRAY['duplicate'::text, 'requested_by_customer'::text, 'fraudulent'::text, 'other'::text]))),
  constraint return_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint return_by_claim_does_not_wait CHECK (((claim_id IS NULL) OR (state <> 'WAITING'::text))),
  constraint return_has_a_destination_or_a_claim CHECK (((claim_id IS NULL) = (destination IS NOT NULL))),
  constraint return_is_positive CHECK ((amount > 0)),
  constraint return_of_claim FOREIGN KEY (environment_id, claim_id) REFERENCES claims(environment_id, id),
  constraint return_state_is_known CHECK ((state = ANY (ARRAY['WAITING'::text, 'SENT'::text, 'RETURNED'::text, 'FAILED'::text, 'REVERSED'::text]))),
  constraint return_takes_from_is_known CHECK ((takes_from = ANY (ARRAY['suspense'::text, 'available'::text])))
);

create table payment_screenings (
  environment_id integer not null,
  payment_id uuid not null,
  mode text not null,
  verdict text not null,
  list text,
  version text,
  entry text,
  why text,
  screened_at timestamp with time zone not null,
  attempts integer default 0 not null,
  due_at timestamp with time zone,
  constraint hit_names_its_entry CHECK (((verdict = 'hit'::text) = (entry IS NOT NULL))),
  constraint payment_screenings_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint payment_screenings_pkey PRIMARY KEY (environment_id, payment_id),
  constraint screening_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint screening_names_its_list CHECK (((verdict <> 'unknown'::text) = ((list IS NOT NULL) AND (version IS NOT NULL)))),
  constraint screening_verdict_is_known CHECK ((verdict = ANY (ARRAY['hit'::text, 'unknown'::text, 'clear'::text]))),
  constraint unknown_verdict_says_why CHECK (((verdict = 'unknown'::text) = (why IS NOT NULL)))
);

create table payment_searches (
  rail text not null,
  period_from timestamp with time zone not null,
  period_to timestamp with time zone not null,
  next_page text,
  due_at timestamp with time zone not null,
  constraint payment_searches_pkey PRIMARY KEY (rail),
  constraint search_has_a_period CHECK ((period_from < period_to))
);

create table payment_shares (
  environment_id integer not null,
  id uuid not null,
  payment_id uuid not null,
  part smallint not null,
  line smallint not null,
  split_id uuid not null,
  subaccount_id uuid not null,
  mode text not null,
  asset text not null,
  amount bigint not null,
  fee bigint not null,
  taken_back bigint default 0 not null,
  taken_pending bigint default 0 not null,
  status text not null,
  release_at timestamp with time zone,
  released_at timestamp with time zone,
  due_at timestamp with time zone,
  tries integer default 0 not null,
  created_at timestamp with time zone not null,
  proportion_amount bigint,
  proportion_accepted bigint,
  proportion_kept bigint,
  constraint payment_shares_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint payment_shares_environment_id_split_id_fkey FOREIGN KEY (environment_id, split_id) REFERENCES splits(environment_id, id),
  constraint payment_shares_environment_id_subaccount_id_fkey FOREIGN KEY (environment_id, subaccount_id) REFERENCES subaccounts(environment_id, id),
  constraint payment_shares_pkey PRIMARY KEY (environment_id, id),
  constraint share_has_a_whole_proportion CHECK (((num_nonnulls(proportion_amount, proportion_accepted, proportion_kept) = ANY (ARRAY[0, 3])) AND ((proportion_amount >= 0) AND (proportion_amount <= proportion_accepted)) AND (proportion_kept >= 0) AND ((proportion_amount + proportion_kept) <= amount))),
  constraint share_has_an_amount CHECK (((amount > 0) AND (fee >= 0) AND (fee < amount))),
  constraint share_says_when_it_was_released CHECK (((released_at IS NOT NULL) <= ((release_at IS NOT NULL) AND (status = 'POSTED'::text)))),
  constraint share_status_is_known CHECK ((status = ANY (ARRAY['PENDING'::text, 'POSTED'::text]))),
  constraint share_takes_back_at_most_itself CHECK ((((taken_back >= 0) AND (taken_back <= amount)) AND ((taken_pending >= 0) AND (taken_pending <= LEAST(taken_back, (amount - fee)))))),
  constraint share_waits_for_its_release CHECK ((((status = 'PENDING'::text) = (due_at IS NOT NULL)) AND ((status = 'PENDING'::text) <= (release_at IS NOT NULL))))
);

create table payments (
  environment_id integer not null,
  id uuid not null,
  account_id uuid not null,
  source text not null,
  rail text not null,
  rail_id text not null,
  asset text not null,
  amount bigint not null,
  amount_accepted bigint not null,
  amount_held bigint not null,
  amount_returning bigint not null,
  amount_returned bigint not null,
  fee bigint not null,
  variance text not null,
  status text default 
CASE
    WHEN (amount_held > 0) THEN 'HELD'::text
    WHEN (amount_returning > 0) THEN 'RETURNING'::text
    WHEN (amount_accepted > 0) THEN 'ACCEPTED'::text
    ELSE 'RETURNED'::text
END not null,
  sender json not null,
  session_id text,
  narration text,
  event_sequence integer not null,
  received_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  split_id uuid,
  customer_id uuid,
  invoice_id uuid,
  held_for text,
  constraint all_of_a_payment_is_somewhere CHECK (((amount = (((amount_accepted + amount_held) + amount_returning) + amount_returned)) AND (LEAST(amount_accepted, amount_held, amount_returning, amount_returned) >= 0))),
  constraint payment_amount_is_positive CHECK ((amount > 0)),
  constraint payment_asset_fits_source CHECK (((source = ANY (ARRAY['virtual_account'::text, 'dedicated_account'::text])) = (asset = 'NGN'::text))),
  constraint payment_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint payment_fee_is_not_negative CHECK ((fee >= 0)),
  constraint payment_fee_is_within_its_amount CHECK ((fee <= amount)),
  constraint payment_held_for_screening_is_not_accepted CHECK (((held_for IS NULL) OR (amount_accepted = 0))),
  constraint payment_hold_is_known CHECK ((held_for = 'screening'::text)),
  constraint payment_source_is_known CHECK ((source = ANY (ARRAY['virtual_account'::text, 'dedicated_account'::text, 'crypto_wallet'::text, 'dedicated_crypto_wallet'::text]))),
  constraint payment_variance_is_known CHECK ((variance = ANY (ARRAY['NONE'::text, 'UNDERPAID'::text, 'OVERPAID'::text, 'LATE'::text, 'DUPLICATE'::text]))),
  constraint payments_pkey PRIMARY KEY (environment_id, id),
  constraint screened_payment_moves_by_decision TRIGGER DEFERRABLE INITIALLY DEFERRED
);

create table payout_approvals (
  environment_id integer not null,
  payout_id uuid not null,
  verdict text not null,
  user_id uuid,
  session_id uuid,
  order_hash bytea not null,
  reason text,
  decided_at timestamp with time zone not null,
  id uuid default gen_random_uuid() not null,
  decided_by text default 'user'::text not null,
  round integer default 1 not null,
  constraint approval_is_of_a_round CHECK ((round > 0)),
  constraint decision_is_of_a_member_an_operator_or_simulated CHECK ((decided_by = ANY (ARRAY['user'::text, 'simulated'::text, 'operator'::text]))),
  constraint member_decides_in_a_session CHECK ((((decided_by = 'user'::text) = (user_id IS NOT NULL)) AND ((decided_by = 'user'::text) = (session_id IS NOT NULL)))),
  constraint payout_approvals_pkey PRIMARY KEY (environment_id, id),
  constraint payout_approvals_session_id_fkey FOREIGN KEY (session_id) REFERENCES user_sessions(id),
  constraint payout_approvals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint rejection_is_short CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint rejection_says_why CHECK (((verdict = 'APPROVED'::text) OR (reason IS NOT NULL))),
  constraint verdict_is_known CHECK ((verdict = ANY (ARRAY['APPROVED'::text, 'REJECTED'::text])))
);

create table payout_attempts (
  environment_id integer not null,
  payout_id uuid not null,
  number integer not null,
  rail text not null,
  token text not null,
  wire bytea not null,
  valid_until bigint,
  state text not null,
  outcome text,
  due_at timestamp with time zone not null,
  polls integer default 0 not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  leased_until timestamp with time zone,
  expires_by bigint,
  failed_at_height bigint,
  signed_slot bigint,
  constraint attempt_is_numbered CHECK ((number > 0)),
  constraint attempt_state_is_known CHECK ((state = ANY (ARRAY['LIVE'::text, 'LANDED'::text, 'FAILED'::text, 'DEAD'::text]))),
  constraint ended_attempt_has_its_time CHECK (((state = 'LIVE'::text) = (ended_at IS NULL))),
  constraint operator_fails_only_what_cannot_land CHECK (((valid_until IS NULL) OR (state <> ALL (ARRAY['FAILED'::text, 'DEAD'::text])) OR (outcome IS DISTINCT FROM 'operator_decision'::text) OR COALESCE((failed_at_height > LEAST(valid_until, expires_by)), false))),
  constraint payout_attempts_pkey PRIMARY KEY (environment_id, payout_id, number),
  constraint signed_slot_is_of_a_transaction CHECK (((signed_slot IS NULL) OR ((signed_slot >= 0) AND (valid_until IS NOT NULL))))
);

create table payout_batch_approvals (
  environment_id integer not null,
  batch_id uuid not null,
  verdict text not null,
  user_id uuid,
  session_id uuid,
  order_hash bytea not null,
  reason text,
  decided_at timestamp with time zone not null,
  id uuid default gen_random_uuid() not null,
  decided_by text default 'user'::text not null,
  constraint batch_decision_is_of_a_member_or_simulated CHECK ((decided_by = ANY (ARRAY['user'::text, 'simulated'::text]))),
  constraint batch_rejection_is_short CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint batch_rejection_says_why CHECK (((verdict = 'REJECTED'::text) = (reason IS NOT NULL))),
  constraint batch_verdict_is_known CHECK ((verdict = ANY (ARRAY['APPROVED'::text, 'REJECTED'::text]))),
  constraint member_decides_batch_in_a_session CHECK ((((decided_by = 'user'::text) = (user_id IS NOT NULL)) AND ((decided_by = 'user'::text) = (session_id IS NOT NULL)))),
  constraint payout_batch_approvals_pkey PRIMARY KEY (environment_id, id),
  constraint payout_batch_approvals_session_id_fkey FOREIGN KEY (session_id) REFERENCES user_sessions(id),
  constraint payout_batch_approvals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table payout_batch_items (
  environment_id integer not null,
  batch_id uuid not null,
  number integer not null,
  amount bigint not null,
  requested_amount text not null,
  destination json not null,
  merchant_reference text,
  state text default 'PENDING'::text not null,
  fee bigint,
  bank_name text,
  account_name text,
  warnings json,
  problem json,
  payout_id uuid,
  due_at timestamp with time zone,
  ended_at timestamp with time zone,
  levy bigint,
  purpose text,
  recipient_id uuid,
  constraint ended_item_says_when CHECK (((ended_at IS NULL) = (state <> ALL (ARRAY['COMPLETED'::text, 'FAILED'::text])))),
  constraint item_amount_is_positive CHECK ((amount > 0)),
  constraint item_has_its_recipient FOREIGN KEY (environment_id, recipient_id) REFERENCES recipients(environment_id, id),
  constraint item_is_numbered CHECK ((number > 0)),
  constraint item_purpose_is_known CHECK ((purpose = 'salary'::text)),
  constraint item_state_is_known CHECK ((state = ANY (ARRAY['PENDING'::text, 'VALID'::text, 'INVALID'::text, 'SUBMITTED'::text, 'COMPLETED'::text, 'FAILED'::text]))),
  constraint item_without_payment_says_why CHECK (((state <> ALL (ARRAY['INVALID'::text, 'FAILED'::text])) OR (problem IS NOT NULL))),
  constraint only_submitted_item_has_a_payout CHECK ((((payout_id IS NOT NULL) = (state = ANY (ARRAY['SUBMITTED'::text, 'COMPLETED'::text]))) OR (state = 'FAILED'::text))),
  constraint payout_batch_items_environment_id_batch_id_fkey FOREIGN KEY (environment_id, batch_id) REFERENCES payout_batches(environment_id, id),
  constraint payout_batch_items_pkey PRIMARY KEY (environment_id, batch_id, number)
);

create table payout_batches (
  environment_id integer not null,
  id uuid not null,
  mode text not null,
  kind text not null,
  asset text not null,
  name text,
  retry_of uuid,
  item_count integer not null,
  amount bigint not null,
  created_by_key uuid,
  created_by_user uuid,
  created_at timestamp with time zone not null,
  state text not null,
  valid_count integer default 0 not null,
  invalid_count integer default 0 not null,
  submitted_count integer default 0 not null,
  completed_count integer default 0 not null,
  failed_count integer default 0 not null,
  warned_count integer not null,
  invalid_amount bigint default 0 not null,
  fee bigint default 0 not null,
  validated_at timestamp with time zone,
  submitted_at timestamp with time zone,
  ended_at timestamp with time zone,
  order_hash bytea,
  approve_by timestamp with time zone,
  due_at timestamp with time zone not null,
  attempts integer default 0 not null,
  paid_amount bigint default 0 not null,
  paid_fee bigint default 0 not null,
  levy bigint default 0 not null,
  paid_levy bigint default 0 not null,
  subaccount_id uuid,
  constraint batch_counts_its_items CHECK (((valid_count >= 0) AND (invalid_count >= 0) AND (submitted_count >= 0) AND (completed_count >= 0) AND (failed_count >= 0) AND ((warned_count >= 0) AND (warned_count <= item_count)) AND (((((valid_count + invalid_count) + submitted_count) + completed_count) + failed_count) <= item_count))),
  constraint batch_has_items CHECK ((((item_count >= 1) AND (item_count <= 10000)) AND (amount > 0))),
  constraint batch_has_its_subaccount FOREIGN KEY (environment_id, subaccount_id) REFERENCES subaccounts(environment_id, id),
  constraint batch_kind_fits_its_asset CHECK ((((kind = 'bank_transfer'::text) AND (asset = 'NGN'::text)) OR ((kind = 'crypto_transfer'::text) AND (asset = ANY (ARRAY['USDC'::text, 'USDT'::text]))))),
  constraint batch_levies_are_not_negative CHECK (((levy >= 0) AND (paid_levy >= 0) AND ((completed_count > 0) OR (paid_levy = 0)))),
  constraint batch_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint batch_order_hash_is_whole CHECK ((length(order_hash) = 32)),
  constraint batch_state_is_known CHECK ((state = ANY (ARRAY['VALIDATING'::text, 'READY'::text, 'INVALID'::text, 'PENDING'::text, 'PROCESSING'::text, 'COMPLETED'::text, 'CANCELLED'::text, 'REJECTED'::text, 'EXPIRED'::text]))),
  constraint batch_waits_for_a_time CHECK (((order_hash IS NULL) = (approve_by IS NULL))),
  constraint completed_batch_has_only_ended_items CHECK (((state <> 'COMPLETED'::text) OR (((invalid_count + completed_count) + failed_count) = item_count))),
  constraint ended_batch_says_when CHECK (((ended_at IS NULL) = (state = ANY (ARRAY['VALIDATING'::text, 'READY'::text, 'INVALID'::text, 'PENDING'::text, 'PROCESSING'::text])))),
  constraint paid_items_have_an_amount CHECK ((((paid_amount > 0) = (completed_count > 0)) AND ((paid_amount + invalid_amount) <= amount) AND (paid_fee >= 0) AND ((completed_count > 0) OR (paid_fee = 0)))),
  constraint payout_batches_created_by_user_fkey FOREIGN KEY (created_by_user) REFERENCES users(id),
  constraint payout_batches_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint payout_batches_pkey PRIMARY KEY (environment_id, id),
  constraint submitted_batch_says_when CHECK (((submitted_at IS NULL) = (state = ANY (ARRAY['VALIDATING'::text, 'READY'::text, 'INVALID'::text, 'CANCELLED'::text])))),
  constraint waiting_batch_has_an_order CHECK (((state <> ALL (ARRAY['PENDING'::text, 'REJECTED'::text, 'EXPIRED'::text])) OR (order_hash IS NOT NULL)))
);

create table payout_checks (
  environment_id integer not null,
  payout_id uuid not null,
  mode text not null,
  reasons text[] not null,
  callback text,
  attempts integer default 0 not null,
  problem text,
  rejection text,
  silent_from timestamp with time zone,
  due_at timestamp with time zone,
  created_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  round integer default 1 not null,
  screening json,
  constraint answered_callback_says_when CHECK (((callback = ANY (ARRAY['APPROVED'::text, 'REJECTED'::text])) = (answered_at IS NOT NULL))),
  constraint callback_state_is_known CHECK ((callback = ANY (ARRAY['OPEN'::text, 'APPROVED'::text, 'REJECTED'::text, 'SILENT'::text]))),
  constraint check_reasons_are_known CHECK ((reasons <@ ARRAY['amount'::text, 'key'::text, 'callback'::text, 'velocity'::text, 'duplicate'::text, 'new_recipient'::text, 'screening'::text])),
  constraint check_waits_for_something CHECK (((callback IS NOT NULL) OR (cardinality(reasons) > 0))),
  constraint finding_is_a_reason CHECK (((screening IS NULL) OR ('screening'::text = ANY (reasons)))),
  constraint only_rejection_has_words CHECK (((rejection IS NULL) OR (callback = 'REJECTED'::text))),
  constraint open_callback_has_an_end CHECK (((callback <> 'OPEN'::text) OR (silent_from IS NOT NULL))),
  constraint payout_checks_pkey PRIMARY KEY (environment_id, payout_id),
  constraint round_is_positive CHECK ((round > 0)),
  constraint silent_callback_needs_a_member CHECK (((callback <> 'SILENT'::text) OR ('callback'::text = ANY (reasons))))
);

create table payout_freezes (
  id uuid not null,
  environment_id integer,
  kind text not null,
  subject text not null,
  reason text not null,
  frozen_by text not null,
  is_of_operators boolean not null,
  frozen_at timestamp with time zone not null,
  thaw_asked_by text,
  thaw_asked_at timestamp with time zone,
  thawed_by text,
  thawed_at timestamp with time zone,
  constraint freeze_kind_is_known CHECK ((kind = ANY (ARRAY['merchant'::text, 'key'::text, 'member'::text, 'recipient'::text, 'rail'::text]))),
  constraint frozen_member_does_not_thaw CHECK (((kind <> 'member'::text) OR ((thaw_asked_by IS DISTINCT FROM subject) AND (thawed_by IS DISTINCT FROM subject)))),
  constraint only_merchant_freeze_has_no_subject CHECK (((kind = 'merchant'::text) = (subject = ''::text))),
  constraint only_rails_are_frozen_everywhere CHECK (((environment_id IS NOT NULL) OR ((kind = 'rail'::text) AND is_of_operators))),
  constraint payout_freezes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint payout_freezes_pkey PRIMARY KEY (id),
  constraint shells_are_of_operators CHECK (((frozen_by !~~ 'shell:%'::text) OR is_of_operators)),
  constraint thaw_is_asked_by_a_person CHECK (((thaw_asked_by IS NULL) = (thaw_asked_at IS NULL))),
  constraint thaw_is_done_by_a_person CHECK (((thawed_by IS NULL) = (thawed_at IS NULL))),
  constraint thaw_needs_a_second_person CHECK (((thawed_by IS NULL) OR ((thawed_by <> frozen_by) AND (thawed_by IS DISTINCT FROM thaw_asked_by)))),
  constraint thaw_was_asked_for CHECK (((thawed_by IS NULL) OR (thaw_asked_by IS NOT NULL) OR (thawed_by ~~ 'shell:%'::text)))
);

create table payouts (
  environment_id integer not null,
  id uuid not null,
  kind text not null,
  rail text not null,
  asset text not null,
  amount bigint not null,
  fee bigint not null,
  requested_amount text not null,
  destination json not null,
  merchant_reference text,
  metadata json not null,
  status text not null,
  failure_reason text,
  is_review_required boolean default false not null,
  event_sequence integer not null,
  submitted_at timestamp with time zone,
  completed_at timestamp with time zone,
  failed_at timestamp with time zone,
  reversed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  takes_from text default 'available'::text not null,
  created_by_key uuid,
  created_by_user uuid,
  order_hash bytea,
  approve_by timestamp with time zone,
  batch_id uuid,
  batch_item integer,
  bank_session_id text,
  levy bigint default 0 not null,
  purpose text,
  recipient_id uuid,
  constraint completed_payout_has_its_time CHECK (((status = ANY (ARRAY['COMPLETED'::text, 'REVERSED'::text])) = (completed_at IS NOT NULL))),
  constraint failed_payout_has_its_time CHECK (((status = 'FAILED'::text) = (failed_at IS NOT NULL))),
  constraint failed_payout_says_why CHECK (((status = 'FAILED'::text) = (failure_reason IS NOT NULL))),
  constraint only_bank_transfer_has_a_levy CHECK (((levy = 0) OR (kind = 'bank_transfer'::text))),
  constraint only_banks_send_back CHECK (((status <> 'REVERSED'::text) OR (kind = ANY (ARRAY['bank_transfer'::text, 'bank_return'::text])))),
  constraint only_return_takes_from_suspense CHECK (((takes_from = 'available'::text) OR ("left"(takes_from, 4) = 'sub:'::text) OR ((takes_from = 'suspense'::text) AND (kind = ANY (ARRAY['bank_return'::text, 'crypto_return'::text]))))),
  constraint order_hash_is_whole CHECK ((length(order_hash) = 32)),
  constraint payout_amount_is_positive CHECK ((amount > 0)),
  constraint payout_asset_fits_kind CHECK (((kind = ANY (ARRAY['bank_transfer'::text, 'bank_return'::text])) = (asset = 'NGN'::text))),
  constraint payout_fee_is_not_negative CHECK ((fee >= 0)),
  constraint payout_has_an_event_when_submitted CHECK (((event_sequence >= 0) AND ((kind = ANY (ARRAY['bank_return'::text, 'crypto_return'::text])) = (event_sequence = 0)))),
  constraint payout_has_its_recipient FOREIGN KEY (environment_id, recipient_id) REFERENCES recipients(environment_id, id),
  constraint payout_kind_is_known CHECK ((kind = ANY (ARRAY['crypto_transfer'::text, 'bank_transfer'::text, 'bank_return'::text, 'crypto_return'::text]))),
  constraint payout_levy_is_not_negative CHECK ((levy >= 0)),
  constraint payout_names_its_item CHECK (((batch_id IS NULL) = (batch_item IS NULL))),
  constraint payout_purpose_is_known CHECK (((purpose IS NULL) OR ((purpose = 'salary'::text) AND (kind = 'bank_transfer'::text)))),
  constraint payout_status_is_known CHECK ((status = ANY (ARRAY['PENDING'::text, 'SUBMITTED'::text, 'COMPLETED'::text, 'FAILED'::text, 'REVERSED'::text]))),
  constraint payout_waits_for_a_time CHECK (((order_hash IS NULL) = (approve_by IS NULL))),
  constraint payout_was_submitted_or_waited CHECK (((submitted_at IS NOT NULL) OR ((order_hash IS NOT NULL) AND (status = ANY (ARRAY['PENDING'::text, 'FAILED'::text]))))),
  constraint payouts_pkey PRIMARY KEY (environment_id, id),
  constraint pending_payout_is_not_submitted CHECK (((status <> 'PENDING'::text) OR ((submitted_at IS NULL) AND (order_hash IS NOT NULL)))),
  constraint return_is_free CHECK (((kind <> ALL (ARRAY['bank_return'::text, 'crypto_return'::text])) OR (fee = 0))),
  constraint reversed_payout_has_its_time CHECK (((status = 'REVERSED'::text) = (reversed_at IS NOT NULL))),
  constraint settling_payout_has_a_settlement TRIGGER DEFERRABLE INITIALLY DEFERRED
);

create table proof_runs (
  id uuid not null,
  requested_by uuid not null,
  requested_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  attempts integer default 0 not null,
  ended_at timestamp with time zone,
  is_clean boolean,
  claims integer,
  violations json,
  failure text,
  constraint clean_proof_has_no_violation CHECK (((is_clean IS NULL) OR (failure IS NULL))),
  constraint ended_proof_has_a_result CHECK (((ended_at IS NULL) = ((is_clean IS NULL) AND (failure IS NULL)))),
  constraint proof_runs_pkey PRIMARY KEY (id),
  constraint proof_runs_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id)
);

create table provider_fees (
  environment_id integer not null,
  cause_id uuid not null,
  rail text not null,
  amount bigint not null,
  created_at timestamp with time zone not null,
  constraint provider_fee_is_not_negative CHECK ((amount >= 0)),
  constraint provider_fees_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint provider_fees_pkey PRIMARY KEY (environment_id, cause_id)
);

create table rail_cursors (
  rail text not null,
  subject text not null,
  position bigint not null,
  constraint rail_cursors_pkey PRIMARY KEY (rail, subject)
);

create table rate_readings (
  source text not null,
  asset text not null,
  buy bigint,
  sell bigint,
  read_at timestamp with time zone not null,
  problem text,
  constraint rate_readings_pkey PRIMARY KEY (source, asset)
);

create table rates (
  id uuid not null,
  asset text not null,
  buy bigint not null,
  sell bigint not null,
  origin text not null,
  given_by text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  withdrawn_at timestamp with time zone,
  base_buy bigint,
  base_sell bigint,
  base_since timestamp with time zone,
  constraint one_operator_changes_little CHECK (((base_since IS NULL) OR (((abs((buy - base_buy)) * 10) <= base_buy) AND ((abs((sell - base_sell)) * 10) <= base_sell)))),
  constraint rate_base_is_whole CHECK ((num_nulls(base_buy, base_sell, base_since) = ANY (ARRAY[0, 3]))),
  constraint rate_buys_below_it_sells CHECK (((buy > 0) AND (sell >= buy))),
  constraint rate_is_of_a_coin CHECK ((asset = ANY (ARRAY['USDC'::text, 'USDT'::text]))),
  constraint rate_of_sources_expires CHECK (((origin = 'operator'::text) OR (expires_at IS NOT NULL))),
  constraint rate_origin_is_known CHECK ((origin = ANY (ARRAY['operator'::text, 'sources'::text]))),
  constraint rates_pkey PRIMARY KEY (id)
);

create table reallocations (
  environment_id integer not null,
  id uuid not null,
  payment_id uuid not null,
  reason text,
  created_by_key uuid,
  created_by_user uuid,
  created_at timestamp with time zone not null,
  constraint reallocations_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint reallocations_pkey PRIMARY KEY (environment_id, id)
);

create table recipients (
  environment_id integer not null,
  id uuid not null,
  kind text not null,
  bank_code text,
  bank_name text,
  account_number text,
  account_name text,
  address text,
  label text,
  metadata json not null,
  status text not null,
  active_since timestamp with time zone not null,
  event_sequence integer default 1 not null,
  created_at timestamp with time zone not null,
  constraint recipient_event_sequence_is_positive CHECK ((event_sequence > 0)),
  constraint recipient_has_one_destination CHECK (
CASE kind
    WHEN 'bank_account'::text THEN ((address IS NULL) AND (num_nulls(bank_code, bank_name, account_number, account_name) = 0))
    ELSE ((address IS NOT NULL) AND (num_nonnulls(bank_code, bank_name, account_number, account_name) = 0))
END),
  constraint recipient_is_active_since_it_was_saved CHECK ((active_since >= created_at)),
  constraint recipient_kind_is_known CHECK ((kind = ANY (ARRAY['bank_account'::text, 'wallet'::text]))),
  constraint recipient_label_is_not_empty CHECK ((label <> ''::text)),
  constraint recipient_status_is_known CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'DISABLED'::text]))),
  constraint recipients_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint recipients_pkey PRIMARY KEY (environment_id, id)
);

create table reconciliation_differences (
  id uuid not null,
  rail text not null,
  kind text not null,
  name text not null,
  occurrence integer not null,
  in_books text not null,
  at_rail text not null,
  found_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  note text,
  noted_by uuid,
  noted_at timestamp with time zone,
  constraint note_has_its_author CHECK (((note IS NULL) = (noted_by IS NULL))),
  constraint note_has_its_time CHECK (((note IS NULL) = (noted_at IS NULL))),
  constraint note_is_short CHECK (((length(note) >= 1) AND (length(note) <= 500))),
  constraint occurrence_is_positive CHECK ((occurrence > 0)),
  constraint reconciliation_differences_noted_by_fkey FOREIGN KEY (noted_by) REFERENCES users(id),
  constraint reconciliation_differences_pkey PRIMARY KEY (id)
);

create table reconciliations (
  rail text not null,
  due_at timestamp with time zone not null,
  agreed_at timestamp with time zone,
  position bigint default 0 not null,
  reconciled_at timestamp with time zone,
  differences integer,
  constraint differences_are_not_negative CHECK ((differences >= 0)),
  constraint reconciliation_has_its_result CHECK (((reconciled_at IS NULL) = (differences IS NULL))),
  constraint reconciliations_pkey PRIMARY KEY (rail)
);

create table recovery_codes (
  user_id uuid not null,
  hash bytea not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint recovery_hash_is_whole CHECK ((length(hash) = 32))
);

create table report_balances (
  environment_id integer not null,
  asset text not null,
  bucket text not null,
  bucket_start timestamp with time zone not null,
  last_number bigint not null,
  closing bigint not null,
  lowest bigint not null,
  constraint balance_bucket_is_known CHECK ((bucket = ANY (ARRAY['hour'::text, 'day'::text]))),
  constraint closing_is_not_below_lowest CHECK (((closing >= lowest) AND (lowest >= 0))),
  constraint report_balances_pkey PRIMARY KEY (environment_id, asset, bucket, bucket_start)
);

create table report_changes (
  environment_id integer not null,
  report text not null,
  day_start timestamp with time zone not null,
  transaction_id xid8 not null,
  constraint changed_report_is_known CHECK ((report = ANY (ARRAY['received'::text, 'conversion'::text, 'payout_times'::text]))),
  constraint report_changes_pkey PRIMARY KEY (environment_id, report, day_start, transaction_id)
);

create table report_conversion (
  environment_id integer not null,
  bucket text not null,
  bucket_start timestamp with time zone not null,
  created bigint not null,
  opened bigint not null,
  paid bigint not null,
  expired bigint not null,
  cancelled bigint not null,
  constraint conversion_bucket_is_known CHECK ((bucket = ANY (ARRAY['hour'::text, 'day'::text]))),
  constraint conversion_bucket_is_not_empty CHECK ((created > 0)),
  constraint report_conversion_pkey PRIMARY KEY (environment_id, bucket, bucket_start),
  constraint sessions_end_once CHECK ((((paid + expired) + cancelled) <= created))
);

create table report_entries (
  environment_id integer not null,
  asset text not null,
  bucket text not null,
  bucket_start timestamp with time zone not null,
  purpose text not null,
  effect text not null,
  amount bigint not null,
  vat bigint default 0 not null,
  constraint entry_bucket_is_known CHECK ((bucket = ANY (ARRAY['hour'::text, 'day'::text]))),
  constraint entry_bucket_is_not_empty CHECK ((amount > 0)),
  constraint entry_effect_is_known CHECK ((effect = ANY (ARRAY['post'::text, 'hold'::text, 'release'::text]))),
  constraint report_entries_pkey PRIMARY KEY (environment_id, asset, bucket, bucket_start, purpose, effect),
  constraint vat_is_part_of_the_amount CHECK (((vat >= 0) AND (vat <= amount)))
);

create table report_entry_progress (
  environment_id integer not null,
  asset text not null,
  last_number bigint not null,
  constraint entry_number_is_positive CHECK ((last_number > 0)),
  constraint report_entry_progress_pkey PRIMARY KEY (environment_id, asset)
);

create table report_payout_times (
  environment_id integer not null,
  kind text not null,
  bucket text not null,
  bucket_start timestamp with time zone not null,
  completed bigint not null,
  failed bigint not null,
  median_ms bigint,
  p95_ms bigint,
  constraint only_completed_payouts_have_times CHECK ((((completed > 0) = (median_ms IS NOT NULL)) AND ((completed > 0) = (p95_ms IS NOT NULL)))),
  constraint payout_bucket_is_known CHECK ((bucket = ANY (ARRAY['hour'::text, 'day'::text]))),
  constraint payout_bucket_is_not_empty CHECK (((completed + failed) > 0)),
  constraint report_payout_times_pkey PRIMARY KEY (environment_id, kind, bucket, bucket_start)
);

create table report_progress (
  environment_id integer not null,
  summed_up_to timestamp with time zone,
  due_at timestamp with time zone not null,
  constraint report_progress_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint report_progress_pkey PRIMARY KEY (environment_id)
);

create table report_received (
  environment_id integer not null,
  asset text not null,
  bucket text not null,
  bucket_start timestamp with time zone not null,
  amount bigint not null,
  count bigint not null,
  constraint received_bucket_is_known CHECK ((bucket = ANY (ARRAY['hour'::text, 'day'::text]))),
  constraint received_bucket_is_not_empty CHECK (((amount > 0) AND (count > 0))),
  constraint report_received_pkey PRIMARY KEY (environment_id, asset, bucket, bucket_start)
);

create table request_log_resources (
  environment_id integer not null,
  resource_id uuid not null,
  log_id uuid not null,
  constraint request_log_resources_pkey PRIMARY KEY (environment_id, resource_id, log_id)
);

create table request_logs (
  environment_id integer not null,
  id uuid not null,
  request_id text not null,
  key_name text not null,
  method text not null,
  path text not null,
  query text,
  status smallint not null,
  duration_us integer not null,
  is_replayed boolean not null,
  request_body text,
  is_request_cut boolean not null,
  response_body text,
  is_response_cut boolean not null,
  key_id uuid,
  code text,
  reason text,
  resource_ids uuid[],
  constraint request_logs_pkey PRIMARY KEY (environment_id, id)
);

create table retention_progress (
  class text not null,
  environment_id integer not null,
  position uuid not null,
  pseudonymised bigint default 0 not null,
  constraint retention_progress_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint retention_progress_pkey PRIMARY KEY (class, environment_id)
);

create table retention_skips (
  class text not null,
  environment_id integer not null,
  id uuid not null,
  reason text not null,
  due_at timestamp with time zone not null,
  constraint retention_skips_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint retention_skips_pkey PRIMARY KEY (class, environment_id, id),
  constraint skip_reason_is_known CHECK ((reason = ANY (ARRAY['open'::text, 'held'::text])))
);

create table sandbox_accounts (
  reference text not null,
  number text not null,
  name text not null,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  constraint sandbox_accounts_pkey PRIMARY KEY (reference),
  constraint sandbox_number_has_ten_digits CHECK ((number ~ '^[0-9]{10}$'::text)),
  constraint sandbox_number_is_not_magic CHECK ((number < '9900000000'::text)),
  constraint sandbox_number_is_one_account UNIQUE (number)
);

create table sandbox_notices (
  payment_id text not null,
  copies integer not null,
  tries integer default 0 not null,
  is_under_way boolean default false not null,
  due_at timestamp with time zone not null,
  constraint only_tried_sandbox_notice_is_under_way CHECK (((tries > 0) OR (NOT is_under_way))),
  constraint sandbox_notice_has_a_payment FOREIGN KEY (payment_id) REFERENCES sandbox_payments(id),
  constraint sandbox_notice_has_few_copies CHECK (((copies >= 1) AND (copies <= 50))),
  constraint sandbox_notices_pkey PRIMARY KEY (payment_id)
);

create table sandbox_payments (
  id text not null,
  line_number bigint generated always as identity not null,
  account_number text not null,
  amount bigint not null,
  currency text not null,
  sender json,
  is_sender_masked boolean not null,
  session_id text not null,
  narration text,
  paid_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  constraint only_known_sandbox_sender_is_masked CHECK (((sender IS NOT NULL) OR (NOT is_sender_masked))),
  constraint sandbox_currency_is_a_code CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint sandbox_payment_has_an_account FOREIGN KEY (account_number) REFERENCES sandbox_accounts(number),
  constraint sandbox_payment_has_its_own_line UNIQUE (line_number),
  constraint sandbox_payment_id_is_ours CHECK ((id ~ '^sbp_[0-9a-z]+$'::text)),
  constraint sandbox_payments_pkey PRIMARY KEY (id)
);

create table sandbox_transfers (
  reference text not null,
  instruction text not null,
  amount bigint not null,
  received_at timestamp with time zone not null,
  is_lost boolean not null,
  ending text,
  failure_reason text,
  ends_at timestamp with time zone,
  reverses_at timestamp with time zone,
  is_reported boolean default false not null,
  reversal_number bigint,
  refund_of text,
  constraint lost_sandbox_transfer_has_no_ending CHECK (((NOT is_lost) OR (ending IS NULL))),
  constraint only_completed_sandbox_transfer_reverses CHECK (((reverses_at IS NULL) OR ((NOT (ending IS DISTINCT FROM 'completed'::text)) AND (reverses_at >= ends_at)))),
  constraint only_ended_sandbox_transfer_is_reported CHECK (((NOT is_reported) OR (ending IS NOT NULL))),
  constraint only_reported_sandbox_reversal_is_listed CHECK (((reversal_number IS NULL) OR ((reverses_at IS NOT NULL) AND is_reported))),
  constraint sandbox_amount_is_positive CHECK ((amount > 0)),
  constraint sandbox_ending_follows_receipt CHECK ((ends_at >= received_at)),
  constraint sandbox_ending_has_a_time CHECK (((ending IS NULL) = (ends_at IS NULL))),
  constraint sandbox_ending_is_known CHECK ((ending = ANY (ARRAY['completed'::text, 'failed'::text]))),
  constraint sandbox_failure_has_a_reason CHECK (((NOT (ending IS DISTINCT FROM 'failed'::text)) = (failure_reason IS NOT NULL))),
  constraint sandbox_refund_has_a_payment FOREIGN KEY (refund_of) REFERENCES sandbox_payments(id),
  constraint sandbox_reversal_is_listed_once UNIQUE (reversal_number),
  constraint sandbox_transfers_pkey PRIMARY KEY (reference)
);

create table screening_decisions (
  environment_id integer not null,
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
  created_at timestamp with time zone not null,
  constraint only_a_clear_sender_needs_no_person CHECK (
CASE action
    WHEN 'clear'::text THEN ((verdict = 'clear'::text) AND (request_id IS NULL) AND (operator IS NULL))
    ELSE (num_nonnulls(request_id, operator) = 1)
END),
  constraint screening_action_is_known CHECK ((action = ANY (ARRAY['accept'::text, 'return'::text, 'clear'::text]))),
  constraint screening_decisions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint screening_decisions_environment_id_payment_id_fkey FOREIGN KEY (environment_id, payment_id) REFERENCES payment_screenings(environment_id, payment_id),
  constraint screening_decisions_environment_id_request_id_fkey FOREIGN KEY (environment_id, request_id) REFERENCES payment_requests(environment_id, id),
  constraint screening_decisions_pkey PRIMARY KEY (environment_id, id)
);

create table search_terms (
  environment_id integer not null,
  kind text not null,
  term text not null,
  id uuid not null,
  constraint search_kind_is_known CHECK ((kind = ANY (ARRAY['payment'::text, 'payout'::text, 'account'::text, 'session'::text, 'customer'::text, 'recipient'::text]))),
  constraint search_terms_pkey PRIMARY KEY (environment_id, kind, term, id)
);

create table session_ends (
  session_id uuid not null,
  merchant_id uuid not null,
  ended_at timestamp with time zone not null,
  constraint session_ends_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint session_ends_pkey PRIMARY KEY (session_id, merchant_id),
  constraint session_ends_session_id_fkey FOREIGN KEY (session_id) REFERENCES user_sessions(id)
);

create table setting_changes (
  environment_id integer not null,
  id uuid not null,
  approvals json not null,
  approvals_before json not null,
  proposed_by uuid not null,
  state text not null,
  decided_by uuid,
  decided_at timestamp with time zone,
  applied_at timestamp with time zone,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint change_state_is_known CHECK ((state = ANY (ARRAY['OPEN'::text, 'CONFIRMED'::text, 'CANCELLED'::text]))),
  constraint confirmer_is_not_proposer CHECK (((state <> 'CONFIRMED'::text) OR (decided_by <> proposed_by))),
  constraint decided_change_says_by_whom CHECK ((((state = 'OPEN'::text) = (decided_by IS NULL)) AND ((state = 'OPEN'::text) = (decided_at IS NULL)))),
  constraint only_confirmed_change_is_applied CHECK (((applied_at IS NULL) OR (state = 'CONFIRMED'::text))),
  constraint setting_changes_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  constraint setting_changes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint setting_changes_pkey PRIMARY KEY (environment_id, id),
  constraint setting_changes_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES users(id)
);

create table settlement_schedules (
  environment_id integer not null,
  mode text not null,
  scheduled_for timestamp with time zone,
  due_at timestamp with time zone not null,
  attempts integer default 0 not null,
  last_refusal text,
  settles_rest boolean default false not null,
  subaccount_id uuid,
  owner_id uuid default COALESCE(subaccount_id, '00000000-0000-0000-0000-000000000000'::uuid) not null,
  refused_at timestamp with time zone,
  constraint schedule_has_a_time CHECK (((scheduled_for IS NOT NULL) OR settles_rest)),
  constraint schedule_has_its_subaccount FOREIGN KEY (environment_id, subaccount_id) REFERENCES subaccounts(environment_id, id),
  constraint schedule_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint settlement_schedules_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint settlement_schedules_pkey PRIMARY KEY (environment_id, owner_id)
);

create table settlement_wallets (
  environment_id integer not null,
  id uuid not null,
  asset text not null,
  address text not null,
  usable_from timestamp with time zone not null,
  chosen_by_user uuid not null,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  confirmed_by_user uuid,
  constraint confirmed_wallet_says_when CHECK (((confirmed_by_user IS NULL) OR (confirmed_at IS NOT NULL))),
  constraint confirmer_did_not_choose_the_wallet CHECK ((confirmed_by_user <> chosen_by_user)),
  constraint settlement_wallet_takes_coins CHECK ((asset = ANY (ARRAY['USDC'::text, 'USDT'::text]))),
  constraint settlement_wallet_waits CHECK ((usable_from >= (created_at + '72:00:00'::interval))),
  constraint settlement_wallets_chosen_by_user_fkey FOREIGN KEY (chosen_by_user) REFERENCES users(id),
  constraint settlement_wallets_confirmed_by_user_fkey FOREIGN KEY (confirmed_by_user) REFERENCES users(id),
  constraint settlement_wallets_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint settlement_wallets_pkey PRIMARY KEY (environment_id, id)
);

create table settlements (
  environment_id integer not null,
  id uuid not null,
  payout_id uuid not null,
  scheduled_for timestamp with time zone,
  part integer not null,
  reserve bigint not null,
  first_entry bigint not null,
  last_entry bigint not null,
  opening bigint not null,
  closing bigint not null,
  lines json not null,
  previous_at timestamp with time zone,
  created_at timestamp with time zone not null,
  conversion_id uuid,
  converted_amount bigint,
  conversion_fee bigint,
  subaccount_id uuid,
  constraint settlement_begins_once UNIQUE NULLS NOT DISTINCT (environment_id, subaccount_id, first_entry),
  constraint settlement_converts_whole CHECK ((((conversion_id IS NULL) AND (converted_amount IS NULL) AND (conversion_fee IS NULL)) OR ((conversion_id IS NOT NULL) AND (converted_amount IS NOT NULL) AND (conversion_fee >= 0) AND (converted_amount > conversion_fee)))),
  constraint settlement_has_its_own_conversion UNIQUE (environment_id, conversion_id),
  constraint settlement_has_its_own_payout UNIQUE (environment_id, payout_id),
  constraint settlement_has_its_subaccount FOREIGN KEY (environment_id, subaccount_id) REFERENCES subaccounts(environment_id, id),
  constraint settlement_holds_its_payout CHECK (((last_entry >= first_entry) AND (first_entry > 0))),
  constraint settlement_leaves_the_reserve CHECK (((reserve >= 0) AND (closing >= reserve))),
  constraint settlement_opening_is_not_negative CHECK ((opening >= 0)),
  constraint settlement_part_is_numbered CHECK ((part > 0)),
  constraint settlements_pkey PRIMARY KEY (environment_id, id),
  constraint subaccount_settles_to_a_bank CHECK (((subaccount_id IS NULL) OR (conversion_id IS NULL)))
);

create table share_take_backs (
  environment_id integer not null,
  id uuid not null,
  return_id uuid not null,
  share_id uuid not null,
  subaccount_id uuid not null,
  mode text not null,
  asset text not null,
  taken bigint not null,
  taken_pending bigint not null,
  owed bigint not null,
  state text default 'TAKEN'::text not null,
  due_at timestamp with time zone,
  tries integer default 0 not null,
  created_at timestamp with time zone not null,
  constraint share_take_backs_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint share_take_backs_environment_id_share_id_fkey FOREIGN KEY (environment_id, share_id) REFERENCES payment_shares(environment_id, id),
  constraint share_take_backs_pkey PRIMARY KEY (environment_id, id),
  constraint take_back_has_an_amount CHECK (((taken >= 0) AND (taken_pending >= 0) AND (owed >= 0) AND (((taken + taken_pending) + owed) > 0))),
  constraint take_back_is_due_while_given_back CHECK (((state = 'GIVING_BACK'::text) = (due_at IS NOT NULL))),
  constraint take_back_state_is_known CHECK ((state = ANY (ARRAY['TAKEN'::text, 'GIVING_BACK'::text, 'GIVEN_BACK'::text])))
);

create table sign_in_guesses (
  id uuid not null,
  subject bytea not null,
  network text not null,
  created_at timestamp with time zone not null,
  constraint sign_in_guesses_pkey PRIMARY KEY (id)
);

create table sign_in_steps (
  hash bytea not null,
  user_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint sign_in_steps_pkey PRIMARY KEY (hash),
  constraint sign_in_steps_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint step_hash_is_whole CHECK ((length(hash) = 32))
);

create table split_lines (
  environment_id integer not null,
  split_id uuid not null,
  line smallint not null,
  subaccount_id uuid not null,
  flat bigint,
  basis_points integer,
  min bigint,
  max bigint,
  release_at timestamp with time zone,
  release_after_days integer,
  constraint line_amounts_are_positive CHECK (((flat > 0) AND (min > 0) AND (max > 0))),
  constraint line_has_one_amount CHECK (((flat IS NULL) OR (basis_points IS NULL))),
  constraint line_is_at_most_100_percent CHECK (((basis_points >= 1) AND (basis_points <= 10000))),
  constraint line_is_released_once CHECK (((release_at IS NULL) OR (release_after_days IS NULL))),
  constraint line_min_is_at_most_max CHECK ((min <= max)),
  constraint release_days_are_positive CHECK ((release_after_days > 0)),
  constraint remainder_has_no_bounds CHECK (((flat IS NOT NULL) OR (basis_points IS NOT NULL) OR ((min IS NULL) AND (max IS NULL)))),
  constraint split_has_at_most_20_lines CHECK (((line >= 0) AND (line <= 19))),
  constraint split_lines_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint split_lines_environment_id_split_id_fkey FOREIGN KEY (environment_id, split_id) REFERENCES splits(environment_id, id),
  constraint split_lines_environment_id_subaccount_id_fkey FOREIGN KEY (environment_id, subaccount_id) REFERENCES subaccounts(environment_id, id),
  constraint split_lines_pkey PRIMARY KEY (environment_id, split_id, line)
);

create table split_rules (
  environment_id integer not null,
  id uuid not null,
  name text not null,
  asset text,
  created_at timestamp with time zone not null,
  constraint split_rule_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint split_rule_has_a_name CHECK ((name <> ''::text)),
  constraint split_rules_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint split_rules_pkey PRIMARY KEY (environment_id, id)
);

create table splits (
  environment_id integer not null,
  id uuid not null,
  rule_id uuid,
  version integer,
  asset text,
  fee_bearer text not null,
  fee_subaccount_id uuid,
  created_at timestamp with time zone not null,
  constraint bearing_subaccount_is_named CHECK (((fee_bearer = 'subaccount'::text) = (fee_subaccount_id IS NOT NULL))),
  constraint fee_bearer_is_known CHECK ((fee_bearer = ANY (ARRAY['merchant'::text, 'subaccounts'::text, 'all'::text, 'subaccount'::text]))),
  constraint only_rules_have_versions CHECK (((rule_id IS NULL) = (version IS NULL))),
  constraint split_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text]))),
  constraint split_version_is_positive CHECK ((version > 0)),
  constraint splits_environment_id_fee_subaccount_id_fkey FOREIGN KEY (environment_id, fee_subaccount_id) REFERENCES subaccounts(environment_id, id),
  constraint splits_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint splits_environment_id_rule_id_fkey FOREIGN KEY (environment_id, rule_id) REFERENCES split_rules(environment_id, id),
  constraint splits_pkey PRIMARY KEY (environment_id, id)
);

create table start_links (
  hash bytea not null,
  user_id uuid not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint start_hash_is_whole CHECK ((length(hash) = 32)),
  constraint start_links_pkey PRIMARY KEY (hash),
  constraint start_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table subaccount_transfers (
  environment_id integer not null,
  id uuid not null,
  from_subaccount_id uuid,
  to_subaccount_id uuid,
  asset text not null,
  amount bigint not null,
  note text,
  created_by_key uuid,
  created_by_user uuid,
  created_at timestamp with time zone not null,
  constraint subaccount_transfers_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint subaccount_transfers_environment_id_from_subaccount_id_fkey FOREIGN KEY (environment_id, from_subaccount_id) REFERENCES subaccounts(environment_id, id),
  constraint subaccount_transfers_environment_id_to_subaccount_id_fkey FOREIGN KEY (environment_id, to_subaccount_id) REFERENCES subaccounts(environment_id, id),
  constraint subaccount_transfers_pkey PRIMARY KEY (environment_id, id),
  constraint transfer_has_two_ends CHECK ((from_subaccount_id IS DISTINCT FROM to_subaccount_id)),
  constraint transferred_amount_is_positive CHECK ((amount > 0)),
  constraint transferred_asset_is_known CHECK ((asset = ANY (ARRAY['NGN'::text, 'USDC'::text, 'USDT'::text])))
);

create table subaccounts (
  environment_id integer not null,
  id uuid not null,
  name text not null,
  email text,
  external_reference text,
  bank_code text,
  account_number text,
  account_name text,
  wallet_address text,
  status text default 'ACTIVE'::text not null,
  event_sequence integer default 1 not null,
  created_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  settlement_schedule text default 'off'::text not null,
  settlement_reserve bigint default 0 not null,
  settlement_minimum bigint default 100000 not null,
  chosen_by_key uuid,
  chosen_by_user uuid,
  closing_payout_id uuid,
  constraint closed_subaccount_is_not_settled CHECK (((status <> 'CLOSED'::text) OR (settlement_schedule = 'off'::text))),
  constraint closed_subaccount_says_when CHECK (((status = 'CLOSED'::text) = (closed_at IS NOT NULL))),
  constraint closing_subaccount_is_paused CHECK (((closing_payout_id IS NULL) OR (status = 'PAUSED'::text))),
  constraint subaccount_bank_account_is_whole CHECK ((((bank_code IS NULL) = (account_number IS NULL)) AND ((account_number IS NULL) = (account_name IS NULL)))),
  constraint subaccount_event_sequence_is_positive CHECK ((event_sequence > 0)),
  constraint subaccount_has_a_name CHECK ((name <> ''::text)),
  constraint subaccount_reserve_is_not_negative CHECK (((settlement_reserve >= 0) AND (settlement_minimum >= 0))),
  constraint subaccount_schedule_is_known CHECK ((settlement_schedule = ANY (ARRAY['off'::text, 'daily'::text, 'weekly'::text]))),
  constraint subaccount_status_is_known CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'PAUSED'::text, 'CLOSED'::text]))),
  constraint subaccounts_chosen_by_user_fkey FOREIGN KEY (chosen_by_user) REFERENCES users(id),
  constraint subaccounts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint subaccounts_pkey PRIMARY KEY (environment_id, id)
);

create table sweep_parts (
  rail text not null,
  sweep_id uuid not null,
  token_account text not null,
  environment_id integer not null,
  account_id uuid not null,
  amount bigint not null,
  is_closing boolean not null,
  is_live boolean not null,
  constraint sweep_part_is_positive CHECK ((amount > 0)),
  constraint sweep_parts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint sweep_parts_pkey PRIMARY KEY (rail, sweep_id, token_account)
);

create table sweeps (
  rail text not null,
  id uuid not null,
  asset text not null,
  amount bigint not null,
  token text not null,
  wire bytea not null,
  valid_until bigint not null,
  state text not null,
  outcome text,
  polls integer default 0 not null,
  due_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  signed_slot bigint,
  constraint ended_sweep_has_its_time CHECK (((state = 'LIVE'::text) = (ended_at IS NULL))),
  constraint sweep_amount_is_positive CHECK ((amount > 0)),
  constraint sweep_asset_is_known CHECK ((asset = ANY (ARRAY['USDC'::text, 'USDT'::text]))),
  constraint sweep_is_one_transaction UNIQUE (rail, token),
  constraint sweep_signed_slot_is_not_negative CHECK ((signed_slot >= 0)),
  constraint sweep_state_is_known CHECK ((state = ANY (ARRAY['LIVE'::text, 'LANDED'::text, 'FAILED'::text, 'DEAD'::text]))),
  constraint sweeps_pkey PRIMARY KEY (rail, id)
);

create table token_accounts (
  rail text not null,
  address text not null,
  wallet text not null,
  asset text not null,
  amount bigint default 0 not null,
  read_to text,
  read_slot bigint default 0 not null,
  is_unread boolean default false not null,
  has_trouble boolean default false not null,
  busy_until timestamp with time zone not null,
  audited_at timestamp with time zone not null,
  polls integer default 0 not null,
  due_at timestamp with time zone not null,
  unread_polls integer default 0 not null,
  unsigned_sweeps integer default 0 not null,
  sweep_rests_until timestamp with time zone,
  constraint only_unsigned_sweep_rests CHECK (((unsigned_sweeps >= 0) AND ((unsigned_sweeps > 0) = (sweep_rests_until IS NOT NULL)))),
  constraint token_account_amount_is_not_negative CHECK ((amount >= 0)),
  constraint token_accounts_pkey PRIMARY KEY (rail, address),
  constraint unread_polls_are_not_negative CHECK ((unread_polls >= 0))
);

create table totp_secrets (
  user_id uuid not null,
  sealed_secret text not null,
  created_at timestamp with time zone not null,
  last_step bigint not null,
  constraint totp_secrets_pkey PRIMARY KEY (user_id),
  constraint totp_secrets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table treasury_shortfalls (
  rail text not null,
  asset text not null,
  refusals bigint not null,
  refused_at timestamp with time zone not null,
  alarmed_at timestamp with time zone not null,
  alarmed_refusal bigint not null,
  constraint alarm_is_one_of_the_refusals CHECK (((alarmed_refusal >= 1) AND (alarmed_refusal <= refusals))),
  constraint treasury_shortfalls_pkey PRIMARY KEY (rail, asset)
);

create table used_challenges (
  hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint challenge_hash_is_whole CHECK ((length(hash) = 32)),
  constraint used_challenges_pkey PRIMARY KEY (hash)
);

create table user_sessions (
  id uuid not null,
  user_id uuid not null,
  hash bytea not null,
  address text not null,
  browser text not null,
  has_second_factor boolean not null,
  proven_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  idle_ms bigint not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  wrong_proofs integer default 0 not null,
  constraint session_hash_is_whole CHECK ((length(hash) = 32)),
  constraint user_sessions_pkey PRIMARY KEY (id),
  constraint user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint wrong_proofs_are_not_negative CHECK ((wrong_proofs >= 0))
);

create table users (
  id uuid not null,
  email text not null,
  name text not null,
  is_operator boolean default false not null,
  created_at timestamp with time zone not null,
  disabled_at timestamp with time zone,
  constraint email_is_lower_case CHECK ((email = lower(email))),
  constraint user_has_a_name CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint users_pkey PRIMARY KEY (id)
);

create table vat_rates (
  mode text not null,
  holds_from timestamp with time zone not null,
  basis_points integer not null,
  given_by text not null,
  created_at timestamp with time zone not null,
  constraint vat_is_at_most_the_net_fee CHECK (((basis_points >= 0) AND (basis_points <= 10000))),
  constraint vat_mode_is_known CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  constraint vat_rates_pkey PRIMARY KEY (mode, holds_from)
);

create table waiting_reversals (
  environment_id integer not null,
  payout_id uuid not null,
  rail text not null,
  due_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint waiting_reversals_pkey PRIMARY KEY (environment_id, payout_id)
);

create table wallets (
  rail text not null,
  address text not null,
  number integer not null,
  reference text not null,
  created_at timestamp with time zone not null,
  constraint wallet_number_is_used_once UNIQUE (rail, number),
  constraint wallet_reference_is_one_wallet UNIQUE (rail, reference),
  constraint wallets_pkey PRIMARY KEY (rail, address)
);

create table webhook_endpoints (
  environment_id integer not null,
  id uuid not null,
  url text not null,
  event_types text[],
  is_enabled boolean not null,
  created_at timestamp with time zone not null,
  secret text not null,
  previous_secrets json default '[]'::json not null,
  signing_key text not null,
  public_key text not null,
  description text default ''::text not null,
  failing_since timestamp with time zone,
  disabled_reason text,
  event_sequence integer default 0 not null,
  deleted_at timestamp with time zone,
  constraint deleted_endpoint_is_disabled CHECK (((deleted_at IS NULL) OR (NOT is_enabled))),
  constraint disabled_endpoint_says_why CHECK ((is_enabled = (disabled_reason IS NULL))),
  constraint disabled_reason_is_known CHECK ((disabled_reason = ANY (ARRAY['merchant'::text, 'gone'::text, 'failing'::text]))),
  constraint webhook_endpoints_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint webhook_endpoints_pkey PRIMARY KEY (environment_id, id)
);

create table worker_heartbeats (
  worker_id uuid not null,
  command text not null,
  host_name text not null,
  process_id integer not null,
  version text not null,
  started_at timestamp with time zone not null,
  beat_at timestamp with time zone not null,
  stopped_at timestamp with time zone,
  late_jobs text[] default '{}'::text[] not null,
  constraint worker_command_is_known CHECK ((command = ANY (ARRAY['work'::text, 'start'::text]))),
  constraint worker_heartbeats_pkey PRIMARY KEY (worker_id)
);

CREATE UNIQUE INDEX move_takes_an_allocation_once ON public.allocation_moves USING btree (environment_id, reallocation_id, allocation_id);

CREATE INDEX moves_of_allocation ON public.allocation_moves USING btree (environment_id, allocation_id);

CREATE UNIQUE INDEX refund_takes_an_allocation_once ON public.allocation_refunds USING btree (environment_id, return_id, allocation_id, other_invoice_id) NULLS NOT DISTINCT;

CREATE INDEX refunds_of_allocation ON public.allocation_refunds USING btree (environment_id, allocation_id);

CREATE INDEX refunds_of_other_invoice ON public.allocation_refunds USING btree (environment_id, other_invoice_id) WHERE (other_invoice_id IS NOT NULL);

CREATE INDEX api_key_holders_by_user ON public.api_key_holders USING btree (environment_id, user_id);

CREATE INDEX api_keys_by_environment ON public.api_keys USING btree (environment_id, created_at);

CREATE UNIQUE INDEX key_replaces_one ON public.api_keys USING btree (rolled_into) WHERE (rolled_into IS NOT NULL);

CREATE INDEX keys_whose_payouts_wait ON public.api_keys USING btree (id) WHERE payouts_wait;

CREATE UNIQUE INDEX one_key_per_hash ON public.api_keys USING btree (hash);

CREATE INDEX audit_lines_by_action ON public.audit_lines USING btree (chain, environment_id, action, id);

CREATE INDEX audit_lines_by_reference ON public.audit_lines USING btree (environment_id, ((details ->> 'reference'::text)), id) WHERE ((environment_id IS NOT NULL) AND ((details ->> 'reference'::text) IS NOT NULL));

CREATE INDEX audit_lines_by_user ON public.audit_lines USING btree (chain, environment_id, user_id, id);

CREATE INDEX audit_lines_by_user_and_action ON public.audit_lines USING btree (chain, environment_id, user_id, action, id);

CREATE INDEX audit_lines_of_chain ON public.audit_lines USING btree (chain, environment_id, id);

CREATE UNIQUE INDEX audit_numbers_are_unique ON public.audit_lines USING btree (chain, number);

CREATE UNIQUE INDEX case_has_an_item_once ON public.case_items USING btree (environment_id, resource_id, case_id) WHERE (removed_at IS NULL);

CREATE INDEX items_of_case ON public.case_items USING btree (environment_id, case_id, id);

CREATE INDEX cases_by_assignee ON public.cases USING btree (environment_id, assignee_id, status, id) WHERE (assignee_id IS NOT NULL);

CREATE INDEX cases_by_change ON public.cases USING btree (environment_id, changed_at, id);

CREATE INDEX cases_by_external_reference ON public.cases USING btree (environment_id, external_reference, id) WHERE (external_reference IS NOT NULL);

CREATE INDEX cases_by_kind_and_status ON public.cases USING btree (environment_id, kind, status, id);

CREATE INDEX cases_due ON public.cases USING btree (mode, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX open_cases_by_deadline ON public.cases USING btree (environment_id, deadline) WHERE ((status = 'OPEN'::text) AND (deadline IS NOT NULL));

CREATE INDEX checkout_sessions_by_link ON public.checkout_sessions USING btree (environment_id, payment_link_id, status, id) WHERE (payment_link_id IS NOT NULL);

CREATE INDEX checkout_sessions_by_reference ON public.checkout_sessions USING btree (environment_id, merchant_reference, status, id) WHERE (merchant_reference IS NOT NULL);

CREATE INDEX checkout_sessions_by_status ON public.checkout_sessions USING btree (environment_id, status, id);

CREATE UNIQUE INDEX session_has_one_wallet ON public.checkout_sessions USING btree (environment_id, wallet_id) WHERE (wallet_id IS NOT NULL);

CREATE UNIQUE INDEX session_reference_is_one_session ON public.checkout_sessions USING btree (reference);

CREATE UNIQUE INDEX claim_hold_becomes_one_payout ON public.claim_holds USING btree (environment_id, payout_id) WHERE (payout_id IS NOT NULL);

CREATE UNIQUE INDEX claim_holds_money_once ON public.claim_holds USING btree (environment_id, claim_id) WHERE (ended_as IS NULL);

CREATE UNIQUE INDEX claim_opens_once ON public.claim_holds USING btree (environment_id, claim_id, opening);

CREATE UNIQUE INDEX claim_has_its_own_payout ON public.claims USING btree (environment_id, payout_id) WHERE (payout_id IS NOT NULL);

CREATE UNIQUE INDEX claim_of_token ON public.claims USING btree (token_hash);

CREATE UNIQUE INDEX claim_reference_is_unique ON public.claims USING btree (environment_id, merchant_reference) WHERE (merchant_reference IS NOT NULL);

CREATE INDEX claims_by_status ON public.claims USING btree (environment_id, status, id);

CREATE INDEX open_claims_by_expiry ON public.claims USING btree (environment_id, expires_at) WHERE (status = 'OPEN'::text);

CREATE INDEX coin_backings_open ON public.coin_backings USING btree (created_at) WHERE (NOT is_minted);

CREATE INDEX accounts_of_customer ON public.collection_accounts USING btree (environment_id, customer_id, id) WHERE (customer_id IS NOT NULL);

CREATE INDEX accounts_of_invoice ON public.collection_accounts USING btree (environment_id, invoice_id, id) WHERE (invoice_id IS NOT NULL);

CREATE INDEX accounts_to_pseudonymise ON public.collection_accounts USING btree (environment_id, ended_at) WHERE ((kind = 'dedicated_account'::text) AND (status = 'INACTIVE'::text) AND (account_name <> '[erased]'::text));

CREATE INDEX collection_accounts_by_number ON public.collection_accounts USING btree (environment_id, number, id);

CREATE INDEX collection_accounts_by_reference ON public.collection_accounts USING btree (environment_id, kind, merchant_reference, status, id) WHERE (merchant_reference <> ''::text);

CREATE INDEX collection_accounts_by_status ON public.collection_accounts USING btree (environment_id, kind, status, id);

CREATE INDEX collection_accounts_due ON public.collection_accounts USING btree (due_at) WHERE (status = 'ACTIVE'::text);

CREATE UNIQUE INDEX external_reference_is_used_once ON public.collection_accounts USING btree (environment_id, merchant_reference, kind) WHERE (kind = ANY (ARRAY['dedicated_account'::text, 'dedicated_crypto_wallet'::text]));

CREATE UNIQUE INDEX rail_account_is_one_account ON public.collection_accounts USING btree (rail, rail_account);

CREATE UNIQUE INDEX session_is_paid_once ON public.collection_accounts USING btree (environment_id, session_id) WHERE ((session_id IS NOT NULL) AND (status = 'PAID'::text));

CREATE INDEX conversion_quotes_by_expiry ON public.conversion_quotes USING btree (expires_at);

CREATE UNIQUE INDEX payout_has_one_conversion ON public.conversions USING btree (environment_id, payout_id) WHERE (payout_id IS NOT NULL);

CREATE UNIQUE INDEX quote_is_used_once ON public.conversions USING btree (environment_id, quote_id) WHERE (quote_id IS NOT NULL);

CREATE INDEX credit_notes_of_invoice ON public.credit_notes USING btree (environment_id, invoice_id, id);

CREATE INDEX credit_of_cause ON public.customer_credit_entries USING btree (environment_id, cause_id);

CREATE INDEX credit_of_invoice ON public.customer_credit_entries USING btree (environment_id, invoice_id) WHERE (invoice_id IS NOT NULL);

CREATE UNIQUE INDEX customer_external_reference_is_unique ON public.customers USING btree (environment_id, external_reference) WHERE (external_reference IS NOT NULL);

CREATE INDEX deliveries_due ON public.deliveries USING btree (environment_id, endpoint_id, due_at) WHERE (state = 'PENDING'::text);

CREATE INDEX deliveries_of_endpoint ON public.deliveries USING btree (environment_id, endpoint_id, state, event_id) WHERE ((attempts > 0) AND (NOT is_under_way));

CREATE INDEX disputes_open ON public.disputes USING btree (last_seen_at) WHERE (ended_at IS NULL);

CREATE INDEX environments_in_kyc ON public.environments USING btree (kyc_status) WHERE (kyc_status = ANY (ARRAY['SUBMITTED'::text, 'MORE_NEEDED'::text, 'REJECTED'::text]));

CREATE INDEX environments_with_a_rule ON public.environments USING btree (id) WHERE (approval_rule IS NOT NULL);

CREATE UNIQUE INDEX event_sequence_grows_per_resource ON public.events USING btree (environment_id, resource_id, sequence);

CREATE INDEX events_by_resource ON public.events USING btree (environment_id, type, resource_id, id);

CREATE INDEX events_by_type ON public.events USING btree (environment_id, type, id);

CREATE UNIQUE INDEX one_event_per_type_and_cause ON public.events USING btree (environment_id, cause_id, type);

CREATE INDEX exchange_stock_newest ON public.exchange_stock USING btree (mode, asset, created_at);

CREATE INDEX idempotency_keys_to_forget ON public.idempotency_keys USING btree (forget_at) WHERE (forget_at IS NOT NULL);

CREATE INDEX invitations_by_email ON public.invitations USING btree (email);

CREATE INDEX invitations_by_maker ON public.invitations USING btree (created_by_user) WHERE ((used_at IS NULL) AND (revoked_at IS NULL));

CREATE INDEX invitations_by_merchant ON public.invitations USING btree (merchant_id, created_at);

CREATE INDEX invitations_by_merchant_made_in ON public.invitations USING btree (made_in_merchant_id, created_at) WHERE (made_in_merchant_id IS NOT NULL);

CREATE INDEX invitations_by_reset_user ON public.invitations USING btree (resets_user_id) WHERE (resets_user_id IS NOT NULL);

CREATE UNIQUE INDEX one_invitation_per_link ON public.invitations USING btree (hash);

CREATE UNIQUE INDEX deadline_of_invoice_comes_once ON public.invoice_deadlines USING btree (environment_id, invoice_id, kind, planned_for);

CREATE INDEX invoice_deadlines_due ON public.invoice_deadlines USING btree (mode, due_at);

CREATE INDEX invoice_schedules_by_customer ON public.invoice_schedules USING btree (environment_id, customer_id, id);

CREATE INDEX invoice_schedules_by_status ON public.invoice_schedules USING btree (environment_id, status, id);

CREATE INDEX invoice_schedules_due ON public.invoice_schedules USING btree (mode, due_at) WHERE (status = 'ACTIVE'::text);

CREATE UNIQUE INDEX invoice_number_is_unique ON public.invoices USING btree (environment_id, series, number) WHERE (number IS NOT NULL);

CREATE UNIQUE INDEX invoice_of_page_token ON public.invoices USING btree (page_token);

CREATE INDEX invoices_by_customer ON public.invoices USING btree (environment_id, customer_id, id);

CREATE INDEX invoices_by_status ON public.invoices USING btree (environment_id, status, id);

CREATE INDEX invoices_of_schedule ON public.invoices USING btree (environment_id, schedule_id, id) WHERE (schedule_id IS NOT NULL);

CREATE INDEX payable_invoices ON public.invoices USING btree (environment_id, customer_id, next_due_at) WHERE (status = ANY (ARRAY['OPEN'::text, 'PARTIALLY_PAID'::text]));

CREATE UNIQUE INDEX schedule_makes_one_invoice_per_period ON public.invoices USING btree (environment_id, schedule_id, period) WHERE (schedule_id IS NOT NULL);

CREATE INDEX releases_of_subaccounts ON public.ledger_resolutions USING btree (environment_id, asset, created_at) WHERE (subaccount_id IS NOT NULL);

CREATE UNIQUE INDEX resolution_entries_are_numbered_once ON public.ledger_resolutions USING btree (environment_id, asset, entry_number) WHERE (entry_number IS NOT NULL);

CREATE UNIQUE INDEX resolution_subaccount_entries_are_numbered_once ON public.ledger_resolutions USING btree (environment_id, subaccount_id, asset, subaccount_entry) WHERE (subaccount_id IS NOT NULL);

CREATE INDEX fees_of_subaccounts ON public.ledger_transfers USING btree (environment_id, asset, created_at) WHERE ((entry_number IS NULL) AND (subaccount_id IS NOT NULL) AND ((debit = 'fees'::text) OR (credit = 'fees'::text)));

CREATE UNIQUE INDEX transfer_entries_are_numbered_once ON public.ledger_transfers USING btree (environment_id, asset, entry_number) WHERE (entry_number IS NOT NULL);

CREATE UNIQUE INDEX transfer_subaccount_entries_are_numbered_once ON public.ledger_transfers USING btree (environment_id, subaccount_id, asset, subaccount_entry) WHERE (subaccount_id IS NOT NULL);

CREATE INDEX legal_holds_in_force ON public.legal_holds USING btree (id) WHERE (released_at IS NULL);

CREATE UNIQUE INDEX address_is_suppressed_once ON public.mail_suppressions USING btree (address_hash, COALESCE(environment_id, 0));

CREATE INDEX suppressions_of_environment ON public.mail_suppressions USING btree (environment_id, id);

CREATE UNIQUE INDEX mail_of_a_cause_is_queued_once ON public.mails USING btree (kind, cause_id, recipient);

CREATE INDEX mails_by_kind ON public.mails USING btree (environment_id, kind, id);

CREATE INDEX mails_by_recipient ON public.mails USING btree (environment_id, recipient, id);

CREATE INDEX mails_by_state ON public.mails USING btree (environment_id, state, id);

CREATE INDEX mails_due ON public.mails USING btree (mode, due_at) WHERE (state = 'WAITING'::text);

CREATE INDEX mails_of_environment ON public.mails USING btree (environment_id, id);

CREATE INDEX memberships_by_approver_since ON public.memberships USING btree (approver_since) WHERE (approver_by IS NOT NULL);

CREATE INDEX memberships_by_user ON public.memberships USING btree (user_id);

CREATE UNIQUE INDEX one_primary_bank_account ON public.merchant_bank_accounts USING btree (environment_id) WHERE is_primary;

CREATE INDEX notes_of_resource ON public.notes USING btree (environment_id, resource_id, id);

CREATE INDEX notice_hints_due ON public.notice_hints USING btree (rail, due_at) WHERE (state = 'OPEN'::text);

CREATE INDEX notice_hints_ended ON public.notice_hints USING btree (received_at) WHERE (state <> 'OPEN'::text);

CREATE INDEX notice_hints_rejected ON public.notice_hints USING btree (received_at) WHERE (state = 'REJECTED'::text);

CREATE INDEX notices_booked ON public.notices USING btree (rail, received_at) WHERE (state = 'BOOKED'::text);

CREATE INDEX notices_due ON public.notices USING btree (rail, due_at) WHERE (state = ANY (ARRAY['WAITING'::text, 'UNMATCHED'::text]));

CREATE INDEX notices_refused ON public.notices USING btree (received_at) WHERE (state = 'REFUSED'::text);

CREATE INDEX notices_refused_by_account ON public.notices USING btree (rail, ((report ->> 'accountNumber'::text)), received_at) WHERE (state = 'REFUSED'::text);

CREATE INDEX opened_bank_accounts_by_number ON public.opened_bank_accounts USING btree (rail, number, created_at);

CREATE UNIQUE INDEX one_waiting_action_per_subject ON public.operator_actions USING btree (kind, subject) WHERE (state = 'WAITING'::text);

CREATE INDEX operator_actions_newest_first ON public.operator_actions USING btree (state, id);

CREATE UNIQUE INDEX one_passkey_per_credential ON public.passkeys USING btree (credential_id);

CREATE INDEX passkeys_by_user ON public.passkeys USING btree (user_id, created_at);

CREATE INDEX allocations_of_invoice ON public.payment_allocations USING btree (environment_id, invoice_id, id) WHERE (invoice_id IS NOT NULL);

CREATE INDEX allocations_of_payment ON public.payment_allocations USING btree (environment_id, payment_id, id);

CREATE INDEX allocations_of_reallocation ON public.payment_allocations USING btree (environment_id, reallocation_id) WHERE (reallocation_id IS NOT NULL);

CREATE UNIQUE INDEX payment_link_slug_is_unique ON public.payment_links USING btree (slug);

CREATE UNIQUE INDEX payment_has_one_open_request ON public.payment_requests USING btree (environment_id, payment_id) WHERE (state = 'OPEN'::text);

CREATE INDEX payment_requests_of_payment ON public.payment_requests USING btree (environment_id, payment_id, id);

CREATE UNIQUE INDEX claim_returns_once ON public.payment_returns USING btree (environment_id, claim_id) WHERE (claim_id IS NOT NULL);

CREATE INDEX payment_returns_due ON public.payment_returns USING btree (rail, due_at) WHERE (state = 'WAITING'::text);

CREATE INDEX payment_returns_of_payment ON public.payment_returns USING btree (environment_id, payment_id, id);

CREATE INDEX payment_returns_waiting ON public.payment_returns USING btree (environment_id, asset) INCLUDE (amount) WHERE (state = 'WAITING'::text);

CREATE INDEX payment_screenings_due ON public.payment_screenings USING btree (mode, due_at) WHERE (due_at IS NOT NULL);

CREATE UNIQUE INDEX payment_is_shared_once ON public.payment_shares USING btree (environment_id, payment_id, part, line);

CREATE INDEX shares_due ON public.payment_shares USING btree (mode, due_at) WHERE (status = 'PENDING'::text);

CREATE INDEX shares_of_subaccount ON public.payment_shares USING btree (environment_id, subaccount_id, id);

CREATE UNIQUE INDEX payment_is_booked_once ON public.payments USING btree (rail, rail_id);

CREATE INDEX payments_by_amount ON public.payments USING btree (environment_id, asset, amount, id);

CREATE INDEX payments_by_source ON public.payments USING btree (environment_id, source, status, id);

CREATE INDEX payments_by_status ON public.payments USING btree (environment_id, status, account_id, id);

CREATE INDEX payments_by_variance ON public.payments USING btree (environment_id, variance, id) WHERE (variance <> 'NONE'::text);

CREATE INDEX payments_of_account ON public.payments USING btree (environment_id, account_id, id);

CREATE INDEX payments_of_customer ON public.payments USING btree (environment_id, customer_id, id) WHERE (customer_id IS NOT NULL);

CREATE UNIQUE INDEX member_decides_once ON public.payout_approvals USING btree (environment_id, payout_id, round, verdict, user_id);

CREATE INDEX payout_approvals_by_session ON public.payout_approvals USING btree (session_id);

CREATE UNIQUE INDEX payout_is_rejected_once ON public.payout_approvals USING btree (environment_id, payout_id) WHERE (verdict = 'REJECTED'::text);

CREATE INDEX payout_attempts_due ON public.payout_attempts USING btree (rail, due_at) WHERE (state = 'LIVE'::text);

CREATE UNIQUE INDEX payout_has_one_attempt_that_counts ON public.payout_attempts USING btree (environment_id, payout_id) WHERE (state = ANY (ARRAY['LIVE'::text, 'LANDED'::text]));

CREATE UNIQUE INDEX signature_is_one_attempt ON public.payout_attempts USING btree (rail, token) WHERE (valid_until IS NOT NULL);

CREATE UNIQUE INDEX batch_is_rejected_once ON public.payout_batch_approvals USING btree (environment_id, batch_id) WHERE (verdict = 'REJECTED'::text);

CREATE UNIQUE INDEX member_decides_batch_once ON public.payout_batch_approvals USING btree (environment_id, batch_id, verdict, user_id);

CREATE INDEX payout_batch_approvals_by_session ON public.payout_batch_approvals USING btree (session_id);

CREATE UNIQUE INDEX item_has_its_own_payout ON public.payout_batch_items USING btree (environment_id, payout_id) WHERE (payout_id IS NOT NULL);

CREATE UNIQUE INDEX item_reference_is_unique_in_its_batch ON public.payout_batch_items USING btree (environment_id, batch_id, merchant_reference) WHERE (merchant_reference IS NOT NULL);

CREATE INDEX payout_batch_items_by_state ON public.payout_batch_items USING btree (environment_id, batch_id, state, number);

CREATE INDEX payout_batch_items_unpaid ON public.payout_batch_items USING btree (environment_id, COALESCE((destination ->> 'accountNumber'::text), (destination ->> 'address'::text)), amount, batch_id) WHERE (state = ANY (ARRAY['PENDING'::text, 'VALID'::text]));

CREATE INDEX payout_batch_items_warned ON public.payout_batch_items USING btree (environment_id, batch_id, number) WHERE (warnings IS NOT NULL);

CREATE INDEX payout_batch_items_warned_by_state ON public.payout_batch_items USING btree (environment_id, batch_id, state, number) WHERE (warnings IS NOT NULL);

CREATE UNIQUE INDEX batch_is_retried_once ON public.payout_batches USING btree (environment_id, retry_of) WHERE ((retry_of IS NOT NULL) AND (state <> ALL (ARRAY['CANCELLED'::text, 'REJECTED'::text, 'EXPIRED'::text])));

CREATE INDEX payout_batches_by_state ON public.payout_batches USING btree (environment_id, state, id);

CREATE INDEX payout_batches_by_subaccount ON public.payout_batches USING btree (environment_id, subaccount_id, id) WHERE (subaccount_id IS NOT NULL);

CREATE INDEX payout_batches_due ON public.payout_batches USING btree (mode, due_at) WHERE (state = ANY (ARRAY['VALIDATING'::text, 'PROCESSING'::text]));

CREATE INDEX payout_batches_open ON public.payout_batches USING btree (environment_id, id) WHERE (state = ANY (ARRAY['VALIDATING'::text, 'READY'::text, 'INVALID'::text, 'PENDING'::text, 'PROCESSING'::text]));

CREATE INDEX payout_batches_pending ON public.payout_batches USING btree (approve_by) WHERE (state = 'PENDING'::text);

CREATE INDEX payout_checks_by_turn ON public.payout_checks USING btree (mode, environment_id, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX payout_checks_due ON public.payout_checks USING btree (mode, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX payout_freezes_listed ON public.payout_freezes USING btree (environment_id, id);

CREATE UNIQUE INDEX payout_freezes_open ON public.payout_freezes USING btree (environment_id, kind, subject, is_of_operators) NULLS NOT DISTINCT WHERE (thawed_at IS NULL);

CREATE UNIQUE INDEX item_is_paid_once ON public.payouts USING btree (environment_id, batch_id, batch_item) WHERE (batch_id IS NOT NULL);

CREATE UNIQUE INDEX merchant_reference_is_used_once ON public.payouts USING btree (environment_id, kind, merchant_reference) WHERE (merchant_reference IS NOT NULL);

CREATE INDEX payouts_by_amount ON public.payouts USING btree (environment_id, asset, amount, id) WHERE (kind = ANY (ARRAY['bank_transfer'::text, 'crypto_transfer'::text]));

CREATE INDEX payouts_by_key ON public.payouts USING btree (environment_id, created_by_key, id) WHERE (created_by_key IS NOT NULL);

CREATE INDEX payouts_by_recipient ON public.payouts USING btree (environment_id, recipient_id, status, id) WHERE (recipient_id IS NOT NULL);

CREATE INDEX payouts_by_status ON public.payouts USING btree (environment_id, kind, status, id);

CREATE INDEX payouts_by_subaccount ON public.payouts USING btree (environment_id, takes_from, id) WHERE ("left"(takes_from, 4) = 'sub:'::text);

CREATE INDEX payouts_by_user ON public.payouts USING btree (environment_id, created_by_user, id) WHERE (created_by_user IS NOT NULL);

CREATE INDEX payouts_ended ON public.payouts USING btree (environment_id, kind, COALESCE(completed_at, failed_at)) WHERE (COALESCE(completed_at, failed_at) IS NOT NULL);

CREATE INDEX payouts_open ON public.payouts USING btree (submitted_at) WHERE (status = 'SUBMITTED'::text);

CREATE INDEX payouts_pending ON public.payouts USING btree (approve_by) WHERE (status = 'PENDING'::text);

CREATE INDEX payouts_with_levy ON public.payouts USING btree (environment_id, id) WHERE (levy > 0);

CREATE UNIQUE INDEX reference_is_one_payout ON public.payouts USING btree (id);

CREATE UNIQUE INDEX one_proof_at_a_time ON public.proof_runs USING btree ((true)) WHERE (ended_at IS NULL);

CREATE INDEX rates_newest ON public.rates USING btree (asset, origin, created_at);

CREATE INDEX reallocations_of_payment ON public.reallocations USING btree (environment_id, payment_id, id);

CREATE UNIQUE INDEX recipient_account_is_saved_once ON public.recipients USING btree (environment_id, bank_code, account_number) WHERE (kind = 'bank_account'::text);

CREATE UNIQUE INDEX recipient_wallet_is_saved_once ON public.recipients USING btree (environment_id, address) WHERE (kind = 'wallet'::text);

CREATE INDEX recipients_by_kind_and_status ON public.recipients USING btree (environment_id, kind, status, id);

CREATE UNIQUE INDEX open_difference_is_one_row ON public.reconciliation_differences USING btree (rail, kind, name, occurrence) WHERE (resolved_at IS NULL);

CREATE INDEX reconciliation_differences_newest_first ON public.reconciliation_differences USING btree (id);

CREATE UNIQUE INDEX statement_entry_is_summed_up_once ON public.report_balances USING btree (environment_id, asset, bucket, last_number);

CREATE INDEX report_progress_due ON public.report_progress USING btree (due_at);

CREATE INDEX request_logs_by_key ON public.request_logs USING btree (environment_id, key_id, id);

CREATE INDEX request_logs_by_request_id ON public.request_logs USING btree (environment_id, request_id, id);

CREATE INDEX request_logs_of_failures ON public.request_logs USING btree (environment_id, id) WHERE (status >= 400);

CREATE INDEX retention_skips_due ON public.retention_skips USING btree (class, environment_id, due_at);

CREATE INDEX sandbox_notices_due ON public.sandbox_notices USING btree (due_at);

CREATE INDEX sandbox_payments_by_record ON public.sandbox_payments USING btree (recorded_at, line_number);

CREATE INDEX sandbox_payments_of_account ON public.sandbox_payments USING btree (account_number, line_number);

CREATE INDEX sandbox_refunds ON public.sandbox_transfers USING btree (refund_of) WHERE (refund_of IS NOT NULL);

CREATE INDEX sandbox_reversals_to_list ON public.sandbox_transfers USING btree (reverses_at, reference) WHERE ((reverses_at IS NOT NULL) AND (reversal_number IS NULL));

CREATE INDEX sandbox_transfers_by_receipt ON public.sandbox_transfers USING btree (received_at, reference);

CREATE UNIQUE INDEX request_decides_once ON public.screening_decisions USING btree (environment_id, request_id) WHERE (request_id IS NOT NULL);

CREATE INDEX screening_decisions_of_payment ON public.screening_decisions USING btree (environment_id, payment_id);

CREATE UNIQUE INDEX environment_has_one_open_change ON public.setting_changes USING btree (environment_id) WHERE (state = 'OPEN'::text);

CREATE INDEX setting_changes_newest ON public.setting_changes USING btree (environment_id, state, id);

CREATE INDEX settlement_schedules_due ON public.settlement_schedules USING btree (mode, due_at);

CREATE UNIQUE INDEX scheduled_settlement_is_made_once ON public.settlements USING btree (environment_id, scheduled_for, part) WHERE (subaccount_id IS NULL);

CREATE UNIQUE INDEX scheduled_subaccount_settlement_is_made_once ON public.settlements USING btree (environment_id, subaccount_id, scheduled_for, part) WHERE (subaccount_id IS NOT NULL);

CREATE UNIQUE INDEX settlement_ends_once ON public.settlements USING btree (environment_id, last_entry) WHERE (subaccount_id IS NULL);

CREATE UNIQUE INDEX subaccount_settlement_ends_once ON public.settlements USING btree (environment_id, subaccount_id, last_entry) WHERE (subaccount_id IS NOT NULL);

CREATE UNIQUE INDEX refund_takes_back_once ON public.share_take_backs USING btree (environment_id, return_id, share_id);

CREATE INDEX take_backs_due ON public.share_take_backs USING btree (mode, due_at) WHERE (state = 'GIVING_BACK'::text);

CREATE INDEX take_backs_of_share ON public.share_take_backs USING btree (environment_id, share_id);

CREATE INDEX sign_in_guesses_by_network ON public.sign_in_guesses USING btree (network, created_at);

CREATE INDEX sign_in_guesses_by_subject ON public.sign_in_guesses USING btree (subject, created_at);

CREATE INDEX sign_in_guesses_by_time ON public.sign_in_guesses USING btree (created_at);

CREATE INDEX sign_in_steps_by_user ON public.sign_in_steps USING btree (user_id);

CREATE UNIQUE INDEX split_has_one_remainder ON public.split_lines USING btree (environment_id, split_id) WHERE ((flat IS NULL) AND (basis_points IS NULL));

CREATE UNIQUE INDEX split_version_is_unique ON public.splits USING btree (environment_id, rule_id, version) WHERE (rule_id IS NOT NULL);

CREATE INDEX transfers_from_subaccount ON public.subaccount_transfers USING btree (environment_id, from_subaccount_id, id) WHERE (from_subaccount_id IS NOT NULL);

CREATE INDEX transfers_to_subaccount ON public.subaccount_transfers USING btree (environment_id, to_subaccount_id, id) WHERE (to_subaccount_id IS NOT NULL);

CREATE UNIQUE INDEX subaccount_external_reference_is_unique ON public.subaccounts USING btree (environment_id, external_reference) WHERE (external_reference IS NOT NULL);

CREATE INDEX subaccounts_by_status ON public.subaccounts USING btree (environment_id, status, id);

CREATE INDEX subaccounts_closing ON public.subaccounts USING btree (environment_id, id) WHERE (closing_payout_id IS NOT NULL);

CREATE INDEX sweep_parts_of_token_account ON public.sweep_parts USING btree (rail, token_account);

CREATE UNIQUE INDEX token_account_is_swept_once_at_a_time ON public.sweep_parts USING btree (rail, token_account) WHERE is_live;

CREATE INDEX sweeps_due ON public.sweeps USING btree (rail, due_at) WHERE (state = 'LIVE'::text);

CREATE INDEX token_accounts_due ON public.token_accounts USING btree (rail, due_at);

CREATE INDEX token_accounts_in_trouble ON public.token_accounts USING btree (rail) WHERE has_trouble;

CREATE INDEX token_accounts_of_wallet ON public.token_accounts USING btree (rail, wallet);

CREATE INDEX token_accounts_with_coins ON public.token_accounts USING btree (rail, asset) WHERE (amount > 0);

CREATE INDEX used_challenges_by_expiry ON public.used_challenges USING btree (expires_at);

CREATE UNIQUE INDEX one_session_per_hash ON public.user_sessions USING btree (hash);

CREATE INDEX user_sessions_by_user ON public.user_sessions USING btree (user_id, created_at);

CREATE UNIQUE INDEX one_user_per_email ON public.users USING btree (email);

CREATE INDEX waiting_reversals_due ON public.waiting_reversals USING btree (rail, due_at);

CREATE INDEX webhook_endpoints_in_use ON public.webhook_endpoints USING btree (environment_id, created_at, id) WHERE (deleted_at IS NULL);

CREATE TRIGGER allocation_moves_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.allocation_moves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER key_holders_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.api_key_holders FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER key_keeps_its_subaccount BEFORE UPDATE OF subaccount_id ON public.api_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER key_keeps_its_wait BEFORE UPDATE OF payouts_wait ON public.api_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER rolled_key_waits_like_the_old_one BEFORE UPDATE OF rolled_into ON public.api_keys FOR EACH ROW WHEN ((new.payouts_wait AND (new.rolled_into IS NOT NULL))) EXECUTE FUNCTION check_rolled_key();

CREATE CONSTRAINT TRIGGER audit_head_has_its_line AFTER UPDATE ON public.audit_heads DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_line_of_head();

CREATE TRIGGER audit_head_moves_with_its_line BEFORE INSERT OR UPDATE ON public.audit_heads FOR EACH ROW EXECUTE FUNCTION keep_audit_head();

CREATE TRIGGER audit_heads_are_never_removed BEFORE DELETE OR TRUNCATE ON public.audit_heads FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_lines_are_chained BEFORE INSERT ON public.audit_lines FOR EACH ROW EXECUTE FUNCTION chain_audit_line();

CREATE TRIGGER audit_lines_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.audit_lines FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('details');

CREATE TRIGGER logged_head_never_goes_back BEFORE UPDATE ON public.audit_logged_heads FOR EACH ROW EXECUTE FUNCTION keep_logged_head();

CREATE TRIGGER logged_heads_are_never_removed BEFORE DELETE OR TRUNCATE ON public.audit_logged_heads FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER case_items_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, id, case_id, payment_id, payout_id, recipient_id, customer_id, added_at OR TRUNCATE ON public.case_items FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER case_items_keep_to_their_rules BEFORE INSERT OR UPDATE ON public.case_items FOR EACH ROW EXECUTE FUNCTION check_case_item();

CREATE TRIGGER removed_items_stay_removed BEFORE UPDATE ON public.case_items FOR EACH ROW WHEN ((old.removed_at IS NOT NULL)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER cases_are_never_removed BEFORE DELETE OR UPDATE OF environment_id, id, mode, created_by_key, created_by_user, created_at OR TRUNCATE ON public.cases FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER closed_cases_are_never_edited BEFORE UPDATE ON public.cases FOR EACH ROW WHEN (((old.status = 'CLOSED'::text) AND (new.status = 'CLOSED'::text))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.cases FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('title', 'description', 'external_reference', 'outcome_note');

CREATE TRIGGER chain_never_changes BEFORE DELETE OR UPDATE OR TRUNCATE ON public.chains FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER sessions_of_ended_days_are_noted AFTER INSERT OR UPDATE OF status, opened_at ON public.checkout_sessions FOR EACH ROW WHEN ((new.created_at < (clock_timestamp() - '00:30:00'::interval))) EXECUTE FUNCTION note_report_change('conversion');

CREATE TRIGGER frozen_return_is_not_claimed AFTER INSERT ON public.claims FOR EACH ROW WHEN ((new.payment_id IS NOT NULL)) EXECUTE FUNCTION check_frozen_claim();

CREATE TRIGGER ended_account_stays BEFORE UPDATE ON public.collection_accounts FOR EACH ROW WHEN (((new.status <> old.status) AND ((old.status = ANY (ARRAY['PAID'::text, 'CANCELLED'::text, 'INACTIVE'::text])) OR ((old.status = 'EXPIRED'::text) AND (new.status <> 'PAID'::text))))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.collection_accounts FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('customer', 'account_name', 'metadata');

CREATE TRIGGER conversions_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.conversions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER credit_notes_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.credit_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.credit_notes FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('reason');

CREATE TRIGGER customer_credit_entries_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.customer_credit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER looser_rule_needs_a_second_person AFTER INSERT OR DELETE OR UPDATE ON public.environment_settings FOR EACH ROW EXECUTE FUNCTION keep_approval_rule();

CREATE TRIGGER approval_rule_is_that_of_the_settings BEFORE UPDATE OF approval_rule ON public.environments FOR EACH ROW EXECUTE FUNCTION check_approval_rule();

CREATE TRIGGER events_are_never_edited BEFORE UPDATE OR TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.events FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('data');

CREATE TRIGGER recent_events_are_kept BEFORE DELETE ON public.events FOR EACH ROW EXECUTE FUNCTION keep_recent_events();

CREATE TRIGGER positions_stay BEFORE DELETE OR TRUNCATE ON public.exchange_positions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER stock_is_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.exchange_stock FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER fee_schedules_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.fee_schedules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER link_is_used_once BEFORE UPDATE ON public.invitations FOR EACH ROW EXECUTE FUNCTION keep_used_link();

CREATE TRIGGER link_is_worth_what_its_maker_may_give BEFORE UPDATE ON public.invitations FOR EACH ROW EXECUTE FUNCTION check_link_use();

CREATE TRIGGER final_invoices_stay BEFORE DELETE ON public.invoices FOR EACH ROW WHEN ((old.status <> 'DRAFT'::text)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER resolutions_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_resolutions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER transfers_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER legal_holds_are_never_removed BEFORE DELETE OR TRUNCATE ON public.legal_holds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER legal_holds_are_only_released BEFORE UPDATE ON public.legal_holds FOR EACH ROW EXECUTE FUNCTION keep_legal_hold();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.legal_holds FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('subject', 'case_reference', 'reason');

CREATE TRIGGER levies_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.levies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER levy_debits_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.levy_debits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER one_owner_remains BEFORE DELETE OR UPDATE ON public.memberships FOR EACH ROW EXECUTE FUNCTION keep_one_owner();

CREATE TRIGGER right_to_approve_has_its_date BEFORE INSERT OR UPDATE ON public.memberships FOR EACH ROW EXECUTE FUNCTION keep_approver_since();

CREATE TRIGGER confirmer_is_a_member_who_may BEFORE INSERT OR UPDATE OF confirmed_by_user ON public.merchant_bank_accounts FOR EACH ROW WHEN ((new.confirmed_by_user IS NOT NULL)) EXECUTE FUNCTION check_confirmation();

CREATE TRIGGER notes_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, id, resource_id, author_id, created_at OR TRUNCATE ON public.notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER notes_are_only_withdrawn BEFORE UPDATE ON public.notes FOR EACH ROW EXECUTE FUNCTION only_withdraw();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.notes FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('text');

CREATE TRIGGER notices_are_never_edited BEFORE DELETE OR UPDATE OF rail, mode, id, report, body, received_at OR TRUNCATE ON public.notices FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.notices FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('report', 'body', 'reason');

CREATE TRIGGER operator_action_is_kept BEFORE DELETE OR UPDATE ON public.operator_actions FOR EACH ROW EXECUTE FUNCTION keep_operator_action();

CREATE TRIGGER payment_allocations_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payment_allocations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.payment_requests FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('note');

CREATE TRIGGER payment_requests_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, id, payment_id, action, amount, note, requested_by, created_at OR TRUNCATE ON public.payment_requests FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.payment_returns FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('destination', 'note');

CREATE TRIGGER payment_returns_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, id, payment_id, rail, asset, amount, takes_from, destination, created_at, reason, note, claim_id OR TRUNCATE ON public.payment_returns FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.payments FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('sender', 'narration');

CREATE TRIGGER payments_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, id, account_id, source, rail, rail_id, asset, amount, variance, sender, session_id, narration, received_at, created_at OR TRUNCATE ON public.payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payments_of_ended_days_are_noted AFTER INSERT ON public.payments FOR EACH ROW WHEN ((new.created_at < (clock_timestamp() - '00:30:00'::interval))) EXECUTE FUNCTION note_report_change('received');

CREATE CONSTRAINT TRIGGER screened_payment_moves_by_decision AFTER UPDATE ON public.payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.held_for IS NOT NULL) AND ((new.held_for IS NULL) OR (new.amount_returning > old.amount_returning)))) EXECUTE FUNCTION require_screening_decision();

CREATE TRIGGER approval_fits_its_payout BEFORE INSERT ON public.payout_approvals FOR EACH ROW EXECUTE FUNCTION check_approval();

CREATE TRIGGER approvals_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payout_approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER approving_session_is_open BEFORE INSERT ON public.payout_approvals FOR EACH ROW EXECUTE FUNCTION check_approving_session();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.payout_approvals FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('reason');

CREATE TRIGGER release_of_a_hit_says_why BEFORE INSERT ON public.payout_approvals FOR EACH ROW WHEN (((new.verdict = 'APPROVED'::text) AND (new.reason IS NULL) AND (new.decided_by <> 'operator'::text))) EXECUTE FUNCTION check_release();

CREATE TRIGGER attempts_stay_on_one_chain BEFORE INSERT ON public.payout_attempts FOR EACH ROW WHEN ((new.number > 1)) EXECUTE FUNCTION refuse_attempt_on_another_chain();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.payout_attempts FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('wire');

CREATE TRIGGER pending_payout_has_no_attempt AFTER INSERT ON public.payout_attempts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_attempts();

CREATE TRIGGER sent_bytes_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, payout_id, number, rail, token, wire, valid_until, created_at, signed_slot OR TRUNCATE ON public.payout_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER approval_fits_its_batch BEFORE INSERT ON public.payout_batch_approvals FOR EACH ROW EXECUTE FUNCTION check_batch_approval();

CREATE TRIGGER approving_session_is_open BEFORE INSERT ON public.payout_batch_approvals FOR EACH ROW EXECUTE FUNCTION check_approving_session();

CREATE TRIGGER batch_approvals_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payout_batch_approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.payout_batch_approvals FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('reason');

CREATE TRIGGER batch_items_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, batch_id, number, amount, requested_amount, destination, merchant_reference, purpose, recipient_id OR TRUNCATE ON public.payout_batch_items FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.payout_batch_items FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('destination', 'account_name', 'warnings', 'problem');

CREATE TRIGGER payout_of_item_stays BEFORE UPDATE OF payout_id ON public.payout_batch_items FOR EACH ROW WHEN (((old.payout_id IS NOT NULL) AND (new.payout_id IS DISTINCT FROM old.payout_id))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER batch_of_this_key_waits BEFORE UPDATE OF state ON public.payout_batches FOR EACH ROW WHEN (((old.state = ANY (ARRAY['READY'::text, 'INVALID'::text])) AND (new.state = 'PROCESSING'::text) AND key_waits(new.created_by_key))) EXECUTE FUNCTION check_batch_of_waiting_key();

CREATE TRIGGER batch_order_stays BEFORE UPDATE OF order_hash ON public.payout_batches FOR EACH ROW WHEN ((old.order_hash IS NOT NULL)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER batch_state_follows_the_one_before BEFORE UPDATE OF state ON public.payout_batches FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION check_batch_state();

CREATE TRIGGER batches_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, id, mode, kind, asset, name, retry_of, item_count, amount, created_by_key, created_by_user, created_at, subaccount_id OR TRUNCATE ON public.payout_batches FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.payout_batches FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('name');

CREATE TRIGGER pending_batches_wait_seven_days_at_most BEFORE UPDATE OF approve_by ON public.payout_batches FOR EACH ROW WHEN ((old.order_hash IS NOT NULL)) EXECUTE FUNCTION check_longer_wait();

CREATE TRIGGER check_begins_a_round BEFORE INSERT ON public.payout_checks FOR EACH ROW EXECUTE FUNCTION begin_round();

CREATE TRIGGER checks_only_get_stricter BEFORE UPDATE ON public.payout_checks FOR EACH ROW EXECUTE FUNCTION check_check();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.payout_checks FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('problem', 'rejection');

CREATE TRIGGER payout_checks_are_kept BEFORE DELETE OR UPDATE OF environment_id, payout_id, mode, created_at OR TRUNCATE ON public.payout_checks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER freezes_are_never_edited BEFORE DELETE OR UPDATE OF id, environment_id, kind, subject, reason, frozen_by, is_of_operators, frozen_at OR TRUNCATE ON public.payout_freezes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER thawed_freezes_are_never_edited BEFORE UPDATE ON public.payout_freezes FOR EACH ROW WHEN ((old.thawed_at IS NOT NULL)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER approved_payout_recipient_can_be_paid BEFORE UPDATE OF status ON public.payouts FOR EACH ROW WHEN (((old.status = 'PENDING'::text) AND (new.status = 'SUBMITTED'::text))) EXECUTE FUNCTION check_recipient();

CREATE TRIGGER bank_session_is_never_edited BEFORE UPDATE OF bank_session_id ON public.payouts FOR EACH ROW WHEN (((old.bank_session_id IS DISTINCT FROM new.bank_session_id) AND (old.bank_session_id IS NOT NULL))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER frozen_payout_is_not_made AFTER INSERT ON public.payouts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_freezes();

CREATE TRIGGER frozen_payout_stays_pending BEFORE UPDATE OF status ON public.payouts FOR EACH ROW WHEN (((old.status = 'PENDING'::text) AND (new.status = 'SUBMITTED'::text))) EXECUTE FUNCTION check_frozen_pending();

CREATE TRIGGER item_of_payout_is_never_edited BEFORE UPDATE OF batch_id, batch_item ON public.payouts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.payouts FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('destination', 'metadata');

CREATE TRIGGER payout_is_that_of_its_item BEFORE INSERT ON public.payouts FOR EACH ROW WHEN ((new.batch_id IS NOT NULL)) EXECUTE FUNCTION check_batch_payout();

CREATE TRIGGER payout_of_this_key_waits AFTER INSERT ON public.payouts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_waiting_key();

CREATE TRIGGER payout_orders_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, id, kind, rail, asset, amount, fee, levy, purpose, requested_amount, destination, merchant_reference, metadata, takes_from, created_by_key, created_by_user, order_hash, created_at, recipient_id OR TRUNCATE ON public.payouts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER payout_over_the_rule_waits AFTER INSERT ON public.payouts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_rule();

CREATE TRIGGER payout_recipient_can_be_paid BEFORE INSERT ON public.payouts FOR EACH ROW WHEN (((new.recipient_id IS NOT NULL) OR (new.batch_id IS NOT NULL) OR ("left"(new.merchant_reference, 4) = 'clm_'::text) OR ((new.kind = ANY (ARRAY['bank_return'::text, 'crypto_return'::text])) AND (new.status <> 'PENDING'::text) AND ((new.created_by_key IS NOT NULL) OR (new.created_by_user IS NOT NULL))))) EXECUTE FUNCTION check_recipient();

CREATE TRIGGER payouts_keep_to_the_recipient_rule AFTER INSERT ON public.payouts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_recipient_rule();

CREATE TRIGGER payouts_of_ended_days_are_noted AFTER UPDATE OF completed_at, failed_at ON public.payouts FOR EACH ROW WHEN (((COALESCE(old.completed_at, old.failed_at) IS NULL) AND (COALESCE(new.completed_at, new.failed_at) < (clock_timestamp() - '00:30:00'::interval)))) EXECUTE FUNCTION note_report_change('payout_times');

CREATE TRIGGER pending_payout_leaves_with_approval BEFORE UPDATE OF status ON public.payouts FOR EACH ROW WHEN (((old.status = 'PENDING'::text) AND (new.status <> 'PENDING'::text))) EXECUTE FUNCTION check_pending_payout();

CREATE TRIGGER pending_payouts_wait_seven_days_at_most BEFORE UPDATE OF approve_by ON public.payouts FOR EACH ROW EXECUTE FUNCTION check_longer_wait();

CREATE CONSTRAINT TRIGGER settling_payout_has_a_settlement AFTER INSERT ON public.payouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status <> 'PENDING'::text) AND ("left"(new.merchant_reference, 4) = 'set_'::text))) EXECUTE FUNCTION check_settling_reference();

CREATE TRIGGER submission_time_is_never_edited BEFORE UPDATE OF submitted_at ON public.payouts FOR EACH ROW WHEN ((old.status <> 'PENDING'::text)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER provider_fees_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.provider_fees FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER rates_are_never_edited BEFORE DELETE OR UPDATE OF id, asset, buy, sell, origin, given_by, created_at, expires_at, base_buy, base_sell, base_since OR TRUNCATE ON public.rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.reallocations FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('reason');

CREATE TRIGGER reallocations_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.reallocations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER recipient_destinations_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, id, kind, bank_code, account_number, address, created_at OR TRUNCATE ON public.recipients FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER closed_sandbox_account_stays BEFORE UPDATE ON public.sandbox_accounts FOR EACH ROW WHEN (((old.closed_at IS NOT NULL) AND (new.closed_at IS DISTINCT FROM old.closed_at))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER sandbox_accounts_are_never_edited BEFORE DELETE OR UPDATE OF reference, number, name, opened_at OR TRUNCATE ON public.sandbox_accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER sandbox_payments_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.sandbox_payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER listed_sandbox_reversal_stays BEFORE UPDATE ON public.sandbox_transfers FOR EACH ROW WHEN (((old.reversal_number IS NOT NULL) AND ((new.reverses_at IS DISTINCT FROM old.reverses_at) OR (new.reversal_number IS DISTINCT FROM old.reversal_number)))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER reported_sandbox_ending_stays BEFORE UPDATE ON public.sandbox_transfers FOR EACH ROW WHEN ((old.is_reported AND ((((((new.received_at IS DISTINCT FROM old.received_at) OR (new.is_lost IS DISTINCT FROM old.is_lost)) OR (new.ending IS DISTINCT FROM old.ending)) OR (new.failure_reason IS DISTINCT FROM old.failure_reason)) OR (new.ends_at IS DISTINCT FROM old.ends_at)) OR (new.is_reported IS DISTINCT FROM old.is_reported)))) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER sandbox_instructions_are_never_edited BEFORE DELETE OR UPDATE OF reference, instruction, amount, refund_of OR TRUNCATE ON public.sandbox_transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER screening_decisions_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.screening_decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER decided_change_stays BEFORE UPDATE OF state, decided_by, decided_at ON public.setting_changes FOR EACH ROW WHEN ((old.state <> 'OPEN'::text)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER setting_changes_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, id, approvals, approvals_before, proposed_by, created_at, expires_at OR TRUNCATE ON public.setting_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER confirmer_is_a_member_who_may BEFORE INSERT OR UPDATE OF confirmed_by_user ON public.settlement_wallets FOR EACH ROW WHEN ((new.confirmed_by_user IS NOT NULL)) EXECUTE FUNCTION check_confirmation();

CREATE TRIGGER settlement_wallets_are_never_edited BEFORE DELETE OR UPDATE OF environment_id, id, asset, address, usable_from, chosen_by_user, created_at OR TRUNCATE ON public.settlement_wallets FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_goes_to_a_confirmed_destination BEFORE INSERT ON public.settlements FOR EACH ROW EXECUTE FUNCTION check_settlement();

CREATE TRIGGER settlements_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.settlements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER split_lines_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.split_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER split_rules_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.split_rules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER splits_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.splits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_personal_data_is_erased BEFORE UPDATE ON public.subaccount_transfers FOR EACH ROW WHEN ((current_setting('manilla.erasing'::text, true) = 'on'::text)) EXECUTE FUNCTION only_erase('note');

CREATE TRIGGER subaccount_transfers_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.subaccount_transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER sweep_parts_are_never_edited BEFORE DELETE OR UPDATE OF rail, sweep_id, token_account, environment_id, account_id, amount, is_closing OR TRUNCATE ON public.sweep_parts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ended_sweep_stays BEFORE UPDATE ON public.sweeps FOR EACH ROW WHEN ((old.state <> 'LIVE'::text)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER sweeps_are_never_edited BEFORE DELETE OR UPDATE OF rail, id, asset, amount, token, wire, valid_until, created_at, signed_slot OR TRUNCATE ON public.sweeps FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER vat_rates_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.vat_rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER wallets_are_never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON public.wallets FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
