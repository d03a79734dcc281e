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
