import { after, type Clock } from '../../base/clock.js'
import { type Config, coinDecimals } from '../../base/config.js'
import type { Mode } from '../../base/environment.js'
import { createLogger } from '../../base/log.js'
import type { Rails } from '../../collections/rails.js'
import { formatCoins } from '../../money/amounts.js'
import { payoutLimits } from '../../payouts/limits.js'
import { listShortfalls } from '../../payouts/requests/report-shortfall.js'
import type { Database } from '../../postgres/database.js'
import { ChainIdentity, unpinned } from '../../rails/solana/rpc/chain-identity.js'
import { type RpcNode, WrongChain } from '../../rails/solana/rpc/node.js'
import { RpcNodes } from '../../rails/solana/rpc/nodes.js'
import { findPinnedChain } from '../../rails/solana/rpc/store-chains.js'
import { doctorLimits } from '../limits.js'
import { readOpenPayoutTotal, type WatchedTreasury } from '../metrics/watch-treasuries.js'
import { type CheckResult, failure, ok, runCheck, warning } from './check-result.js'

/** Checks every node on its own: the rail itself would work with a majority. */
export async function examineEndpoints(
  config: Config,
  mode: Mode,
  { db, clock, localnetUrl }: { db: Database; clock: Clock; localnetUrl?: string | undefined },
): Promise<CheckResult[]> {
  const urls = localnetUrl === undefined ? config.solana[mode].urls : [localnetUrl]
  if (urls.length === 0) return []
  // A check stores nothing.
  const pinned = { ...unpinned, find: () => findPinnedChain(db, mode) }
  const identity = new ChainIdentity(
    mode === 'live' ? 'mainnet' : 'not-mainnet',
    localnetUrl === undefined ? pinned : unpinned,
  )
  const endpoints = new RpcNodes(urls, identity, createLogger('silent'))
  const check = `Solana (${mode})`
  const variable = `SOLANA_${mode.toUpperCase()}_RPC_URLS`
  const fix = `Check ${variable}, and that this machine can reach it.`
  const examineNode = async (endpoint: RpcNode) => {
    try {
      return [await examineEndpoint(endpoint, check, clock)]
    } catch (error) {
      if (!(error instanceof WrongChain)) throw error
      const remove = `Remove the node from ${variable}, or ask its provider: no answer of it is used.`
      return [failure(check, error.message, remove)]
    }
  }
  try {
    const unclear = await endpoints.verifyChains().catch((error: Error) => error)
    if (unclear && identity.genesisHash === undefined)
      return [failure(check, unclear.message, `Name nodes of one chain in ${variable}.`)]
    const checks = endpoints.all.map((endpoint) =>
      runCheck(check, fix, () => examineNode(endpoint)),
    )
    return (await Promise.all(checks)).flat()
  } finally {
    endpoints.close()
  }
}

async function examineEndpoint(
  endpoint: RpcNode,
  check: string,
  clock: Clock,
): Promise<CheckResult> {
  const finalized = { commitment: 'finalized' }
  const [slot] = await endpoint.post([{ method: 'getSlot', params: [finalized] }])
  if (slot!.error) throw new Error(`${endpoint.host} responds: ${slot!.error.message}`)
  const [time] = await endpoint.post([{ method: 'getBlockTime', params: [slot!.result] }])
  const message = `${endpoint.host} responds at slot ${slot!.result}`
  // The embedded chain has no block times.
  if (typeof time!.result !== 'number') return ok(check, `${message}; block time not available`)
  const offSeconds = Math.abs(clock.now().getTime() / 1_000 - time!.result)
  if (offSeconds > doctorLimits.chainSkewMaxSeconds) {
    const lag = `${endpoint.host}: last finalized block is ${Math.round(offSeconds)} s off the clock`
    return warning(check, lag, "Check whether the node is behind or this machine's clock is wrong.")
  }
  return ok(check, message)
}

export type ExaminedRails = { treasuries: WatchedTreasury[]; rails: Rails }

/** Payouts of the last hour that merchants could afford and the operator's funds did not cover. */
export async function examineShortfalls({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<CheckResult[]> {
  const since = after(clock.now(), -payoutLimits.shortfallShownMs)
  const recent = (await listShortfalls(db)).filter(({ refusedAt }) => refusedAt >= since)
  return recent.map(({ rail, asset, refusals, refusedAt }) =>
    failure(
      'Funds',
      `${rail} could not cover payouts in ${asset} that merchants can afford: ${refusals} so far, the last at ${refusedAt.toISOString()}`,
      'Top up the hot wallet, or the account at the bank. Refused merchants get `Retry-After`.',
    ),
  )
}

/** Whether the hot wallets cover open payouts, the configured floors, and fees. */
export async function examineTreasuries(
  db: Database,
  rails: ExaminedRails,
): Promise<CheckResult[]> {
  const checks = rails.treasuries.map((treasury) => {
    const check = `Treasury (${treasury.mode})`
    return runCheck(check, 'Fix the RPC nodes first.', () => examineTreasury(db, treasury, check))
  })
  return (await Promise.all(checks)).flat()
}

async function examineTreasury(
  db: Database,
  { mode, rail, floors }: WatchedTreasury,
  check: string,
): Promise<CheckResult[]> {
  const balances = await rail.treasuryBalances()
  const coins = Object.keys(coinDecimals) as (keyof typeof coinDecimals)[]
  const missing: string[] = []
  for (const coin of coins) {
    // Every transaction costs lamports.
    const floor = floors[coin] ?? (coin === 'SOL' ? 1n : 0n)
    const needed = (await readOpenPayoutTotal(db, mode, coin)) + floor
    if (balances[coin] < needed)
      missing.push(formatCoins(needed - balances[coin], coin, coinDecimals[coin]))
  }
  const held = coins.map((coin) => formatCoins(balances[coin], coin, coinDecimals[coin]))
  if (missing.length === 0) return [ok(check, held.join(', '))]
  const message = `holds ${held.join(', ')}; short of ${missing.join(' and ')}`
  return [failure(check, message, `Send ${missing.join(' and ')} to ${rail.treasuryAddress}.`)]
}
