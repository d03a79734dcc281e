-- Processes that know 0062 may run beside this migration.
-- What sub-accounts got of payments, and what refunds took back.

alter table collection_accounts add column split_id uuid;
alter table payments add column split_id uuid;

-- A share is the cause of its ledger transfers. A payment whose held money is accepted later is split
-- again, in another part, so that each line has what it would have of the whole.
create table payment_shares (
  environment_id integer not null references environments (id),
  id uuid not null,
  payment_id uuid not null,
  part smallint not null,
  line smallint not null,
  split_id uuid not null,
  subaccount_id uuid not null,
  mode text not null,
  asset text not null,
  -- With the part of the payment's fee that the sub-account bears.
  amount bigint not null,
  fee bigint not null,
  taken_back bigint not null default 0,
  -- The part of it that was still pending.
  taken_pending bigint not null default 0,
  status text not null,
  release_at timestamptz,
  released_at timestamptz,
  due_at timestamptz,
  tries integer not null default 0,
  created_at timestamptz not null,
  primary key (environment_id, id),
  foreign key (environment_id, split_id) references splits (environment_id, id),
  foreign key (environment_id, subaccount_id) references subaccounts (environment_id, id),
  constraint share_status_is_known check (status in ('PENDING', 'POSTED')),
  constraint share_has_an_amount check (amount > 0 and fee >= 0 and fee < amount),
  constraint share_takes_back_at_most_itself check (
    taken_back between 0 and amount and taken_pending between 0 and least(taken_back, amount - fee)),
  constraint share_waits_for_its_release check (
    (status = 'PENDING') = (due_at is not null) and (status = 'PENDING') <= (release_at is not null)),
  constraint share_says_when_it_was_released check (
    (released_at is not null) <= (release_at is not null and status = 'POSTED'))
);
create unique index payment_is_shared_once
  on payment_shares (environment_id, payment_id, part, line);
create index shares_of_subaccount on payment_shares (environment_id, subaccount_id, id);
create index shares_due on payment_shares (mode, due_at) where status = 'PENDING';

-- What a refund takes back of a share: from what the sub-account has, from what is pending, and what it
-- owes for the rest. If the refund fails, a worker gives it back.
create table share_take_backs (
  environment_id integer not null references environments (id),
  id uuid not null,
  return_id uuid not null,
  share_id uuid not null,
  subaccount_id uuid not null,
  mode text not null,
  asset text not null,
  taken bigint not null,
  taken_pending bigint not null,
  owed bigint not null,
  state text not null default 'TAKEN',
  due_at timestamptz,
  tries integer not null default 0,
  created_at timestamptz not null,
  primary key (environment_id, id),
  foreign key (environment_id, share_id) references payment_shares (environment_id, id),
  constraint take_back_state_is_known check (state in ('TAKEN', 'GIVING_BACK', 'GIVEN_BACK')),
  constraint take_back_has_an_amount check (
    taken >= 0 and taken_pending >= 0 and owed >= 0 and taken + taken_pending + owed > 0),
  constraint take_back_is_due_while_given_back check (
    (state = 'GIVING_BACK') = (due_at is not null))
);
create unique index refund_takes_back_once
  on share_take_backs (environment_id, return_id, share_id);
create index take_backs_of_share on share_take_backs (environment_id, share_id);
create index take_backs_due on share_take_backs (mode, due_at) where state = 'GIVING_BACK';
