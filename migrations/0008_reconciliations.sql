-- Result of the last comparison of the books with each rail, for metrics.

create table reconciliations (
  rail text primary key,
  due_at timestamptz not null,
  -- Everything up to here was compared and agreed. Differences are compared again every time.
  agreed_at timestamptz,
  -- The same position on a chain, as a slot.
  position bigint not null default 0,
  reconciled_at timestamptz,
  differences integer constraint differences_are_not_negative check (differences >= 0),
  constraint reconciliation_has_its_result check (
    (reconciled_at is null) = (differences is null))
);
