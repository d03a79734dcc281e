-- Passwords, codes, passkeys and invitations.

-- The parameters are stored with each hash, so that they can be raised later.
create table passwords (
  user_id uuid primary key references users,
  salt bytea not null constraint salt_is_long_enough check (length(salt) >= 16),
  hash bytea not null constraint password_hash_is_whole check (length(hash) = 32),
  cost integer not null constraint cost_is_a_power_of_two
    check (cost >= 2 and cost & (cost - 1) = 0),
  block_size integer not null check (block_size > 0),
  parallelism integer not null check (parallelism > 0),
  changed_at timestamptz not null
);

create table totp_secrets (
  user_id uuid primary key references users,
  sealed_secret text not null,
  created_at timestamptz not null,
  -- Each step is used once.
  last_step bigint not null
);

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null constraint counter_is_not_negative check (counter >= 0),
  transports text[] not null,
  name text not null constraint passkey_has_a_name check (length(name) between 1 and 100),
  created_at timestamptz not null,
  last_used_at timestamptz
);
create unique index one_passkey_per_credential on passkeys (credential_id);
create index passkeys_by_user on passkeys (user_id, created_at);

create table recovery_codes (
  user_id uuid not null references users,
  hash bytea not null constraint recovery_hash_is_whole check (length(hash) = 32),
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

-- The password was right; a second factor is still to come.
create table sign_in_steps (
  hash bytea primary key constraint step_hash_is_whole check (length(hash) = 32),
  user_id uuid not null references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_in_steps_by_user on sign_in_steps (user_id);

-- Challenges that passkeys have signed. Those that nobody signed are not stored.
create table used_challenges (
  hash bytea primary key constraint challenge_hash_is_whole check (length(hash) = 32),
  expires_at timestamptz not null
);
create index used_challenges_by_expiry on used_challenges (expires_at);

-- Guesses that are running or were wrong. The subject is a hash of the e-mail address, also of one
-- that no user has.
create table sign_in_guesses (
  id uuid primary key,
  subject bytea not null,
  network text not null,
  created_at timestamptz not null
);
create index sign_in_guesses_by_subject on sign_in_guesses (subject, created_at);
create index sign_in_guesses_by_network on sign_in_guesses (network, created_at);
create index sign_in_guesses_by_time on sign_in_guesses (created_at);

-- Links that let a person join, or set a new password. Only a hash of the link is stored.
create table invitations (
  id uuid primary key,
  hash bytea not null constraint link_hash_is_whole check (length(hash) = 32),
  email text not null constraint invited_email_is_lower_case check (email = lower(email)),
  -- Null: the link is for an operator, or for a new password.
  merchant_id uuid references merchants,
  role text constraint invited_role_is_known
    check (role in ('owner', 'admin', 'finance', 'developer', 'support', 'viewer')),
  may_see_live boolean not null,
  is_operator boolean not null,
  -- Of the user who may set a new password with it.
  resets_user_id uuid references users,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  constraint invitation_has_one_purpose check (
    case when resets_user_id is not null then merchant_id is null and role is null and not is_operator
    else (merchant_id is not null) = (role is not null) and (merchant_id is not null or is_operator)
    end),
  constraint link_is_used_once check (used_at is null or revoked_at is null)
);
create unique index one_invitation_per_link on invitations (hash);
create index invitations_by_merchant on invitations (merchant_id, created_at);
create index invitations_by_email on invitations (email);
create index invitations_by_reset_user on invitations (resets_user_id)
  where resets_user_id is not null;

create function keep_used_link() returns trigger language plpgsql as $$
begin
  if old.used_at is not null then
    raise exception 'link_is_used_once' using errcode = 'check_violation', constraint = 'link_is_used_once';
  end if;
  return new;
end $$;
create trigger link_is_used_once before update on invitations
  for each row execute function keep_used_link();
