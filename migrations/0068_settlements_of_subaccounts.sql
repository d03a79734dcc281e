-- Settlements of sub-accounts: a schedule, reserve and minimum of their own. Stop every process of an
-- older version first: it writes schedules `on conflict (environment_id)`, which is no key any more,
-- so that its settlements and changes of settings would fail.

alter table subaccounts
  add column settlement_schedule text not null default 'off',
  add column settlement_reserve bigint not null default 0,
  add column settlement_minimum bigint not null default 100000,
  -- Who chose the bank account: scheduled settlements follow the approval rule as theirs.
  add column chosen_by_key uuid,
  add column chosen_by_user uuid references users (id),
  add constraint subaccount_schedule_is_known check (
    settlement_schedule in ('off', 'daily', 'weekly')),
  add constraint subaccount_reserve_is_not_negative check (
    settlement_reserve >= 0 and settlement_minimum >= 0),
  add constraint closed_subaccount_is_not_settled check (
    status <> 'CLOSED' or settlement_schedule = 'off');

-- Null: of the merchant. A settlement covers a part of the statement of its owner.
alter table settlements
  add column subaccount_id uuid,
  add constraint settlement_has_its_subaccount foreign key (environment_id, subaccount_id)
    references subaccounts (environment_id, id),
  add constraint subaccount_settles_to_a_bank check (
    subaccount_id is null or conversion_id is null),
  drop constraint scheduled_settlement_is_made_once,
  drop constraint settlement_begins_once,
  drop constraint settlement_ends_once,
  add constraint settlement_begins_once
    unique nulls not distinct (environment_id, subaccount_id, first_entry);

create unique index scheduled_settlement_is_made_once
  on settlements (environment_id, scheduled_for, part) where subaccount_id is null;
create unique index scheduled_subaccount_settlement_is_made_once
  on settlements (environment_id, subaccount_id, scheduled_for, part)
  where subaccount_id is not null;
create unique index settlement_ends_once on settlements (environment_id, last_entry)
  where subaccount_id is null;
create unique index subaccount_settlement_ends_once
  on settlements (environment_id, subaccount_id, last_entry) where subaccount_id is not null;

-- The bank account of a sub-account is chosen with it; only that of the merchant is confirmed.
create or replace function check_settlement() returns trigger language plpgsql as $$
begin
  if new.subaccount_id is null
      and is_unconfirmed(new.environment_id, new.conversion_id is not null) then
    raise exception 'settlement_goes_to_a_confirmed_destination' using
      errcode = 'check_violation', constraint = 'settlement_goes_to_a_confirmed_destination';
  end if;
  return new;
end $$;

-- `owner_id` is the sub-account, or all zeros for the merchant, because a key has no nulls.
alter table settlement_schedules
  add column subaccount_id uuid,
  add column owner_id uuid not null generated always as (
    coalesce(subaccount_id, '00000000-0000-0000-0000-000000000000')) stored,
  add constraint schedule_has_its_subaccount foreign key (environment_id, subaccount_id)
    references subaccounts (environment_id, id),
  drop constraint settlement_schedules_pkey,
  add constraint settlement_schedules_pkey primary key (environment_id, owner_id);
