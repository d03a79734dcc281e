-- People who sign in to the console, their roles and their sessions.

create table users (
  id uuid primary key,
  email text not null constraint email_is_lower_case check (email = lower(email)),
  name text not null constraint user_has_a_name check (length(name) between 1 and 100),
  -- Operators run the installation; they are members of a merchant only by a membership.
  is_operator boolean not null default false,
  created_at timestamptz not null,
  disabled_at timestamptz
);
create unique index one_user_per_email on users (email);

create table memberships (
  merchant_id uuid not null references merchants,
  user_id uuid not null references users,
  role text not null constraint role_is_known
    check (role in ('owner', 'admin', 'finance', 'developer', 'support', 'viewer')),
  may_see_live boolean not null,
  created_at timestamptz not null,
  disabled_at timestamptz,
  primary key (merchant_id, user_id)
);
create index memberships_by_user on memberships (user_id);

-- Whoever works with money always has an owner to turn to.
create function keep_one_owner() returns trigger language plpgsql as $$
begin
  if old.role = 'owner' and old.disabled_at is null
    and (tg_op = 'DELETE' or new.role <> 'owner' or new.disabled_at is not null) then
    perform from merchants where id = old.merchant_id for no key update;
    if not exists (select from memberships where merchant_id = old.merchant_id
      and user_id <> old.user_id and role = 'owner' and disabled_at is null) then
      raise exception 'one_owner_remains' using errcode = 'check_violation', constraint = 'one_owner_remains';
    end if;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger one_owner_remains before update or delete on memberships
  for each row execute function keep_one_owner();

-- Only the SHA-256 of the cookie is stored.
create table user_sessions (
  id uuid primary key,
  user_id uuid not null references users,
  hash bytea not null constraint session_hash_is_whole check (length(hash) = 32),
  address text not null,
  browser text not null,
  -- A passkey, or a code beside the password, was proven at sign-in.
  has_second_factor boolean not null,
  -- When a factor was last proven.
  proven_at timestamptz not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  idle_ms bigint not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create unique index one_session_per_hash on user_sessions (hash);
create index user_sessions_by_user on user_sessions (user_id, created_at);

-- An operator who views a merchant: read-only, with a reason, for a short time.
create table operator_views (
  session_id uuid not null references user_sessions,
  merchant_id uuid not null references merchants,
  reason text not null constraint view_has_a_reason check (length(reason) between 1 and 500),
  created_at timestamptz not null,
  until timestamptz not null,
  primary key (session_id, merchant_id, created_at)
);

-- One-use links into the console of an embedded installation.
create table start_links (
  hash bytea primary key constraint start_hash_is_whole check (length(hash) = 32),
  user_id uuid not null references users,
  expires_at timestamptz not null,
  used_at timestamptz
);
