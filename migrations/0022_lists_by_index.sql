-- Every filter of every list is a range of one index, so a page costs the same however many rows an
-- environment has and however rare a value is (src/postgres/newest-rows.ts). An index that lists all
-- values of a status also serves lists of any status, so the ones without it go. The column with few
-- values comes before the one with many where another index begins with the latter: the planner would
-- choose that one and sort, assuming that each of many values has few rows.

create index events_by_type on events (environment_id, type, created_at, id);
drop index events_by_resource;
create index events_by_resource on events (environment_id, type, resource_id, created_at, id);

drop index payouts_newest;

drop index collection_accounts_newest;
-- The condition is true for every account. It prevents statements that name no reference, such as the
-- expiry of accounts, from using this index for the status in it.
drop index collection_accounts_by_reference;
create index collection_accounts_by_reference
  on collection_accounts (environment_id, kind, merchant_reference, status, id)
  where merchant_reference <> '';

drop index payments_by_source;
drop index payments_by_status;
create index payments_by_source on payments (environment_id, source, status, id);
create index payments_by_status on payments (environment_id, status, account_id, id);

-- A session is paid if its account or its wallet is. No index can span two rows, so the session
-- stores its own status, written with the event that reports it.
alter table checkout_sessions add column status text not null default 'pending';
update checkout_sessions s set status = case
    when a.status = 'PAID' or exists (select from collection_accounts w
      where w.environment_id = s.environment_id and w.id = s.wallet_id and w.status = 'PAID')
      then 'paid'
    when a.status = 'EXPIRED' then 'expired'
    else 'cancelled' end
  from collection_accounts a
  where a.environment_id = s.environment_id and a.id = s.account_id and s.event_sequence > 0;
alter table checkout_sessions
  add constraint session_status_is_known
    check (status in ('pending', 'paid', 'expired', 'cancelled')),
  add constraint ended_session_has_an_event check ((status = 'pending') = (event_sequence = 0));
create index checkout_sessions_by_status on checkout_sessions (environment_id, status, id);
drop index checkout_sessions_by_reference;
create index checkout_sessions_by_reference
  on checkout_sessions (environment_id, merchant_reference, status, id)
  where merchant_reference is not null;

-- Deleted endpoints stay for their deliveries. Without this index, each event of an environment
-- reads all endpoints it ever had, in a lane that merchants share.
create index webhook_endpoints_in_use on webhook_endpoints (environment_id, created_at, id)
  where deleted_at is null;

drop index notices_refused_by_account;
create index notices_refused_by_account
  on notices (rail, (announced ->> 'accountNumber'), received_at) where state = 'REFUSED';

-- In a table that was never analysed the planner takes the youngest index with the columns of the key
-- (see migration 0014), so the keys are recreated after the indexes above.
alter table events drop constraint events_pkey, add primary key (environment_id, id);
alter table collection_accounts drop constraint collection_accounts_pkey,
  add primary key (environment_id, id);
alter table payments drop constraint payments_pkey, add primary key (environment_id, id);
alter table checkout_sessions drop constraint checkout_sessions_pkey,
  add primary key (environment_id, id);
alter table webhook_endpoints drop constraint webhook_endpoints_pkey,
  add primary key (environment_id, id);
