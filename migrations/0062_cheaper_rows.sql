-- The service writes search terms itself, beside the rows (docs/decisions/0026). Triggers read each
-- new row again, parsed its JSON several times, and cost two to three times as much.
drop trigger payouts_are_searchable on payouts;
drop trigger payments_are_searchable on payments;
drop trigger accounts_are_searchable on collection_accounts;
drop trigger sessions_are_searchable on checkout_sessions;
drop function add_payout_terms();
drop function add_payment_terms();
drop function add_account_terms();
drop function add_session_terms();

-- Events are listed by id, which starts with the time of creation. The primary key is their order,
-- so an index on the time is not needed, and the others lose it.
drop index events_newest_first;
drop index events_by_type;
drop index events_by_resource;
create index events_by_type on events (environment_id, type, id);
create index events_by_resource on events (environment_id, type, resource_id, id);
