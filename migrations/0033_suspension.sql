-- A suspended merchant creates nothing and pays nothing out, in both modes. Null: not suspended.
alter table merchants add column suspended_at timestamptz;
