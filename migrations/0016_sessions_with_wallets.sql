-- A session can also be paid in coins at a price set by the merchant: then it has a wallet beside its
-- account. Whichever is paid first pays the session, and the other is cancelled.
alter table checkout_sessions add column wallet_id uuid;

create unique index session_has_one_wallet
  on checkout_sessions (environment_id, wallet_id) where wallet_id is not null;

alter table collection_accounts
  drop constraint only_virtual_account_has_a_session,
  add constraint only_temporary_account_has_a_session
    check (session_id is null or kind in ('virtual_account', 'crypto_wallet'));

create unique index session_is_paid_once
  on collection_accounts (environment_id, session_id)
  where session_id is not null and status = 'PAID';

-- Must be the youngest index: see 0014_keys_of_accounts.sql. Sessions are read with every account
-- that is locked.
alter table checkout_sessions
  drop constraint checkout_sessions_pkey,
  add primary key (environment_id, id);
