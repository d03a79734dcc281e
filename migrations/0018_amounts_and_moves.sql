-- Amounts of coins are returned as the caller wrote them.
alter table collection_accounts add column requested_amount text,
  add constraint only_wallet_keeps_how_it_was_asked
    check ((requested_amount is not null) = (kind = 'crypto_wallet'));

-- When the clock of an environment was moved, in real time, and its offset before: transactions
-- before that time use the earlier offset.
create table clock_moves (
  environment_id integer not null references environments (id),
  moved_at timestamptz not null,
  offset_before_ms bigint not null,
  primary key (environment_id, moved_at)
);
