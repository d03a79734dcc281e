-- The collecting half of the sandbox bank. Only its own functions use these tables: the service knows
-- only those payments that the bank sends a notice of or returns in a query.

-- The first nine digits of account numbers. They end before those of the magic accounts.
create sequence sandbox_serials as bigint minvalue 100000000 maxvalue 989999999 no cycle;

-- The reference is the caller's: repeating it gives the same number.
create table sandbox_accounts (
  reference text primary key,
  number text not null constraint sandbox_number_is_one_account unique,
  name text not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  constraint sandbox_number_has_ten_digits check (number ~ '^[0-9]{10}$'),
  constraint sandbox_number_is_not_magic check (number < '9900000000')
);

create trigger sandbox_accounts_are_never_edited
  before update of reference, number, name, opened_at or delete or truncate on sandbox_accounts
  for each statement execute function refuse_change();
create trigger closed_sandbox_account_stays before update on sandbox_accounts
  for each row when (old.closed_at is not null and new.closed_at is distinct from old.closed_at)
  execute function refuse_change();

-- Money that payers sent. Banks have reported zero and negative amounts, so this one can too.
create table sandbox_payments (
  id text primary key,
  -- Line on the statement. Readers continue from the last line they saw, so lines are committed in
  -- order: writers hold the lock of src/simulation/sandbox-bank/store-payments.ts.
  line_number bigint generated always as identity
    constraint sandbox_payment_has_its_own_line unique,
  account_number text not null
    constraint sandbox_payment_has_an_account references sandbox_accounts (number),
  amount bigint not null,
  currency text not null,
  -- Null: unknown sender.
  sender json,
  -- Notices show only the last digits of the sender's number.
  is_sender_masked boolean not null,
  session_id text not null,
  narration text,
  -- When the payer paid, and when it was recorded here: a payer's clock may be ahead.
  paid_at timestamptz not null,
  recorded_at timestamptz not null,
  constraint sandbox_payment_id_is_ours check (id ~ '^sbp_[0-9a-z]+$'),
  constraint sandbox_currency_is_a_code check (currency ~ '^[A-Z]{3}$'),
  constraint only_known_sandbox_sender_is_masked check (sender is not null or not is_sender_masked)
);

create index sandbox_payments_of_account on sandbox_payments (account_number, line_number);
create index sandbox_payments_by_record on sandbox_payments (recorded_at, line_number);

create trigger sandbox_payments_are_never_edited
  before update or delete or truncate on sandbox_payments
  for each statement execute function refuse_change();

-- Payments with notices to send, and how many. The row is the job; a payment whose notices are all
-- sent, or that has none, has no row.
create table sandbox_notices (
  payment_id text primary key
    constraint sandbox_notice_has_a_payment references sandbox_payments (id),
  copies integer not null,
  tries integer not null default 0,
  -- A process is sending it, unless `due_at` has passed.
  is_under_way boolean not null default false,
  due_at timestamptz not null,
  constraint sandbox_notice_has_few_copies check (copies between 1 and 50),
  constraint only_tried_sandbox_notice_is_under_way check (tries > 0 or not is_under_way)
);

create index sandbox_notices_due on sandbox_notices (due_at);

-- A transfer that returns a payment to its sender.
alter table sandbox_transfers
  add column refund_of text
    constraint sandbox_refund_has_a_payment references sandbox_payments (id);
create index sandbox_refunds on sandbox_transfers (refund_of) where refund_of is not null;

drop trigger sandbox_orders_are_never_edited on sandbox_transfers;
create trigger sandbox_orders_are_never_edited
  before update of reference, payment_order, amount, refund_of or delete or truncate
  on sandbox_transfers
  for each statement execute function refuse_change();
