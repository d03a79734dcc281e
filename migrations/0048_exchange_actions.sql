-- Live stock of the exchange, and a rate that differs much, need two operators in the console.
alter table operator_actions
  drop constraint action_kind_is_known,
  add constraint action_kind_is_known check (kind in
    ('payout.decide', 'notice.assign', 'rail.pause', 'rail.resume', 'balance.credit',
      'exchange.add', 'exchange.take', 'rate.set'));

-- The rate that applied before one operator began to change it, and since when. Null: another
-- operator confirmed the rate, it was set on the server, or it is of the sources.
alter table rates
  add column base_buy bigint,
  add column base_sell bigint,
  add column base_since timestamptz,
  add constraint rate_base_is_whole check (num_nulls(base_buy, base_sell, base_since) in (0, 3)),
  -- Compared with the base: many small steps of one operator must not add up to a large one.
  add constraint one_operator_changes_little check (base_since is null or
    (abs(buy - base_buy) * 10 <= base_buy and abs(sell - base_sell) * 10 <= base_sell));
drop trigger rates_are_never_edited on rates;
create trigger rates_are_never_edited
  before update of id, asset, buy, sell, origin, given_by, created_at, expires_at, base_buy,
    base_sell, base_since or delete or truncate
  on rates for each statement execute function refuse_change();
