-- The error names the violated rule.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% rows are never edited or removed', tg_table_name
    using errcode = 'restrict_violation', constraint = tg_name;
end $$;

alter table payments add constraint payment_fee_is_within_its_amount check (fee <= amount);

-- Notices, payments and promised returns never change.
create trigger notices_are_never_edited
  before update of rail, mode, id, announced, body, received_at or delete or truncate on notices
  for each statement execute function refuse_change();

create trigger payments_are_never_edited
  before update of environment_id, id, account_id, source, rail, rail_id, asset, amount, variance,
    sender, session_id, narration, received_at, created_at
    or delete or truncate on payments
  for each statement execute function refuse_change();

create trigger payment_returns_are_never_edited
  before update of environment_id, id, payment_id, rail, amount, takes_from, destination, created_at
    or delete or truncate on payment_returns
  for each statement execute function refuse_change();

-- An ended account stays ended; only an expired one may turn out to be paid.
create trigger ended_account_stays before update on collection_accounts
  for each row when (new.status <> old.status and (
    old.status in ('PAID', 'CANCELLED', 'INACTIVE')
    or (old.status = 'EXPIRED' and new.status <> 'PAID')))
  execute function refuse_change();

-- Payments of one kind of account, newest first.
create index payments_by_source on payments (environment_id, source, id);

-- For reconciliation with a bank. Only judged notices, or the planner would use this index to find
-- notices by id.
create index notices_taken on notices (rail, received_at) where state = 'TAKEN';
