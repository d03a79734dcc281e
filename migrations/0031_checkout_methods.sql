-- A session with a price in coins can exist without a bank account, if the merchant disabled bank
-- transfers. It then keeps its price in naira itself and ends with its wallet.
alter table checkout_sessions
  alter column account_id drop not null,
  add column if not exists amount bigint,
  -- First time that a browser showed the page.
  add column if not exists opened_at timestamptz,
  add constraint session_can_be_paid
    check (account_id is not null or (wallet_id is not null and amount is not null));

-- Why an account was cancelled: the merchant asked for it, or the session was paid by its other
-- payment method.
alter table collection_accounts
  add column cancellation_reason text,
  add constraint only_cancelled_account_has_a_reason check (cancellation_reason is null
    or (status = 'CANCELLED' and cancellation_reason in ('requested', 'session_paid')));

update collection_accounts a set cancellation_reason = case
  when exists (select from collection_accounts other
    where other.environment_id = a.environment_id and other.session_id = a.session_id
      and other.status = 'PAID') then 'session_paid'
  else 'requested' end
where a.status = 'CANCELLED';
