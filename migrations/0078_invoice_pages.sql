-- Processes that know 0062 may run beside this migration.
-- Pages of invoices look up the accounts that were opened for an invoice.

create index accounts_of_invoice on collection_accounts (environment_id, invoice_id, id)
  where invoice_id is not null;
