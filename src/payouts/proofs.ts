import type { Proof } from '../base/proof.js'
import { returnKinds } from './payout.js'

const heldEqualsOpenPayouts: Proof = {
  claim: 'Held amounts equal what open payouts and claims take, in every environment and asset',
  counterexamples: `
    with held as (
      select environment_id, asset, name, debits_pending as held
      from ledger_accounts where name in ('available', 'suspense') or left(name, 4) = 'sub:'),
    taken as (
      select environment_id, asset, takes_from as name, amount + fee + levy as amount
      from payouts where status in ('PENDING', 'SUBMITTED')
      union all
      select h.environment_id, c.asset, c.takes_from, h.amount
      from claim_holds h join claims c on c.environment_id = h.environment_id and c.id = h.claim_id
      where c.status = 'OPEN' and h.ended_as is null),
    open as (
      select environment_id, asset, name, sum(amount) as open
      from taken group by environment_id, asset, name)
    select environment_id, asset, name, held, open
    from held full join open using (environment_id, asset, name)
    where coalesce(held, 0) <> coalesce(open, 0)`,
}

const payoutsHaveTheirEnvironments: Proof = {
  claim: 'Every payout belongs to an environment',
  counterexamples: `
    select p.environment_id, p.id from payouts p
    where not exists (select from environments e where e.id = p.environment_id)`,
}

const payoutsHoldTheirMoney: Proof = {
  claim:
    'Every payout holds its amount, its fee and its levy, and there are no other holds but those of claims',
  counterexamples: `
    with holds as (
      select environment_id, cause_id as id, min(asset) as asset, min(debit) as takes_from,
        count(*) as lines,
        sum(amount) filter (where credit in ('treasury', 'clearing') and purpose in
          ('crypto_payout', 'bank_payout', 'payment_return', 'payment_refund')) as amount,
        sum(amount) filter (where credit = 'fees'
          and purpose in ('crypto_payout_fee', 'bank_payout_fee')) as fee,
        sum(amount) filter (where credit = 'levies' and purpose = 'bank_payout_levy') as levy
      from ledger_transfers where is_hold and purpose <> 'claim'
      group by environment_id, cause_id)
    select environment_id, id, p.amount, p.fee, p.levy, h.amount as held, h.fee as fee_held,
      h.levy as levy_held
    from payouts p full join holds h using (environment_id, id)
    where (p.asset, p.takes_from, p.amount, p.fee, p.levy,
        1 + (p.fee > 0)::int + (p.levy > 0)::int)
      is distinct from (h.asset, h.takes_from, h.amount, coalesce(h.fee, 0), coalesce(h.levy, 0),
        h.lines)`,
}

const holdsFollowTheirPayouts: Proof = {
  claim: 'The money of every payout is held, settled or released, as its status requires',
  counterexamples: `
    select p.environment_id, p.id, p.status, r.verb from payouts p
    left join ledger_resolutions r on r.environment_id = p.environment_id and r.cause_id = p.id
    where r.verb is distinct from case p.status
      when 'PENDING' then null when 'SUBMITTED' then null
      when 'FAILED' then 'release' else 'settle' end`,
}

const reversalsGiveBack: Proof = {
  claim: 'Every reversed payout returned its amount, its fee and its levy, and no other payout did',
  counterexamples: `
    with given as (
      select environment_id, cause_id as id,
        sum(amount) filter (where purpose not in
          ('bank_payout_fee_reversal', 'bank_payout_levy_reversal')) as amount,
        sum(amount) filter (where purpose = 'bank_payout_fee_reversal') as fee,
        sum(amount) filter (where purpose = 'bank_payout_levy_reversal') as levy
      from ledger_transfers
      where purpose in ('bank_payout_reversal', 'bank_payout_fee_reversal',
        'bank_payout_levy_reversal', 'payment_return_reversal', 'payment_refund_reversal')
      group by environment_id, cause_id)
    select environment_id, id, p.status, p.amount, p.fee, g.amount as given, g.fee as fee_given,
      p.levy, g.levy as levy_given
    from payouts p full join given g using (environment_id, id)
    where p.id is null
      or coalesce(g.amount, 0) <> case when p.status = 'REVERSED' then p.amount else 0 end
      or coalesce(g.fee, 0) <> case when p.status = 'REVERSED' then p.fee else 0 end
      or coalesce(g.levy, 0) <> case when p.status = 'REVERSED' then p.levy else 0 end`,
}

const leviesAreThoseOfPayouts: Proof = {
  claim:
    'The ledger account `levies` holds the levies of completed payouts, and pending those of open ones',
  counterexamples: `
    with booked as (
      select environment_id, asset, credits_posted - debits_posted as posted,
        credits_pending - debits_pending as pending
      from ledger_accounts where name = 'levies'),
    owed as (
      select environment_id, asset,
        sum(levy) filter (where status = 'COMPLETED') as posted,
        sum(levy) filter (where status in ('PENDING', 'SUBMITTED')) as pending
      from payouts where levy > 0 group by environment_id, asset)
    select environment_id, asset, b.posted, o.posted as owed, b.pending, o.pending as open
    from booked b full join owed o using (environment_id, asset)
    where (coalesce(b.posted, 0), coalesce(b.pending, 0))
      is distinct from (coalesce(o.posted, 0), coalesce(o.pending, 0))`,
}

const everyStateHasItsEvent: Proof = {
  claim: 'Every payout emitted one event for each of its states, in order, and no others',
  counterexamples: `
    with emitted as (
      select environment_id, resource_id as id,
        array_agg(type order by sequence) as types, max(sequence) as last
      from events where type like 'crypto\\_transfer.%' or type like 'bank\\_transfer.%'
      group by environment_id, resource_id)
    select environment_id, id, p.status, t.types
    from (select * from payouts where kind not in ('${returnKinds.join("', '")}')) p
    full join emitted t using (environment_id, id)
    where (p.event_sequence, array_length(t.types, 1)) is distinct from (t.last, t.last)
      or t.types is distinct from
        case when p.order_hash is null then array[]::text[] else array[p.kind || '.pending'] end
        || case when p.submitted_at is null then array[]::text[]
          else array[p.kind || '.submitted'] end
        || case
          when p.status in ('PENDING', 'SUBMITTED') then array[]::text[]
          when p.status = 'FAILED' then array[p.kind || '.failed']
          when p.kind = 'crypto_transfer' then array['crypto_transfer.confirmed']
          when p.status = 'COMPLETED' then array['bank_transfer.completed']
          else array['bank_transfer.completed', 'bank_transfer.reversed'] end`,
}

const openPayoutsHaveAnAttempt: Proof = {
  claim: 'Every open payout has exactly one live attempt, and no other payout has one',
  counterexamples: `
    select p.environment_id, p.id, p.status, coalesce(a.live, 0) as live from payouts p
    left join (select environment_id, payout_id, count(*) as live from payout_attempts
      where state = 'LIVE' group by environment_id, payout_id) a
      on a.environment_id = p.environment_id and a.payout_id = p.id
    where coalesce(a.live, 0) <> case when p.status = 'SUBMITTED' then 1 else 0 end`,
}

const payoutsLandOnce: Proof = {
  claim: 'Every completed payout has exactly one attempt that landed, and no other payout has one',
  counterexamples: `
    select p.environment_id, p.id, p.status, coalesce(a.landed, 0) as landed from payouts p
    left join (select environment_id, payout_id, count(*) as landed from payout_attempts
      where state = 'LANDED' group by environment_id, payout_id) a
      on a.environment_id = p.environment_id and a.payout_id = p.id
    where coalesce(a.landed, 0)
      <> case when p.status in ('COMPLETED', 'REVERSED') then 1 else 0 end`,
}

const attemptsKeepToTheirRail: Proof = {
  claim: 'Every attempt belongs to a payout and is on its rail',
  counterexamples: `
    select a.environment_id, a.payout_id, a.number, a.rail, p.rail as rail_of_payout
    from payout_attempts a
    left join payouts p on p.environment_id = a.environment_id and p.id = a.payout_id
    where p.rail is distinct from a.rail`,
}

const waitingPayoutsWereApproved: Proof = {
  claim:
    'Every payout that waited was submitted only after enough other members, and the callback if it was asked, approved it',
  counterexamples: `
    select p.environment_id, p.id, p.status, d.approvals, d.rejections, c.callback from payouts p
    left join environments e on e.id = p.environment_id
    left join api_keys k on k.id = p.created_by_key
    left join payout_checks c on c.environment_id = p.environment_id and c.payout_id = p.id
    cross join lateral (
      select count(*) filter (where a.verdict = 'REJECTED') as rejections,
        sum(case when a.decided_by = 'operator' then 2 else 1 end) filter (
          where a.verdict = 'APPROVED' and a.order_hash = p.order_hash
          and (a.decided_by = 'simulated' and e.mode = 'test'
            or a.decided_by = 'operator' and c.reasons = '{screening}'
            or a.user_id is distinct from p.created_by_user
              and a.user_id is distinct from k.created_by_user
              and a.user_id is not null)) as approvals
      from payout_approvals a where a.environment_id = p.environment_id and a.payout_id = p.id
        and a.round = coalesce(c.round, 1)) d
    where p.order_hash is not null and case
      when p.submitted_at is not null then d.rejections > 0
        or c.callback in ('OPEN', 'REJECTED')
        or coalesce(d.approvals, 0) < case when c.reasons = '{}' then 0
          else approvals_needed(p.created_by_user, p.created_by_key) end
      when p.status = 'PENDING' then d.rejections > 0 or c.callback = 'REJECTED'
      else p.failure_reason is distinct from case when d.rejections > 0 then 'approval_rejected'
        when c.callback = 'REJECTED' then 'callback_rejected' else 'approval_expired' end end`,
}

const payoutsOfWaitingKeysWaited: Proof = {
  claim: 'Every payout of an API key whose payouts wait waited, alone or with its batch',
  counterexamples: `
    select p.environment_id, p.id, p.created_by_key from payouts p
    join api_keys k on k.id = p.created_by_key and k.payouts_wait
    left join payout_batches b on b.environment_id = p.environment_id and b.id = p.batch_id
    where p.order_hash is null and b.order_hash is null`,
}

const checksBelongToWaiting: Proof = {
  claim: 'Every check belongs to a payout that waited, and asks only while the payout waits',
  counterexamples: `
    select c.environment_id, c.payout_id, c.callback, p.status from payout_checks c
    left join payouts p on p.environment_id = c.environment_id and p.id = c.payout_id
    where p.order_hash is null or case when p.status = 'PENDING'
      then c.callback = 'OPEN' and c.due_at is null
      else c.due_at is not null or (c.callback = 'OPEN' and p.submitted_at is not null) end`,
}

const simulatedDecisionsAreTests: Proof = {
  claim: 'Every simulated decision about a payout is in test mode',
  counterexamples: `
    select a.environment_id, a.payout_id, a.verdict from payout_approvals a
    join environments e on e.id = a.environment_id
    where (a.decided_by = 'simulated' or a.user_id is null and a.decided_by <> 'operator')
      and e.mode <> 'test'`,
}

/** The account of an erased payout is unknown; its bank is not. */
const payoutsGoToTheirRecipients: Proof = {
  claim: 'Every payout to a saved recipient went to its bank account or wallet',
  counterexamples: `
    select p.environment_id, p.id, p.recipient_id from (
      select *, destination ->> 'bankCode' as bank_code,
        destination ->> 'accountNumber' as account_number, destination ->> 'address' as address
      from payouts where recipient_id is not null) p
    left join recipients r on r.environment_id = p.environment_id and r.id = p.recipient_id
    where r.id is null or r.bank_code is distinct from p.bank_code
      or r.account_number is distinct from
        case p.account_number when '[erased]' then r.account_number else p.account_number end
      or r.address is distinct from
        case p.address when '[erased]' then r.address else p.address end`,
}

export const payoutProofs: Proof[] = [
  heldEqualsOpenPayouts,
  payoutsHaveTheirEnvironments,
  payoutsHoldTheirMoney,
  holdsFollowTheirPayouts,
  reversalsGiveBack,
  leviesAreThoseOfPayouts,
  everyStateHasItsEvent,
  openPayoutsHaveAnAttempt,
  payoutsLandOnce,
  attemptsKeepToTheirRail,
  waitingPayoutsWereApproved,
  payoutsOfWaitingKeysWaited,
  checksBelongToWaiting,
  simulatedDecisionsAreTests,
  payoutsGoToTheirRecipients,
]
