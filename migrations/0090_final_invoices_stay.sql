-- Processes that know 0089 may run beside this migration.

-- Only drafts are deleted: they have no number yet.
create trigger final_invoices_stay before delete on invoices
  for each row when (old.status <> 'DRAFT') execute function refuse_change();
