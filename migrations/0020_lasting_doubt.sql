-- How many polls in a row could not read the history of a token account: a few are harmless, a minute
-- raises an alarm.
alter table token_accounts add column unread_looks integer not null default 0,
  add constraint unread_looks_are_not_negative check (unread_looks >= 0);
