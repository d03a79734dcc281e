import type { EnvironmentId } from '../../base/environment.js'
import { timeOf } from '../../base/ids.js'
import { type Asset, assets } from '../../money/assets.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'
import { type Payout, referenceOf } from '../payout.js'
import { transferKinds } from '../records/payout-list.js'

type PaidDestination = { bankCode: string; accountNumber: string } | { address: string }

export type RecipientHistory = {
  /** Transfers that arrived, or may still. */
  count: number
  /** Whether older transfers were left out. */
  isTruncated: boolean
  totals: { asset: Asset; count: number; total: bigint; largest: bigint }[]
  last: (Pick<Payout, 'amount' | 'asset' | 'status'> & { reference: string; at: Date }) | null
  /** Transfers that a bank sent back, or that failed. */
  cameBack: number
}

type Row = Pick<Payout, 'id' | 'kind' | 'asset' | 'amount' | 'status'>

/**
 * What was paid to a recipient before. Found by the search terms of payouts, which have every
 * account number and address in an index.
 */
export async function findRecipientHistory(
  db: Queryable,
  environmentId: EnvironmentId,
  recipient: PaidDestination,
): Promise<RecipientHistory> {
  const { term, isSame } = paidTo(recipient)
  const { recipientTransfersMax } = payoutLimits
  // The planner cannot estimate conditions on JSON: it expects one payout and would read the terms
  // again for each. The OFFSET keeps the inner query apart, so that it reads payouts by their key.
  const rows = await db.rows(sql<Row>`
    select p.id, p.kind, p.asset, p.amount, p.status from (
      select id from search_terms
      where environment_id = ${environmentId} and kind = 'payout' and term = ${term}
      order by id desc limit ${recipientTransfersMax + 1}) found
    cross join lateral (
      select p.id, p.kind, p.asset, p.amount, p.status from payouts p
      where p.environment_id = ${environmentId} and p.id = found.id and ${isSame}
        and p.kind = any (${transferKinds}::text[])
      offset 0) p
    order by found.id desc`)
  const paid = rows.filter(({ status }) => status === 'SUBMITTED' || status === 'COMPLETED')
  const last = paid[0]
  return {
    count: paid.length,
    isTruncated: rows.length > recipientTransfersMax,
    totals: (Object.keys(assets) as Asset[]).flatMap((asset) => sumUp(paid, asset)),
    last: last
      ? {
          reference: referenceOf(last),
          amount: last.amount,
          asset: last.asset,
          status: last.status,
          at: timeOf(last.id),
        }
      : null,
    cameBack: rows.filter(({ status }) => status === 'FAILED' || status === 'REVERSED').length,
  }
}

/** How payouts to a recipient are found: by a search term, and by a condition on the alias `p`. */
export function paidTo(recipient: PaidDestination): { term: string; isSame: Sql } {
  if ('address' in recipient)
    return {
      term: recipient.address,
      isSame: sql`p.destination ->> 'address' = ${recipient.address}`,
    }
  const { bankCode, accountNumber } = recipient
  return {
    term: accountNumber,
    isSame: sql`p.destination ->> 'accountNumber' = ${accountNumber}
      and p.destination ->> 'bankCode' = ${bankCode}`,
  }
}

function sumUp(paid: Row[], asset: Asset): RecipientHistory['totals'] {
  const amounts = paid.filter((row) => row.asset === asset).map(({ amount }) => amount)
  if (amounts.length === 0) return []
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  const largest = amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)
  return [{ asset, count: amounts.length, total, largest }]
}
