-- Processes that know 0085 may run beside this migration.
-- Personal data: replaced when it is no longer needed, or when a person asks for it, also in rows
-- that are never edited otherwise. Legal holds keep it.

-- Replaces the fields of a JSON value that say who a person is, at any depth.
create function erase_fields(value jsonb) returns jsonb language plpgsql immutable as $$
begin
  return case jsonb_typeof(value)
    when 'object' then (
      select coalesce(jsonb_object_agg(field.name, case
        when jsonb_typeof(field.value) = 'string' and field.value <> '""' and field.name in
          ('name', 'accountName', 'accountNumber', 'address', 'email', 'phone', 'narration')
        then '"[erased]"'
        else erase_fields(field.value) end), '{}')
      from jsonb_each(value) field (name, value))
    when 'array' then (
      select coalesce(jsonb_agg(erase_fields(item.value) order by item.number), '[]')
      from jsonb_array_elements(value) with ordinality item (value, number))
    else value end;
end $$;

-- Whether a value differs from the one before only by texts that were replaced with `[erased]`. A
-- text, or bytes, may itself be JSON.
create function is_erasure(was jsonb, becomes jsonb) returns boolean language plpgsql immutable as $$
declare
  kind text := jsonb_typeof(was);
  old_text text := was #>> '{}';
  new_text text := becomes #>> '{}';
begin
  if becomes = was or becomes = '"[erased]"' and kind = 'string' then
    return true;
  end if;
  if kind is distinct from jsonb_typeof(becomes) then
    return false;
  end if;
  if kind = 'object' then
    return (select count(*) from jsonb_object_keys(was)) =
        (select count(*) from jsonb_object_keys(becomes))
      and not exists (select from jsonb_each(becomes) field (name, value)
        where not case
          when was ? field.name then is_erasure(was -> field.name, field.value)
          else field.name = '[erased]' end);
  end if;
  if kind = 'array' then
    return jsonb_array_length(was) = jsonb_array_length(becomes)
      and not exists (select from generate_series(0, jsonb_array_length(was) - 1) at
        where not is_erasure(was -> at, becomes -> at));
  end if;
  if kind = 'string' and left(old_text, 4) = '\x7b' and left(new_text, 4) = '\x7b' then
    return is_erasure(
      convert_from(decode(substr(old_text, 3), 'hex'), 'UTF8')::jsonb,
      convert_from(decode(substr(new_text, 3), 'hex'), 'UTF8')::jsonb);
  end if;
  if kind = 'string' and left(old_text, 1) in ('{', '[') and left(new_text, 1) in ('{', '[') then
    return is_erasure(old_text::jsonb, new_text::jsonb);
  end if;
  return false;
exception
  when invalid_text_representation or character_not_in_repertoire or untranslatable_character then
    return false;
end $$;

-- The columns that it names may be erased, and no other may change.
create function only_erase() returns trigger language plpgsql as $$
declare
  was jsonb := to_jsonb(old);
  becomes jsonb := to_jsonb(new);
  -- Computed from the others after this trigger.
  generated text[] := array(select attname from pg_attribute
    where attrelid = tg_relid and attgenerated <> '');
  name text;
begin
  if (was - tg_argv - generated) is distinct from (becomes - tg_argv - generated) then
    raise exception '% rows are never edited, only erased', tg_table_name
      using errcode = 'restrict_violation', constraint = tg_name;
  end if;
  foreach name in array tg_argv loop
    if not is_erasure(was -> name, becomes -> name) then
      raise exception '% of % is never edited, only erased', name, tg_table_name
        using errcode = 'restrict_violation', constraint = tg_name;
    end if;
  end loop;
  return new;
end $$;

-- As before; but a transaction that erases may update tables that have a trigger for it, which
-- checks every row. Ledger tables have none. What the simulated bank remembers is not checked.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('manilla.erasing', true) = 'on'
    and (tg_table_name like 'sandbox\_%' or exists (select from pg_trigger
      where tgrelid = tg_relid and tgname = 'only_personal_data_is_erased' and tgenabled = 'O'))
  then
    return case when tg_level = 'ROW' then new end;
  end if;
  raise exception '% rows are never edited or removed', tg_table_name
    using errcode = 'restrict_violation', constraint = tg_name;
end $$;

create or replace function only_withdraw() returns trigger language plpgsql as $$
begin
  if old.withdrawn_at is null and new.withdrawn_at is not null
    or current_setting('manilla.erasing', true) = 'on' then
    return new;
  end if;
  raise exception 'notes are withdrawn once, and not edited' using errcode = 'restrict_violation';
end $$;

create trigger only_personal_data_is_erased before update on payments for each row
  when (current_setting('manilla.erasing', true) = 'on')
  execute function only_erase('sender', 'narration');
create trigger only_personal_data_is_erased before update on notices for each row
  when (current_setting('manilla.erasing', true) = 'on')
  execute function only_erase('report', 'body', 'reason');
create trigger only_personal_data_is_erased before update on payment_returns for each row
  when (current_setting('manilla.erasing', true) = 'on')
  execute function only_erase('destination', 'note');
create trigger only_personal_data_is_erased before update on payouts for each row
  when (current_setting('manilla.erasing', true) = 'on')
  execute function only_erase('destination', 'metadata');
create trigger only_personal_data_is_erased before update on payout_attempts for each row
  when (current_setting('manilla.erasing', true) = 'on')
  execute function only_erase('wire');
create trigger only_personal_data_is_erased before update on payout_batch_items for each row
  when (current_setting('manilla.erasing', true) = 'on')
  execute function only_erase('destination', 'account_name', 'warnings', 'problem');
create trigger only_personal_data_is_erased before update on payout_batches for each row
  when (current_setting('manilla.erasing', true) = 'on') execute function only_erase('name');
create trigger only_personal_data_is_erased before update on payout_approvals for each row
  when (current_setting('manilla.erasing', true) = 'on') execute function only_erase('reason');
create trigger only_personal_data_is_erased before update on payout_batch_approvals for each row
  when (current_setting('manilla.erasing', true) = 'on') execute function only_erase('reason');
create trigger only_personal_data_is_erased before update on payout_checks for each row
  when (current_setting('manilla.erasing', true) = 'on')
  execute function only_erase('problem', 'rejection');
create trigger only_personal_data_is_erased before update on payment_requests for each row
  when (current_setting('manilla.erasing', true) = 'on') execute function only_erase('note');
create trigger only_personal_data_is_erased before update on credit_notes for each row
  when (current_setting('manilla.erasing', true) = 'on') execute function only_erase('reason');
create trigger only_personal_data_is_erased before update on reallocations for each row
  when (current_setting('manilla.erasing', true) = 'on') execute function only_erase('reason');
create trigger only_personal_data_is_erased before update on notes for each row
  when (current_setting('manilla.erasing', true) = 'on') execute function only_erase('text');
create trigger only_personal_data_is_erased before update on subaccount_transfers for each row
  when (current_setting('manilla.erasing', true) = 'on') execute function only_erase('note');
create trigger only_personal_data_is_erased before update on collection_accounts for each row
  when (current_setting('manilla.erasing', true) = 'on')
  execute function only_erase('customer', 'account_name', 'metadata');
create trigger only_personal_data_is_erased before update on events for each row
  when (current_setting('manilla.erasing', true) = 'on') execute function only_erase('data');
-- Its hash stays, and a later line of the chain has the hash of what remains.
create trigger only_personal_data_is_erased before update on audit_lines for each row
  when (current_setting('manilla.erasing', true) = 'on') execute function only_erase('details');

create table legal_holds (
  id uuid primary key,
  kind text not null,
  -- A normalized e-mail address, phone number, bank code and account number, wallet address, or the
  -- reference of a resource.
  subject text not null,
  -- Of a customer or another resource.
  resource_id uuid,
  -- Null: of all merchants.
  merchant_id uuid references merchants (id),
  case_reference text,
  reason text not null,
  placed_by text not null,
  placed_at timestamptz not null,
  -- Null: until it is released.
  until timestamptz,
  released_by text,
  released_at timestamptz,
  constraint hold_kind_is_known
    check (kind in ('email', 'phone', 'bank_account', 'wallet', 'customer', 'resource')),
  constraint hold_has_a_subject check (subject <> ''),
  constraint only_resources_have_an_id
    check ((resource_id is not null) = (kind in ('customer', 'resource'))),
  constraint hold_ends_after_it_starts check (until > placed_at),
  constraint release_is_whole check ((released_by is null) = (released_at is null))
);
create index legal_holds_in_force on legal_holds (id) where released_at is null;
create function keep_legal_hold() returns trigger language plpgsql as $$
begin
  if old.released_at is null and new.released_at is not null
    and to_jsonb(old) - '{released_by,released_at}'::text[]
      = to_jsonb(new) - '{released_by,released_at}'::text[]
    or old.released_at is not null and current_setting('manilla.erasing', true) = 'on' then
    return new;
  end if;
  raise exception 'legal holds are released once, and not edited'
    using errcode = 'restrict_violation', constraint = 'legal_holds_are_only_released';
end $$;
create trigger legal_holds_are_only_released before update on legal_holds
  for each row execute function keep_legal_hold();
create trigger only_personal_data_is_erased before update on legal_holds for each row
  when (current_setting('manilla.erasing', true) = 'on')
  execute function only_erase('subject', 'case_reference', 'reason');
create trigger legal_holds_are_never_removed before delete or truncate on legal_holds
  for each statement execute function refuse_change();

-- Whether a legal hold keeps a row: it names one of these resources, or its text has the subject.
create function is_held(at timestamptz, environment integer, row_text text, ids uuid[])
  returns boolean language sql stable as $$
  select exists (
    select from legal_holds h
    where h.released_at is null and (h.until is null or h.until > at)
      and (h.merchant_id is null or environment is null or h.merchant_id =
        (select e.merchant_id from environments e where e.id = environment))
      and (h.resource_id = any (ids) or h.resource_id is null and strpos(lower(row_text),
        case h.kind when 'bank_account' then split_part(h.subject, ':', 2)
          else lower(h.subject) end) > 0))
$$;

-- The last row that the retention worker read, by class and environment.
create table retention_progress (
  class text not null,
  environment_id integer not null references environments (id),
  position uuid not null,
  pseudonymised bigint not null default 0,
  primary key (class, environment_id)
);

-- Rows that it skipped, because they are open or held.
create table retention_skips (
  class text not null,
  environment_id integer not null references environments (id),
  id uuid not null,
  reason text not null,
  due_at timestamptz not null,
  primary key (class, environment_id, id),
  constraint skip_reason_is_known check (reason in ('open', 'held'))
);
create index retention_skips_due on retention_skips (class, environment_id, due_at);

-- Deactivated accounts are not in the order of their ids.
create index accounts_to_pseudonymise on collection_accounts (environment_id, ended_at)
  where kind = 'dedicated_account' and status = 'INACTIVE' and account_name <> '[erased]';
