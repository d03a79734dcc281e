-- A provider may open an account at a bank that its own list does not have, and name it without a
-- code. Payers need the name; wallets have neither.
alter table collection_accounts
  drop constraint only_wallet_has_no_bank,
  add constraint only_wallet_has_no_bank check (
    case when kind in ('crypto_wallet', 'dedicated_crypto_wallet')
      then bank_code = '' and bank_name = ''
      else bank_name <> '' end);

-- Counted before a refund leaves. A refund that did not leave is taken back.
alter table bank_orders
  add constraint sendings_are_not_negative check (sendings >= 0);
