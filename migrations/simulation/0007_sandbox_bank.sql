-- The sandbox bank: simulates an external bank in this database. Only its own functions use its
-- tables, and it knows only those payouts that were sent to it.

-- One row per reference. The bank plans the times of a transfer's changes, and its state follows
-- from them and the bank's clock: nothing has to run for a transfer to end.
create table sandbox_transfers (
  reference text primary key,
  -- The bytes that were sent.
  payment_order text not null,
  amount bigint not null constraint sandbox_amount_is_positive check (amount > 0),
  received_at timestamptz not null,
  -- The bank lost the order: the transfer is unknown until the order is sent again.
  is_lost boolean not null,
  -- Null: it stays unknown.
  ending text constraint sandbox_ending_is_known check (ending in ('completed', 'failed')),
  failure_reason text,
  ends_at timestamptz,
  reverses_at timestamptz,
  -- The ending was reported. Until then an instruction may still change it.
  is_told boolean not null default false,
  -- Position among the reversals, set when it is first listed.
  reversal_number bigint constraint sandbox_reversal_is_listed_once unique,
  constraint sandbox_ending_has_a_time check ((ending is null) = (ends_at is null)),
  constraint sandbox_ending_follows_receipt check (ends_at >= received_at),
  constraint sandbox_failure_has_a_reason check (
    (ending is not distinct from 'failed') = (failure_reason is not null)),
  constraint lost_sandbox_transfer_has_no_ending check (not is_lost or ending is null),
  constraint only_ended_sandbox_transfer_is_told check (not is_told or ending is not null),
  constraint only_completed_sandbox_transfer_reverses check (
    reverses_at is null or (ending is not distinct from 'completed' and reverses_at >= ends_at)),
  constraint only_told_sandbox_reversal_is_listed check (
    reversal_number is null or (reverses_at is not null and is_told))
);

create index sandbox_transfers_by_receipt on sandbox_transfers (received_at, reference);
create index sandbox_reversals_to_list on sandbox_transfers (reverses_at, reference)
  where reverses_at is not null and reversal_number is null;

create trigger sandbox_orders_are_never_edited
  before update of reference, payment_order, amount or delete or truncate on sandbox_transfers
  for each statement execute function refuse_change();

-- A payout was concluded from it: a bank that changed it would falsify the books.
create trigger told_sandbox_ending_stays before update on sandbox_transfers
  for each row when (old.is_told and
    (new.received_at, new.is_lost, new.ending, new.failure_reason, new.ends_at, new.is_told)
    is distinct from
    (old.received_at, old.is_lost, old.ending, old.failure_reason, old.ends_at, old.is_told))
  execute function refuse_change();

create trigger listed_sandbox_reversal_stays before update on sandbox_transfers
  for each row when (old.reversal_number is not null and
    (new.reverses_at, new.reversal_number) is distinct from (old.reverses_at, old.reversal_number))
  execute function refuse_change();
