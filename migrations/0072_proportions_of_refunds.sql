-- Processes that know 0071 may run beside this migration.
-- What refunds in proportion divide of a share, so that many small refunds take back as much as one:
-- `proportion_amount` of each `proportion_accepted` of the payment. The sub-account keeps
-- `proportion_kept`, because the merchant gave more than its part to earlier refunds. All null before
-- the first such refund, and out of date after other changes of the payment: then they are set anew.

alter table payment_shares
  add column proportion_amount bigint,
  add column proportion_accepted bigint,
  add column proportion_kept bigint,
  add constraint share_has_a_whole_proportion check (
    num_nonnulls(proportion_amount, proportion_accepted, proportion_kept) in (0, 3)
      and proportion_amount between 0 and proportion_accepted and proportion_kept >= 0
      and proportion_amount + proportion_kept <= amount);
