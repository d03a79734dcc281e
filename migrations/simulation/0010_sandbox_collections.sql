-- The collecting half of the sandbox bank. As with its transfers, only its own functions touch
-- these tables: what we know of a payment is what the bank announces, or says when asked.

-- The first nine digits of account numbers. They end before those that make payouts misbehave.
create sequence sandbox_serials as bigint minvalue 100000000 maxvalue 989999999 no cycle;

-- The reference is that of whoever ordered the account: ordered again, it is the same number.
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

-- Money that customers sent. Banks have announced zero and less, so this one can too.
create table sandbox_payments (
  id text primary key,
  -- Where it stands on the statement. Committed in order, because a reader goes on from the last
  -- one it has seen: who writes here holds the lock of src/simulation/sandbox-bank/store-payments.ts.
  line_number bigint generated always as identity
    constraint sandbox_payment_has_its_own_line unique,
  account_number text not null
    constraint sandbox_payment_has_an_account references sandbox_accounts (number),
  amount bigint not null,
  currency text not null,
  -- Null: the bank does not know who it was.
  sender json,
  -- The bank knows the number and shows its last digits only.
  is_sender_masked boolean not null,
  session_id text not null,
  narration text,
  -- When the customer paid, and when it was written down here: a customer may live ahead of us.
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

-- Payments that are still to be announced, and how often. The row is the job; a payment that was
-- announced often enough, or shall never be, has none.
create table sandbox_notices (
  payment_id text primary key
    constraint sandbox_notice_has_a_payment references sandbox_payments (id),
  copies integer not null,
  tries integer not null default 0,
  -- Somebody sends it, unless the time it is due has come again.
  is_under_way boolean not null default false,
  due_at timestamptz not null,
  constraint sandbox_notice_has_few_copies check (copies between 1 and 50),
  constraint only_tried_sandbox_notice_is_under_way check (tries > 0 or not is_under_way)
);

create index sandbox_notices_due on sandbox_notices (due_at);

-- A transfer that sends a payment back to whoever sent it.
alter table sandbox_transfers
  add column refund_of text
    constraint sandbox_refund_has_a_payment references sandbox_payments (id);
create index sandbox_refunds on sandbox_transfers (refund_of) where refund_of is not null;

drop trigger sandbox_orders_are_never_edited on sandbox_transfers;
create trigger sandbox_orders_are_never_edited
  before update of reference, payment_order, amount, refund_of or delete or truncate
  on sandbox_transfers
  for each statement execute function refuse_change();
