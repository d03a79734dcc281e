-- What came of comparing the books with each rail, for whoever watches the figures.

create table reconciliations (
  rail text primary key,
  due_at timestamptz not null,
  -- Up to here everything was compared and agreed. What did not agree is compared again every time.
  agreed_at timestamptz,
  -- The same, as the rail counts: a slot.
  position bigint not null default 0,
  reconciled_at timestamptz,
  differences integer constraint differences_are_not_negative check (differences >= 0),
  constraint reconciliation_has_its_result check (
    (reconciled_at is null) = (differences is null))
);
