-- While a table is small, all indexes with the columns of its key have the same cost, and the planner
-- takes the youngest: the one by reference, which is scanned whole for every account of a batch until
-- the table is analysed. Recreating the key makes it the youngest.
alter table collection_accounts
  drop constraint collection_accounts_pkey,
  add primary key (environment_id, id);
