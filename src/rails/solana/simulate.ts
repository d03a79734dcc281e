import { limits } from '../../base/limits.js'
import type { Refusal } from '../../base/refusal.js'
import { isPassing, reasonOf, type TransactionError } from './chain-errors.js'
import { type Endpoints, inGroups, resultOf } from './endpoints.js'
import { refuse } from './refuse.js'
import { noSignature, toWireTransaction } from './wire.js'

type Simulated = { value: { err: TransactionError | null; logs: string[] | null } }

const options = {
  encoding: 'base64',
  commitment: 'confirmed',
  sigVerify: false,
  replaceRecentBlockhash: true,
}

/** Lets a node run the messages, unsigned, on what it has. Leaves no trace. */
export async function simulateAll(
  endpoints: Endpoints,
  messages: Uint8Array[],
): Promise<(TransactionError | null)[]> {
  const calls = messages.map((message) => ({
    method: 'simulateTransaction',
    params: [toWireTransaction(message, noSignature).toString('base64'), options],
  }))
  const groups = inGroups(calls, limits.solana.callsPerRequest)
  const answers = await Promise.all(groups.map((group) => endpoints.ask(group)))
  return answers.flat().map((answer) => resultOf<Simulated>(answer).value.err)
}

/** Only what would fail each time is refused; what depends on the moment is not. */
export function judgeSimulation(error: TransactionError | null): Refusal | undefined {
  if (error === null || isPassing(error)) return undefined
  const reason = reasonOf(error)
  if (reason === 'insufficient_treasury') return treasuryShort()
  if (reason === 'destination_frozen')
    return refuse(
      'destination_frozen',
      'The issuer has frozen an account of this transfer. Ask the recipient for another wallet.',
    )
  return refuse(
    'simulation_failed',
    `The chain would refuse it: ${JSON.stringify(error)}. Check the destination.`,
  )
}

export function treasuryShort(): Refusal {
  return refuse(
    'treasury_short',
    'The hot wallet cannot cover the transfer at the moment. Nothing was done; retry later.',
  )
}
