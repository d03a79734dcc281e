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
