-- How many looks in a row have left the history of a token account unread: a moment is nothing, a
-- minute is an alarm.
alter table token_accounts add column unread_looks integer not null default 0,
  add constraint unread_looks_are_not_negative check (unread_looks >= 0);
