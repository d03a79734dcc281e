-- Processes that know 0062 may run beside this migration.
-- Splits: what sub-accounts get of a payment.

create table split_rules (
  environment_id integer not null references environments (id),
  id uuid not null,
  name text not null,
  -- Null: the rule has no amounts, so it fits every asset.
  asset text,
  created_at timestamptz not null,
  primary key (environment_id, id),
  constraint split_rule_has_a_name check (name <> ''),
  constraint split_rule_asset_is_known check (asset in ('NGN', 'USDC', 'USDT'))
);
create trigger split_rules_are_never_edited before update or delete or truncate on split_rules
  for each statement execute function refuse_change();

-- A version of a rule, or a split that was sent with an account and belongs to no rule.
create table splits (
  environment_id integer not null references environments (id),
  id uuid not null,
  rule_id uuid,
  version integer,
  asset text,
  fee_bearer text not null,
  -- The sub-account that bears the fee, if one does.
  fee_subaccount_id uuid,
  created_at timestamptz not null,
  primary key (environment_id, id),
  foreign key (environment_id, rule_id) references split_rules (environment_id, id),
  foreign key (environment_id, fee_subaccount_id) references subaccounts (environment_id, id),
  constraint split_asset_is_known check (asset in ('NGN', 'USDC', 'USDT')),
  constraint only_rules_have_versions check ((rule_id is null) = (version is null)),
  constraint split_version_is_positive check (version > 0),
  constraint fee_bearer_is_known check (
    fee_bearer in ('merchant', 'subaccounts', 'all', 'subaccount')),
  constraint bearing_subaccount_is_named check (
    (fee_bearer = 'subaccount') = (fee_subaccount_id is not null))
);
create unique index split_version_is_unique on splits (environment_id, rule_id, version)
  where rule_id is not null;
create trigger splits_are_never_edited before update or delete or truncate on splits
  for each statement execute function refuse_change();

create table split_lines (
  environment_id integer not null references environments (id),
  split_id uuid not null,
  -- Lines apply in this order, from 0.
  line smallint not null,
  subaccount_id uuid not null,
  -- One of them; a line with neither takes the remainder.
  flat bigint,
  basis_points integer,
  min bigint,
  max bigint,
  -- The share stays pending until then, or for so many days after the payment.
  release_at timestamptz,
  release_after_days integer,
  primary key (environment_id, split_id, line),
  foreign key (environment_id, split_id) references splits (environment_id, id),
  foreign key (environment_id, subaccount_id) references subaccounts (environment_id, id),
  constraint split_has_at_most_20_lines check (line between 0 and 19),
  constraint line_has_one_amount check (flat is null or basis_points is null),
  constraint line_amounts_are_positive check (flat > 0 and min > 0 and max > 0),
  constraint line_is_at_most_100_percent check (basis_points between 1 and 10000),
  constraint line_min_is_at_most_max check (min <= max),
  constraint remainder_has_no_bounds check (
    flat is not null or basis_points is not null or (min is null and max is null)),
  constraint line_is_released_once check (release_at is null or release_after_days is null),
  constraint release_days_are_positive check (release_after_days > 0)
);
create unique index split_has_one_remainder on split_lines (environment_id, split_id)
  where flat is null and basis_points is null;
create trigger split_lines_are_never_edited before update or delete or truncate on split_lines
  for each statement execute function refuse_change();
