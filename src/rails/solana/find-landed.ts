import { limits } from '../../base/limits.js'
import { type Endpoints, inGroups } from './endpoints.js'

type SignatureStatuses = {
  value: ({ slot: number | string; confirmationStatus: string | null } | null)[]
}

/** The attempts that landed, with or without error, in a confirmed block up to the slot. */
export async function findLanded<Attempt extends { token: string }>(
  endpoints: Endpoints,
  attempts: Attempt[],
  slot: bigint,
): Promise<Attempt[]> {
  const groups = inGroups(attempts, limits.solana.statusesPerCall)
  const landed: Attempt[] = []
  for (const some of inGroups(groups, limits.solana.requestsInFlightMax)) {
    const results = await Promise.all(some.map((group) => readStatuses(endpoints, group)))
    const statuses = results.flatMap(({ value }) => value)
    for (const [index, attempt] of some.flat().entries()) {
      const status = statuses[index]
      const isConfirmed = status && status.confirmationStatus !== 'processed'
      if (isConfirmed && BigInt(status.slot) <= slot) landed.push(attempt)
    }
  }
  return landed
}

function readStatuses(
  endpoints: Endpoints,
  group: { token: string }[],
): Promise<SignatureStatuses> {
  const signatures = group.map(({ token }) => token)
  // A payout may have landed long ago and still be open: no worker may have run for a while.
  return endpoints.call('getSignatureStatuses', signatures, { searchTransactionHistory: true })
}
