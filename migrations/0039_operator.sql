-- What operators decide in the console.

-- An action that one operator proposes and another one confirms. It runs at the confirmation.
create table operator_actions (
  id uuid primary key,
  kind text not null constraint action_kind_is_known check (kind in
    ('payout.decide', 'notice.assign', 'rail.pause', 'rail.resume', 'balance.credit')),
  -- What it changes, such as the reference of a payout: one waiting action for each.
  subject text not null,
  payload json not null,
  merchant_id uuid references merchants,
  state text not null default 'WAITING' constraint action_state_is_known
    check (state in ('WAITING', 'DONE', 'WITHDRAWN', 'EXPIRED')),
  proposed_by uuid not null references users,
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  confirmed_by uuid references users,
  ended_at timestamptz,
  -- What the action did, as the confirming operator read it.
  result json,
  constraint confirmed_by_another check (confirmed_by <> proposed_by),
  constraint done_action_is_confirmed check ((state = 'DONE') = (confirmed_by is not null)),
  constraint ended_action_has_its_time check ((state = 'WAITING') = (ended_at is null)),
  constraint action_is_confirmed_in_time check (state <> 'DONE' or ended_at < expires_at),
  constraint action_expires_later check (expires_at > proposed_at)
);
create unique index one_waiting_action_per_subject on operator_actions (kind, subject)
  where state = 'WAITING';
create index operator_actions_newest_first on operator_actions (state, id);

-- An action is confirmed as it was proposed, once, and by a person who is an operator.
create function keep_operator_action() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'operator_action_stays' using errcode = 'check_violation';
  end if;
  if old.state <> 'WAITING' or (new.id, new.kind, new.subject, new.payload::text, new.merchant_id,
      new.proposed_by, new.proposed_at, new.expires_at)
    is distinct from (old.id, old.kind, old.subject, old.payload::text, old.merchant_id,
      old.proposed_by, old.proposed_at, old.expires_at) then
    raise exception 'operator_action_is_not_edited'
      using errcode = 'check_violation', constraint = 'operator_action_is_not_edited';
  end if;
  if new.state = 'DONE' and not exists (select from users
      where id = new.confirmed_by and is_operator and disabled_at is null) then
    raise exception 'operator_confirms'
      using errcode = 'check_violation', constraint = 'operator_confirms';
  end if;
  return new;
end $$;
create trigger operator_action_is_kept before update or delete on operator_actions
  for each row execute function keep_operator_action();

-- Rails that take no new payouts. What was sent before is still polled.
create table paused_rails (
  rail text primary key,
  reason text not null constraint pause_has_a_reason check (length(reason) between 1 and 500),
  -- A person, or the account of a shell.
  paused_by text not null,
  paused_at timestamptz not null
);

-- Each difference between the books and a rail, from the comparison that found it to the first one
-- that did not find it again.
create table reconciliation_differences (
  id uuid primary key,
  rail text not null,
  kind text not null,
  name text not null,
  -- A rail may report the same transfer several times.
  occurrence integer not null constraint occurrence_is_positive check (occurrence > 0),
  in_books text not null,
  at_rail text not null,
  found_at timestamptz not null,
  seen_at timestamptz not null,
  resolved_at timestamptz,
  note text constraint note_is_short check (length(note) between 1 and 500),
  noted_by uuid references users,
  noted_at timestamptz,
  constraint note_has_its_author check ((note is null) = (noted_by is null)),
  constraint note_has_its_time check ((note is null) = (noted_at is null))
);
create unique index open_difference_is_one_row on reconciliation_differences
  (rail, kind, name, occurrence) where resolved_at is null;
create index reconciliation_differences_newest_first on reconciliation_differences (id);

-- A check of every claim about the ledger. The open row is the job; there is one at a time.
create table proof_runs (
  id uuid primary key,
  requested_by uuid not null references users,
  requested_at timestamptz not null,
  due_at timestamptz not null,
  attempts integer not null default 0,
  ended_at timestamptz,
  is_clean boolean,
  claims integer,
  -- Claims that do not hold, with some counterexamples each.
  violations json,
  failure text,
  constraint ended_proof_has_a_result check
    ((ended_at is null) = (is_clean is null and failure is null)),
  constraint clean_proof_has_no_violation check (is_clean is null or failure is null)
);
create unique index one_proof_at_a_time on proof_runs ((true)) where ended_at is null;

-- The account at the rail that operators chose for a payment whose own account is unknown.
alter table notices add column assigned_account text;
