-- The failed items of a batch are in one other batch at a time: two would pay them twice. A batch
-- that ended without a payment does not count.
create unique index batch_is_retried_once on payout_batches (environment_id, retry_of)
  where retry_of is not null and state not in ('CANCELLED', 'REJECTED', 'EXPIRED');

-- Finds items that another batch is going to pay, too: the same file may be uploaded twice.
create index payout_batch_items_unpaid on payout_batch_items (environment_id,
    coalesce(destination ->> 'accountNumber', destination ->> 'address'), amount, batch_id)
  where state in ('PENDING', 'VALID');
