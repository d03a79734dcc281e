import { limits } from '../../../base/limits.js'
import type { Refusal } from '../../../base/refusal.js'
import { isTransientError, payoutFailureOf, type TransactionError } from '../rpc/chain-errors.js'
import { inGroups, type RpcNodes, resultOf } from '../rpc/nodes.js'
import { noSignature, toWireTransaction } from '../rpc/wire.js'
import { refuse } from './refuse.js'

type Simulation = { value: { err: TransactionError | null; logs: string[] | null } }

const options = {
  encoding: 'base64',
  commitment: 'confirmed',
  sigVerify: false,
  replaceRecentBlockhash: true,
}

/** Simulates the unsigned messages. Returns each one's error, or null. */
export async function simulateAll(
  nodes: RpcNodes,
  messages: Uint8Array[],
): Promise<(TransactionError | null)[]> {
  const calls = messages.map((message) => ({
    method: 'simulateTransaction',
    params: [toWireTransaction(message, noSignature).toString('base64'), options],
  }))
  const groups = inGroups(calls, limits.solana.callsPerRequestMax)
  const answers = await Promise.all(groups.map((group) => nodes.post(group)))
  return answers.flat().map((answer) => resultOf<Simulation>(answer).value.err)
}

export type SimulationVerdict = Refusal | 'treasury_short' | undefined

/** Refuses deterministic failures only: a transient one may not occur when it is sent. */
export function judgeSimulation(error: TransactionError | null): SimulationVerdict {
  if (error === null || isTransientError(error)) return undefined
  const reason = payoutFailureOf(error)
  // Before signing, the API calls this `treasury_short`; on the chain, `insufficient_treasury`.
  if (reason === 'insufficient_treasury') return 'treasury_short'
  if (reason === 'destination_frozen')
    return refuse(
      'destination_frozen',
      'The issuer froze a token account of this transfer. Ask the recipient for another wallet.',
    )
  return refuse(
    'simulation_failed',
    `The transfer would fail on the chain: ${JSON.stringify(error)}. Check the destination.`,
  )
}

/** Names no amount: what the hot wallet holds concerns the operator only. */
export function treasuryShort(): Refusal {
  return refuse(
    'treasury_short',
    'Transfers of this asset cannot be sent at the moment. Nothing was sent; retry later.',
  )
}
