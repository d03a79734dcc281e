-- A memo that was cut inside a letter left half of it in what was announced: PostgreSQL keeps that
-- in json, but throws whenever a field of it is read. Halves are written as escapes, whole letters
-- never are; an escape counts where an even number of backslashes stands before its own.
alter table notices disable trigger notices_are_never_edited;
update notices set announced = regexp_replace(announced::text,
  '(?<!\\)((?:\\\\)*)\\u(?:d[89a-f][0-9a-f]{2}|0000)', E'\\1\uFFFD', 'g')::json
where announced::text ~ '\\u(?:d[89a-f][0-9a-f]{2}|0000)';
alter table notices enable trigger notices_are_never_edited;
