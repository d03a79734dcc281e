-- A token account that alone prevented the signing of a sweep: how often in a row, and until when
-- it is left out, so that others do not wait for it.
alter table token_accounts add column unsigned_sweeps integer not null default 0,
  add column sweep_rests_until timestamptz,
  add constraint only_unsigned_sweep_rests check (
    unsigned_sweeps >= 0 and (unsigned_sweeps > 0) = (sweep_rests_until is not null));
