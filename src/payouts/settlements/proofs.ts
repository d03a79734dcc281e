import type { Proof } from '../../base/proof.js'

const settlementsHaveTheirPayouts: Proof = {
  claim: 'Every settlement to a bank has a transfer that took its money in its last entries',
  counterexamples: `
    select s.environment_id, s.id, s.payout_id, s.last_entry from settlements s
    left join payouts p on p.environment_id = s.environment_id and p.id = s.payout_id
    left join lateral (
      select count(*) as entries, max(case when s.subaccount_id is null then t.entry_number
          else t.subaccount_entry end) as last_entry
      from ledger_transfers t
      where t.environment_id = s.environment_id and t.cause_id = s.payout_id and t.is_hold) held
      on true
    where s.conversion_id is null
      and (p.kind is distinct from 'bank_transfer'
        or p.takes_from is distinct from coalesce('sub:' || s.subaccount_id, 'available')
        or held.last_entry is distinct from s.last_entry
        or held.entries is distinct from 1 + (p.fee > 0)::int + (p.levy > 0)::int)`,
}

const settlementsHaveTheirConversions: Proof = {
  claim:
    'Every settlement to a wallet has a conversion that took its money in its last entries, and a transfer of its coins',
  counterexamples: `
    select s.environment_id, s.id, s.conversion_id, s.payout_id, s.last_entry from settlements s
    left join payouts p on p.environment_id = s.environment_id and p.id = s.payout_id
    left join conversions c on c.environment_id = s.environment_id and c.id = s.conversion_id
    left join lateral (
      select count(*) as entries, max(t.entry_number) as last_entry from ledger_transfers t
      where t.environment_id = s.environment_id and t.cause_id = s.conversion_id
        and t.asset = 'NGN' and t.debit = 'available' and not t.is_hold) taken on true
    where s.conversion_id is not null and (
      (p.kind, p.asset) is distinct from ('crypto_transfer', c.target_asset)
      or c.source_asset is distinct from 'NGN' or c.payout_id is distinct from s.payout_id
      or (c.source_amount, c.fee) is distinct from (s.converted_amount, s.conversion_fee)
      or p.amount + p.fee > c.target_amount
      or taken.last_entry is distinct from s.last_entry
      or taken.entries is distinct from case when c.fee > 0 then 2 else 1 end)`,
}

const settlementsFollowEachOther: Proof = {
  claim: 'Every settlement begins where the one before ends, with its balance',
  counterexamples: `
    select * from (
      select environment_id, id, first_entry, opening,
        coalesce(lag(last_entry) over chain, 0) + 1 as expected_entry,
        coalesce(lag(closing) over chain, 0) as expected_opening
      from settlements
      window chain as (partition by environment_id, subaccount_id order by last_entry)) s
    where (first_entry, opening) is distinct from (expected_entry, expected_opening)`,
}

const settlementsAddUp: Proof = {
  claim:
    'The report of every settlement equals the statement and adds up to its payout or conversion',
  counterexamples: `
    with booked as (
      select s.environment_id, s.id, e.purpose, e.kind, count(*) as count, sum(e.change) as change
      from settlements s cross join lateral (
        select t.cause_id, t.purpose, case when t.is_hold then 'hold' else 'post' end as kind,
          case when t.credit = 'available' then t.amount else -t.amount end as change
        from ledger_transfers t
        where t.environment_id = s.environment_id and t.asset = 'NGN'
          and s.subaccount_id is null and t.entry_number between s.first_entry and s.last_entry
        union all
        select r.cause_id, r.purpose, 'release', r.amount from ledger_resolutions r
        where r.environment_id = s.environment_id and r.asset = 'NGN'
          and s.subaccount_id is null and r.entry_number between s.first_entry and s.last_entry
        union all
        select t.cause_id, t.purpose, case when t.is_hold then 'hold' else 'post' end,
          case when t.credit = 'sub:' || s.subaccount_id then t.amount else -t.amount end
        from ledger_transfers t
        where t.environment_id = s.environment_id and t.asset = 'NGN'
          and t.subaccount_id = s.subaccount_id
          and t.subaccount_entry between s.first_entry and s.last_entry
        union all
        select r.cause_id, r.purpose, 'release', r.amount from ledger_resolutions r
        where r.environment_id = s.environment_id and r.asset = 'NGN'
          and r.subaccount_id = s.subaccount_id
          and r.subaccount_entry between s.first_entry and s.last_entry) e
      where not (e.cause_id = s.payout_id and e.kind = 'hold')
        and e.cause_id is distinct from s.conversion_id
      group by s.environment_id, s.id, e.purpose, e.kind),
    reported as (
      select s.environment_id, s.id, l.* from settlements s
      cross join lateral json_to_recordset(s.lines)
        as l (purpose text, kind text, count bigint, change numeric)),
    sums as (
      select s.environment_id, s.id, s.opening
          + coalesce(sum(r.change), 0) - coalesce(s.converted_amount, p.amount + p.fee + p.levy)
          - s.closing as difference
      from settlements s
      join payouts p on p.environment_id = s.environment_id and p.id = s.payout_id
      left join reported r on r.environment_id = s.environment_id and r.id = s.id
      group by s.environment_id, s.id, s.opening, s.closing, s.converted_amount, p.amount,
        p.fee, p.levy)
    select environment_id, id, purpose, b.change as booked, r.change as reported
    from booked b full join reported r using (environment_id, id, purpose, kind)
    where (b.count, b.change) is distinct from (r.count, r.change)
    union all
    select environment_id, id, 'sum', difference, 0 from sums where difference <> 0`,
}

const settlementsHaveTheirEvents: Proof = {
  claim: 'Every settlement emitted one event for each state of its payout, in order',
  counterexamples: `
    with emitted as (
      select environment_id, resource_id as id, array_agg(type order by sequence) as types
      from events where type like 'settlement.%' or type like 'subaccount\\_settlement.%'
      group by environment_id, resource_id)
    select environment_id, id, s.status, e.types
    from (select s.environment_id, s.id, p.status, p.order_hash is not null as has_waited,
        p.submitted_at is not null as is_submitted,
        case when s.subaccount_id is null then 'settlement.'
          else 'subaccount_settlement.' end as kind
      from settlements s
      join payouts p on p.environment_id = s.environment_id and p.id = s.payout_id) s
    full join emitted e using (environment_id, id)
    where e.types is distinct from
      case when s.has_waited then array[s.kind || 'pending'] else array[]::text[] end
      || case when s.is_submitted then array[s.kind || 'created'] else array[]::text[] end
      || case s.status
      when 'PENDING' then array[]::text[]
      when 'SUBMITTED' then array[]::text[]
      when 'FAILED' then array[s.kind || 'failed']
      when 'COMPLETED' then array[s.kind || 'paid']
      else array[s.kind || 'paid', s.kind || 'reversed'] end`,
}

export const settlementProofs: Proof[] = [
  settlementsHaveTheirPayouts,
  settlementsFollowEachOther,
  settlementsAddUp,
  settlementsHaveTheirEvents,
  settlementsHaveTheirConversions,
]
