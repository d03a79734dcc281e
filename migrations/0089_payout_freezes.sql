-- Payouts that members or operators have frozen.

create table payout_freezes (
  id uuid primary key,
  -- Null: the rail is frozen for all merchants.
  environment_id integer references environments (id),
  kind text not null,
  -- The id of a key or user, `bankCode/accountNumber`, an address, or the name of a rail. Empty for
  -- a merchant.
  subject text not null,
  reason text not null,
  -- The id of a user, or `shell:` and the account of an operator on the server.
  frozen_by text not null,
  -- Operators froze it, so members do not thaw it.
  is_of_operators boolean not null,
  frozen_at timestamptz not null,
  thaw_asked_by text,
  thaw_asked_at timestamptz,
  thawed_by text,
  thawed_at timestamptz,
  constraint freeze_kind_is_known
    check (kind in ('merchant', 'key', 'person', 'recipient', 'rail')),
  constraint only_merchant_freeze_has_no_subject check ((kind = 'merchant') = (subject = '')),
  constraint only_rails_are_frozen_everywhere
    check (environment_id is not null or kind = 'rail' and is_of_operators),
  constraint shells_are_of_operators check (frozen_by not like 'shell:%' or is_of_operators),
  constraint thaw_is_asked_by_a_person check ((thaw_asked_by is null) = (thaw_asked_at is null)),
  constraint thaw_is_done_by_a_person check ((thawed_by is null) = (thawed_at is null)),
  constraint thaw_needs_a_second_person check (thawed_by is null
    or thawed_by <> frozen_by and thawed_by is distinct from thaw_asked_by),
  -- On the server, one operator thaws what another one has frozen.
  constraint thaw_was_asked_for
    check (thawed_by is null or thaw_asked_by is not null or thawed_by like 'shell:%'),
  constraint frozen_person_does_not_thaw check (kind <> 'person'
    or thaw_asked_by is distinct from subject and thawed_by is distinct from subject)
);
create unique index payout_freezes_open
  on payout_freezes (environment_id, kind, subject, is_of_operators) nulls not distinct
  where thawed_at is null;
create index payout_freezes_listed on payout_freezes (environment_id, id);

create trigger freezes_are_never_edited
  before update of id, environment_id, kind, subject, reason, frozen_by, is_of_operators, frozen_at
    or delete or truncate
  on payout_freezes for each statement execute function refuse_change();
create trigger thawed_freezes_are_never_edited before update on payout_freezes
  for each row when (old.thawed_at is not null) execute function refuse_change();

create function is_frozen(environment integer, rail_name text, key uuid, creator uuid,
  destination json) returns boolean language sql stable
  return exists (select from payout_freezes f
    where f.thawed_at is null and (f.environment_id = environment or f.environment_id is null)
      and case f.kind
        when 'merchant' then true
        when 'key' then f.subject::uuid in (select * from key_chain(key))
        when 'person' then f.subject = creator::text
        when 'recipient' then f.subject = coalesce(destination ->> 'address',
          concat(destination ->> 'bankCode', '/', destination ->> 'accountNumber'))
        else f.subject = rail_name end);

-- A freeze locks the ledger accounts that payouts lock before, so it is seen here.
create function check_freezes() returns trigger language plpgsql as $$
begin
  if exists (select from payout_freezes where thawed_at is null)
      and exists (select from added a where is_frozen(a.environment_id, a.rail, a.created_by_key,
        a.created_by_user, a.destination)) then
    raise exception 'frozen_payout_is_not_made' using
      errcode = 'check_violation', constraint = 'frozen_payout_is_not_made';
  end if;
  return null;
end $$;
create trigger frozen_payout_is_not_made after insert on payouts
  referencing new table as added for each statement execute function check_freezes();

-- Returns of a payment by claim; what other claims pay is checked when they are claimed.
create function check_frozen_claim() returns trigger language plpgsql as $$
begin
  if is_frozen(new.environment_id, new.rail, new.created_by_key, new.created_by_user, null) then
    raise exception 'frozen_return_is_not_claimed' using
      errcode = 'check_violation', constraint = 'frozen_return_is_not_claimed';
  end if;
  return null;
end $$;
create trigger frozen_return_is_not_claimed after insert on claims
  for each row when (new.payment_id is not null) execute function check_frozen_claim();

create function check_frozen_pending() returns trigger language plpgsql as $$
begin
  if is_frozen(new.environment_id, new.rail, new.created_by_key, new.created_by_user,
      new.destination) then
    raise exception 'frozen_payout_stays_pending' using
      errcode = 'check_violation', constraint = 'frozen_payout_stays_pending';
  end if;
  return new;
end $$;
create trigger frozen_payout_stays_pending before update of status on payouts
  for each row when (old.status = 'PENDING' and new.status = 'SUBMITTED')
  execute function check_frozen_pending();

-- Two operators thaw in the console.
alter table operator_actions drop constraint action_kind_is_known;
alter table operator_actions add constraint action_kind_is_known check (kind in
  ('payout.decide', 'notice.assign', 'rail.pause', 'rail.resume', 'balance.credit',
    'exchange.add', 'exchange.take', 'rate.set', 'payouts.thaw'));
