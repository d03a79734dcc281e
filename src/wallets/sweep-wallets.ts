import { after, type Clock } from '../base/clock.js'
import { newId } from '../base/ids.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { Refusal } from '../base/refusal.js'
import type { SweepRequest, WalletRail } from '../collections/ports.js'
import type { Coin } from '../money/assets.js'
import type { Prepared } from '../payouts/ports.js'
import type { Database } from '../postgres/database.js'
import { isTransient } from '../postgres/failures.js'
import { sql } from '../postgres/sql.js'
import {
  insertSweep,
  lockUnchanged,
  restUnsigned,
  type SweepPart,
  sweepReference,
} from './store-sweeps.js'

type Tools = { db: Database; rail: WalletRail; clock: Clock; logger: Logger }

type Candidate = SweepPart & {
  asset: Coin
  /** The last sweep that it was part of failed, or it could not be signed for alone. */
  isAlone: boolean
}

type Planned = SweepRequest & { id: string; parts: Candidate[] }

/**
 * Signs transactions that bring the coins of wallets into the treasury, saves them and sends them.
 * Where one is not signed, its parts are tried alone, and what is not signed alone rests. Says how
 * many token accounts it took.
 */
export async function sweepWallets(tools: Tools, now: Date): Promise<number> {
  const { db, rail } = tools
  if (!(await rail.hasMetItsChain())) return 0
  const candidates = await findCandidates(db, now, rail.name)
  if (candidates.length === 0) return 0
  const refused = await sweepAll(tools, plan(now, candidates, rail.partsPerSweep))
  const groups = refused.filter(({ parts }) => parts.length > 1)
  const parts = groups.flatMap((group) => group.parts)
  const alone = parts.map((part) => ({ ...part, isAlone: true }))
  const refusedAgain = alone.length > 0 ? await sweepAll(tools, plan(now, alone, 1)) : []
  const resting = [...refused, ...refusedAgain].filter((order) => order.parts.length === 1)
  await restUnsigned(
    db,
    now,
    resting.map((order) => ({ rail: rail.name, address: order.parts[0]!.tokenAccount })),
  )
  return candidates.length
}

/** Says which were not signed. */
async function sweepAll({ db, rail, clock, logger }: Tools, planned: Planned[]) {
  const prepared = await rail.prepareSweeps(planned)
  const refused: Planned[] = []
  for (const [index, order] of planned.entries()) {
    const outcome = prepared[index]!
    if (outcome instanceof Refusal) {
      const accounts = order.parts.map(({ tokenAccount }) => tokenAccount)
      const { reason, message } = outcome
      logger.warn({ reason, message, accounts }, 'a sweep was not signed')
      refused.push(order)
    } else if (await save(db, clock.now(), rail.name, order, outcome))
      await rail.sendSweeps([{ ...outcome, ...order }])
  }
  return refused
}

/**
 * What is swept is what the books have there, and only where chain and books agree to the last
 * unit: everything that came was judged and credited, and nothing is under way. What failed rests,
 * twice as long with each failure: of a frozen account, every try would cost a fee.
 */
async function findCandidates(db: Database, now: Date, rail: string): Promise<Candidate[]> {
  const { failedRestMs, failuresCounted, failuresCountedMs } = limits.sweeps
  return db.rows(sql<Candidate>`
    select a.environment_id as "environmentId", a.id as "accountId", t.asset, t.amount,
      t.address as "tokenAccount", w.address as wallet, w.number as "walletNumber",
      a.kind = 'crypto_wallet' as "isClosing",
      (t.unsigned_sweeps > 0 or coalesce(last.state = 'FAILED', false)) as "isAlone"
    from token_accounts t
    join wallets w on w.rail = t.rail and w.address = t.wallet
    join collection_accounts a on a.rail = t.rail and a.number = t.wallet
    left join lateral (
      select s.state, s.ended_at from sweep_parts p
      join sweeps s on s.rail = p.rail and s.id = p.sweep_id
      where p.rail = t.rail and p.token_account = t.address
      order by s.ended_at desc nulls first limit 1) last on true
    left join lateral (
      select count(*) as times from sweep_parts p
      join sweeps s on s.rail = p.rail and s.id = p.sweep_id
      where last.state = 'FAILED' and p.rail = t.rail and p.token_account = t.address
        and s.state = 'FAILED' and s.ended_at > ${after(now, -failuresCountedMs)}) failed on true
    where t.rail = ${rail} and t.amount > 0 and not t.is_unread and not t.has_trouble
      and t.asset = coalesce(a.asset, t.asset) and t.asset in ('USDC', 'USDT')
      and (a.kind = 'crypto_wallet' or t.amount >= ${limits.sweeps.leastAmount})
      and last.state is distinct from 'LIVE'
      and (t.sweep_rests_until is null or t.sweep_rests_until <= ${now})
      and (failed.times = 0 or last.ended_at + interval '1 ms' * ${failedRestMs}
        * power(2, least(failed.times, ${failuresCounted})) <= ${now})
      and t.amount = (
        select coalesce(sum(p.amount), 0) from payments p
        where p.environment_id = a.environment_id and p.account_id = a.id and p.asset = t.asset)
      - (select coalesce(sum(p.amount), 0) from sweep_parts p
        join sweeps s on s.rail = p.rail and s.id = p.sweep_id and s.state = 'LANDED'
        where p.rail = t.rail and p.token_account = t.address)
    order by t.asset, t.address limit ${limits.sweeps.accountsAtOnce}`)
}

/** One coin a transaction; those that failed together are tried one by one. */
function plan(now: Date, candidates: Candidate[], most: number): Planned[] {
  const groups = new Map<string, Candidate[][]>()
  for (const candidate of candidates) {
    const key = candidate.isAlone ? candidate.tokenAccount : candidate.asset
    const lists = groups.get(key) ?? [[]]
    if (lists.at(-1)!.length === most) lists.push([])
    lists.at(-1)!.push(candidate)
    groups.set(key, lists)
  }
  return [...groups.values()].flat().map((parts) => {
    const id = newId(now)
    return { id, reference: sweepReference(id), asset: parts[0]!.asset, parts }
  })
}

/**
 * Whether it may be sent. Somebody else may have swept the same, and even have brought it to its
 * end, while this was signed: then nothing has happened.
 */
async function save(
  db: Database,
  now: Date,
  rail: string,
  { id, asset, reference, parts }: Planned,
  prepared: Prepared,
): Promise<boolean> {
  const amount = parts.reduce((sum, part) => sum + part.amount, 0n)
  try {
    return await db.transaction(async (tx) => {
      const unchanged = await lockUnchanged(tx, rail, parts)
      if (unchanged.length < parts.length) return false
      insertSweep(tx, now, { ...prepared, rail, id, reference, asset, amount }, parts)
      return true
    })
  } catch (error) {
    if (isTransient(error)) return false
    throw error
  }
}
