import type { Proof } from '../../base/proof.js'
import { returnKinds } from '../payout.js'

const claimsHoldWhileOpen: Proof = {
  claim: 'Every open claim has exactly one hold, and no other claim has one',
  counterexamples: `
    select c.environment_id, c.id, c.status, coalesce(h.open, 0) as open, c.openings, h.openings
    from claims c left join (
      select environment_id, claim_id, count(*) filter (where ended_as is null) as open,
        count(*) as openings, max(opening) as last
      from claim_holds group by environment_id, claim_id) h
      on h.environment_id = c.environment_id and h.claim_id = c.id
    where coalesce(h.open, 0) <> case when c.status = 'OPEN' then 1 else 0 end
      or (c.openings, c.openings) is distinct from (h.openings, h.last)`,
}

const holdsOfClaimsAreInTheBooks: Proof = {
  claim: 'The money of every claim is held in the books while it is open, and released afterwards',
  counterexamples: `
    with booked as (
      select t.environment_id, t.cause_id as id, t.asset, t.amount, t.debit, r.verb
      from ledger_transfers t left join ledger_resolutions r
        on r.environment_id = t.environment_id and r.cause_id = t.cause_id
      where t.purpose = 'claim'),
    opened as (
      select h.environment_id, h.id, c.asset, h.amount, c.takes_from, h.ended_as
      from claim_holds h left join claims c
        on c.environment_id = h.environment_id and c.id = h.claim_id)
    select environment_id, id, o.amount, b.amount as booked, o.ended_as, b.verb
    from opened o full join booked b using (environment_id, id)
    where (o.asset, o.amount, o.takes_from) is distinct from (b.asset, b.amount, b.debit)
      or b.verb is distinct from case when o.ended_as is not null then 'release' end`,
}

const claimsArePaidOnce: Proof = {
  claim: 'Every claim has at most one payout that did not fail, of its amount, and is claimed then',
  counterexamples: `
    with paid as (
      select h.environment_id, h.claim_id as id, p.id as payout_id, p.amount, p.asset,
        p.takes_from
      from claim_holds h join payouts p on p.environment_id = h.environment_id
        and p.id = h.payout_id
      where p.status <> 'FAILED')
    select environment_id, id, c.status, c.payout_id, p.payout_id as paid_by
    from (select * from claims where status = 'CLAIMED') c
    full join paid p using (environment_id, id)
    where (c.payout_id, c.amount, c.asset, c.takes_from)
      is distinct from (p.payout_id, p.amount, p.asset, p.takes_from)`,
}

const claimedHoldsHavePayouts: Proof = {
  claim: 'Every claimed hold became a payout, and all but the last one of a claim failed',
  counterexamples: `
    select h.environment_id, h.claim_id, h.opening, p.status
    from claim_holds h
    join claims c on c.environment_id = h.environment_id and c.id = h.claim_id
    left join payouts p on p.environment_id = h.environment_id and p.id = h.payout_id
    where (h.ended_as = 'CLAIMED' and p.id is null)
      or (h.opening < c.openings and p.status is distinct from 'FAILED')`,
}

const claimsOfPaymentsAreReturns: Proof = {
  claim: 'The payouts of a claim are returns, by the rail of its payment, only if it has one',
  counterexamples: `
    select h.environment_id, h.claim_id, h.opening, c.payment_id, p.kind, c.rail, p.rail as paid_by
    from claim_holds h
    join claims c on c.environment_id = h.environment_id and c.id = h.claim_id
    join payouts p on p.environment_id = h.environment_id and p.id = h.payout_id
    where (p.kind in ('${returnKinds.join("', '")}')) <> (c.payment_id is not null)
      or p.rail <> coalesce(c.rail, p.rail)`,
}

const claimsHaveTheirEvents: Proof = {
  claim: 'Every claim emitted an event for each time that it was opened, claimed and ended',
  counterexamples: `
    with emitted as (
      select environment_id, resource_id as id, count(*) as count, max(sequence) as last,
        count(*) filter (where type in ('claim.created', 'claim.reopened')) as opened,
        count(*) filter (where type = 'claim.claimed') as claimed,
        count(*) filter (where type in ('claim.expired', 'claim.cancelled')) as ended
      from events where type like 'claim.%' group by environment_id, resource_id),
    held as (
      select environment_id, claim_id as id, count(payout_id) as claimed
      from claim_holds group by environment_id, claim_id)
    select environment_id, id, c.status, c.event_sequence, e.count
    from claims c full join emitted e using (environment_id, id)
    left join held h using (environment_id, id)
    where (c.event_sequence, c.event_sequence, c.openings, h.claimed, (c.ended_at is not null)::int)
      is distinct from (e.count, e.last, e.opened, e.claimed, e.ended)`,
}

export const claimProofs: Proof[] = [
  claimsHoldWhileOpen,
  holdsOfClaimsAreInTheBooks,
  claimsArePaidOnce,
  claimedHoldsHavePayouts,
  claimsOfPaymentsAreReturns,
  claimsHaveTheirEvents,
]
