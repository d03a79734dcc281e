import { limits } from '../../../base/limits.js'
import { inGroups, type RpcNodes } from '../rpc/nodes.js'

type SignatureStatuses = {
  value: ({ slot: number | string; confirmationStatus?: string | null } | null)[]
}

const confirmedStatuses = ['confirmed', 'finalized']

/**
 * The attempts that are in a confirmed block up to the slot, with or without error: the treasury's
 * confirmed balance at that slot reflects them. This is less than the finding `landed`, which means
 * finalized and without error.
 */
export async function findConfirmed<Attempt extends { token: string }>(
  nodes: RpcNodes,
  attempts: Attempt[],
  slot: bigint,
): Promise<Attempt[]> {
  const groups = inGroups(attempts, limits.solana.statusesPerCall)
  const confirmed: Attempt[] = []
  for (const some of inGroups(groups, limits.solana.requestsInFlightMax)) {
    const results = await Promise.all(some.map((group) => readStatuses(nodes, group)))
    const statuses = results.flatMap(({ value }) => value)
    for (const [index, attempt] of some.flat().entries()) {
      const status = statuses[index]
      const isConfirmed = status && confirmedStatuses.includes(status.confirmationStatus ?? '')
      if (isConfirmed && BigInt(status.slot) <= slot) confirmed.push(attempt)
    }
  }
  return confirmed
}

function readStatuses(nodes: RpcNodes, group: { token: string }[]): Promise<SignatureStatuses> {
  const signatures = group.map(({ token }) => token)
  // A payout may have landed long ago and still be open: no worker may have run for a while.
  return nodes.call('getSignatureStatuses', signatures, { searchTransactionHistory: true })
}
