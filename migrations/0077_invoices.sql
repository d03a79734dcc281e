-- Processes that know 0062 may run beside this migration.
-- What merchants invoice their customers, and what customers have to their credit.

-- The last number of a series. It is locked until the invoice is committed, so that none is skipped.
create table invoice_series (
  environment_id integer not null references environments (id),
  series text not null,
  last_number bigint not null,
  primary key (environment_id, series),
  constraint invoice_series_is_a_word check (series ~ '^[A-Z][A-Z0-9]{0,11}$'),
  constraint invoice_number_is_positive check (last_number > 0)
);

create table invoices (
  environment_id integer not null references environments (id),
  id uuid not null,
  customer_id uuid not null,
  series text not null,
  -- Null while it is a draft.
  number bigint,
  status text not null,
  asset text not null,
  -- As the merchant wrote them; amounts are computed from them.
  lines json not null,
  discount json,
  subtotal bigint not null,
  discount_amount bigint not null,
  vat bigint not null,
  total bigint not null,
  amount_due bigint not null,
  amount_paid bigint not null default 0,
  amount_credited bigint not null default 0,
  amount_refunded bigint not null default 0,
  -- Empty: all is due at `due_at`, which is the date of the last instalment otherwise.
  instalments json not null,
  due_at timestamptz,
  -- Of the first instalment that is not paid.
  next_due_at timestamptz,
  memo text,
  footer text,
  metadata json not null,
  -- Opens the page of the invoice, at this URL.
  page_token text not null,
  url text not null,
  event_sequence integer not null default 0,
  created_at timestamptz not null,
  finalized_at timestamptz,
  paid_at timestamptz,
  voided_at timestamptz,
  primary key (environment_id, id),
  foreign key (environment_id, customer_id) references customers (environment_id, id),
  constraint invoice_status_is_known
    check (status in ('DRAFT', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'VOID')),
  constraint invoice_asset_is_known check (asset in ('NGN', 'USDC', 'USDT')),
  constraint invoice_total_adds_up check (
    total = subtotal - discount_amount + vat
    and least(subtotal, discount_amount, vat, total) >= 0),
  constraint invoice_amounts_add_up check (
    total = amount_due + amount_paid + amount_credited + amount_refunded
    and least(amount_due, amount_paid, amount_credited, amount_refunded) >= 0),
  constraint invoice_is_paid_when_nothing_is_due check (
    case status
      when 'DRAFT' then amount_due = total
      when 'OPEN' then amount_due > 0 and amount_paid = 0
      when 'PARTIALLY_PAID' then amount_due > 0 and amount_paid > 0
      when 'PAID' then amount_due = 0
      else amount_credited = total
    end),
  constraint final_invoice_has_a_number check ((status = 'DRAFT') = (number is null)),
  constraint final_invoice_says_when check (
    (status = 'DRAFT') = (finalized_at is null) and (status = 'VOID') = (voided_at is not null)
    and (status = 'PAID') = (paid_at is not null)
    and (status = 'DRAFT' or due_at is not null)
    and (status in ('OPEN', 'PARTIALLY_PAID')) = (next_due_at is not null))
);

create unique index invoice_number_is_unique on invoices (environment_id, series, number)
  where number is not null;
create unique index invoice_of_page_token on invoices (page_token);
create index invoices_by_customer on invoices (environment_id, customer_id, id);
create index invoices_by_status on invoices (environment_id, status, id);
-- What a payment into the account of a customer may pay.
create index payable_invoices on invoices (environment_id, customer_id, next_due_at)
  where status in ('OPEN', 'PARTIALLY_PAID');

-- What the merchant owes a customer of money that it has: like a statement, never edited.
create table customer_credit_entries (
  environment_id integer not null references environments (id),
  customer_id uuid not null,
  asset text not null,
  number bigint not null,
  kind text not null,
  amount bigint not null,
  balance_after bigint not null,
  cause_id uuid not null,
  created_at timestamptz not null,
  primary key (environment_id, customer_id, asset, number),
  foreign key (environment_id, customer_id) references customers (environment_id, id),
  constraint credit_asset_is_known check (asset in ('NGN', 'USDC', 'USDT')),
  constraint credit_kind_is_known 
    check (kind in ('payment', 'credit_note', 'refund', 'refund_reversal')),
  constraint credit_changes_something check (amount <> 0),
  constraint credit_is_never_negative check (balance_after >= 0 and number > 0)
);
create index credit_of_cause on customer_credit_entries (environment_id, cause_id);
create trigger customer_credit_entries_are_never_edited
  before update or delete or truncate on customer_credit_entries
  for each statement execute function refuse_change();

-- Part of an invoice that the merchant gives up: of what is due, or of what was paid.
create table credit_notes (
  environment_id integer not null references environments (id),
  id uuid not null,
  invoice_id uuid not null,
  amount bigint not null,
  -- Of it, what had been paid already: it is credit of the customer since.
  amount_to_customer bigint not null,
  reason text,
  created_by_key uuid,
  created_by_user uuid,
  created_at timestamptz not null,
  primary key (environment_id, id),
  foreign key (environment_id, invoice_id) references invoices (environment_id, id),
  constraint credit_note_has_an_amount check (
    amount > 0 and amount_to_customer between 0 and amount)
);
create index credit_notes_of_invoice on credit_notes (environment_id, invoice_id, id);
create trigger credit_notes_are_never_edited before update or delete or truncate on credit_notes
  for each statement execute function refuse_change();

-- Whose account it is: payments into it pay invoices of the customer, or only this invoice.
alter table collection_accounts
  add column customer_id uuid,
  add column invoice_id uuid,
  add constraint account_of_invoice_has_its_customer check (
    invoice_id is null or customer_id is not null);
alter table payments
  add column customer_id uuid,
  add column invoice_id uuid;
create index accounts_of_customer on collection_accounts (environment_id, customer_id, id)
  where customer_id is not null;
create index payments_of_customer on payments (environment_id, customer_id, id)
  where customer_id is not null;

-- What became of accepted money of a payment: it paid an invoice, or is credit of the customer.
create table payment_allocations (
  environment_id integer not null references environments (id),
  id uuid not null,
  payment_id uuid not null,
  -- Null: credit.
  invoice_id uuid,
  -- Place among those that were made at the same moment.
  place smallint not null,
  amount bigint not null,
  created_at timestamptz not null,
  primary key (environment_id, id),
  foreign key (environment_id, invoice_id) references invoices (environment_id, id),
  constraint allocation_has_an_amount check (amount > 0)
);
create index allocations_of_invoice on payment_allocations (environment_id, invoice_id, id)
  where invoice_id is not null;
create index allocations_of_payment on payment_allocations (environment_id, payment_id, id);
create trigger payment_allocations_are_never_edited
  before update or delete or truncate on payment_allocations
  for each statement execute function refuse_change();

-- What a refund takes back of an allocation: of what the invoice was paid, and of credit. If the refund
-- fails, it is given back.
create table allocation_refunds (
  environment_id integer not null references environments (id),
  id uuid not null,
  return_id uuid not null,
  allocation_id uuid not null,
  of_invoice bigint not null,
  of_credit bigint not null,
  state text not null,
  created_at timestamptz not null,
  primary key (environment_id, id),
  foreign key (environment_id, allocation_id) references payment_allocations (environment_id, id),
  constraint allocation_refund_state_is_known check (state in ('TAKEN', 'GIVEN_BACK')),
  constraint allocation_refund_has_an_amount check (
    of_invoice >= 0 and of_credit >= 0 and of_invoice + of_credit > 0)
);
create unique index refund_takes_an_allocation_once
  on allocation_refunds (environment_id, return_id, allocation_id);
create index refunds_of_allocation on allocation_refunds (environment_id, allocation_id);
