-- A memo that was cut inside a character left half of it in a notice: PostgreSQL stores that in
-- json but throws when a field is read. Halves are written as escapes, whole characters never are;
-- an escape counts only if an even number of backslashes precedes its own.
alter table notices disable trigger notices_are_never_edited;
update notices set announced = regexp_replace(announced::text,
  '(?<!\\)((?:\\\\)*)\\u(?:d[89a-f][0-9a-f]{2}|0000)', E'\\1\uFFFD', 'g')::json
where announced::text ~ '\\u(?:d[89a-f][0-9a-f]{2}|0000)';
alter table notices enable trigger notices_are_never_edited;
