-- Refunds and returns by claim: the payer says on the page of a claim where the money of a payment
-- goes. Processes that do not know this would pay such a claim from the wrong ledger account, and
-- would end it without its return, so none may run beside this migration.

alter table claims
  -- The payment whose money it returns; null for other claims.
  add column payment_id uuid,
  -- Carries the payout of such a claim: money goes back only by the rail that it came by.
  add column rail text,
  -- The ledger account whose money is set aside: suspense for money that was never accepted.
  add column takes_from text not null default 'available',
  add constraint claim_of_payment_has_its_rail check ((payment_id is null) = (rail is null)),
  add constraint claim_takes_from_is_known check (
    takes_from = 'available' or (takes_from = 'suspense' and payment_id is not null)),
  add constraint claim_of_payment_is_free check (payment_id is null or fee_max = 0);

alter table payment_returns
  -- The claim that the payer opens; null for returns to a destination that is known.
  add column claim_id uuid,
  alter column destination drop not null,
  add constraint return_has_a_destination_or_a_claim check (
    (claim_id is null) = (destination is not null)),
  -- No worker sends it: the payer's confirmation makes its payout.
  add constraint return_by_claim_does_not_wait check (claim_id is null or state <> 'WAITING'),
  add constraint return_of_claim foreign key (environment_id, claim_id)
    references claims (environment_id, id);
create unique index claim_returns_once on payment_returns (environment_id, claim_id)
  where claim_id is not null;

drop trigger payment_returns_are_never_edited on payment_returns;
create trigger payment_returns_are_never_edited
  before update of environment_id, id, payment_id, rail, asset, amount, takes_from, destination,
      created_at, reason, note, claim_id
    or delete or truncate on payment_returns
  for each statement execute function refuse_change();

-- Money that was never accepted is set aside towards where it came from.
alter table ledger_transfers
  drop constraint claim_only_holds,
  add constraint claim_only_holds check (
    purpose <> 'claim' or (is_hold and (
      (debit = 'available' and credit = 'suspense')
      or (debit = 'suspense' and credit = case asset when 'NGN' then 'clearing' else 'deposits' end))));
