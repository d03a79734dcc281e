-- Processes that know 0092 may run beside this migration.
-- The account or phone of a person may be a number of JSON. Erasing replaces it with a text, too.

-- Whether a value differs from the one before only by texts that were replaced with `[erased]`, and by
-- numbers in places where one may identify a person: amounts are numbers, too. A text, or bytes, may
-- itself be JSON.
create function is_erasure(was jsonb, becomes jsonb, field text, in_metadata boolean)
  returns boolean language plpgsql immutable as $$
declare
  kind text := jsonb_typeof(was);
  old_text text := was #>> '{}';
  new_text text := becomes #>> '{}';
  is_metadata boolean := in_metadata or field = 'metadata';
begin
  if becomes = was or becomes = '"[erased]"' and (kind = 'string' or kind = 'number' and (
      in_metadata or field ~* '((account|phone|mobile)(_?(number|no))?|msisdn|nuban)$')) then
    return true;
  end if;
  if kind is distinct from jsonb_typeof(becomes) then
    return false;
  end if;
  if kind = 'object' then
    return (select count(*) from jsonb_object_keys(was)) =
        (select count(*) from jsonb_object_keys(becomes))
      and not exists (select from jsonb_each(becomes) item (name, value)
        where not case
          when was ? item.name then is_erasure(was -> item.name, item.value, item.name, is_metadata)
          else item.name = '[erased]' end);
  end if;
  if kind = 'array' then
    return jsonb_array_length(was) = jsonb_array_length(becomes)
      and not exists (select from generate_series(0, jsonb_array_length(was) - 1) at
        where not is_erasure(was -> at, becomes -> at, null, is_metadata));
  end if;
  if kind = 'string' and left(old_text, 4) = '\x7b' and left(new_text, 4) = '\x7b' then
    return is_erasure(
      convert_from(decode(substr(old_text, 3), 'hex'), 'UTF8')::jsonb,
      convert_from(decode(substr(new_text, 3), 'hex'), 'UTF8')::jsonb, field, in_metadata);
  end if;
  if kind = 'string' and left(old_text, 1) in ('{', '[') and left(new_text, 1) in ('{', '[') then
    return is_erasure(old_text::jsonb, new_text::jsonb, field, in_metadata);
  end if;
  return false;
exception
  when invalid_text_representation or character_not_in_repertoire or untranslatable_character then
    return false;
end $$;

-- The columns that it names may be erased, and no other may change.
create or replace function only_erase() returns trigger language plpgsql as $$
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
    if not is_erasure(was -> name, becomes -> name, name, false) then
      raise exception '% of % is never edited, only erased', name, tg_table_name
        using errcode = 'restrict_violation', constraint = tg_name;
    end if;
  end loop;
  return new;
end $$;

drop function is_erasure(jsonb, jsonb);
