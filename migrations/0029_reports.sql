-- Reports over months read sums of hours and days instead of rows. Days begin at midnight in Lagos. A
-- day is summed up once, an hour after its end by the clock of this server; a row of that day that is
-- committed or changes later leaves a row in `report_changes`, and until the day has been summed up
-- again, reports read its rows. So no report depends on when a worker runs.

-- One row per environment: the job. Days before `summed_up_to` are in the tables below, where hours
-- and days without rows are absent, except for days in `report_changes`.
create table report_progress (
  environment_id integer primary key references environments,
  summed_up_to timestamptz,
  due_at timestamptz not null
);
create index report_progress_due on report_progress (due_at);

-- Every transaction that changes an ended day adds a row of its own: a worker that sums the day up
-- removes only those whose changes it has seen.
create table report_changes (
  environment_id integer not null,
  report text not null,
  day_start timestamptz not null,
  transaction_id xid8 not null,
  primary key (environment_id, report, day_start, transaction_id),
  constraint changed_report_is_known check (report in ('received', 'conversion', 'payout_times'))
);

create table report_received (
  environment_id integer not null,
  asset text not null,
  bucket text not null,
  bucket_start timestamptz not null,
  amount bigint not null,
  count bigint not null,
  primary key (environment_id, asset, bucket, bucket_start),
  constraint received_bucket_is_known check (bucket in ('hour', 'day')),
  constraint received_bucket_is_not_empty check (amount > 0 and count > 0)
);

-- Sessions by when they were created, with their present state.
create table report_conversion (
  environment_id integer not null,
  bucket text not null,
  bucket_start timestamptz not null,
  created bigint not null,
  opened bigint not null,
  paid bigint not null,
  expired bigint not null,
  cancelled bigint not null,
  primary key (environment_id, bucket, bucket_start),
  constraint conversion_bucket_is_known check (bucket in ('hour', 'day')),
  constraint conversion_bucket_is_not_empty check (created > 0),
  constraint sessions_end_once check (paid + expired + cancelled <= created)
);

-- Payouts by when they ended.
create table report_payout_times (
  environment_id integer not null,
  kind text not null,
  bucket text not null,
  bucket_start timestamptz not null,
  completed bigint not null,
  failed bigint not null,
  median_ms bigint,
  p95_ms bigint,
  primary key (environment_id, kind, bucket, bucket_start),
  constraint payout_bucket_is_known check (bucket in ('hour', 'day')),
  constraint payout_bucket_is_not_empty check (completed + failed > 0),
  constraint only_completed_payouts_have_times
    check ((completed > 0) = (median_ms is not null) and (completed > 0) = (p95_ms is not null))
);

-- Statements are read in the order of their numbers, which have no gaps and are committed in order,
-- so nothing can be missed: this table needs no `report_changes` and includes the present day.
create table report_balances (
  environment_id integer not null,
  asset text not null,
  bucket text not null,
  bucket_start timestamptz not null,
  last_number bigint not null,
  closing bigint not null,
  lowest bigint not null,
  primary key (environment_id, asset, bucket, bucket_start),
  constraint balance_bucket_is_known check (bucket in ('hour', 'day')),
  constraint closing_is_not_below_lowest check (closing >= lowest and lowest >= 0)
);
create unique index statement_entry_is_summed_up_once
  on report_balances (environment_id, asset, bucket, last_number);

-- Added when the page is first shown.
alter table checkout_sessions add column if not exists opened_at timestamptz;

create index payouts_ended on payouts (environment_id, kind, coalesce(completed_at, failed_at))
  where coalesce(completed_at, failed_at) is not null;

-- A transaction ends within half an hour of its statements: all connections have timeouts of
-- seconds. So one that changed a day without noting it has ended before the day is summed up. Both
-- times are read from the clock of this server. Test clocks are only ever ahead of it, so days that
-- only a test clock has reached are not summed up yet.
create function note_report_change() returns trigger language plpgsql as $$
declare
  changed_at timestamptz;
begin
  if tg_table_name = 'payouts' then
    changed_at := coalesce(new.completed_at, new.failed_at);
  else
    changed_at := new.created_at;
  end if;
  if changed_at < date_trunc('day', clock_timestamp() - interval '30 minutes', 'Africa/Lagos') then
    insert into report_changes (environment_id, report, day_start, transaction_id)
    values (new.environment_id, tg_argv[0], date_trunc('day', changed_at, 'Africa/Lagos'),
      pg_current_xact_id())
    on conflict do nothing;
  end if;
  return null;
end $$;

-- The conditions only spare the call: whatever is younger is not of a day that has ended.
create trigger payments_of_ended_days_are_noted after insert on payments for each row
  when (new.created_at < clock_timestamp() - interval '30 minutes')
  execute function note_report_change('received');

create trigger sessions_of_ended_days_are_noted after insert or update of status, opened_at
  on checkout_sessions for each row
  when (new.created_at < clock_timestamp() - interval '30 minutes')
  execute function note_report_change('conversion');

create trigger payouts_of_ended_days_are_noted after update of completed_at, failed_at
  on payouts for each row
  when (coalesce(old.completed_at, old.failed_at) is null
    and coalesce(new.completed_at, new.failed_at) < clock_timestamp() - interval '30 minutes')
  execute function note_report_change('payout_times');
