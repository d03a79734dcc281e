import type { EnvironmentId } from '../../base/environment.js'
import { CustomerBooks } from '../../customers/customer-books.js'
import type { CoinQuote } from '../../customers/invoices/allocate.js'
import { listStatement } from '../../postgres/statement.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { CollectionAccount } from '../accounts/account.js'
import type { Payment } from './payment.js'

/** The books of the customers through whose accounts payments came; undefined if of none. */
export async function openBooksOf(
  tx: Tx,
  judged: { payment: Payment }[],
  waiting?: { waits: boolean },
): Promise<CustomerBooks | undefined> {
  const keys = judged.flatMap(({ payment: { environmentId, customerId } }) =>
    customerId === null ? [] : [{ environmentId, id: customerId }],
  )
  if (keys.length === 0) return undefined
  const books = await CustomerBooks.open(tx, keys, waiting)
  const payments = judged.map(({ payment }) => payment)
  books.quoteCoins(await findQuotes(tx, payments))
  return books
}

const wallet = { environmentId: 'int4', id: 'uuid' } as const

type QuoteRow = CoinQuote & { id: string }

const findBySessions = listStatement<typeof wallet, QuoteRow>({
  name: 'find_coin_quotes',
  columns: wallet,
  text: (list) => `
    select w.id, w.amount as coins, s.amount as kobo,
      coalesce(paid.coins, 0)::int8 as paid_coins, coalesce(paid.kobo, 0)::int8 as paid_kobo
    from ${list}
    join collection_accounts w on w.environment_id = list.environment_id and w.id = list.id
    join checkout_sessions s on s.environment_id = w.environment_id and s.id = w.session_id
      and s.wallet_id = w.id
    left join lateral (
      select sum(a.paid_amount) as coins, sum(a.amount) as kobo from payments p
      join payment_allocations a on a.environment_id = p.environment_id and a.payment_id = p.id
      where p.environment_id = w.environment_id and p.account_id = w.id
        and a.paid_asset is not null) paid on true
    where s.crypto_rate is not null and s.amount is not null`,
})

/**
 * The prices of the sessions through which coins came for invoices, by wallet. The caller has
 * locked the customers, so no other transaction pays at these prices meanwhile.
 */
async function findQuotes(tx: Tx, payments: Payment[]): Promise<Map<string, CoinQuote>> {
  const wallets = new Map<string, { environmentId: EnvironmentId; id: string }>()
  for (const { environmentId, accountId: id, asset, invoiceId } of payments)
    if (asset !== 'NGN' && invoiceId !== null) wallets.set(id, { environmentId, id })
  const rows = wallets.size === 0 ? [] : await tx.rows(findBySessions([...wallets.values()]))
  return new Map(rows.map(({ id, ...quote }) => [id, quote]))
}

/** Pays invoices with what was accepted of a payment: all of it, or what is accepted later. */
export function receiveFor(
  books: CustomerBooks | undefined,
  { payment, account }: { payment: Payment; account: Pick<CollectionAccount, 'expiresAt'> },
  { amount, now } = { amount: payment.amountAccepted, now: payment.createdAt },
): void {
  const { id: paymentId, customerId, invoiceId, asset, accountId } = payment
  if (!books || customerId === null || amount === 0n) return
  const quoteId = isInTime(payment, account) ? accountId : null
  books.receive({ paymentId, customerId, invoiceId, quoteId, asset, amount, now })
}

/** The price of a session holds until it ends: a payer must not choose the best of old prices. */
function isInTime(
  { variance, receivedAt }: Payment,
  { expiresAt }: Pick<CollectionAccount, 'expiresAt'>,
): boolean {
  return variance !== 'LATE' && (expiresAt === null || receivedAt < expiresAt)
}

/** Takes a refund back from the invoices that the payment paid, and from credit. */
export async function takeFromInvoices(
  tx: Tx,
  payment: Payment,
  { returnId, amount, now }: { returnId: string; amount: bigint; now: Date },
): Promise<CustomerBooks | undefined> {
  const { environmentId, id, customerId, asset } = payment
  if (customerId === null) return undefined
  const books = await CustomerBooks.open(tx, [{ environmentId, id: customerId }])
  books.refund(await books.findUse({ environmentId, id, customerId, asset }), {
    customerId,
    asset,
    returnId,
    amount,
    now,
  })
  return books
}
