-- The chain that each mode uses, by its genesis hash. It is stored when nodes are first used and
-- never changes: deposits and payouts of one chain must not be mixed with those of another. The
-- localnet is not stored, because a developer may delete and create it again.
create table chains (
  mode text primary key,
  genesis_hash text not null,
  pinned_at timestamptz not null,
  constraint chain_mode_is_known check (mode in ('test', 'live')),
  constraint only_live_uses_mainnet check
    ((mode = 'live') = (genesis_hash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'))
);
create trigger chain_never_changes
  before update or delete or truncate on chains
  for each statement execute function refuse_change();

-- The name of a chain's rail contains the genesis hash. An attempt that is signed again on another
-- chain could pay on both.
create function refuse_attempt_on_another_chain() returns trigger language plpgsql as $$
begin
  if exists (
    select from payout_attempts earlier
    where earlier.environment_id = new.environment_id and earlier.payout_id = new.payout_id
      and earlier.valid_until is not null and earlier.rail <> new.rail)
  then
    raise exception 'payout % has an attempt on another chain than %', new.payout_id, new.rail
      using errcode = 'check_violation', constraint = 'attempts_stay_on_one_chain';
  end if;
  return new;
end $$;
create trigger attempts_stay_on_one_chain
  before insert on payout_attempts for each row when (new.number > 1)
  execute function refuse_attempt_on_another_chain();

-- The slot that a majority of the nodes had reached when the transaction was signed: no earlier
-- block can include it. Null: it was signed before this column existed, or it is no transaction.
alter table payout_attempts
  add column signed_slot bigint,
  add constraint signed_slot_is_of_a_transaction check
    (signed_slot is null or (signed_slot >= 0 and valid_until is not null));
alter table sweeps
  add column signed_slot bigint,
  add constraint sweep_signed_slot_is_not_negative check (signed_slot >= 0);
drop trigger sent_bytes_are_never_edited on payout_attempts;
create trigger sent_bytes_are_never_edited
  before update of environment_id, payout_id, number, rail, token, wire, valid_until, created_at,
    signed_slot or delete or truncate
  on payout_attempts for each statement execute function refuse_change();
drop trigger sweeps_are_never_edited on sweeps;
create trigger sweeps_are_never_edited
  before update of rail, id, asset, amount, token, wire, valid_until, created_at, signed_slot
    or delete or truncate
  on sweeps for each statement execute function refuse_change();

-- Coins are not returned automatically: a return needs a destination. Settings that asked for it
-- were treated as `hold`, and are now shown so.
update environment_settings s
set document = jsonb_set(s.document::jsonb, '{policies,crypto}', (
  select jsonb_object_agg(key, case when value = '"return"' then '"hold"' else value end)
  from jsonb_each(s.document::jsonb #> '{policies,crypto}')))::json
where s.document #>> '{policies,crypto}' like '%"return"%';
