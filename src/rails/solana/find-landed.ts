import { limits } from '../../base/limits.js'
import { type Endpoints, inGroups } from './endpoints.js'

type Statuses = {
  value: ({ slot: number | string; confirmationStatus: string | null } | null)[]
}

/** Those that landed, well or not, in a confirmed block that is not newer than the slot. */
export async function findLanded<Sent extends { token: string }>(
  endpoints: Endpoints,
  sent: Sent[],
  slot: bigint,
): Promise<Sent[]> {
  const groups = inGroups(sent, limits.solana.statusesPerCall)
  const landed: Sent[] = []
  for (const some of inGroups(groups, limits.solana.requestsUnderWay)) {
    const answers = await Promise.all(some.map((group) => findStatuses(endpoints, group)))
    const statuses = answers.flatMap(({ value }) => value)
    for (const [index, one] of some.flat().entries()) {
      const status = statuses[index]
      const isConfirmed = status && status.confirmationStatus !== 'processed'
      if (isConfirmed && BigInt(status.slot) <= slot) landed.push(one)
    }
  }
  return landed
}

function findStatuses(endpoints: Endpoints, group: { token: string }[]): Promise<Statuses> {
  const tokens = group.map(({ token }) => token)
  // What landed long ago may be open yet, where nobody has looked after payouts for a while.
  return endpoints.call('getSignatureStatuses', tokens, { searchTransactionHistory: true })
}
