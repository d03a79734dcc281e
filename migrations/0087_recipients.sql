-- Processes that know 0085 may run beside this migration.
-- Saved recipients: bank accounts and wallets that a merchant pays repeatedly, with the name that the
-- bank reported.

create table recipients (
  environment_id integer not null references environments (id),
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
  -- When it was saved, or enabled again. The cooling-off begins then.
  active_since timestamptz not null,
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint recipient_kind_is_known check (kind in ('bank_account', 'wallet')),
  constraint recipient_status_is_known check (status in ('ACTIVE', 'DISABLED')),
  constraint recipient_has_one_destination check (case kind
    when 'bank_account' then address is null
      and num_nulls(bank_code, bank_name, account_number, account_name) = 0
    else address is not null
      and num_nonnulls(bank_code, bank_name, account_number, account_name) = 0 end),
  constraint recipient_label_is_not_empty check (label <> ''),
  constraint recipient_is_active_since_it_was_saved check (active_since >= created_at),
  constraint recipient_event_sequence_is_positive check (event_sequence > 0)
);

create unique index recipient_account_is_saved_once
  on recipients (environment_id, bank_code, account_number) where kind = 'bank_account';
create unique index recipient_wallet_is_saved_once
  on recipients (environment_id, address) where kind = 'wallet';
create index recipients_by_kind_and_status on recipients (environment_id, kind, status, id);

-- Where a recipient is paid never changes: payouts to it were approved for that place.
create trigger recipient_destinations_are_never_edited before delete or truncate or update of
  environment_id, id, kind, bank_code, account_number, address, created_at
  on recipients for each statement execute function refuse_change();

-- The saved recipient that a payout goes to. Null: none, or saved later.
alter table payouts
  add column recipient_id uuid,
  add constraint payout_has_its_recipient foreign key (environment_id, recipient_id)
    references recipients (environment_id, id);
create index payouts_by_recipient on payouts (environment_id, recipient_id, status, id)
  where recipient_id is not null;

drop trigger payout_orders_are_never_edited on payouts;
create trigger payout_orders_are_never_edited before delete or truncate or update of
  environment_id, id, kind, rail, asset, amount, fee, levy, purpose, requested_amount, destination,
  merchant_reference, metadata, takes_from, created_by_key, created_by_user, order_hash, created_at,
  recipient_id
  on payouts for each statement execute function refuse_change();

create function check_recipient() returns trigger language plpgsql as $$
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
end $$;
-- The account of a batch, a claim or a refund may have been saved after the payout was prepared.
create trigger payout_recipient_can_be_paid before insert on payouts
  for each row when (new.recipient_id is not null or new.batch_id is not null
    or left(new.merchant_reference, 4) = 'clm_'
    or new.kind in ('bank_return', 'crypto_return') and new.status <> 'PENDING'
      and (new.created_by_key is not null or new.created_by_user is not null))
  execute function check_recipient();
create trigger approved_payout_recipient_can_be_paid before update of status on payouts
  for each row when (old.status = 'PENDING' and new.status = 'SUBMITTED')
  execute function check_recipient();

-- What the rule of a merchant demands of the recipient of a payout that does not wait.
create function breaks_recipient_rule(payout payouts, rule jsonb) returns boolean
  language sql stable
  return exists (
    select from (select payout.environment_id as environment_id) p
    left join recipients r on r.environment_id = p.environment_id and (
      r.kind = 'bank_account' and r.bank_code = payout.destination ->> 'bankCode'
        and r.account_number = payout.destination ->> 'accountNumber'
      or r.kind = 'wallet' and r.address = payout.destination ->> 'address')
    where r.id is null and ((rule ->> 'onlySaved')::boolean or (rule ->> 'approveFirst')::boolean)
      or r.status = 'DISABLED'
      or (rule ->> 'approveFirst')::boolean and not exists (
        select from payouts paid
        where paid.environment_id = r.environment_id and paid.recipient_id = r.id
          and paid.status = 'COMPLETED' and paid.created_at >= r.active_since)
      or jsonb_typeof(rule -> 'coolingOff') = 'object'
        and (r.id is null or payout.created_at < r.active_since
          + (rule -> 'coolingOff' ->> 'hours')::integer * interval '1 hour')
        and coalesce(payout.amount > (rule -> 'coolingOff' -> 'above' ->> payout.asset)::numeric
          * case payout.asset when 'NGN' then 1 else 1000000 end, true));

-- Payouts that wait are decided by members. Returns to the sender have no creator. Settlements go to
-- accounts of the merchant and of sub-accounts; their rows are written after their payouts.
create function check_recipient_rule() returns trigger language plpgsql as $$
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
end $$;
create trigger payouts_keep_to_the_recipient_rule after insert on payouts
  referencing new table as added for each statement execute function check_recipient_rule();

-- Merchants may choose such references, too.
create function check_settling_reference() returns trigger language plpgsql as $$
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
end $$;
create constraint trigger settling_payout_has_a_settlement
  after insert on payouts deferrable initially deferred
  for each row when (new.status <> 'PENDING' and left(new.merchant_reference, 4) = 'set_')
  execute function check_settling_reference();

alter table payout_batch_items
  add column recipient_id uuid,
  add constraint item_has_its_recipient foreign key (environment_id, recipient_id)
    references recipients (environment_id, id);
drop trigger batch_items_are_never_edited on payout_batch_items;
create trigger batch_items_are_never_edited before delete or truncate or update of
  environment_id, batch_id, number, amount, requested_amount, destination, merchant_reference,
  purpose, recipient_id
  on payout_batch_items for each statement execute function refuse_change();

alter table search_terms
  drop constraint search_kind_is_known,
  add constraint search_kind_is_known
    check (kind in ('payment', 'payout', 'account', 'session', 'customer', 'recipient'));
