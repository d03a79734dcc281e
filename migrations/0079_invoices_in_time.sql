-- Processes that know 0062 may run beside this migration.
-- What happens to invoices as time passes: credit pays them when they are finalized.

-- The invoice that credit paid, or that gave it back.
alter table customer_credit_entries
  add column invoice_id uuid,
  add foreign key (environment_id, invoice_id) references invoices (environment_id, id),
  drop constraint credit_kind_is_known,
  add constraint credit_kind_is_known check (
    kind in ('payment', 'credit_note', 'refund', 'refund_reversal', 'applied', 'unapplied')),
  add constraint applied_credit_names_its_invoice check (
    (kind in ('applied', 'unapplied')) = (invoice_id is not null)),
  add constraint applied_credit_is_taken check (
    case kind when 'applied' then amount < 0 when 'unapplied' then amount > 0 else true end);
create index credit_of_invoice on customer_credit_entries (environment_id, invoice_id)
  where invoice_id is not null;

-- Credit of a payment may have paid an invoice that the payment itself did not pay: a refund takes
-- it back from there.
alter table allocation_refunds
  add column other_invoice_id uuid,
  add foreign key (environment_id, other_invoice_id) references invoices (environment_id, id),
  add constraint refund_of_other_invoice_takes_no_credit check (
    other_invoice_id is null or (of_invoice > 0 and of_credit = 0));
drop index refund_takes_an_allocation_once;
create unique index refund_takes_an_allocation_once
  on allocation_refunds (environment_id, return_id, allocation_id, other_invoice_id)
  nulls not distinct;
create index refunds_of_other_invoice on allocation_refunds (environment_id, other_invoice_id)
  where other_invoice_id is not null;
