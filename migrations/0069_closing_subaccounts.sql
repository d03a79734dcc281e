-- Processes that know 0068 may run beside this migration.
-- A sub-account whose last payout is under way: it is closed when that has arrived.

alter table subaccounts
  add column closing_payout_id uuid,
  add constraint closing_subaccount_is_paused check (
    closing_payout_id is null or status = 'PAUSED');

create index subaccounts_closing on subaccounts (environment_id, id)
  where closing_payout_id is not null;
