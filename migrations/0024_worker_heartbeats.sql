-- One row per worker process, written every few seconds, so that a missing worker is noticed before
-- its work is late. All times are the database's own: the clocks of other machines may differ.
create table worker_heartbeats (
  worker_id uuid primary key,
  -- What the process was started as: `work`, or `start` for everything in one.
  command text not null,
  host_name text not null,
  process_id integer not null,
  version text not null,
  started_at timestamptz not null,
  beat_at timestamptz not null,
  -- Set by an orderly stop; a killed worker only stops beating.
  stopped_at timestamptz,
  -- Jobs that have not succeeded for too long, by name.
  late_jobs text[] not null default '{}',
  constraint worker_command_is_known check (command in ('work', 'start'))
);

-- Test balances could be funded with coins that nobody minted, where test mode used an external chain.
-- Such credits are noted as coins that the treasury may not have: reconciliation then allows for them,
-- and an embedded chain, if one is ever used with this database, mints them. No more can be made.
insert into coin_backings (environment_id, id, asset, amount, created_at)
select t.environment_id, t.cause_id, t.asset, t.amount, t.created_at
from environments e join ledger_transfers t on t.environment_id = e.id
where e.mode = 'test' and t.purpose = 'test_funding' and t.asset in ('USDC', 'USDT')
on conflict do nothing;
