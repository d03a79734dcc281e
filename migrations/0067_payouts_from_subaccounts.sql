-- Processes that know 0063 may run beside this migration.
-- Payouts and batches whose money comes from a sub-account.

create index payouts_by_subaccount on payouts (environment_id, takes_from, id)
  where left(takes_from, 4) = 'sub:';

-- Null: the merchant pays.
alter table payout_batches
  add column subaccount_id uuid,
  add constraint batch_has_its_subaccount foreign key (environment_id, subaccount_id)
    references subaccounts (environment_id, id);

create index payout_batches_by_subaccount on payout_batches (environment_id, subaccount_id, id)
  where subaccount_id is not null;

drop trigger batches_are_never_edited on payout_batches;
create trigger batches_are_never_edited
  before update of environment_id, id, mode, kind, asset, name, retry_of, item_count, amount,
    created_by_key, created_by_user, created_at, subaccount_id
    or delete or truncate on payout_batches
  for each statement execute function refuse_change();

-- Fees that sub-accounts paid, which are on no statement of a merchant, by time.
create index fees_of_subaccounts on ledger_transfers (environment_id, asset, created_at)
  where entry_number is null and subaccount_id is not null
    and (debit = 'fees' or credit = 'fees');
create index releases_of_subaccounts on ledger_resolutions (environment_id, asset, created_at)
  where subaccount_id is not null;
