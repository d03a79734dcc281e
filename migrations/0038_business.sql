-- Permissions of API keys, bank accounts and KYC that merchants keep themselves.

-- Null: every permission. The key of a test environment may be shown again: it is kept sealed.
alter table api_keys
  add column permissions text[]
    constraint key_permissions_are_named check (cardinality(permissions) > 0),
  add column sealed_key text
    constraint only_secret_test_keys_are_kept check (sealed_key is null or hint like 'sk\_test\_%');

-- In live mode a bank account that a member added or made primary receives no settlement before.
alter table merchant_bank_accounts add column usable_from timestamptz;

alter table environments drop constraint kyc_status_is_known;
alter table environments add constraint kyc_status_is_known
  check (kyc_status in ('NONE', 'DRAFT', 'SUBMITTED', 'MORE_NEEDED', 'APPROVED', 'REJECTED'));
create index environments_in_kyc on environments (kyc_status)
  where kyc_status in ('SUBMITTED', 'MORE_NEEDED', 'REJECTED');

-- What a merchant states about its business. Only its status opens live mode, see environments.
create table kyc_submissions (
  merchant_id uuid primary key references merchants,
  -- Sealed JSON: it names people and their identity numbers.
  sealed_form text not null,
  updated_at timestamptz not null,
  submitted_at timestamptz
);

create table kyc_documents (
  merchant_id uuid not null references merchants,
  id uuid not null,
  kind text not null constraint kyc_document_kind_is_known
    check (kind in ('registration', 'identity', 'address', 'other')),
  name text not null constraint kyc_document_has_a_name check (length(name) between 1 and 100),
  content_type text not null constraint kyc_document_type_is_known
    check (content_type in ('application/pdf', 'image/png', 'image/jpeg')),
  size_bytes integer not null constraint kyc_document_is_small
    check (size_bytes between 1 and 5242880),
  sealed_content bytea not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
-- Encrypted bytes do not compress.
alter table kyc_documents alter column sealed_content set storage external;

create table kyc_decisions (
  merchant_id uuid not null references merchants,
  id uuid not null,
  outcome text not null constraint kyc_outcome_is_known
    check (outcome in ('approve', 'ask', 'reject')),
  -- What the merchant reads.
  note text constraint kyc_note_is_short check (length(note) between 1 and 2000),
  decided_by text not null,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  constraint kyc_refusal_has_a_note check (outcome = 'approve' or note is not null)
);
