import type { Refusal } from '../../refusal.js'
import { readAccounts } from './accounts.js'
import type { Addressed } from './destinations.js'
import type { Endpoints } from './endpoints.js'
import { type Found, judgeDestination, mustBeCreated } from './judge-destination.js'
import type { Mints } from './programs.js'
import { judgeSimulation, simulateAll } from './simulate.js'
import type { Templates } from './template.js'

export type Sound = { isCreated: boolean }

type Tools = { endpoints: Endpoints; templates: Templates; mints: Mints }

/** The shape of a reference; simulations need some memo. */
const memo = 'inspection-0000000000000000'
const anyBlockhash = new Uint8Array(32)

/** Asks the chain about many targets at once: first what they are, then whether it would work. */
export async function lookAtDestinations(
  tools: Tools,
  targets: Addressed[],
): Promise<(Sound | Refusal)[]> {
  const found = await findAll(tools.endpoints, targets)
  const refusals = targets.map(({ coin, recipient }, index) => {
    const { wallet, isOnCurve } = recipient
    const destination = { address: wallet.address, mint: tools.mints[coin], isOnCurve }
    return judgeDestination(destination, found[index]!)
  })
  const simulated = await simulate(
    tools,
    targets.filter((_, index) => !refusals[index]),
  )
  return targets.map((target, index) => {
    const refusal = refusals[index] ?? simulated.get(target)
    return refusal ?? { isCreated: mustBeCreated(found[index]!) }
  })
}

async function findAll(endpoints: Endpoints, targets: Addressed[]): Promise<Found[]> {
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
): Promise<Map<Addressed, Refusal | undefined>> {
  const messages = targets.map((target) =>
    templates.write({ ...target, memo, blockhash: anyBlockhash }),
  )
  const errors = await simulateAll(endpoints, messages)
  return new Map(targets.map((target, index) => [target, judgeSimulation(errors[index]!)]))
}
