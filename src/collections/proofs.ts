import type { Proof } from '../base/proof.js'
import { returnKinds } from '../payouts/payout.js'

const suspenseMatchesPayments: Proof = {
  claim: 'The suspense balance equals the held and returning amounts of all payments',
  counterexamples: `
    with waiting as (
      select p.environment_id, p.asset, sum(p.amount_held + p.amount_returning) as waiting
      from payments p group by p.environment_id, p.asset),
    refunds as (
      select r.environment_id, r.asset, sum(r.amount) as refunding from payment_returns r
      where r.takes_from = 'available' and r.state = 'SENT' group by r.environment_id, r.asset),
    kept as (
      select environment_id, asset, credits_posted - debits_posted as kept
      from ledger_accounts where name = 'suspense')
    select environment_id, asset, kept, waiting, refunding
    from kept full join waiting using (environment_id, asset)
    left join refunds using (environment_id, asset)
    where coalesce(kept, 0) <> coalesce(waiting, 0) - coalesce(refunding, 0)`,
}

const paymentsAreBooked: Proof = {
  claim: 'Every payment and its fee are booked exactly once, in full',
  counterexamples: `
    with booked as (
      select environment_id, cause_id as id,
        sum(amount) filter (where debit = case asset when 'NGN' then 'clearing'
          else 'deposits' end) as received,
        coalesce(sum(amount) filter (where credit = 'fees'), 0) as fee
      from ledger_transfers
      where purpose in ('payment', 'payment_held', 'payment_fee', 'payment_accepted_fee')
      group by environment_id, cause_id)
    select environment_id, id, p.amount, p.fee, b.received, b.fee as charged
    from payments p full join booked b using (environment_id, id)
    where (p.amount, p.fee) is distinct from (b.received, b.fee)`,
}

const noticesArePayments: Proof = {
  claim: 'Every recorded notice is one payment of its mode, and every payment has a notice',
  counterexamples: `
    select n.rail, n.mode, n.id, p.id as payment from
      (select * from notices where state = 'BOOKED') n
      full join (select p.*, e.mode from payments p join environments e on e.id = environment_id) p
        on p.rail = n.rail and p.mode = n.mode and p.rail_id = n.id
    where n.id is null or p.id is null
      or (n.report ->> 'amount')::numeric is distinct from p.amount`,
}

const accountsAddUp: Proof = {
  claim: 'The sums of every account with an expected amount are those of its payments',
  counterexamples: `
    with sums as (
      select environment_id, account_id as id, sum(amount) as received,
        sum(amount_accepted) as accepted, sum(amount_held) as held,
        sum(amount_returning) as returning, sum(amount_returned) as returned
      from payments group by environment_id, account_id)
    select environment_id, id, a.amount_received, s.received
    from (select * from collection_accounts where amount is not null or amount_received <> 0) a
    left join sums s using (environment_id, id)
    where (a.amount_received, a.amount_accepted, a.amount_held, a.amount_returning,
        a.amount_returned)
      is distinct from (coalesce(s.received, 0), coalesce(s.accepted, 0), coalesce(s.held, 0),
        coalesce(s.returning, 0), coalesce(s.returned, 0))`,
}

const accountsHaveEnvironments: Proof = {
  claim: 'Every collection account belongs to an environment',
  counterexamples: `
    select a.environment_id, a.id from collection_accounts a
    left join environments e on e.id = a.environment_id where e.id is null`,
}

const paymentsHaveAccounts: Proof = {
  claim: 'Every payment belongs to an account of its own environment and kind',
  counterexamples: `
    select p.environment_id, p.id from payments p
    left join collection_accounts a on a.environment_id = p.environment_id and a.id = p.account_id
    where (a.kind, a.rail, coalesce(a.asset, p.asset))
      is distinct from (p.source, p.rail, p.asset)`,
}

const returnsArePayouts: Proof = {
  claim: 'Every sent return without a claim is a payout of its amount and in the matching state',
  counterexamples: `
    select r.environment_id, r.id, r.state, p.status
    from (select * from payment_returns where claim_id is null) r
    full join (select * from payouts own where kind in ('${returnKinds.join("', '")}')
      and not exists (select from claim_holds h
        where h.environment_id = own.environment_id and h.payout_id = own.id)) p
      on p.environment_id = r.environment_id and p.id = r.id
    where case
      when r.id is null then true
      when p.id is null then r.state not in ('WAITING', 'FAILED')
      else (p.rail, p.asset, p.amount, p.takes_from)
          is distinct from (r.rail, r.asset, r.amount, r.takes_from)
        or r.state is distinct from case p.status
          when 'PENDING' then 'SENT' when 'SUBMITTED' then 'SENT'
          when 'COMPLETED' then 'RETURNED' else p.status end end`,
}

const returnsFollowTheirClaims: Proof = {
  claim: 'Every return by claim has the payment, the money and the state of its claim',
  counterexamples: `
    select coalesce(c.environment_id, r.environment_id) as environment_id, r.id, r.state,
      c.id as claim, c.status, p.status as paid
    from (select * from claims where payment_id is not null) c
    full join (select * from payment_returns where claim_id is not null) r
      on r.environment_id = c.environment_id and r.claim_id = c.id
    left join payouts p on p.environment_id = c.environment_id and p.id = c.payout_id
    where (r.payment_id, r.rail, r.asset, r.amount, r.takes_from, r.state)
      is distinct from (c.payment_id, c.rail, c.asset, c.amount, c.takes_from,
        case c.status when 'OPEN' then 'SENT'
          when 'CLAIMED' then case p.status when 'PENDING' then 'SENT' when 'SUBMITTED' then 'SENT'
            when 'COMPLETED' then 'RETURNED' when 'REVERSED' then 'REVERSED' end
          else 'FAILED' end)`,
}

const returningMatchesReturns: Proof = {
  claim: 'The returning and returned amounts of every payment are those of its returns',
  counterexamples: `
    with sums as (
      select environment_id, payment_id as id,
        coalesce(sum(amount) filter (where state in ('WAITING', 'SENT')), 0) as returning,
        coalesce(sum(amount) filter (where state = 'RETURNED'), 0) as returned
      from payment_returns group by environment_id, payment_id)
    select environment_id, id, p.amount_returning, p.amount_returned, s.returning, s.returned
    from payments p full join sums s using (environment_id, id)
    where (p.amount_returning, p.amount_returned)
      is distinct from (coalesce(s.returning, 0), coalesce(s.returned, 0))`,
}

const accountEventsAreComplete: Proof = {
  claim: 'Every account has emitted exactly one event for its end, and none that did not happen',
  counterexamples: `
    with emitted as (
      select environment_id, resource_id as id,
        count(*) filter (where type like '%.paid') as paid,
        count(*) filter (where type like '%.expired') as expired,
        count(*) filter (where type like '%.cancelled') as cancelled,
        count(*) filter (where type like '%.deactivated') as deactivated
      from events where split_part(type, '.', 1) in ('virtual_account', 'dedicated_account',
        'crypto_wallet', 'dedicated_crypto_wallet')
      group by environment_id, resource_id)
    select environment_id, id, a.status, t.paid, t.expired, t.cancelled, t.deactivated
    from collection_accounts a full join emitted t using (environment_id, id)
    where coalesce(t.paid, 0) <> case when a.status = 'PAID' then 1 else 0 end
      or coalesce(t.expired, 0) not in (case when a.status = 'EXPIRED' then 1 else 0 end,
        case when a.status in ('EXPIRED', 'PAID') then 1 else 0 end)
      or coalesce(t.cancelled, 0) <> case when a.status = 'CANCELLED' then 1 else 0 end
      or coalesce(t.deactivated, 0) <> case when a.status = 'INACTIVE' then 1 else 0 end`,
}

const sessionsAreTheirAccounts: Proof = {
  claim: 'Every session has its own accounts; at most one is paid, and then none is active',
  counterexamples: `
    with methods as (
      select environment_id, id, account_id as method, 'virtual_account' as kind
      from checkout_sessions where account_id is not null
      union all select environment_id, id, wallet_id, 'crypto_wallet'
      from checkout_sessions where wallet_id is not null),
    ended as (
      select environment_id, session_id as id from collection_accounts
      where session_id is not null group by environment_id, session_id
      having count(*) filter (where status = 'PAID') > 1
        or bool_or(status = 'PAID') and bool_or(status = 'ACTIVE'))
    select environment_id, id from ended
    union all select coalesce(w.environment_id, a.environment_id), coalesce(w.id, a.session_id)
    from methods w full join (select * from collection_accounts where session_id is not null) a
      on a.environment_id = w.environment_id and a.id = w.method
    where (a.session_id, a.kind) is distinct from (w.id, w.kind)`,
}

const sessionEventsAreComplete: Proof = {
  claim: 'Every session has emitted exactly one event for its end, and none that did not happen',
  counterexamples: `
    with emitted as (
      select environment_id, resource_id as id,
        count(*) filter (where type like '%.paid') as paid,
        count(*) filter (where type like '%.expired') as expired,
        count(*) filter (where type like '%.cancelled') as cancelled
      from events where type like 'checkout.session.%' group by environment_id, resource_id),
    ended as (
      select s.environment_id, s.id, a.status, s.status as own_status,
        a.status = 'PAID' or coalesce(w.status = 'PAID', false) as is_paid
      from checkout_sessions s
      join collection_accounts a on a.environment_id = s.environment_id
        and a.id = coalesce(s.account_id, s.wallet_id)
      left join collection_accounts w
        on w.environment_id = s.environment_id and w.id = s.wallet_id)
    select environment_id, id, s.status, s.is_paid, t.paid, t.expired, t.cancelled
    from ended s full join emitted t using (environment_id, id)
    where s.id is null or coalesce(t.paid, 0) <> s.is_paid::int
      or s.own_status <> case when s.is_paid then 'paid' when s.status = 'ACTIVE' then 'pending'
        else lower(s.status) end
      or coalesce(t.expired, 0) not in ((s.status = 'EXPIRED')::int,
        (s.status in ('EXPIRED', 'PAID'))::int)
      or coalesce(t.cancelled, 0) <> (s.status = 'CANCELLED' and not s.is_paid)::int`,
}

export const collectionProofs: Proof[] = [
  suspenseMatchesPayments,
  paymentsAreBooked,
  noticesArePayments,
  accountsAddUp,
  accountsHaveEnvironments,
  paymentsHaveAccounts,
  returnsArePayouts,
  returnsFollowTheirClaims,
  returningMatchesReturns,
  accountEventsAreComplete,
  sessionsAreTheirAccounts,
  sessionEventsAreComplete,
]
