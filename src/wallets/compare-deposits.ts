import { limits } from '../base/limits.js'
import type { WalletRail } from '../collections/ports.js'
import { formatMoney } from '../money/amounts.js'
import { type Coin, coins } from '../money/assets.js'
import { reconcileLimits } from '../payouts/limits.js'
import type { Difference } from '../payouts/reconciliation/compare-books.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { pollSoon } from './store-wallets.js'

type BookedAccount = {
  address: string
  wallet: string
  asset: Coin
  /** Deposits, credited or not, minus landed sweeps. */
  amount: bigint
  /** The part of it in live sweeps, which may have landed by now. */
  leaving: bigint
}

/**
 * Compares the balance of each token account, by a majority of the nodes, with the books.
 * Covers accounts of our coins that hold something, or were busy since `from`. Polls those that
 * differ at once: if a deposit was merely not seen yet, the next comparison finds no difference.
 */
export async function compareDeposits(
  db: Database,
  rail: WalletRail,
  { now, from }: { now: Date; from: Date },
): Promise<{ differences: Difference[]; isComplete: boolean; accounts: number }> {
  const { walletPagesMax, walletsPerPageMax } = reconcileLimits
  const differences: Difference[] = []
  let [last, accounts] = ['', 0]
  for (let pages = 0; pages < walletPagesMax; pages += 1) {
    const booked = await listBooked(db, { rail: rail.name, last, from })
    accounts += booked.length
    const balances = await rail.readAmounts(booked.map(({ address }) => address))
    for (const [index, account] of booked.entries()) {
      const balance = balances[index] ?? null
      if (isMatching(account, balance)) continue
      await pollSoon(db, now, { rail: rail.name, wallet: account.wallet })
      differences.push(toDifference(account, balance))
    }
    if (booked.length < walletsPerPageMax) return { differences, isComplete: true, accounts }
    last = booked.at(-1)!.address
  }
  return { differences, isComplete: false, accounts }
}

function isMatching({ amount, leaving }: BookedAccount, balance: bigint | null): boolean {
  return balance !== null && amount - leaving <= balance && balance <= amount
}

async function listBooked(
  db: Queryable,
  { rail, last, from }: { rail: string; last: string; from: Date },
): Promise<BookedAccount[]> {
  return db.rows(sql<BookedAccount>`
    select t.address, t.wallet, t.asset, least(coalesce(deposited.amount, 0)
        + coalesce(refused.amount, 0) - coalesce(swept.landed, 0),
        ${limits.money.ledgerMax})::bigint as amount,
      coalesce(swept.live, 0)::bigint as leaving
    from token_accounts t
    left join collection_accounts a on a.rail = t.rail and a.rail_account = t.wallet
    left join lateral (select sum(p.amount) as amount from payments p
      where p.environment_id = a.environment_id and p.account_id = a.id and p.asset = t.asset
      ) deposited on true
    left join lateral (select sum((n.report ->> 'amount')::numeric) as amount from notices n
      where n.rail = t.rail and n.report ->> 'accountNumber' = t.wallet and n.state = 'REFUSED'
        and split_part(n.id, ':', 2) = t.address) refused on true
    left join lateral (select sum(p.amount) filter (where s.state = 'LANDED') as landed,
        sum(p.amount) filter (where s.state = 'LIVE') as live
      from sweep_parts p join sweeps s on s.rail = p.rail and s.id = p.sweep_id
      where p.rail = t.rail and p.token_account = t.address) swept on true
    where t.rail = ${rail} and t.address > ${last} and t.asset = any(${[...coins]})
      and (t.amount > 0 or t.busy_until >= ${from} or t.is_unread or t.has_trouble)
    order by t.address limit ${reconcileLimits.walletsPerPageMax}`)
}

function toDifference(account: BookedAccount, balance: bigint | null): Difference {
  const { wallet, asset, amount, leaving } = account
  const show = (value: bigint) => formatMoney(value, asset)
  const inBooks = leaving === 0n ? show(amount) : `${show(amount - leaving)} to ${show(amount)}`
  const atRail = balance === null ? 'no majority of the endpoints agrees' : show(balance)
  return { kind: 'deposits_differ', name: wallet, inBooks, atRail }
}
