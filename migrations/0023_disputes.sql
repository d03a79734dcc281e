-- Endpoints of a chain that contradict each other about a transaction. A dispute ends when they
-- agree; one that was not seen for a while is no longer shown.
create table disputes (
  rail text not null,
  -- The signature of the transaction.
  subject text not null,
  -- Hosts of the endpoints, without the rest of their URLs.
  hosts text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  ended_at timestamptz,
  primary key (rail, subject),
  constraint dispute_is_seen_after_it_began check (last_seen_at >= first_seen_at)
);
create index disputes_open on disputes (last_seen_at) where ended_at is null;

-- An operator may fail an attempt on a chain only after the last block in which it could land.
-- `expires_by` caps `valid_until`, which an endpoint may have made up: it is counted from a block
-- that a majority of the endpoints had finalized while the attempt existed.
alter table payout_attempts
  add column expires_by bigint,
  add column failed_at_height bigint,
  add constraint operator_fails_only_what_cannot_land check (
    valid_until is null or state not in ('FAILED', 'DEAD')
    or outcome is distinct from 'operator_decision'
    or coalesce(failed_at_height > least(valid_until, expires_by), false));
