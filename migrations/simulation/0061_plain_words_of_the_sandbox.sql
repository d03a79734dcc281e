-- As in 0060 of the service.
alter table sandbox_transfers rename column is_told to is_reported;
alter table sandbox_transfers rename column payment_order to instruction;
alter table sandbox_transfers
  rename constraint only_ended_sandbox_transfer_is_told to only_ended_sandbox_transfer_is_reported;
alter table sandbox_transfers
  rename constraint only_told_sandbox_reversal_is_listed to only_reported_sandbox_reversal_is_listed;
alter trigger told_sandbox_ending_stays on sandbox_transfers rename to reported_sandbox_ending_stays;
alter trigger sandbox_orders_are_never_edited on sandbox_transfers
  rename to sandbox_instructions_are_never_edited;
