-- Fees by day and kind, what a batch has paid, the customer of a dedicated account, and the rest of a
-- settlement on request.

-- Like report_balances: a statement is read in the order of its numbers, which have no gaps and are
-- committed in order, so nothing can be missed and the present day is included.
create table report_fees (
  environment_id integer not null,
  asset text not null,
  bucket text not null,
  bucket_start timestamptz not null,
  kind text not null,
  charged bigint not null,
  released bigint not null,
  reversed bigint not null,
  primary key (environment_id, asset, bucket, bucket_start, kind),
  constraint fee_bucket_is_known check (bucket in ('hour', 'day')),
  constraint fee_kind_is_known check (
    kind in ('payment', 'bank_transfer', 'crypto_transfer', 'conversion')),
  constraint fee_bucket_is_not_empty check (
    charged >= 0 and released >= 0 and reversed >= 0 and charged + released + reversed > 0)
);

-- The last entry of a statement whose fees are summed up. Most entries have none.
create table report_fee_progress (
  environment_id integer not null,
  asset text not null,
  last_number bigint not null,
  primary key (environment_id, asset),
  constraint fee_number_is_positive check (last_number > 0)
);

-- The report of fees reads statements: a fee that is not on one would be missing there.
alter table ledger_transfers add constraint fees_are_on_the_statement check (
  (debit <> 'fees' and credit <> 'fees') or entry_number is not null);

-- Of the completed items.
alter table payout_batches
  add column paid_amount bigint not null default 0,
  add column paid_fee bigint not null default 0;

update payout_batches b set paid_amount = i.amount, paid_fee = i.fee
from (
  select environment_id, batch_id, sum(amount) as amount, sum(fee) as fee from payout_batch_items
  where state = 'COMPLETED' group by environment_id, batch_id) i
where i.environment_id = b.environment_id and i.batch_id = b.id;

alter table payout_batches add constraint paid_items_have_an_amount check (
  (paid_amount > 0) = (completed_count > 0) and paid_amount + invalid_amount <= amount
  and paid_fee >= 0 and (completed_count > 0 or paid_fee = 0));

-- Name, email address and phone number; never a BVN or NIN.
alter table collection_accounts
  add column customer json,
  add constraint only_dedicated_accounts_have_a_customer check (
    customer is null or kind = 'dedicated_account'),
  add constraint customer_has_no_identity_number check (
    customer is null or customer::jsonb - array['name', 'email', 'phone'] = '{}'::jsonb);

-- A settlement on request of more than one transfer carries: workers settle the rest at once. Without a
-- schedule, the row is there for the rest only.
alter table settlement_schedules
  alter column scheduled_for drop not null,
  add column settles_rest boolean not null default false,
  add constraint schedule_has_a_time check (scheduled_for is not null or settles_rest);
