-- Coins pay invoices in naira, at the price of a checkout session. Processes that do not know this
-- would refund coins as if they were kobo, so none may run beside this migration.

-- What it took of the payment, if that is not in the asset of the invoice. `amount` is what the
-- invoice was paid.
alter table payment_allocations
  add column paid_asset text,
  add column paid_amount bigint,
  add constraint allocation_of_coins_is_whole check (
    (paid_asset is null) = (paid_amount is null)),
  add constraint coins_pay_an_invoice check (
    paid_asset is null
    or (paid_asset in ('USDC', 'USDT') and paid_amount > 0 and invoice_id is not null)),
  -- Its rate is that of the session: it cannot be used for another invoice.
  add constraint allocation_of_coins_is_not_moved check (
    paid_asset is null or reallocation_id is null);

-- What the refund took of the payment, if the allocation is not in the asset of the invoice.
alter table allocation_refunds
  add column paid_amount bigint,
  drop constraint allocation_refund_has_an_amount,
  add constraint allocation_refund_has_an_amount check (
    of_invoice >= 0 and of_credit >= 0 and coalesce(paid_amount, 0) >= 0
    and of_invoice + of_credit + coalesce(paid_amount, 0) > 0);

-- In which language customers read it: its page, its PDF and its mails.
alter table invoices
  add column language text not null default 'en',
  add constraint invoice_language_is_known check (language in ('en', 'fr'));
alter table invoice_schedules
  add column language text not null default 'en',
  add constraint schedule_language_is_known check (language in ('en', 'fr'));
