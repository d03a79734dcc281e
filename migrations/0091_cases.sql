-- Processes that know 0090 may run beside this migration.
-- Cases: complaints of fraud and the like, with the payments, transfers, recipients and customers that
-- they are about.

create table cases (
  environment_id integer not null references environments (id),
  id uuid not null,
  mode text not null,
  kind text not null,
  status text not null,
  title text not null,
  description text,
  -- Of the bank, the regulator or whoever else has the case.
  external_reference text,
  -- Who works on it.
  assignee_id uuid references users (id),
  -- In the time of the environment.
  deadline timestamptz,
  -- In real time: when a worker says that it is overdue. Null: nothing is to be said.
  due_at timestamptz,
  attempts integer not null default 0,
  outcome text,
  outcome_note text,
  created_by_key uuid,
  created_by_user uuid,
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  closed_at timestamptz,
  primary key (environment_id, id),
  constraint case_mode_is_known check (mode in ('test', 'live')),
  constraint case_kind_is_known check (kind in ('FRAUD', 'COMPLAINT', 'RECALL', 'OTHER')),
  constraint case_status_is_known check (status in ('OPEN', 'CLOSED')),
  constraint case_title_is_short check (length(title) between 1 and 200),
  constraint case_description_is_short check (length(description) between 1 and 2000),
  constraint case_external_reference_is_short check (length(external_reference) between 1 and 100),
  constraint case_outcome_is_known check (outcome in ('UPHELD', 'REJECTED', 'OTHER')),
  constraint case_outcome_note_is_short check (length(outcome_note) between 1 and 500),
  constraint closed_case_has_its_outcome check (
    (status = 'CLOSED') = (outcome is not null) and (status = 'CLOSED') = (closed_at is not null)),
  constraint only_an_outcome_has_a_note check (outcome is not null or outcome_note is null),
  constraint other_outcome_has_a_note check (outcome <> 'OTHER' or outcome_note is not null),
  constraint only_open_deadlines_are_due check (
    due_at is null or (status = 'OPEN' and deadline is not null)),
  constraint case_has_one_creator check (num_nonnulls(created_by_key, created_by_user) = 1),
  constraint case_event_sequence_is_positive check (event_sequence > 0)
);
create index cases_by_kind_and_status on cases (environment_id, kind, status, id);
create index cases_by_assignee on cases (environment_id, assignee_id, status, id)
  where assignee_id is not null;
create index cases_by_external_reference on cases (environment_id, external_reference, id)
  where external_reference is not null;
create index open_cases_by_deadline on cases (environment_id, deadline)
  where status = 'OPEN' and deadline is not null;
create index cases_due on cases (mode, due_at) where due_at is not null;

create trigger cases_are_never_removed before delete or truncate or update of
  environment_id, id, mode, created_by_key, created_by_user, created_at
  on cases for each statement execute function refuse_change();
create trigger closed_cases_are_never_edited before update on cases for each row
  when (old.status = 'CLOSED' and new.status = 'CLOSED') execute function refuse_change();
create trigger only_personal_data_is_erased before update on cases for each row
  when (current_setting('manilla.erasing', true) = 'on')
  execute function only_erase('title', 'description', 'external_reference', 'outcome_note');

create table case_items (
  environment_id integer not null references environments (id),
  id uuid not null,
  case_id uuid not null,
  payment_id uuid,
  payout_id uuid,
  recipient_id uuid,
  customer_id uuid,
  resource_id uuid not null generated always as (
    coalesce(payment_id, payout_id, recipient_id, customer_id)) stored,
  added_at timestamptz not null,
  -- Null: it is in the case.
  removed_at timestamptz,
  primary key (environment_id, id),
  foreign key (environment_id, case_id) references cases (environment_id, id),
  constraint case_item_is_a_recipient
    foreign key (environment_id, recipient_id) references recipients (environment_id, id),
  constraint case_item_is_a_customer
    foreign key (environment_id, customer_id) references customers (environment_id, id),
  constraint case_item_is_one_resource check (
    num_nonnulls(payment_id, payout_id, recipient_id, customer_id) = 1)
);
create unique index case_has_an_item_once on case_items (environment_id, resource_id, case_id)
  where removed_at is null;
create index items_of_case on case_items (environment_id, case_id, id);

create trigger case_items_are_never_edited before delete or truncate or update of
  environment_id, id, case_id, payment_id, payout_id, recipient_id, customer_id, added_at
  on case_items for each statement execute function refuse_change();
create trigger removed_items_stay_removed before update on case_items for each row
  when (old.removed_at is not null) execute function refuse_change();

create function check_case_item() returns trigger language plpgsql as $$
declare
  rule text;
begin
  -- No foreign keys: they would take part in every update of a payment or payout.
  rule := case
    when exists (select from cases
      where environment_id = new.environment_id and id = new.case_id and status <> 'OPEN')
      then 'items_of_closed_cases_stay'
    when new.payment_id is not null and not exists (select from payments
      where environment_id = new.environment_id and id = new.payment_id)
      then 'case_item_is_a_payment'
    when new.payout_id is not null and not exists (select from payouts
      where environment_id = new.environment_id and id = new.payout_id)
      then 'case_item_is_a_payout' end;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;
create trigger case_items_keep_to_their_rules before insert or update on case_items
  for each row execute function check_case_item();
