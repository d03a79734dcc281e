-- A link is worth what its maker may give now. The maker is a user, or null for the operator's
-- command line. A password link remembers the merchant at which its maker had the right to make it.
alter table invitations
  add column created_by_user uuid references users,
  add column made_in_merchant_id uuid references merchants,
  add constraint only_password_link_is_made_in_a_merchant
    check (made_in_merchant_id is null
      or (resets_user_id is not null and created_by_user is not null));

-- The reference of a user holds the id in base 32: the first 128 bits of 26 characters.
update invitations i set created_by_user = u.id
from users u
where i.created_by = 'usr_' || (
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + substring(
    ('x' || replace(u.id::text, '-', '') || '0')::bit(132) from 1 + 5 * g for 5)::bit(5)::int, 1),
    '' order by g)
  from generate_series(0, 25) g);

-- Where the makers of these had their right is not known. They work for 72 hours at most.
update invitations set revoked_at = now()
where resets_user_id is not null and created_by like 'usr\_%' and used_at is null
  and revoked_at is null;

create index invitations_by_maker on invitations (created_by_user)
  where used_at is null and revoked_at is null;
create index invitations_by_merchant_made_in on invitations (made_in_merchant_id, created_at)
  where made_in_merchant_id is not null;

-- The rule of src/team/may-give.ts, for the moment at which a link is used.
create function check_link_use() returns trigger language plpgsql as $$
declare
  maker record;
  given record;
  rule text;
begin
  if new.used_at is null or old.used_at is not null then
    return new;
  end if;
  if new.made_in_merchant_id is not null then
    select m.role, m.may_see_live into given from memberships m join users u on u.id = m.user_id
      where m.merchant_id = new.made_in_merchant_id and m.user_id = new.resets_user_id
        and m.disabled_at is null and u.disabled_at is null and not u.is_operator
        and not exists (select from memberships o
          where o.user_id = u.id and o.merchant_id <> new.made_in_merchant_id);
    if not found then
      rule := 'password_link_is_for_a_member_of_one_merchant';
    end if;
  else
    select new.role, new.may_see_live into given;
  end if;
  if rule is null and new.created_by_user is not null then
    select u.is_operator, m.role, m.may_see_live into maker from users u
      left join memberships m on m.user_id = u.id and m.disabled_at is null
        and m.merchant_id = coalesce(new.merchant_id, new.made_in_merchant_id)
      where u.id = new.created_by_user and u.disabled_at is null;
    if not coalesce(case
        when given.role is null then maker.is_operator
        else maker.role = 'owner' or (maker.role = 'admin' and given.role <> 'owner')
      end, false)
      or (given.role is not null and given.may_see_live and not maker.may_see_live) then
      rule := 'link_is_worth_what_its_maker_may_give';
    end if;
  end if;
  if rule is not null then
    raise exception '%', rule using errcode = 'check_violation', constraint = rule;
  end if;
  return new;
end $$;

create trigger link_is_worth_what_its_maker_may_give before update on invitations
  for each row execute function check_link_use();

-- A session that ended at one merchant: its user also belongs elsewhere and stays signed in there.
create table session_ends (
  session_id uuid not null references user_sessions,
  merchant_id uuid not null references merchants,
  ended_at timestamptz not null,
  primary key (session_id, merchant_id)
);

create function check_approving_session() returns trigger language plpgsql as $$
begin
  if exists (select from session_ends s join environments e on e.merchant_id = s.merchant_id
      where e.id = new.environment_id and s.session_id = new.session_id) then
    raise exception 'approving_session_is_open' using
      errcode = 'check_violation', constraint = 'approving_session_is_open';
  end if;
  return new;
end $$;

create trigger approving_session_is_open before insert on payout_approvals
  for each row execute function check_approving_session();
create trigger approving_session_is_open before insert on payout_batch_approvals
  for each row execute function check_approving_session();

-- Wrong guesses of a factor by a signed-in browser. They end the session, and never lock the user
-- out of others.
alter table user_sessions
  add column wrong_proofs integer not null default 0
    constraint wrong_proofs_are_not_negative check (wrong_proofs >= 0);
