-- Processes that know 0062 may run beside this migration.
-- What happens to invoices as time passes: credit pays them, customers are reminded, they are overdue.

-- The invoice that credit paid, or that gave it back.
alter table customer_credit_entries
  add column invoice_id uuid,
  add foreign key (environment_id, invoice_id) references invoices (environment_id, id),
  drop constraint credit_kind_is_known,
  add constraint credit_kind_is_known check (
    kind in ('payment', 'credit_note', 'refund', 'refund_reversal', 'applied', 'unapplied')),
  add constraint applied_credit_names_its_invoice check (
    (kind in ('applied', 'unapplied')) = (invoice_id is not null)),
  add constraint applied_credit_is_taken check (
    case kind when 'applied' then amount < 0 when 'unapplied' then amount > 0 else true end);
create index credit_of_invoice on customer_credit_entries (environment_id, invoice_id)
  where invoice_id is not null;

-- Credit of a payment may have paid an invoice that the payment itself did not pay: a refund takes
-- it back from there.
alter table allocation_refunds
  add column other_invoice_id uuid,
  add foreign key (environment_id, other_invoice_id) references invoices (environment_id, id),
  add constraint refund_of_other_invoice_takes_no_credit check (
    other_invoice_id is null or (of_invoice > 0 and of_credit = 0));
drop index refund_takes_an_allocation_once;
create unique index refund_takes_an_allocation_once
  on allocation_refunds (environment_id, return_id, allocation_id, other_invoice_id)
  nulls not distinct;
create index refunds_of_other_invoice on allocation_refunds (environment_id, other_invoice_id)
  where other_invoice_id is not null;

-- When its customer was last sent the invoice, and how often.
alter table invoices
  add column sent_at timestamptz,
  add column sends integer not null default 0,
  add constraint sent_invoice_says_when check (
    sends >= 0 and (sends > 0) = (sent_at is not null) and (status <> 'DRAFT' or sends = 0));

-- What is to be done about a final invoice at a time: say that it is overdue, or remind its customer.
-- The row is deleted with what it does, so that it is done once.
create table invoice_deadlines (
  environment_id integer not null references environments (id),
  id uuid not null,
  mode text not null,
  invoice_id uuid not null,
  kind text not null,
  -- Due date of the instalment that it is about.
  instalment_due_at timestamptz not null,
  -- In the time of the environment; `due_at` is in real time.
  planned_for timestamptz not null,
  due_at timestamptz not null,
  attempts integer not null default 0,
  primary key (environment_id, id),
  foreign key (environment_id, invoice_id) references invoices (environment_id, id),
  constraint deadline_mode_is_known check (mode in ('test', 'live')),
  constraint deadline_kind_is_known check (kind in ('overdue', 'reminder'))
);
create unique index deadline_of_invoice_comes_once
  on invoice_deadlines (environment_id, invoice_id, kind, planned_for);
create index invoice_deadlines_due on invoice_deadlines (mode, due_at);

-- Invoices that are made again and again. A date is a day in Lagos, as text: 2026-01-31.
create table invoice_schedules (
  environment_id integer not null references environments (id),
  id uuid not null,
  mode text not null,
  customer_id uuid not null,
  status text not null,
  frequency text not null,
  every integer not null,
  -- Of monthly ones; in short months, the last day.
  month_day integer,
  -- Of weekly ones.
  weekday text,
  starts_on text not null,
  ends_on text,
  -- Periods are counted from it.
  first_period text not null,
  -- The next invoice is of this period. Null: there is none any more.
  next_period text,
  runs integer not null default 0,
  due_after_days integer not null,
  series text not null,
  asset text not null,
  -- As the merchant wrote them, like those of invoices.
  lines json not null,
  discount json,
  memo text,
  footer text,
  metadata json not null,
  -- Pages of its invoices are at this URL.
  base_url text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  -- In real time, for workers.
  due_at timestamptz not null,
  attempts integer not null default 0,
  primary key (environment_id, id),
  foreign key (environment_id, customer_id) references customers (environment_id, id),
  constraint schedule_mode_is_known check (mode in ('test', 'live')),
  constraint schedule_status_is_known check (status in ('ACTIVE', 'PAUSED', 'ENDED')),
  constraint schedule_rule_is_whole check (
    every > 0 and case frequency
      when 'monthly' then month_day between 1 and 31 and weekday is null
      when 'weekly' then month_day is null and weekday is not null
      else false end),
  constraint schedule_days_are_dates check (
    starts_on ~ '^\d{4}-\d\d-\d\d$' and first_period ~ '^\d{4}-\d\d-\d\d$'
    and coalesce(ends_on, starts_on) ~ '^\d{4}-\d\d-\d\d$'
    and coalesce(next_period, starts_on) ~ '^\d{4}-\d\d-\d\d$'),
  constraint ended_schedule_has_no_next_period check (
    (status = 'ENDED') = (next_period is null) and (status = 'ENDED') = (ended_at is not null)),
  constraint schedule_ends_after_its_periods check (ends_on is null or next_period <= ends_on)
);
create index invoice_schedules_by_customer on invoice_schedules (environment_id, customer_id, id);
create index invoice_schedules_by_status on invoice_schedules (environment_id, status, id);
create index invoice_schedules_due on invoice_schedules (mode, due_at) where status = 'ACTIVE';

-- The schedule that made an invoice, and for which period: once.
alter table invoices
  add column schedule_id uuid,
  add column period text,
  add foreign key (environment_id, schedule_id) references invoice_schedules (environment_id, id),
  add constraint invoice_of_schedule_has_a_period check ((schedule_id is null) = (period is null));
create unique index schedule_makes_one_invoice_per_period
  on invoices (environment_id, schedule_id, period) where schedule_id is not null;
create index invoices_of_schedule on invoices (environment_id, schedule_id, id)
  where schedule_id is not null;
