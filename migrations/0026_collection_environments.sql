-- A foreign key is checked by a query for every inserted row. Only code that has read the environment
-- inserts accounts and payments, environments are never deleted, and `verify-ledger` proves that
-- every account has an environment and every payment has an account in its own.

alter table collection_accounts drop constraint collection_accounts_environment_id_fkey;
alter table payments drop constraint payments_environment_id_fkey;
