import type { Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Reader } from '../postgres/tx.js'

/** The treasury of a mode in the books, summed over its environments. */
export type TreasuryBooks = {
  /** What came in, ever: debits posted to `treasury`. */
  came: bigint
  /** Of that, test coins that may not have been minted yet: open backings. */
  coming: bigint
  /** What went out for certain, ever: credits posted. Fees stay in the treasury. */
  left: bigint
  /** What open payouts will take, if they have not: credits pending. */
  leaving: bigint
}

export async function readTreasuryBooks(
  db: Reader,
  { mode, asset }: { mode: Mode; asset: Asset },
): Promise<TreasuryBooks> {
  const [row] = await db.rows(sql<TreasuryBooks>`
    select coalesce(sum(a.debits_posted), 0)::bigint as came,
      coalesce(sum(a.credits_posted), 0)::bigint as left,
      coalesce(sum(a.credits_pending), 0)::bigint as leaving,
      (select coalesce(sum(b.amount), 0)::bigint from coin_backings b
        join environments e on e.id = b.environment_id
        where not b.is_minted and e.mode = ${mode} and b.asset = ${asset}) as coming
    from ledger_accounts a join environments e on e.id = a.environment_id
    where e.mode = ${mode} and a.asset = ${asset} and a.name = 'treasury'`)
  return row!
}

/** What of the hot wallet of a mode is spoken for: all that open payouts take, landed or not. */
export async function readOpenAmount(
  db: Reader,
  which: { mode: Mode; asset: Asset },
): Promise<bigint> {
  return (await readTreasuryBooks(db, which)).leaving
}

/** What a mode has promised and not settled yet, for those who guard its hot wallet. */
export type OpenCommitments = {
  /** In all, in the smallest unit. */
  sum(asset: Asset): Promise<bigint>
  list(asset: Asset): Promise<OpenPayouts>
}

export function openCommitments(db: Reader, mode: Mode): OpenCommitments {
  return {
    sum: (asset) => readOpenAmount(db, { mode, asset }),
    list: (asset) => listOpenPayouts(db, { mode, asset }),
  }
}

/** What all open payouts take and, up to a limit, the largest of them. */
export type OpenPayouts = { total: bigint; largest: { token: string; amount: bigint }[] }

async function listOpenPayouts(
  db: Reader,
  { mode, asset }: { mode: Mode; asset: Asset },
): Promise<OpenPayouts> {
  const rows = await db.rows(sql<{ token: string | null; amount: bigint; total: bigint }>`
    select a.token, p.amount, (sum(p.amount) over ())::bigint as total
    from payouts p join environments e on e.id = p.environment_id
    left join payout_attempts a
      on a.environment_id = p.environment_id and a.payout_id = p.id and a.state = 'LIVE'
    where p.status = 'SUBMITTED' and p.asset = ${asset} and e.mode = ${mode}
    order by p.amount desc limit ${limits.payouts.openListed}`)
  const largest = rows.flatMap(({ token, amount }) => (token === null ? [] : [{ token, amount }]))
  return { total: rows[0]?.total ?? 0n, largest }
}
