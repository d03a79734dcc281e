import type { Refusal } from '../../base/refusal.js'
import { readAccounts } from './accounts.js'
import type { Addressed } from './destinations.js'
import type { Endpoints } from './endpoints.js'
import { type DestinationAccounts, judgeDestination, mustBeCreated } from './judge-destination.js'
import type { Mints } from './programs.js'
import { judgeSimulation, simulateAll } from './simulate.js'
import type { Templates } from './template.js'

export type VerifiedDestination = { isCreated: boolean }

type Tools = { endpoints: Endpoints; templates: Templates; mints: Mints }

/** The shape of a reference; simulations need some memo. */
const memo = 'inspection-0000000000000000'
const anyBlockhash = new Uint8Array(32)

/**
 * Asks the chain about many targets at once: what they are and, without waiting for that, whether
 * it would work. What they are is said first: it tells the caller more than a failed simulation.
 */
export async function checkDestinations(
  tools: Tools,
  targets: Addressed[],
): Promise<(VerifiedDestination | Refusal)[]> {
  const [found, simulated] = await Promise.all([
    findAll(tools.endpoints, targets),
    simulate(tools, targets),
  ])
  return targets.map(({ coin, recipient }, index) => {
    const { wallet, isOnCurve } = recipient
    const destination = { address: wallet.address, mint: tools.mints[coin], isOnCurve }
    const refusal = judgeDestination(destination, found[index]!) ?? simulated[index]
    return refusal ?? { isCreated: mustBeCreated(found[index]!) }
  })
}

async function findAll(endpoints: Endpoints, targets: Addressed[]): Promise<DestinationAccounts[]> {
  const addresses = targets.flatMap(({ recipient: { wallet, tokenAccount } }) => [
    wallet.address,
    tokenAccount.address,
  ])
  const accounts = await readAccounts(endpoints, addresses, 'confirmed')
  return targets.map((_, index) => {
    return { wallet: accounts[2 * index]!, tokenAccount: accounts[2 * index + 1]! }
  })
}

async function simulate(
  { endpoints, templates }: Tools,
  targets: Addressed[],
): Promise<(Refusal | undefined)[]> {
  const messages = targets.map((target) =>
    templates.write({ ...target, memo, blockhash: anyBlockhash }),
  )
  return (await simulateAll(endpoints, messages)).map(judgeSimulation)
}
