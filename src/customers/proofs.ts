import type { Proof } from '../base/proof.js'

/**
 * What refunds took of an allocation and did not give back: in the asset of its invoice, and `paid`
 * in that of its payment.
 */
const taken = `
    taken as (
      select environment_id, allocation_id, sum(of_invoice + of_credit) as amount,
        sum(coalesce(paid_amount, of_invoice + of_credit)) as paid
      from allocation_refunds where state = 'TAKEN' group by environment_id, allocation_id)`

/** What reallocations took of an allocation. */
const moved = `
    moved as (
      select environment_id, allocation_id, sum(amount) as amount
      from allocation_moves group by environment_id, allocation_id)`

const paymentsAreAllocated: Proof = {
  claim: 'All accepted money of a payment of a customer paid invoices or is credit',
  counterexamples: `
    with ${taken}, ${moved},
    used as (
      select a.environment_id, a.payment_id as id,
        sum(coalesce(a.paid_amount, a.amount) - coalesce(t.paid, 0) - coalesce(m.amount, 0))
          as amount
      from payment_allocations a
      left join taken t on t.environment_id = a.environment_id and t.allocation_id = a.id
      left join moved m on m.environment_id = a.environment_id and m.allocation_id = a.id
      group by a.environment_id, a.payment_id)
    select environment_id, id, p.amount_accepted, u.amount as used
    from (select * from payments where customer_id is not null) p
    full join used u using (environment_id, id)
    where p.amount_accepted is distinct from coalesce(u.amount, 0)`,
}

const invoicesAreWhatWasPaid: Proof = {
  claim: 'Every invoice was paid, credited and refunded what payments, credit and notes say',
  counterexamples: `
    with paid as (
      select environment_id, invoice_id as id, sum(amount) as amount
      from (
        select environment_id, invoice_id, amount from payment_allocations
        union all
        select environment_id, invoice_id, -amount from customer_credit_entries
        union all
        select a.environment_id, a.invoice_id, -m.amount from allocation_moves m
        join payment_allocations a on a.environment_id = m.environment_id
          and a.id = m.allocation_id) p
      where invoice_id is not null group by environment_id, invoice_id),
    refunded as (
      select r.environment_id, coalesce(r.other_invoice_id, a.invoice_id) as id,
        sum(r.of_invoice) as amount
      from allocation_refunds r
      join payment_allocations a on a.environment_id = r.environment_id and a.id = r.allocation_id
      where r.state = 'TAKEN' and r.of_invoice > 0
      group by r.environment_id, coalesce(r.other_invoice_id, a.invoice_id)),
    noted as (
      select environment_id, invoice_id as id, sum(amount) as amount,
        sum(amount_to_customer) as to_customer
      from credit_notes group by environment_id, invoice_id)
    select environment_id, id, i.amount_paid, i.amount_refunded, i.amount_credited
    from invoices i left join paid p using (environment_id, id)
    left join refunded r using (environment_id, id)
    left join noted n using (environment_id, id)
    where i.amount_refunded <> coalesce(r.amount, 0)
      or i.amount_paid + i.amount_refunded + coalesce(n.to_customer, 0) <> coalesce(p.amount, 0)
      or i.status <> 'VOID' and i.amount_credited <> coalesce(n.amount, 0)`,
}

const reallocationsKeepSums: Proof = {
  claim: 'Every change of an allocation gave to invoices and credit what it took from others',
  counterexamples: `
    with took as (
      select environment_id, reallocation_id as id, sum(amount) as amount
      from allocation_moves group by environment_id, reallocation_id),
    gave as (
      select environment_id, reallocation_id as id, sum(amount) as amount
      from payment_allocations where reallocation_id is not null
      group by environment_id, reallocation_id)
    select environment_id, id, t.amount as took, g.amount as gave
    from reallocations r left join took t using (environment_id, id)
    left join gave g using (environment_id, id)
    where t.amount is distinct from g.amount`,
}

const allocationsAreNotOverdrawn: Proof = {
  claim: 'No allocation was refunded and moved beyond its amount',
  counterexamples: `
    with ${taken}, ${moved}
    select a.environment_id, a.id, a.amount, t.amount as refunded, m.amount as moved
    from payment_allocations a
    left join taken t on t.environment_id = a.environment_id and t.allocation_id = a.id
    left join moved m on m.environment_id = a.environment_id and m.allocation_id = a.id
    where coalesce(t.amount, 0) + coalesce(m.amount, 0) > a.amount
      or coalesce(t.paid, 0) > coalesce(a.paid_amount, a.amount)
      -- All coins are refunded with all that they paid, and no kobo without a coin.
      or a.paid_amount is not null and (
        coalesce(t.paid, 0) = a.paid_amount and coalesce(t.amount, 0) <> a.amount
        or coalesce(t.paid, 0) = 0 and coalesce(t.amount, 0) <> 0)`,
}

/**
 * Rounding costs the customer less than a kobo, and for each payment less than the smallest unit of
 * a coin. It costs the merchant nothing.
 */
const coinsPaidThePriceOfTheirSession: Proof = {
  claim: 'Coins paid only the invoice in naira of their checkout session, at the price of it',
  counterexamples: `
    with paid as (
      select p.environment_id, p.account_id, count(*) as count, sum(a.amount) as kobo,
        sum(a.paid_amount) as coins,
        bool_and(coalesce(i.asset = 'NGN' and a.invoice_id = p.invoice_id
          and a.paid_asset = p.asset and i.customer_id = p.customer_id, false)) as is_right
      from payment_allocations a
      left join payments p on p.environment_id = a.environment_id and p.id = a.payment_id
      left join invoices i on i.environment_id = a.environment_id and i.id = a.invoice_id
      where a.paid_asset is not null group by p.environment_id, p.account_id)
    select c.environment_id, c.account_id, c.coins, c.kobo, w.amount as price, s.amount
    from paid c
    left join collection_accounts w on w.environment_id = c.environment_id and w.id = c.account_id
    left join checkout_sessions s on s.environment_id = w.environment_id and s.id = w.session_id
      and s.wallet_id = w.id and s.crypto_rate is not null
    where not c.is_right or s.amount is null
      or c.kobo * w.amount > c.coins * s.amount
      or (c.kobo + 1) * w.amount + c.count * s.amount <= c.coins * s.amount`,
}

/** Of other payments, invoices are paid in their asset. */
const paymentsPaidInvoicesInTheirAsset: Proof = {
  claim: 'Payments paid invoices in their own asset, or say which coins they took',
  counterexamples: `
    select a.environment_id, a.id, p.asset, i.asset as invoice_asset
    from payment_allocations a
    join payments p on p.environment_id = a.environment_id and p.id = a.payment_id
    join invoices i on i.environment_id = a.environment_id and i.id = a.invoice_id
    where (p.asset = i.asset) <> (a.paid_asset is null)`,
}

const creditIsAChain: Proof = {
  claim: 'The credit of every customer is the sum of its entries, which are numbered without gaps',
  counterexamples: `
    select environment_id, customer_id, asset, number from (
      select *, sum(amount) over entries as summed, row_number() over entries as expected
      from customer_credit_entries
      window entries as (partition by environment_id, customer_id, asset order by number)) e
    where balance_after <> summed or number <> expected`,
}

const numbersHaveNoGaps: Proof = {
  claim: 'The invoices of every series are numbered without gaps',
  counterexamples: `
    with counted as (
      select environment_id, series, count(*) as count, max(number) as last_number
      from invoices where number is not null group by environment_id, series)
    select environment_id, series, s.last_number, c.count
    from invoice_series s full join counted c using (environment_id, series)
    where s.last_number is distinct from c.count or c.count is distinct from c.last_number`,
}

const appliedCreditPaidItsInvoice: Proof = {
  claim:
    'Credit that was applied paid an invoice of its customer in its asset, and at most its total',
  counterexamples: `
    select e.environment_id, e.invoice_id, e.customer_id, e.asset, e.amount from (
      select environment_id, invoice_id, customer_id, asset, -sum(amount) as amount
      from customer_credit_entries where invoice_id is not null
      group by environment_id, invoice_id, customer_id, asset) e
    left join invoices i on i.environment_id = e.environment_id and i.id = e.invoice_id
      and i.customer_id = e.customer_id and i.asset = e.asset
    where i.id is null or e.amount not between 0 and i.total or i.status = 'DRAFT'`,
}

const moneyOfCustomersIsKept: Proof = {
  claim: 'What a customer paid and was not refunded is credit, or what invoices say was paid',
  counterexamples: `
    with ${taken},
    -- Coins that paid invoices in naira count as these naira.
    exchanged as (
      select p.environment_id, p.customer_id, p.asset, a.amount - coalesce(t.amount, 0) as kobo,
        a.paid_amount - coalesce(t.paid, 0) as coins
      from payment_allocations a
      join payments p on p.environment_id = a.environment_id and p.id = a.payment_id
      left join taken t on t.environment_id = a.environment_id and t.allocation_id = a.id
      where a.paid_asset is not null),
    received as (
      select environment_id, customer_id, asset, sum(amount) as amount
      from (
        select environment_id, customer_id, asset, amount_accepted as amount
        from payments where customer_id is not null
        union all
        select environment_id, customer_id, asset, -coins from exchanged
        union all
        select environment_id, customer_id, 'NGN', kobo from exchanged) r
      group by environment_id, customer_id, asset),
    paid as (
      select environment_id, customer_id, asset, sum(amount_paid) as amount
      from invoices group by environment_id, customer_id, asset),
    credit as (
      select environment_id, customer_id, asset, sum(amount) as amount
      from customer_credit_entries group by environment_id, customer_id, asset)
    select environment_id, customer_id, asset, r.amount as received, p.amount as paid,
      c.amount as credit
    from received r full join paid p using (environment_id, customer_id, asset)
    full join credit c using (environment_id, customer_id, asset)
    where coalesce(r.amount, 0) <> coalesce(p.amount, 0) + coalesce(c.amount, 0)`,
}

const schedulesMadeTheirInvoices: Proof = {
  claim: 'Every schedule made one final invoice of its customer for each of its runs, in its days',
  counterexamples: `
    with made as (
      select environment_id, schedule_id as id, count(*) as count, min(period) as first,
        max(period) as last, bool_or(status = 'DRAFT') as has_draft
      from invoices where schedule_id is not null group by environment_id, schedule_id)
    select environment_id, id, s.runs, m.count, m.first, m.last
    from invoice_schedules s left join made m using (environment_id, id)
    where s.runs <> coalesce(m.count, 0) or m.has_draft or m.first < s.starts_on
      or m.last >= s.next_period or m.last > s.ends_on
      or exists (
        select from invoices i where i.environment_id = s.environment_id
          and i.schedule_id = s.id and (i.customer_id, i.asset) <> (s.customer_id, s.asset))`,
}

export const customerProofs: Proof[] = [
  paymentsAreAllocated,
  invoicesAreWhatWasPaid,
  reallocationsKeepSums,
  allocationsAreNotOverdrawn,
  coinsPaidThePriceOfTheirSession,
  paymentsPaidInvoicesInTheirAsset,
  creditIsAChain,
  appliedCreditPaidItsInvoice,
  moneyOfCustomersIsKept,
  numbersHaveNoGaps,
  schedulesMadeTheirInvoices,
]
