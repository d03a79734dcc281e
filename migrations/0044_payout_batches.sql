-- Payouts that are uploaded, checked, approved and paid as one.

create table payout_batches (
  environment_id integer not null references environments,
  id uuid not null,
  mode text not null,
  kind text not null,
  asset text not null,
  name text,
  -- The batch whose failed items this one pays again.
  retry_of uuid,
  item_count integer not null,
  -- Of all items.
  amount bigint not null,
  created_by_key uuid,
  created_by_user uuid references users,
  created_at timestamptz not null,

  state text not null,
  -- Items by state; the others are PENDING.
  valid_count integer not null default 0,
  invalid_count integer not null default 0,
  submitted_count integer not null default 0,
  completed_count integer not null default 0,
  failed_count integer not null default 0,
  warned_count integer not null,
  -- Of the items that cannot be paid.
  invalid_amount bigint not null default 0,
  -- Quoted for the items that can be paid.
  fee bigint not null default 0,
  validated_at timestamptz,
  submitted_at timestamptz,
  ended_at timestamptz,
  -- Of a batch that waits, or waited, for a second person.
  order_hash bytea,
  approve_by timestamptz,

  -- When a worker continues with it, in real time.
  due_at timestamptz not null,
  attempts integer not null default 0,
  primary key (environment_id, id),
  constraint batch_mode_is_known check (mode in ('test', 'live')),
  constraint batch_kind_fits_its_asset check (
    kind = 'bank_transfer' and asset = 'NGN'
    or kind = 'crypto_transfer' and asset in ('USDC', 'USDT')),
  constraint batch_state_is_known check (state in ('VALIDATING', 'READY', 'INVALID', 'PENDING',
    'PROCESSING', 'COMPLETED', 'CANCELLED', 'REJECTED', 'EXPIRED')),
  constraint batch_has_items check (item_count between 1 and 10000 and amount > 0),
  constraint batch_counts_its_items check (
    valid_count >= 0 and invalid_count >= 0 and submitted_count >= 0 and completed_count >= 0
    and failed_count >= 0 and warned_count between 0 and item_count
    and valid_count + invalid_count + submitted_count + completed_count + failed_count <= item_count),
  constraint batch_waits_for_a_time check ((order_hash is null) = (approve_by is null)),
  constraint batch_order_hash_is_whole check (length(order_hash) = 32),
  constraint waiting_batch_has_an_order check (
    state not in ('PENDING', 'REJECTED', 'EXPIRED') or order_hash is not null),
  constraint submitted_batch_says_when check (
    (submitted_at is null) = (state in ('VALIDATING', 'READY', 'INVALID', 'CANCELLED'))),
  constraint ended_batch_says_when check (
    (ended_at is null) = (state in ('VALIDATING', 'READY', 'INVALID', 'PENDING', 'PROCESSING'))),
  constraint completed_batch_has_only_ended_items check (
    state <> 'COMPLETED' or invalid_count + completed_count + failed_count = item_count)
);
create index payout_batches_due on payout_batches (mode, due_at)
  where state in ('VALIDATING', 'PROCESSING');
create index payout_batches_pending on payout_batches (approve_by) where state = 'PENDING';
create index payout_batches_open on payout_batches (environment_id, id)
  where state in ('VALIDATING', 'READY', 'INVALID', 'PENDING', 'PROCESSING');
create index payout_batches_by_state on payout_batches (environment_id, state, id);

create trigger batches_are_never_edited
  before update of environment_id, id, mode, kind, asset, name, retry_of, item_count, amount,
    created_by_key, created_by_user, created_at or delete or truncate on payout_batches
  for each statement execute function refuse_change();
create trigger batch_order_stays before update of order_hash, approve_by on payout_batches
  for each row when (old.order_hash is not null) execute function refuse_change();

create table payout_batch_items (
  environment_id integer not null,
  batch_id uuid not null,
  -- From 1, in the order of the request.
  number integer not null,
  amount bigint not null,
  requested_amount text not null,
  -- As the merchant sent it.
  destination json not null,
  merchant_reference text,
  state text not null default 'PENDING',
  -- Quoted; of a transfer that exists, its own.
  fee bigint,
  -- What the bank reports.
  bank_name text,
  account_name text,
  -- Duplicates: a JSON array. Null: none.
  warnings json,
  -- Why it cannot be paid, failed, or waits.
  problem json,
  payout_id uuid,
  -- In real time: it waits until then.
  due_at timestamptz,
  ended_at timestamptz,
  primary key (environment_id, batch_id, number),
  foreign key (environment_id, batch_id) references payout_batches,
  constraint item_state_is_known check (
    state in ('PENDING', 'VALID', 'INVALID', 'SUBMITTED', 'COMPLETED', 'FAILED')),
  constraint item_amount_is_positive check (amount > 0),
  constraint item_is_numbered check (number > 0),
  constraint only_submitted_item_has_a_payout check (
    (payout_id is not null) = (state in ('SUBMITTED', 'COMPLETED'))
    or state = 'FAILED'),
  constraint item_without_payment_says_why check (
    state not in ('INVALID', 'FAILED') or problem is not null),
  constraint ended_item_says_when check ((ended_at is null) = (state not in ('COMPLETED', 'FAILED')))
);
create unique index item_has_its_own_payout on payout_batch_items (environment_id, payout_id)
  where payout_id is not null;
create unique index item_reference_is_unique_in_its_batch
  on payout_batch_items (environment_id, batch_id, merchant_reference)
  where merchant_reference is not null;
create index payout_batch_items_by_state
  on payout_batch_items (environment_id, batch_id, state, number);
create index payout_batch_items_warned on payout_batch_items (environment_id, batch_id, number)
  where warnings is not null;
create index payout_batch_items_warned_by_state
  on payout_batch_items (environment_id, batch_id, state, number) where warnings is not null;

create trigger batch_items_are_never_edited
  before update of environment_id, batch_id, number, amount, requested_amount, destination,
    merchant_reference or delete or truncate on payout_batch_items
  for each statement execute function refuse_change();
create trigger payout_of_item_stays before update of payout_id on payout_batch_items
  for each row when (old.payout_id is not null and new.payout_id is distinct from old.payout_id)
  execute function refuse_change();

-- The item that a payout pays. Together they are its identity: an item is paid once.
alter table payouts
  add column batch_id uuid,
  add column batch_item integer,
  add constraint payout_names_its_item check ((batch_id is null) = (batch_item is null));
create unique index item_is_paid_once on payouts (environment_id, batch_id, batch_item)
  where batch_id is not null;

create trigger item_of_payout_is_never_edited before update of batch_id, batch_item on payouts
  for each statement execute function refuse_change();

create function check_batch_payout() returns trigger language plpgsql as $$
begin
  if not exists (
    select from payout_batches b join payout_batch_items i
      on i.environment_id = b.environment_id and i.batch_id = b.id
    where b.environment_id = new.environment_id and b.id = new.batch_id and b.state = 'PROCESSING'
      and (b.kind, b.asset) = (new.kind, new.asset)
      and b.created_by_key is not distinct from new.created_by_key
      and b.created_by_user is not distinct from new.created_by_user
      and i.number = new.batch_item and i.amount = new.amount and new.status = 'SUBMITTED'
      and i.destination ->> 'address' is not distinct from new.destination ->> 'address'
      and i.destination ->> 'bankCode' is not distinct from new.destination ->> 'bankCode'
      and i.destination ->> 'accountNumber'
        is not distinct from new.destination ->> 'accountNumber') then
    raise exception 'payout_is_that_of_its_item' using
      errcode = 'check_violation', constraint = 'payout_is_that_of_its_item';
  end if;
  return new;
end $$;
create trigger payout_is_that_of_its_item before insert on payouts for each row
  when (new.batch_id is not null) execute function check_batch_payout();

-- A batch follows the rule as one: its own trigger checks its total.
drop trigger payout_over_the_rule_waits on payouts;
create trigger payout_over_the_rule_waits before insert on payouts for each row
  when (new.created_by_user is not null and new.status <> 'PENDING' and new.batch_id is null
    and new.kind in ('bank_transfer', 'crypto_transfer'))
  execute function check_rule();

-- One decision per batch: the first to commit has decided.
create table payout_batch_approvals (
  environment_id integer not null,
  batch_id uuid not null,
  verdict text not null,
  user_id uuid not null references users,
  session_id uuid not null references user_sessions,
  -- The person who created the batch, or the API key that did. Written by a trigger.
  created_by_user uuid,
  order_hash bytea not null,
  reason text,
  -- In the time of the environment.
  decided_at timestamptz not null,
  primary key (environment_id, batch_id),
  constraint batch_verdict_is_known check (verdict in ('APPROVED', 'REJECTED')),
  constraint batch_approver_is_not_creator
    check (verdict = 'REJECTED' or user_id is distinct from created_by_user),
  constraint batch_rejection_says_why check ((verdict = 'REJECTED') = (reason is not null)),
  constraint batch_rejection_is_short check (length(reason) between 1 and 500)
);
create trigger batch_approvals_are_never_edited
  before update or delete or truncate on payout_batch_approvals
  for each statement execute function refuse_change();

create function check_batch_approval() returns trigger language plpgsql as $$
declare
  batch record;
  rule text;
begin
  select b.state, b.order_hash, b.approve_by, coalesce(b.created_by_user, k.created_by_user) as creator
    into batch
    from payout_batches b left join api_keys k on k.id = b.created_by_key
    where b.environment_id = new.environment_id and b.id = new.batch_id
    for no key update of b;
  new.created_by_user := batch.creator;
  rule := case
    when batch.state is distinct from 'PENDING' then 'only_pending_batch_is_decided'
    when batch.order_hash <> new.order_hash then 'batch_approval_is_of_this_order'
    when new.verdict = 'APPROVED' and new.decided_at >= batch.approve_by
      then 'batch_approval_is_in_time'
    when not exists (
      select from user_sessions s
      join users u on u.id = s.user_id and u.disabled_at is null
      join environments e on e.id = new.environment_id
      join memberships m on m.merchant_id = e.merchant_id and m.user_id = u.id
        and m.disabled_at is null and m.role in ('owner', 'admin', 'finance')
        and (e.mode = 'test' or m.may_see_live)
      where s.id = new.session_id and s.user_id = new.user_id and s.ended_at is null)
      then 'batch_approver_is_a_member_who_may'
    end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;
create trigger approval_fits_its_batch before insert on payout_batch_approvals
  for each row execute function check_batch_approval();

create function check_batch_state() returns trigger language plpgsql as $$
declare
  verdict text;
  rule text;
begin
  if old.state = 'PENDING' then
    select a.verdict into verdict from payout_batch_approvals a
      where a.environment_id = old.environment_id and a.batch_id = old.id
        and a.order_hash = old.order_hash;
  end if;
  rule := case
    when (old.state, new.state) in (('VALIDATING', 'READY'), ('VALIDATING', 'INVALID'),
      ('VALIDATING', 'CANCELLED'), ('READY', 'CANCELLED'), ('INVALID', 'CANCELLED'),
      ('READY', 'PENDING'), ('INVALID', 'PENDING'), ('PROCESSING', 'COMPLETED')) then null
    when old.state in ('READY', 'INVALID') and new.state = 'PROCESSING' then
      case when new.created_by_user is not null and exists (
          select from environments where id = new.environment_id
            and new.amount - new.invalid_amount > (approval_rule -> new.asset ->> 'each')::numeric
              * case new.asset when 'NGN' then 1 else 1000000 end)
        then 'batch_over_the_rule_waits' end
    when old.state = 'PENDING' then
      case when (new.state, verdict) is distinct from ('PROCESSING', 'APPROVED')
          and (new.state, verdict) is distinct from ('REJECTED', 'REJECTED')
          and (new.state <> 'EXPIRED' or verdict is not null)
        then 'pending_batch_leaves_with_approval' end
    else 'batch_state_follows_the_one_before'
    end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;
create trigger batch_state_follows_the_one_before before update of state on payout_batches
  for each row when (old.state <> new.state) execute function check_batch_state();
