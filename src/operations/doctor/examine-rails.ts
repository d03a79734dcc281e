import type { Clock } from '../../base/clock.js'
import { type Config, coinDecimals } from '../../base/config.js'
import type { Mode } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { formatUnits } from '../../money/amounts.js'
import type { Database } from '../../postgres/database.js'
import { ChainIdentity } from '../../rails/solana/chain-identity.js'
import { RpcEndpoint } from '../../rails/solana/endpoint.js'
import { readOpenCommitments, type WatchedTreasury } from '../watch-treasuries.js'
import { type CheckResult, remark, runCheck, well, wrong } from './finding.js'

/** Every node by itself: the rail is content with one that answers. */
export async function examineNodes(
  config: Config,
  mode: Mode,
  tools: { clock: Clock; urls?: string[] },
): Promise<CheckResult[]> {
  const urls = tools.urls ?? config.solana[mode].urls
  const identity = new ChainIdentity(mode === 'live' ? 'mainnet' : 'not-mainnet')
  const looks = urls.map((url) => {
    const about = `Solana, ${mode}`
    const mend = `Check SOLANA_${mode.toUpperCase()}_RPC_URLS, and that this machine may go there.`
    return runCheck(about, mend, async () => {
      const endpoint = new RpcEndpoint(url, identity)
      try {
        return [await examineNode(endpoint, about, tools.clock)]
      } finally {
        endpoint.close()
      }
    })
  })
  return (await Promise.all(looks)).flat()
}

async function examineNode(
  endpoint: RpcEndpoint,
  about: string,
  clock: Clock,
): Promise<CheckResult> {
  const finalized = { commitment: 'finalized' }
  const [slot] = await endpoint.post([{ method: 'getSlot', params: [finalized] }])
  if (slot!.error) throw new Error(`${endpoint.host} answers: ${slot!.error.message}`)
  const [time] = await endpoint.post([{ method: 'getBlockTime', params: [slot!.result] }])
  const answers = `${endpoint.host} answers, at slot ${slot!.result}`
  // The embedded chain has none, and is of this machine.
  if (typeof time!.result !== 'number') return well(about, `${answers}; it tells no time`)
  const offSeconds = Math.abs(clock.now().getTime() / 1_000 - time!.result)
  if (offSeconds > limits.doctor.chainSeconds) {
    const says = `${endpoint.host}: its last final block is ${Math.round(offSeconds)} s from now`
    return remark(about, says, 'Is the node behind, or the clock of this machine wrong?')
  }
  return well(about, answers)
}

export type ExaminedRails = { treasuries: WatchedTreasury[] }

/** Whether the hot wallets hold what is promised, the floors that were set, and fees. */
export async function examineTreasuries(
  db: Database,
  rails: ExaminedRails,
): Promise<CheckResult[]> {
  const looks = rails.treasuries.map((treasury) => {
    const about = `Treasury, ${treasury.mode}`
    return runCheck(about, 'Its nodes have to answer first.', () =>
      examineTreasury(db, treasury, about),
    )
  })
  return (await Promise.all(looks)).flat()
}

async function examineTreasury(
  db: Database,
  { mode, rail, floors }: WatchedTreasury,
  about: string,
): Promise<CheckResult[]> {
  const balances = await rail.treasuryBalances()
  const coins = Object.keys(coinDecimals) as (keyof typeof coinDecimals)[]
  const lacking: string[] = []
  for (const coin of coins) {
    // Without lamports nothing can be signed for at all.
    const floor = floors[coin] ?? (coin === 'SOL' ? 1n : 0n)
    const wanted = (await readOpenCommitments(db, mode, coin)) + floor
    if (balances[coin] < wanted)
      lacking.push(`${formatUnits(wanted - balances[coin], coinDecimals[coin])} ${coin}`)
  }
  const held = coins.map((coin) => `${formatUnits(balances[coin], coinDecimals[coin])} ${coin}`)
  if (lacking.length === 0) return [well(about, held.join(', '))]
  const says = `holds ${held.join(', ')}; it lacks ${lacking.join(' and ')}`
  return [wrong(about, says, `Send it to ${rail.treasuryAddress}.`)]
}
