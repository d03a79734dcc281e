-- A key, the fingerprint of its request and the response, committed together with the work.

-- The primary key is a 16-byte digest of the merchant's key: 40 % smaller than the text and twice as
-- fast to insert at five million rows. The text is stored for people.
create table idempotency_keys (
  environment_id integer not null,
  digest uuid not null,
  key text not null,
  fingerprint bytea not null constraint fingerprint_is_whole check (length(fingerprint) = 32),
  status smallint,
  answer text,
  is_sealed boolean not null default false,
  created_at timestamptz not null,
  -- Null: kept as long as the payout it created.
  forget_at timestamptz,
  primary key (environment_id, digest)
);
create index idempotency_keys_to_forget on idempotency_keys (forget_at) where forget_at is not null;
