-- Processes that know 0098 may run beside this migration.
-- When a case was changed last, in real time: open consoles find the newest changes by it.

alter table cases add column changed_at timestamptz not null default now();
create index cases_by_change on cases (environment_id, changed_at, id);
