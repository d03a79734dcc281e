-- Payouts of the available naira to the merchant's own primary bank account.

-- One row for each environment whose settlements are scheduled; the row is the job.
create table settlement_schedules (
  environment_id integer primary key references environments,
  mode text not null,
  -- The settlement that is due next, in the time of the environment.
  scheduled_for timestamptz not null,
  -- The same in real time; later while a worker owns the row or waits for the bank.
  due_at timestamptz not null,
  attempts integer not null default 0,
  -- Why the last try paid nothing.
  last_refusal text,
  constraint schedule_mode_is_known check (mode in ('test', 'live'))
);
create index settlement_schedules_due on settlement_schedules (mode, due_at);

-- A settlement is one payout and the part of the naira statement since the settlement before it. The
-- last entries of that part are the ones that hold the payout.
create table settlements (
  environment_id integer not null,
  id uuid not null,
  payout_id uuid not null,
  -- Null: requested by the merchant.
  scheduled_for timestamptz,
  -- Above 1: the rest of what one transfer may carry.
  part integer not null,
  reserve bigint not null,
  first_entry bigint not null,
  last_entry bigint not null,
  opening bigint not null,
  closing bigint not null,
  -- Count and sum of the entries by type and effect, without those of the payout.
  lines json not null,
  previous_at timestamptz,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint settlement_has_its_own_payout unique (environment_id, payout_id),
  constraint scheduled_settlement_is_made_once unique (environment_id, scheduled_for, part),
  constraint settlement_begins_once unique (environment_id, first_entry),
  constraint settlement_ends_once unique (environment_id, last_entry),
  constraint settlement_holds_its_payout check (last_entry >= first_entry and first_entry > 0),
  constraint settlement_leaves_the_reserve check (reserve >= 0 and closing >= reserve),
  constraint settlement_opening_is_not_negative check (opening >= 0),
  constraint settlement_part_is_numbered check (part > 0)
);

create trigger settlements_are_never_edited before update or delete or truncate on settlements
  for each statement execute function refuse_change();

-- Money that goes back is not pending, even before its return is sent.
create index payment_returns_waiting on payment_returns (environment_id, asset) include (amount)
  where state = 'WAITING';
