-- One row per worker process, written every few seconds, so that a missing worker is noticed before
-- its work is late. All times are the database's: other machines' clocks may differ.
create table worker_heartbeats (
  worker_id uuid primary key,
  -- The command of the process: `work`, or `start` for everything in one process.
  command text not null,
  host_name text not null,
  process_id integer not null,
  version text not null,
  started_at timestamptz not null,
  beat_at timestamptz not null,
  -- Set by an orderly stop; a killed worker only stops its heartbeat.
  stopped_at timestamptz,
  -- Names of jobs that have not succeeded for too long.
  late_jobs text[] not null default '{}',
  constraint worker_command_is_known check (command in ('work', 'start'))
);

-- With an external test chain, test balances could be funded with coins that were never minted.
-- Record these credits as coins that the treasury may lack: reconciliation allows for them, and a
-- localnet mints them if one is used with this database later. New ones are no longer possible.
insert into coin_backings (environment_id, id, asset, amount, created_at)
select t.environment_id, t.cause_id, t.asset, t.amount, t.created_at
from environments e join ledger_transfers t on t.environment_id = e.id
where e.mode = 'test' and t.purpose = 'test_funding' and t.asset in ('USDC', 'USDT')
on conflict do nothing;
