-- The account at the rail: its number, or our reference at a bank that gives the number of an expired
-- account to another one. Payments are matched by it.
alter table collection_accounts add column rail_account text;
update collection_accounts set rail_account = number;
alter table collection_accounts alter column rail_account set not null;
create unique index rail_account_is_one_account on collection_accounts (rail, rail_account);
drop index number_is_one_account;

-- Banks that an operator chose for one merchant; null: the ones of the configuration.
alter table environments
  add column collect_bank text,
  add column payout_bank text;

-- Bank codes are text: some contain letters.
alter table merchant_bank_accounts
  drop constraint bank_code_is_digits,
  add constraint bank_code_is_plain check (bank_code ~ '^[0-9A-Za-z]{3,9}$');

-- Notices that say only that something happened at a bank: the bank is asked before anything is
-- booked. `hint` is what the rail made of the notice.
create table notice_hints (
  rail text not null,
  mode text not null,
  id text not null,
  hint json not null,
  body text not null,
  state text not null default 'OPEN',
  reason text,
  -- Of a rejected payment.
  rail_account text,
  attempts integer not null default 0,
  due_at timestamptz not null,
  received_at timestamptz not null,
  primary key (rail, mode, id),
  constraint hint_state_is_known check (state in ('OPEN', 'CONFIRMED', 'REJECTED', 'DROPPED')),
  constraint only_ended_hint_has_a_reason check (state <> 'OPEN' or reason is null)
);

create index notice_hints_due on notice_hints (rail, due_at) where state = 'OPEN';
create index notice_hints_rejected on notice_hints (received_at) where state = 'REJECTED';
create index notice_hints_ended on notice_hints (received_at) where state <> 'OPEN';

-- Accounts that a provider opened for us, by our reference: a repeated request returns the same
-- account, and a payment that names only our reference finds its number.
create table opened_bank_accounts (
  rail text not null,
  reference text not null,
  number text not null,
  account_name text not null,
  bank_code text not null,
  bank_name text not null,
  -- In kobo, as the provider expects it; null: any amount.
  amount bigint,
  expires_at timestamptz,
  -- The provider's own ids.
  details json not null,
  created_at timestamptz not null,
  primary key (rail, reference)
);

create index opened_bank_accounts_by_number on opened_bank_accounts (rail, number, created_at);

-- Every order that was sent to a provider. An order whose every sending was refused has moved
-- nothing: it is closed, and can then never be sent again.
create table bank_orders (
  rail text not null,
  token text not null,
  sendings integer not null default 0,
  refusals integer not null default 0,
  refusal text,
  -- A provider without idempotent refunds gets one request at a time.
  busy_until timestamptz,
  closed_at timestamptz,
  first_sent_at timestamptz not null,
  primary key (rail, token),
  constraint refusals_answer_sendings check (refusals <= sendings),
  constraint only_refused_order_is_closed check (closed_at is null or refusals = sendings)
);
