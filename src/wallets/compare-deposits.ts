import { limits } from '../base/limits.js'
import type { WalletRail } from '../collections/ports.js'
import { formatDecimal } from '../money/amounts.js'
import { type Coin, coins } from '../money/assets.js'
import type { Difference } from '../payouts/compare-books.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import type { Reader } from '../postgres/tx.js'
import { pollSoon } from './store-wallets.js'

type Booked = {
  address: string
  wallet: string
  asset: Coin
  /** What came, credited or not, less what was swept for certain. */
  amount: bigint
  /** Of that, what a sweep may have taken by now. */
  leaving: bigint
}

/**
 * Compares what a majority of the endpoints says lies in wallets with what the books have there,
 * one token account after the other. Only those that hold something, or where something happened or
 * was expected since a time; other tokens, which anybody can send, are in no books. Those that
 * differ are polled at once: a deposit that was not seen yet is no difference the second time.
 */
export async function compareDeposits(
  db: Database,
  rail: WalletRail,
  { now, from }: { now: Date; from: Date },
): Promise<{ differences: Difference[]; isComplete: boolean }> {
  const { walletPages, walletsPerPage } = limits.reconcile
  const differences: Difference[] = []
  let last = ''
  for (let pages = 0; pages < walletPages; pages += 1) {
    const booked = await listBooked(db, { rail: rail.name, last, from })
    const held = await rail.readAmounts(booked.map(({ address }) => address))
    const different = booked.filter((one, index) => !isHeld(one, held[index] ?? null))
    for (const one of different) {
      await pollSoon(db, now, { rail: rail.name, wallet: one.wallet })
      differences.push(toDifference(one, held[booked.indexOf(one)] ?? null))
    }
    if (booked.length < walletsPerPage) return { differences, isComplete: true }
    last = booked.at(-1)!.address
  }
  return { differences, isComplete: false }
}

function isHeld({ amount, leaving }: Booked, held: bigint | null): boolean {
  return held !== null && amount - leaving <= held && held <= amount
}

async function listBooked(
  db: Reader,
  { rail, last, from }: { rail: string; last: string; from: Date },
): Promise<Booked[]> {
  return db.rows(sql<Booked>`
    select t.address, t.wallet, t.asset, least(coalesce(came.amount, 0)
        + coalesce(refused.amount, 0) - coalesce(swept.landed, 0),
        ${limits.money.ledgerMax})::bigint as amount,
      coalesce(swept.live, 0)::bigint as leaving
    from token_accounts t
    left join collection_accounts a on a.rail = t.rail and a.number = t.wallet
    left join lateral (select sum(p.amount) as amount from payments p
      where p.environment_id = a.environment_id and p.account_id = a.id and p.asset = t.asset
      ) came on true
    left join lateral (select sum((n.announced ->> 'amount')::numeric) as amount from notices n
      where n.rail = t.rail and n.announced ->> 'accountNumber' = t.wallet and n.state = 'REFUSED'
        and split_part(n.id, ':', 2) = t.address) refused on true
    left join lateral (select sum(p.amount) filter (where s.state = 'LANDED') as landed,
        sum(p.amount) filter (where s.state = 'LIVE') as live
      from sweep_parts p join sweeps s on s.rail = p.rail and s.id = p.sweep_id
      where p.rail = t.rail and p.token_account = t.address) swept on true
    where t.rail = ${rail} and t.address > ${last} and t.asset = any(${[...coins]})
      and (t.amount > 0 or t.busy_until >= ${from} or t.is_unread or t.has_trouble)
    order by t.address limit ${limits.reconcile.walletsPerPage}`)
}

function toDifference(one: Booked, held: bigint | null): Difference {
  const { wallet, asset, amount, leaving } = one
  const show = (value: bigint) => `${formatDecimal(value, asset)} ${asset}`
  const inBooks = leaving === 0n ? show(amount) : `${show(amount - leaving)} to ${show(amount)}`
  const atRail = held === null ? 'no majority of the endpoints agrees' : show(held)
  return { kind: 'deposits_differ', name: wallet, inBooks, atRail }
}
