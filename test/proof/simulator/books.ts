import { prefixes, toReference } from '../../../src/base/ids.js'
import { type AccountKind, accountReference } from '../../../src/collections/accounts/account.js'
import { type PayoutKind, payoutKinds } from '../../../src/payouts/payout.js'
import type { Database } from '../../../src/postgres/database.js'
import { sql } from '../../../src/postgres/sql.js'

/** What the service has in its books, with the references that merchants and rails know. */
export type Books = Awaited<ReturnType<typeof readBooks>>

export type BookedPayout = {
  environmentId: number
  reference: string
  kind: PayoutKind
  asset: string
  amount: bigint
  fee: bigint
  status: string
  failureReason: string | null
  merchantReference: string | null
  hasWaited: boolean
  isSubmitted: boolean
  batch: string | null
  /** The sub-account that pays; null: the merchant. */
  seller: string | null
  createdAt: Date
}

export type BookedSeller = {
  environmentId: number
  reference: string
  available: bigint
  held: bigint
  pending: bigint
  owed: bigint
  /** What failed refunds took and did not give back yet. */
  waiting: bigint
  /** How often a refund made it owe something. */
  debts: number
}

export type BookedShare = {
  environmentId: number
  reference: string
  payment: string
  /** Of the account that was paid. */
  account: string
  part: number
  isReleased: boolean
}

export type BookedInvoice = {
  environmentId: number
  reference: string
  customer: string
  status: string
  number: bigint | null
  total: bigint
  due: bigint
  paid: bigint
  credited: bigint
  refunded: bigint
}

export type BookedClaim = {
  reference: string
  status: string
  /** What is set aside for it; null: nothing. */
  held: bigint | null
}

export type BookedBatch = {
  reference: string
  status: string
  submittedAt: Date | null
  endedAt: Date | null
}

export type BookedItem = {
  batch: string
  merchantReference: string | null
  amount: bigint
  state: string
  /** Why it cannot be paid, or was not. */
  reason: string | null
  payout: string | null
}

export type BookedSettlement = {
  environmentId: number
  reference: string
  payout: string
  scheduledFor: Date | null
}

export type BookedPayment = {
  reference: string
  accountReference: string
  railId: string
  asset: string
  amount: bigint
  amountAccepted: bigint
  amountHeld: bigint
  amountReturning: bigint
  amountReturned: bigint
  fee: bigint
  variance: 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'
}

export type BookedAccount = { reference: string; kind: AccountKind; status: string }

export type BookedReturn = {
  reference: string
  payment: string
  amount: bigint
  isRefund: boolean
  state: string
}

type Named<Row> = Row & { id: string }

/** Whether and how often they happen depends on what comes first. */
const unorderedEvents = [
  'customer.credited',
  'invoice.overdue',
  'invoice.partially_paid',
  'invoice.refunded',
  'invoice.refund_failed',
]

export async function readBooks(db: Database) {
  const payouts = await db.rows(sql<
    Named<BookedPayout> & { batchId: string | null; takesFrom: string }
  >`
    select environment_id, id, kind, asset, amount, fee, status, failure_reason,
      merchant_reference, order_hash is not null as has_waited,
      submitted_at is not null as is_submitted, batch_id, takes_from, created_at
    from payouts`)
  const payments = await db.rows(
    sql<Named<BookedPayment> & { accountId: string; source: AccountKind }>`
    select id, account_id, source, rail_id, asset, amount, amount_accepted, amount_held,
      amount_returning, amount_returned, fee, variance
    from payments`,
  )
  const accounts = await db.rows(sql<Named<BookedAccount>>`
    select id, kind, status from collection_accounts`)
  const returns = await db.rows(sql<Named<BookedReturn> & { paymentId: string }>`
    select id, payment_id, amount, takes_from = 'available' as is_refund, state
    from payment_returns`)
  const conversions = await db.rows(
    sql<{
      environmentId: number
      id: string
      source: string
      target: string
      sourceAmount: bigint
      targetAmount: bigint
      fee: bigint
      rate: bigint
      payoutId: string | null
      createdAt: Date
    }>`
    select environment_id, id, source_asset as source, target_asset as target, source_amount,
      target_amount, fee, rate, payout_id, created_at
    from conversions`,
  )
  const settlements = await db.rows(
    sql<Named<Omit<BookedSettlement, 'reference'>> & { payoutId: string }>`
    select environment_id, id, payout_id, scheduled_for from settlements`,
  )
  const batches = await db.rows(sql<Named<BookedBatch>>`
    select id, state as status, submitted_at, ended_at from payout_batches`)
  const items = await db.rows(
    sql<BookedItem & { batchId: string; payoutId: string | null }>`
    select batch_id, merchant_reference, amount, state, problem->>'reason' as reason, payout_id
    from payout_batch_items`,
  )
  const sessions = await db.rows(sql<{ reference: string; status: string }>`
    select reference, status from checkout_sessions`)
  const balances = await db.rows(
    sql<{ environmentId: number; asset: string; available: bigint; held: bigint }>`
    select environment_id, asset, credits_posted - debits_posted - debits_pending as available,
      debits_pending as held
    from ledger_accounts where name = 'available'`,
  )
  const suspense = await db.rows(
    sql<{ environmentId: number; asset: string; amount: bigint }>`
    select environment_id, asset, credits_posted - debits_posted as amount
    from ledger_accounts where name = 'suspense'`,
  )
  const sellers = await db.rows(sql<Named<BookedSeller>>`
    select s.environment_id, s.id,
      coalesce(own.credits_posted - own.debits_posted - own.debits_pending, 0)::int8 as available,
      coalesce(own.debits_pending, 0)::int8 as held,
      coalesce(later.credits_posted - later.debits_posted, 0)::int8 as pending,
      coalesce(debt.debits_posted - debt.credits_posted, 0)::int8 as owed,
      (select coalesce(sum(taken + taken_pending + owed), 0) from share_take_backs t
        where t.subaccount_id = s.id and t.state = 'GIVING_BACK')::int8 as waiting,
      (select count(*) from share_take_backs t
        where t.subaccount_id = s.id and t.owed > 0)::int as debts
    from subaccounts s
    left join ledger_accounts own on own.environment_id = s.environment_id
      and own.asset = 'NGN' and own.name = 'sub:' || s.id
    left join ledger_accounts later on later.environment_id = s.environment_id
      and later.asset = 'NGN' and later.name = 'sub_pending:' || s.id
    left join ledger_accounts debt on debt.environment_id = s.environment_id
      and debt.asset = 'NGN' and debt.name = 'sub_owed:' || s.id`)
  const shares = await db.rows(
    sql<Named<BookedShare> & { paymentId: string; accountId: string; kind: AccountKind }>`
    select s.environment_id, s.id, s.payment_id, s.part, p.account_id, p.source as kind,
      s.released_at is not null as is_released
    from payment_shares s
    join payments p on p.environment_id = s.environment_id and p.id = s.payment_id`,
  )
  const invoices = await db.rows(sql<Named<BookedInvoice> & { customerId: string }>`
    select environment_id, id, customer_id, status, number, total, amount_due as due,
      amount_paid as paid, amount_credited as credited, amount_refunded as refunded
    from invoices`)
  const credits = await db.rows(sql<{ id: string; credit: bigint }>`
    select distinct on (customer_id) customer_id as id, balance_after as credit
    from customer_credit_entries where asset = 'NGN' order by customer_id, number desc`)
  const claims = await db.rows(sql<Named<BookedClaim>>`
    select c.id, c.status, h.amount as held
    from claims c left join claim_holds h on h.environment_id = c.environment_id
      and h.claim_id = c.id and h.ended_as is null`)
  const billingEvents = await db.rows(
    sql<{ environmentId: number; type: string; id: string; count: number }>`
    select environment_id, type, resource_id as id, count(*)::int as count from events
    where type = any(${unorderedEvents}::text[])
    group by environment_id, type, resource_id`,
  )
  const sellerReference = (id: string) => toReference(prefixes.subaccount, id)
  const payoutReferences = new Map(
    payouts.map(({ id, kind }) => [id, toReference(payoutKinds[kind].prefix, id)]),
  )
  const paymentReference = (id: string) => toReference(prefixes.payment, id)
  const batchReference = (id: string) => toReference(prefixes.payoutBatch, id)
  return {
    payouts: payouts.map(({ id, batchId, takesFrom, ...payout }) => ({
      ...payout,
      seller: takesFrom.startsWith('sub:') ? sellerReference(takesFrom.slice(4)) : null,
      reference: payoutReferences.get(id)!,
      batch: batchId && batchReference(batchId),
    })) as BookedPayout[],
    payments: payments.map(({ id, accountId, source, ...payment }) => ({
      ...payment,
      reference: paymentReference(id),
      accountReference: accountReference({ kind: source, id: accountId }),
    })) as BookedPayment[],
    accounts: accounts.map(({ id, kind, status }) => ({
      kind,
      status,
      reference: accountReference({ kind, id }),
    })) as BookedAccount[],
    returns: returns.map(({ id, paymentId, ...row }) => ({
      ...row,
      reference: toReference(prefixes.paymentReturn, id),
      payment: paymentReference(paymentId),
    })) as BookedReturn[],
    conversions: conversions.map(({ id, payoutId, ...conversion }) => ({
      ...conversion,
      reference: toReference(prefixes.conversion, id),
      payout: payoutId && payoutReferences.get(payoutId)!,
    })),
    settlements: settlements.map(({ id, payoutId, ...settlement }) => ({
      ...settlement,
      reference: toReference(prefixes.settlement, id),
      payout: payoutReferences.get(payoutId)!,
    })) as BookedSettlement[],
    batches: batches.map(({ id, ...batch }) => ({
      ...batch,
      reference: batchReference(id),
    })) as BookedBatch[],
    batchItems: items.map(({ batchId, payoutId, ...item }) => ({
      ...item,
      batch: batchReference(batchId),
      payout: payoutId && payoutReferences.get(payoutId)!,
    })) as BookedItem[],
    sellers: sellers.map(({ id, ...seller }) => ({
      ...seller,
      reference: sellerReference(id),
    })) as BookedSeller[],
    shares: shares.map(({ id, paymentId, accountId, kind, ...share }) => ({
      ...share,
      reference: toReference(prefixes.share, id),
      payment: paymentReference(paymentId),
      account: accountReference({ kind, id: accountId }),
    })) as BookedShare[],
    invoices: invoices.map(({ id, customerId, ...invoice }) => ({
      ...invoice,
      reference: toReference(prefixes.invoice, id),
      customer: toReference(prefixes.customer, customerId),
    })) as BookedInvoice[],
    credits: new Map(credits.map(({ id, credit }) => [toReference(prefixes.customer, id), credit])),
    claims: claims.map(({ id, ...claim }) => ({
      ...claim,
      reference: toReference(prefixes.claim, id),
    })) as BookedClaim[],
    billingEvents: billingEvents.map(({ environmentId, type, id, count }) => {
      const prefix = type.startsWith('customer') ? prefixes.customer : prefixes.invoice
      return { environmentId, event: `${type} ${toReference(prefix, id)}`, count }
    }),
    sessions,
    balances,
    suspense,
  }
}
