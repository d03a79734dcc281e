-- Words and numbers by which merchants find payments, payouts, dedicated accounts and sessions. Each
-- term is a range of one index in the order of ids, so the newest rows with a term are read without
-- the others (src/postgres/search-terms.ts). Triggers keep it complete, in the same transaction.
-- A text too long for an index row is no term: it must not keep a payment from being recorded.

-- Lower case, without accents and apostrophes: "Adébáyò O'BRIEN" has the words adebayo and obrien.
-- Accents are removed first, because lower() of some databases changes ASCII letters only.
create function search_words(text) returns text[]
  language sql immutable strict parallel safe
  return array(
    select distinct word from regexp_split_to_table(
      lower(translate(
        regexp_replace(normalize($1, nfd), '[\u0300-\u036f\u2019'']', '', 'g'),
        'ƁɓƊɗƘƙƳƴ', 'bbddkkyy')),
      '[^0-9a-z\u0080-\uffff]+') word
    where length(word) between 2 and 40 limit 12);

create table search_terms (
  environment_id integer not null,
  kind text not null,
  term text collate "C" not null,
  id uuid not null,
  primary key (environment_id, kind, term, id),
  constraint search_kind_is_known check (kind in ('payment', 'payout', 'account', 'session'))
);

create function add_payment_terms() returns trigger language plpgsql as $$
begin
  insert into search_terms (environment_id, kind, term, id)
  select added.environment_id, 'payment', found.term, added.id
  from added cross join lateral (
    select unnest(search_words(added.sender ->> 'name')) as term
    union select added.sender ->> 'accountNumber'
    union select added.sender ->> 'address'
    union select lower(added.session_id)
    union select split_part(added.rail_id, ':', 1) where added.asset <> 'NGN') found
  where length(found.term) between 1 and 300;
  return null;
end $$;

create function add_payout_terms() returns trigger language plpgsql as $$
begin
  insert into search_terms (environment_id, kind, term, id)
  select added.environment_id, 'payout', found.term, added.id
  from added cross join lateral (
    select unnest(search_words(added.destination ->> 'accountName')) as term
    union select added.destination ->> 'accountNumber'
    union select added.destination ->> 'address') found
  where length(found.term) between 1 and 300 and added.kind in ('bank_transfer', 'crypto_transfer');
  return null;
end $$;

create function add_account_terms() returns trigger language plpgsql as $$
begin
  insert into search_terms (environment_id, kind, term, id)
  select added.environment_id, 'account', found.term, added.id
  from added cross join lateral unnest(search_words(added.account_name)) found (term)
  where added.kind = 'dedicated_account';
  return null;
end $$;

create function add_session_terms() returns trigger language plpgsql as $$
begin
  insert into search_terms (environment_id, kind, term, id)
  select added.environment_id, 'session', found.term, added.id
  from added cross join lateral (
    select unnest(search_words(added.customer_name)) as term
    union select lower(added.customer_email)) found
  where length(found.term) between 1 and 300;
  return null;
end $$;

create trigger payments_are_searchable after insert on payments
  referencing new table as added for each statement execute function add_payment_terms();
create trigger payouts_are_searchable after insert on payouts
  referencing new table as added for each statement execute function add_payout_terms();
create trigger accounts_are_searchable after insert on collection_accounts
  referencing new table as added for each statement execute function add_account_terms();
create trigger sessions_are_searchable after insert on checkout_sessions
  referencing new table as added for each statement execute function add_session_terms();

insert into search_terms (environment_id, kind, term, id)
select added.environment_id, 'payment', found.term, added.id
from payments added cross join lateral (
  select unnest(search_words(added.sender ->> 'name')) as term
  union select added.sender ->> 'accountNumber'
  union select added.sender ->> 'address'
  union select lower(added.session_id)
  union select split_part(added.rail_id, ':', 1) where added.asset <> 'NGN') found
where length(found.term) between 1 and 300;
insert into search_terms (environment_id, kind, term, id)
select added.environment_id, 'payout', found.term, added.id
from payouts added cross join lateral (
  select unnest(search_words(added.destination ->> 'accountName')) as term
  union select added.destination ->> 'accountNumber'
  union select added.destination ->> 'address') found
where length(found.term) between 1 and 300 and added.kind in ('bank_transfer', 'crypto_transfer');
insert into search_terms (environment_id, kind, term, id)
select added.environment_id, 'account', found.term, added.id
from collection_accounts added cross join lateral unnest(search_words(added.account_name)) found (term)
where added.kind = 'dedicated_account';
insert into search_terms (environment_id, kind, term, id)
select added.environment_id, 'session', found.term, added.id
from checkout_sessions added cross join lateral (
  select unnest(search_words(added.customer_name)) as term
  union select lower(added.customer_email)) found
where length(found.term) between 1 and 300;

-- Filters by amount, by what differs from the expected payment, by account number and by API key.
alter table payouts add column created_by_key uuid;
create index payments_by_amount on payments (environment_id, asset, amount, id);
create index payments_by_variance on payments (environment_id, variance, id)
  where variance <> 'NONE';
create index payouts_by_amount on payouts (environment_id, asset, amount, id)
  where kind in ('bank_transfer', 'crypto_transfer');
create index payouts_by_key on payouts (environment_id, created_by_key, id)
  where created_by_key is not null;
create index collection_accounts_by_number on collection_accounts (environment_id, number, id);

drop trigger payout_orders_are_never_edited on payouts;
create trigger payout_orders_are_never_edited
  before update of environment_id, id, kind, rail, asset, amount, fee, requested_amount,
    destination, merchant_reference, metadata, takes_from, created_by_key, submitted_at, created_at
    or delete or truncate on payouts
  for each statement execute function refuse_change();

-- In a table that was never analysed the planner takes the youngest index with the columns of the key
-- (see migration 0014), so the keys are recreated after the indexes above.
alter table payments drop constraint payments_pkey, add primary key (environment_id, id);
alter table payouts drop constraint payouts_pkey, add primary key (environment_id, id);
alter table collection_accounts drop constraint collection_accounts_pkey,
  add primary key (environment_id, id);

-- The number of the first entry of a statement at or after a time. Numbers have no gaps and grow with
-- time, so it is found by halving, without an index on the time.
create function first_entry_at(environment integer, of_asset text, wanted timestamptz)
  returns bigint language plpgsql stable as $$
declare
  low bigint := 1;
  high bigint := 1;
  middle bigint;
  written timestamptz;
begin
  select entry_count + 1 into high from ledger_accounts
    where environment_id = environment and asset = of_asset and name = 'available';
  while low < high loop
    middle := (low + high) / 2;
    select created_at into written from ledger_transfers
      where environment_id = environment and asset = of_asset and entry_number = middle;
    if not found then
      select created_at into written from ledger_resolutions
        where environment_id = environment and asset = of_asset and entry_number = middle;
    end if;
    if written < wanted then low := middle + 1; else high := middle; end if;
  end loop;
  return low;
end $$;
