import type { Refusal } from '../../../base/refusal.js'
import { readAccounts } from '../accounts.js'
import type { Mints } from '../programs.js'
import type { RpcNodes } from '../rpc/nodes.js'
import {
  type DestinationAccounts,
  judgeDestination,
  mustBeCreated,
  refuseOurs,
} from './judge-destination.js'
import type { ResolvedTarget } from './resolve-target.js'
import { judgeSimulation, type SimulationVerdict, simulateAll } from './simulate.js'
import type { Templates } from './template.js'

export type VerifiedDestination = {
  needsTokenAccount: boolean
  /** The simulation found that the treasury lacks the money. */
  isShort?: true
}

type DestinationDependencies = {
  nodes: RpcNodes
  templates: Templates
  mints: Mints
  findOurAddresses: (addresses: string[]) => Promise<Set<string>>
}

/** Placeholders for the simulation; the memo is as long as a reference. */
const memo = 'inspection-0000000000000000'
const blockhash = new Uint8Array(32)

/**
 * Reads the destination accounts and, at the same time, simulates the transfers. A refusal from the
 * accounts wins: it tells the caller more than a failed simulation.
 */
export async function checkDestinations(
  dependencies: DestinationDependencies,
  targets: ResolvedTarget[],
): Promise<(VerifiedDestination | Refusal)[]> {
  const addresses = targets.map(({ recipient }) => recipient.wallet.address)
  const [accounts, simulated, ours] = await Promise.all([
    readDestinations(dependencies.nodes, targets),
    simulate(dependencies, targets),
    dependencies.findOurAddresses(addresses),
  ])
  return targets.map(({ coin, recipient }, index) => {
    const { wallet, isOnCurve } = recipient
    // Paid to a deposit wallet, the coins would come in again as a payment to its merchant.
    if (ours.has(wallet.address)) return refuseOurs(wallet.address)
    const destination = { address: wallet.address, mint: dependencies.mints[coin], isOnCurve }
    const refusal = judgeDestination(destination, accounts[index]!)
    if (refusal) return refusal
    const needsTokenAccount = mustBeCreated(accounts[index]!)
    const verdict = simulated[index]
    if (verdict === 'treasury_short') return { needsTokenAccount, isShort: true }
    return verdict ?? { needsTokenAccount }
  })
}

async function readDestinations(
  nodes: RpcNodes,
  targets: ResolvedTarget[],
): Promise<DestinationAccounts[]> {
  const addresses = targets.flatMap(({ recipient: { wallet, tokenAccount } }) => [
    wallet.address,
    tokenAccount.address,
  ])
  const accounts = await readAccounts(nodes, addresses, 'confirmed')
  return targets.map((_, index) => {
    return { wallet: accounts[2 * index]!, tokenAccount: accounts[2 * index + 1]! }
  })
}

async function simulate(
  { nodes, templates }: DestinationDependencies,
  targets: ResolvedTarget[],
): Promise<SimulationVerdict[]> {
  const messages = targets.map((target) => templates.write({ ...target, memo, blockhash }))
  return (await simulateAll(nodes, messages)).map(judgeSimulation)
}
