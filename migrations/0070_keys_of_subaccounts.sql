-- API keys that read one sub-account and nothing else. Processes that do not know them would let
-- such a key read everything that its permissions name, so none may run beside this migration.

alter table api_keys
  add column subaccount_id uuid,
  add constraint key_has_its_subaccount foreign key (environment_id, subaccount_id)
    references subaccounts (environment_id, id),
  add constraint key_of_a_subaccount_only_reads check (
    subaccount_id is null or kind = 'secret'
      and permissions <@ array['balances.see', 'payouts.see', 'subaccounts.see']
      and permissions is not null);

create trigger key_keeps_its_subaccount before update of subaccount_id on api_keys
  for each statement execute function refuse_change();
