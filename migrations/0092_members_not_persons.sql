-- Freezes and velocity limits say `member` where they said `person`, as the rest of the API does.

alter table payout_freezes disable trigger user;
alter table payout_freezes drop constraint freeze_kind_is_known,
  drop constraint frozen_person_does_not_thaw;
update payout_freezes set kind = 'member' where kind = 'person';
alter table payout_freezes
  add constraint freeze_kind_is_known
    check (kind in ('merchant', 'key', 'member', 'recipient', 'rail')),
  add constraint frozen_member_does_not_thaw check (kind <> 'member'
    or thaw_asked_by is distinct from subject and thawed_by is distinct from subject);
alter table payout_freezes enable trigger user;

create or replace function is_frozen(environment integer, rail_name text, key uuid, creator uuid,
  destination json) returns boolean language sql stable
  return exists (select from payout_freezes f
    where f.thawed_at is null and (f.environment_id = environment or f.environment_id is null)
      and case f.kind
        when 'merchant' then true
        when 'key' then f.subject::uuid in (select * from key_chain(key))
        when 'member' then f.subject = creator::text
        when 'recipient' then f.subject = coalesce(destination ->> 'address',
          concat(destination ->> 'bankCode', '/', destination ->> 'accountNumber'))
        else f.subject = rail_name end);

create function pg_temp.name_members(rule json) returns json language sql
  return case when (rule -> 'controls' -> 'velocity')::jsonb @> '[{"per": "person"}]'
    then jsonb_set(rule::jsonb, '{controls,velocity}', (
      select jsonb_agg(case when limited ->> 'per' = 'person'
        then limited || '{"per": "member"}' else limited end order by place)
      from jsonb_array_elements((rule -> 'controls' -> 'velocity')::jsonb)
        with ordinality v (limited, place)))::json
    else rule end;

-- The name changes, not the rule, so no second member confirms it.
alter table setting_changes disable trigger user;
update setting_changes set approvals = pg_temp.name_members(approvals),
    approvals_before = pg_temp.name_members(approvals_before)
  where approvals::text like '%"person"%' or approvals_before::text like '%"person"%';
alter table setting_changes enable trigger user;

alter table environment_settings disable trigger looser_rule_needs_a_second_person;
update environment_settings
  set document = jsonb_set(document::jsonb, '{approvals}',
    pg_temp.name_members(document -> 'approvals')::jsonb)::json
  where document -> 'approvals' ->> 'controls' like '%"person"%';
alter table environment_settings enable trigger looser_rule_needs_a_second_person;

update environments e set approval_rule = s.document -> 'approvals'
  from environment_settings s
  where s.environment_id = e.id and e.approval_rule::text is distinct from
    (s.document -> 'approvals')::text;
