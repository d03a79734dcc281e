-- The rate at which a session was priced in coins, in millionths of a naira for one coin. Null: the
-- merchant set the price, or the session cannot be paid in coins.
alter table checkout_sessions
  add column crypto_rate bigint,
  add constraint only_prices_in_coins_have_a_rate check (
    crypto_rate is null or (crypto_rate > 0 and wallet_id is not null));
