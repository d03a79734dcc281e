import type { Proof } from '../base/proof.js'

const conversionsMoveBothSides: Proof = {
  claim: 'Every conversion moved exactly its amounts, out of one balance and into the other',
  counterexamples: `
    with wanted as (
      select environment_id, id as cause_id, 'conversion' as purpose, source_asset as asset,
        'available' as debit, 'exchange' as credit, source_amount - fee as amount
      from conversions
      union all
      select environment_id, id, 'conversion_fee', source_asset, 'available', 'fees', fee
      from conversions where fee > 0
      union all
      select environment_id, id, 'conversion_credit', target_asset, 'exchange', 'available',
        target_amount
      from conversions),
    booked as (
      select environment_id, cause_id, purpose, asset, debit, credit, amount
      from ledger_transfers
      where purpose in ('conversion', 'conversion_fee', 'conversion_credit'))
    select coalesce(w.environment_id, b.environment_id) as environment_id,
      coalesce(w.cause_id, b.cause_id) as cause_id, coalesce(w.purpose, b.purpose) as purpose,
      w.amount, b.amount as booked
    from wanted w full join booked b on b.environment_id = w.environment_id
      and b.cause_id = w.cause_id and b.purpose = w.purpose
    where (w.asset, w.debit, w.credit, w.amount)
      is distinct from (b.asset, b.debit, b.credit, b.amount)`,
}

const exchangeHoldsConversionsOnly: Proof = {
  claim: 'The exchange accounts hold conversions only, and nothing in them is pending',
  counterexamples: `
    select environment_id, cause_id, purpose from ledger_transfers
    where 'exchange' in (debit, credit)
      and (purpose not in ('conversion', 'conversion_credit') or is_hold)`,
}

const positionsEqualTheBooks: Proof = {
  claim: "The operator's positions equal the exchange accounts of all merchants, and their stock",
  counterexamples: `
    with books as (
      select e.mode, a.asset, sum(a.credits_posted) as bought, sum(a.debits_posted) as sold
      from ledger_accounts a join environments e on e.id = a.environment_id
      where a.name = 'exchange' group by e.mode, a.asset),
    stocks as (select mode, asset, sum(amount) as stock from exchange_stock group by mode, asset)
    select p.mode, p.asset, p.bought, b.bought as booked_bought, p.sold, b.sold as booked_sold,
      p.stock, s.stock as listed_stock
    from exchange_positions p full join books b using (mode, asset)
    full join stocks s using (mode, asset)
    where (p.bought, p.sold, p.stock) is distinct from
      (coalesce(b.bought, 0), coalesce(b.sold, 0), coalesce(s.stock, 0))`,
}

const onlyExistingMoneyWasSold: Proof = {
  claim: 'The operator never sold more than was bought or put in',
  counterexamples: `
    select mode, asset, stock, bought, sold from exchange_positions
    where stock + bought - sold < 0`,
}

const conversionsFollowTheirRate: Proof = {
  claim: 'No conversion gave more than its rate gives',
  counterexamples: `
    select environment_id, id, source_amount - fee as converted, target_amount, rate
    from conversions
    where case when source_asset = 'NGN'
      then target_amount::numeric * rate > (source_amount - fee)::numeric * 10000000000
      else target_amount::numeric * 10000000000 > (source_amount - fee)::numeric * rate end`,
}

const payoutConversionsHaveTheirPayout: Proof = {
  claim: 'Every conversion for a transfer belongs to a transfer in the asset that it bought',
  counterexamples: `
    select c.environment_id, c.id, c.payout_id from conversions c
    left join payouts p on p.environment_id = c.environment_id and p.id = c.payout_id
    where c.payout_id is not null and p.asset is distinct from c.target_asset`,
}

export const conversionProofs: Proof[] = [
  conversionsMoveBothSides,
  exchangeHoldsConversionsOnly,
  positionsEqualTheBooks,
  onlyExistingMoneyWasSold,
  conversionsFollowTheirRate,
  payoutConversionsHaveTheirPayout,
]
