-- Processes that know 0056 may run beside this migration.

-- Every word about money (received, refunded, fees, ...) is computed from the same sums: the entries
-- of a statement by purpose and effect. A release gives back the lines of its hold, each by its own
-- purpose. Like report_balances, a statement is read in the order of its numbers, which have no gaps
-- and are committed in order, so nothing can be missed and the present day is included.
create table report_entries (
  environment_id integer not null,
  asset text not null,
  bucket text not null,
  bucket_start timestamptz not null,
  purpose text not null,
  effect text not null,
  amount bigint not null,
  primary key (environment_id, asset, bucket, bucket_start, purpose, effect),
  constraint entry_bucket_is_known check (bucket in ('hour', 'day')),
  constraint entry_effect_is_known check (effect in ('post', 'hold', 'release')),
  constraint entry_bucket_is_not_empty check (amount > 0)
);

-- The last entry of a statement that is summed up.
create table report_entry_progress (
  environment_id integer not null,
  asset text not null,
  last_number bigint not null,
  primary key (environment_id, asset),
  constraint entry_number_is_positive check (last_number > 0)
);

-- `report_fees` and `report_fee_progress` stay for processes of the version before. The next
-- migration that stops them drops both, and has the days summed up again in which payouts that were
-- never submitted count as failed: these processes would sum them up as before.
