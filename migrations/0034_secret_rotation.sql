-- While MANILLA_SECRET is rotated, two secrets are in use. A process must know both, because keys
-- and sealed values may depend on either.
alter table installation
  add column old_secret_fingerprint bytea
    constraint old_secret_is_another check (old_secret_fingerprint <> secret_fingerprint);

-- The secret that a key is hashed with. Null: the key is older than this column and was not used
-- during a rotation yet.
alter table api_keys add column secret_fingerprint bytea;
