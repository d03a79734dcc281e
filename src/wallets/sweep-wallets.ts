import { after, type Clock, type RealTime } from '../base/clock.js'
import { newId } from '../base/ids.js'
import type { Logger } from '../base/log.js'
import { Refusal } from '../base/refusal.js'
import type { SweepRequest, WalletRail } from '../collections/ports.js'
import type { Coin } from '../money/assets.js'
import type { PreparedAttempt } from '../payouts/ports.js'
import type { Database } from '../postgres/database.js'
import { named } from '../postgres/named.js'
import { sql } from '../postgres/sql.js'
import { isTransient } from '../postgres/wire/failures.js'
import { sweepLimits } from './limits.js'
import {
  insertSweep,
  lockUnchanged,
  restUnsigned,
  type SweepPart,
  sweepReference,
} from './store-sweeps.js'

type SweepDependencies = { db: Database; rail: WalletRail; clock: Clock; logger: Logger }

type Candidate = SweepPart & {
  asset: Coin
  /** Swept alone: its last sweep failed or was not signed. */
  isAlone: boolean
}

type PlannedSweep = SweepRequest & { id: string; parts: Candidate[] }

/**
 * Signs, saves and sends transactions that move coins from wallets to the treasury. If a sweep is
 * not signed, each of its parts is tried alone; a part that is not signed alone backs off. Returns
 * how many token accounts were due.
 */
export async function sweepWallets(dependencies: SweepDependencies, now: Date): Promise<number> {
  const { db, rail } = dependencies
  if (!(await rail.isChainKnown())) return 0
  const candidates = await findCandidates(db, now, rail.name)
  if (candidates.length === 0) return 0
  const refused = await sweepAll(dependencies, plan(now, candidates, rail.partsPerSweep))
  const groups = refused.filter(({ parts }) => parts.length > 1)
  const parts = groups.flatMap((group) => group.parts)
  const alone = parts.map((part) => ({ ...part, isAlone: true }))
  const refusedAgain = alone.length > 0 ? await sweepAll(dependencies, plan(now, alone, 1)) : []
  const resting = [...refused, ...refusedAgain].filter((sweep) => sweep.parts.length === 1)
  await restUnsigned(
    db,
    now,
    resting.map((sweep) => ({ rail: rail.name, address: sweep.parts[0]!.tokenAccount })),
  )
  return candidates.length
}

/** Returns the sweeps that were not signed. */
async function sweepAll({ db, rail, clock, logger }: SweepDependencies, planned: PlannedSweep[]) {
  const prepared = await rail.prepareSweeps(planned)
  const refused: PlannedSweep[] = []
  for (const [index, sweep] of planned.entries()) {
    const outcome = prepared[index]!
    if (outcome instanceof Refusal) {
      const accounts = sweep.parts.map(({ tokenAccount }) => tokenAccount)
      const { reason, message } = outcome
      logger.warn({ reason, message, accounts }, 'a sweep was not signed')
      refused.push(sweep)
    } else if (await save(db, clock.now(), rail.name, sweep, outcome))
      await rail.sendSweeps([{ ...outcome, ...sweep }])
  }
  return refused
}

/**
 * Token accounts whose balance on the chain equals that in the books: every deposit is judged, and
 * no sweep is live. Accounts whose sweep failed back off exponentially, because every attempt on a
 * frozen account costs a fee.
 */
async function findCandidates(db: Database, now: RealTime, rail: string): Promise<Candidate[]> {
  const { failedRetryDelayMs, failuresCountedMax, failuresCountedMs } = sweepLimits
  const found = sql<Candidate>`
    select a.environment_id, a.id as account_id, t.asset, t.amount, t.address as token_account,
      w.address as wallet, w.number as wallet_number, a.kind = 'crypto_wallet' as is_closing,
      (t.unsigned_sweeps > 0 or coalesce(last.state = 'FAILED', false)) as is_alone
    from token_accounts t
    join wallets w on w.rail = t.rail and w.address = t.wallet
    join collection_accounts a on a.rail = t.rail and a.rail_account = t.wallet
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
      and (a.kind = 'crypto_wallet' or t.amount >= ${sweepLimits.amountMin})
      and last.state is distinct from 'LIVE'
      and (t.sweep_rests_until is null or t.sweep_rests_until <= ${now})
      and (failed.times = 0 or last.ended_at + interval '1 ms' * ${failedRetryDelayMs}
        * power(2, least(failed.times, ${failuresCountedMax})) <= ${now})
      and t.amount = (
        select coalesce(sum(p.amount), 0) from payments p
        where p.environment_id = a.environment_id and p.account_id = a.id and p.asset = t.asset)
      - (select coalesce(sum(p.amount), 0) from sweep_parts p
        join sweeps s on s.rail = p.rail and s.id = p.sweep_id and s.state = 'LANDED'
        where p.rail = t.rail and p.token_account = t.address)
    order by t.asset, t.address limit ${sweepLimits.accountsPerBatchMax}`
  return db.rows(named('find_sweep_candidates', found))
}

/** One coin per sweep, at most `partsMax` parts. */
function plan(now: Date, candidates: Candidate[], partsMax: number): PlannedSweep[] {
  const groups = new Map<string, Candidate[][]>()
  for (const candidate of candidates) {
    const key = candidate.isAlone ? candidate.tokenAccount : candidate.asset
    const lists = groups.get(key) ?? [[]]
    if (lists.at(-1)!.length === partsMax) lists.push([])
    lists.at(-1)!.push(candidate)
    groups.set(key, lists)
  }
  return [...groups.values()].flat().map((parts) => {
    const id = newId(now)
    return { id, reference: sweepReference(id), asset: parts[0]!.asset, parts }
  })
}

/**
 * Returns whether the sweep may be sent: not if another worker swept one of the accounts while this
 * sweep was being signed.
 */
async function save(
  db: Database,
  now: RealTime,
  rail: string,
  { id, asset, reference, parts }: PlannedSweep,
  prepared: PreparedAttempt,
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
