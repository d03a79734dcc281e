-- Processes that know 0071 may run beside this migration.
-- When the last scheduled settlement was refused. Older processes write the refusal only.

alter table settlement_schedules add column refused_at timestamptz;
