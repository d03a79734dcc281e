-- Two attempts that count could both have paid: one that is live may still land, and after one has
-- landed there is never another.
drop index payout_has_one_live_attempt;
drop index payout_lands_once;
create unique index payout_has_one_attempt_that_counts
  on payout_attempts (environment_id, payout_id) where state in ('LIVE', 'LANDED');

-- A signature is one attempt. A bank is told the same reference by every attempt of a payout.
create unique index signature_is_one_attempt
  on payout_attempts (rail, token) where valid_until is not null;

-- Banks name a payout by its reference alone, so a reference is one payout in all environments.
create unique index reference_is_one_payout on payouts (id);

alter table payouts add constraint only_banks_send_back
  check (status <> 'REVERSED' or kind in ('bank_transfer', 'bank_return'));

-- What was promised, and what has left, stays as it was written.
create trigger payout_orders_are_never_edited
  before update of environment_id, id, kind, rail, asset, amount, fee, requested_amount,
    destination, merchant_reference, metadata, takes_from, submitted_at, created_at
    or delete or truncate on payouts
  for each statement execute function refuse_change();

create trigger sent_bytes_are_never_edited
  before update of environment_id, payout_id, number, rail, token, wire, valid_until, created_at
    or delete or truncate on payout_attempts
  for each statement execute function refuse_change();

-- Until then, whoever looks at it may be sending it. Null: nobody is looking.
alter table payout_attempts add column leased_until timestamptz;

-- What a bank has sent back and the books could not take yet: the payout is not completed, or its
-- owner has no room for the money. The row waits, so that the reversals behind it do not.
create table waiting_reversals (
  environment_id integer not null,
  payout_id uuid not null,
  rail text not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  primary key (environment_id, payout_id)
);
create index waiting_reversals_due on waiting_reversals (rail, due_at);
