-- Processes that know 0095 may run beside this migration.
-- Codes of banks can have letters, and callers write them in either case. Addresses of wallets differ
-- by case.

create or replace function is_frozen(environment integer, rail_name text, key uuid, creator uuid,
  destination json) returns boolean language sql stable
  return exists (select from payout_freezes f
    where f.thawed_at is null and (f.environment_id = environment or f.environment_id is null)
      and case f.kind
        when 'merchant' then true
        when 'key' then f.subject::uuid in (select * from key_chain(key))
        when 'member' then f.subject = creator::text
        when 'recipient' then case when destination ->> 'address' is null
          then lower(f.subject) = lower(concat(destination ->> 'bankCode', '/',
            destination ->> 'accountNumber'))
          else f.subject = destination ->> 'address' end
        else f.subject = rail_name end);
