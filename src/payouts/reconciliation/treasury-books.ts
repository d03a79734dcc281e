import type { Mode } from '../../base/environment.js'
import type { Asset } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'

/** The treasury of a mode in the books, over all environments, since the first row. */
export type TreasuryBooks = {
  /** Debits posted, and what the operator put in for conversions. */
  received: bigint
  /** The part of `received` that may not be minted yet: open backings of test coins. */
  unminted: bigint
  /** Credits posted. Fees stay in the treasury. */
  sent: bigint
  /** Credits pending: what open payouts take, landed or not. */
  reserved: bigint
}

export async function readTreasuryBooks(
  db: Queryable,
  { mode, asset }: { mode: Mode; asset: Asset },
): Promise<TreasuryBooks> {
  const [row] = await db.rows(sql<TreasuryBooks>`
    select (coalesce(sum(a.debits_posted), 0)
        + (select stock from exchange_positions
          where mode = ${mode} and asset = ${asset}))::bigint as received,
      coalesce(sum(a.credits_posted), 0)::bigint as sent,
      coalesce(sum(a.credits_pending), 0)::bigint as reserved,
      (select coalesce(sum(b.amount), 0)::bigint from coin_backings b
        join environments e on e.id = b.environment_id
        where not b.is_minted and e.mode = ${mode} and b.asset = ${asset}) as unminted
    from ledger_accounts a join environments e on e.id = a.environment_id
    where e.mode = ${mode} and a.asset = ${asset} and a.name = 'treasury'`)
  return row!
}

/** What the open payouts of a mode take from its treasury. */
export type OpenPayoutTotals = {
  /** Cheap: one sum of the books. */
  sum(asset: Asset): Promise<bigint>
  /** With the signatures of the largest, so that the chain can be queried for those that landed. */
  list(asset: Asset): Promise<OpenPayoutList>
}

export function createOpenPayoutTotals(db: Queryable, mode: Mode): OpenPayoutTotals {
  return {
    sum: (asset) => sumOpenPayouts(db, { mode, asset }),
    list: (asset) => listOpenPayouts(db, { mode, asset }),
  }
}

/** Prepared, because every batch of payouts runs it. */
async function sumOpenPayouts(
  db: Queryable,
  { mode, asset }: { mode: Mode; asset: Asset },
): Promise<bigint> {
  const [row] = await db.rows<{ open: bigint }>({
    name: 'sum_open_payouts',
    text: `
      select coalesce(sum(a.credits_pending), 0)::bigint as open
      from ledger_accounts a join environments e on e.id = a.environment_id
      where e.mode = $1 and a.asset = $2 and a.name = 'treasury'`,
    values: [mode, asset],
  })
  return row!.open
}

/** `token` is the signature of the live attempt. */
export type OpenPayoutList = { total: bigint; largest: { token: string; amount: bigint }[] }

async function listOpenPayouts(
  db: Queryable,
  { mode, asset }: { mode: Mode; asset: Asset },
): Promise<OpenPayoutList> {
  const rows = await db.rows(sql<{ token: string | null; amount: bigint; total: bigint }>`
    select a.token, p.amount, (sum(p.amount) over ())::bigint as total
    from payouts p join environments e on e.id = p.environment_id
    left join payout_attempts a
      on a.environment_id = p.environment_id and a.payout_id = p.id and a.state = 'LIVE'
    where p.status = 'SUBMITTED' and p.asset = ${asset} and e.mode = ${mode}
    order by p.amount desc limit ${payoutLimits.openPayoutsListedMax}`)
  const largest = rows.flatMap(({ token, amount }) => (token === null ? [] : [{ token, amount }]))
  return { total: rows[0]?.total ?? 0n, largest }
}
