-- Columns, states and constraints get the words of the glossary. Stop every process of an older
-- version first: it would ask for the old names.
alter table notices rename column announced to report;
alter table notices rename column looks to attempts;
alter table notices drop constraint notice_state_is_known;
update notices set state = 'BOOKED' where state = 'TAKEN';
alter table notices add constraint notice_state_is_known
  check (state in ('WAITING', 'UNMATCHED', 'BOOKED', 'REFUSED'));
drop index notices_taken;
create index notices_booked on notices (rail, received_at) where state = 'BOOKED';
alter index payment_is_taken_once rename to payment_is_booked_once;

alter table payout_attempts rename column looks to polls;
alter table payouts rename constraint payout_has_told_its_beginning to payout_has_an_event_when_submitted;
alter table sweeps rename column looks to polls;
alter table token_accounts rename column looks to polls;
alter table token_accounts rename column unread_looks to unread_polls;
alter table token_accounts
  rename constraint unread_looks_are_not_negative to unread_polls_are_not_negative;

-- Fees are read from report_entries since 0059.
drop table report_fees;
drop table report_fee_progress;
