-- The head of a chain that was logged last is evidence: a chain whose line is gone must not hide it.
create function keep_logged_head() returns trigger language plpgsql as $$
begin
  if new.chain <> old.chain or new.number < old.number
    or (new.number = old.number and new.hash <> old.hash) then
    raise exception 'a logged audit head never goes back'
      using errcode = 'restrict_violation', constraint = 'logged_head_never_goes_back';
  end if;
  return new;
end $$;
create trigger logged_head_never_goes_back before update on audit_logged_heads
  for each row execute function keep_logged_head();
create trigger logged_heads_are_never_removed before delete or truncate on audit_logged_heads
  for each statement execute function refuse_change();

-- Payouts that merchants could afford and the operator's funds could not cover, for the alarm.
create table treasury_shortfalls (
  rail text not null,
  asset text not null,
  refusals bigint not null,
  refused_at timestamptz not null,
  alarmed_at timestamptz not null,
  -- Which of the refusals was the last alarm.
  alarmed_refusal bigint not null,
  primary key (rail, asset),
  constraint alarm_is_one_of_the_refusals check (alarmed_refusal between 1 and refusals)
);

-- Who stands in for the customer of a dedicated account. Sealed like KYC: it holds a BVN.
create table default_customers (
  environment_id integer primary key references environments,
  sealed_customer text not null,
  updated_at timestamptz not null
);

-- The interbank (NIP) session of a bank transfer, as its bank reports it.
alter table payouts add column bank_session_id text;
create trigger bank_session_is_never_edited before update of bank_session_id on payouts
  for each row when (old.bank_session_id is distinct from new.bank_session_id
    and old.bank_session_id is not null) execute function refuse_change();

-- How far the search for payments without a notice has come, from the last clean reconciliation on.
create table payment_searches (
  rail text primary key,
  period_from timestamptz not null,
  period_to timestamptz not null,
  -- Of the bank's list; null: the search is complete.
  next_page text,
  due_at timestamptz not null,
  constraint search_has_a_period check (period_from < period_to)
);
