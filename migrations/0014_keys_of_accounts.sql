-- While a table is small, all indexes with the columns of its key cost the same, and the planner
-- takes the youngest. That was the one by reference, which is read from end to end for every
-- account of a batch until the table is analysed. So the key has to be the youngest.
alter table collection_accounts
  drop constraint collection_accounts_pkey,
  add primary key (environment_id, id);
