-- Two attempts could both pay: a live one may still land, and after one has landed there is no other.
drop index payout_has_one_live_attempt;
drop index payout_lands_once;
create unique index payout_has_one_attempt_that_counts
  on payout_attempts (environment_id, payout_id) where state in ('LIVE', 'LANDED');

-- A signature is one attempt. At a bank, every attempt of a payout has the same reference.
create unique index signature_is_one_attempt
  on payout_attempts (rail, token) where valid_until is not null;

-- Banks identify a payout by its reference alone, so it is unique across environments.
create unique index reference_is_one_payout on payouts (id);

alter table payouts add constraint only_banks_send_back
  check (status <> 'REVERSED' or kind in ('bank_transfer', 'bank_return'));

-- The terms of a payout and the bytes sent never change.
create trigger payout_orders_are_never_edited
  before update of environment_id, id, kind, rail, asset, amount, fee, requested_amount,
    destination, merchant_reference, metadata, takes_from, submitted_at, created_at
    or delete or truncate on payouts
  for each statement execute function refuse_change();

create trigger sent_bytes_are_never_edited
  before update of environment_id, payout_id, number, rail, token, wire, valid_until, created_at
    or delete or truncate on payout_attempts
  for each statement execute function refuse_change();

-- Until then a worker may be sending it. Null: no worker owns it.
alter table payout_attempts add column leased_until timestamptz;

-- Reversals that the books could not accept yet: the payout is not completed, or the balance limit is
-- reached. The row waits, so that later reversals do not.
create table waiting_reversals (
  environment_id integer not null,
  payout_id uuid not null,
  rail text not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  primary key (environment_id, payout_id)
);
create index waiting_reversals_due on waiting_reversals (rail, due_at);
