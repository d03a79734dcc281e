-- Processes that know 0062 may run beside this migration.
-- A member or an API key changes what a payment paid: takes it from invoices and credit, gives it
-- to others.

create table reallocations (
  environment_id integer not null references environments (id),
  id uuid not null,
  payment_id uuid not null,
  reason text,
  created_by_key uuid,
  created_by_user uuid,
  created_at timestamptz not null,
  primary key (environment_id, id)
);
create index reallocations_of_payment on reallocations (environment_id, payment_id, id);
create trigger reallocations_are_never_edited before update or delete or truncate on reallocations
  for each statement execute function refuse_change();

-- Set if a member or an API key made the allocation; null if it was made when the payment was booked.
alter table payment_allocations
  add column reallocation_id uuid,
  add constraint allocation_of_reallocation foreign key (environment_id, reallocation_id)
    references reallocations (environment_id, id);
create index allocations_of_reallocation on payment_allocations (environment_id, reallocation_id)
  where reallocation_id is not null;

-- What a reallocation takes of an allocation.
create table allocation_moves (
  environment_id integer not null references environments (id),
  id uuid not null,
  reallocation_id uuid not null,
  allocation_id uuid not null,
  amount bigint not null,
  created_at timestamptz not null,
  primary key (environment_id, id),
  foreign key (environment_id, reallocation_id) references reallocations (environment_id, id),
  foreign key (environment_id, allocation_id) references payment_allocations (environment_id, id),
  constraint allocation_move_has_an_amount check (amount > 0)
);
create unique index move_takes_an_allocation_once
  on allocation_moves (environment_id, reallocation_id, allocation_id);
create index moves_of_allocation on allocation_moves (environment_id, allocation_id);
create trigger allocation_moves_are_never_edited
  before update or delete or truncate on allocation_moves
  for each statement execute function refuse_change();

alter table customer_credit_entries
  drop constraint credit_kind_is_known,
  add constraint credit_kind_is_known check (
    kind in ('payment', 'credit_note', 'refund', 'refund_reversal', 'applied', 'unapplied',
      'reallocation'));
