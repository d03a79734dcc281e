-- An answer that holds a secret is repeated only to the API key or the user that asked for it.
-- Other answers need no caller. Answers from before this migration name none: no id is all zeros,
-- so they are not repeated.
alter table idempotency_keys add column caller_id uuid;

update idempotency_keys set caller_id = '00000000-0000-0000-0000-000000000000' where is_sealed;

alter table idempotency_keys
  add constraint secret_is_for_one_caller check (is_sealed = (caller_id is not null));
