-- Chains of the audit log: one per merchant and one of the installation. Every line has a number
-- without gaps in its chain and the SHA-256 of the line before it and itself, so that an edited,
-- removed or inserted line is found by `manilla verify-audit`, whoever changed it.

alter table audit_lines
  -- The merchant whose log shows the line, or zeros: the installation.
  add column chain uuid,
  add column number bigint,
  add column previous_hash bytea,
  add column hash bytea,
  add column user_id uuid,
  add column session_id uuid,
  add column address text,
  add column request_id text;

create table audit_heads (
  chain uuid primary key,
  number bigint not null constraint head_number_is_not_negative check (number >= 0),
  hash bytea not null constraint head_hash_is_whole check (length(hash) = 32)
) with (fillfactor = 50);

-- Heads that were written to the log of the service.
create table audit_logged_heads (
  chain uuid primary key,
  number bigint not null,
  hash bytea not null constraint logged_hash_is_whole check (length(hash) = 32),
  logged_at timestamptz not null
);

-- The last verification of a chain that somebody asked for.
create table audit_verifications (
  chain uuid primary key,
  verified_at timestamptz not null,
  lines bigint not null,
  fault text
);

-- src/audit/hash-line.ts writes the same text. A field is its length in bytes and its text.
create function audit_field(value text) returns text language sql immutable
  return coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value, '-') || E'\n';

create function hash_audit_line(line audit_lines) returns bytea language sql immutable
  return sha256(line.previous_hash || convert_to(
    E'manilla audit line 1\n'
      || audit_field(line.chain::text)
      || audit_field(line.number::text)
      || audit_field(line.id::text)
      || audit_field(line.actor)
      || audit_field(line.action)
      || audit_field(line.merchant_id::text)
      || audit_field(line.environment_id::text)
      || audit_field(line.details::text)
      || audit_field((extract(epoch from line.created_at) * 1000000)::bigint::text)
      || audit_field(line.user_id::text)
      || audit_field(line.session_id::text)
      || audit_field(line.address)
      || audit_field(line.request_id), 'UTF8'));

-- Locks the head of the chain until the commit: the lines of a chain are written one after another.
-- Transactions write their lines last, so nothing else is locked after a head.
create function chain_audit_line() returns trigger language plpgsql as $$
declare
  head audit_heads;
begin
  new.chain := coalesce(new.chain, new.merchant_id, '00000000-0000-0000-0000-000000000000');
  select * into head from audit_heads where chain = new.chain for no key update;
  if not found then
    insert into audit_heads values (new.chain, 0, decode(repeat('00', 32), 'hex'))
      on conflict do nothing;
    select * into head from audit_heads where chain = new.chain for no key update;
  end if;
  new.number := head.number + 1;
  new.previous_hash := head.hash;
  new.hash := hash_audit_line(new);
  update audit_heads set number = new.number, hash = new.hash where chain = new.chain;
  return new;
end $$;
create trigger audit_lines_are_chained before insert on audit_lines
  for each row execute function chain_audit_line();

-- Existing lines record what operators did: they begin the chain of the installation.
alter table audit_lines disable trigger audit_lines_are_never_edited;
do $$
declare
  line audit_lines;
  head bytea := decode(repeat('00', 32), 'hex');
  place bigint := 0;
begin
  for line in select * from audit_lines order by id loop
    place := place + 1;
    line.chain := '00000000-0000-0000-0000-000000000000';
    line.number := place;
    line.previous_hash := head;
    head := hash_audit_line(line);
    update audit_lines
      set chain = line.chain, number = place, previous_hash = line.previous_hash, hash = head
      where id = line.id;
  end loop;
  if place > 0 then
    insert into audit_heads values ('00000000-0000-0000-0000-000000000000', place, head);
  end if;
end $$;
alter table audit_lines enable trigger audit_lines_are_never_edited;

alter table audit_lines
  alter column chain set not null,
  alter column number set not null,
  alter column previous_hash set not null,
  alter column hash set not null,
  add constraint chain_is_of_the_merchant
    check (chain = '00000000-0000-0000-0000-000000000000' or chain is not distinct from merchant_id),
  add constraint line_hash_is_whole check (length(hash) = 32 and length(previous_hash) = 32);

create unique index audit_numbers_are_unique on audit_lines (chain, number);
-- For the lists of a merchant: each mode shows its own lines and those of no environment.
create index audit_lines_of_chain on audit_lines (chain, environment_id, id);
create index audit_lines_by_user on audit_lines (chain, environment_id, user_id, id);
create index audit_lines_by_action on audit_lines (chain, environment_id, action, id);
create index audit_lines_by_user_and_action
  on audit_lines (chain, environment_id, user_id, action, id);

-- A head moves by one, with the line that moves it.
create function keep_audit_head() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2
    or (tg_op = 'INSERT' and new.number <> 0)
    or (tg_op = 'UPDATE' and (new.chain <> old.chain or new.number <> old.number + 1)) then
    raise exception 'an audit head moves only with its line'
      using errcode = 'restrict_violation', constraint = 'audit_numbers_have_no_gap';
  end if;
  return new;
end $$;
create trigger audit_head_moves_with_its_line before insert or update on audit_heads
  for each row execute function keep_audit_head();
create trigger audit_heads_are_never_removed before delete or truncate on audit_heads
  for each statement execute function refuse_change();

-- At the commit, because the head moves before the line is there.
create function require_line_of_head() returns trigger language plpgsql as $$
begin
  if not exists (select from audit_lines
    where chain = new.chain and number = new.number and hash = new.hash) then
    raise exception 'an audit head moved without a line'
      using errcode = 'restrict_violation', constraint = 'audit_numbers_have_no_gap';
  end if;
  return null;
end $$;
create constraint trigger audit_head_has_its_line after update on audit_heads
  deferrable initially deferred for each row execute function require_line_of_head();
