import { limits } from '../../../base/limits.js'
import type { PreparedAttempt } from '../../../payouts/ports.js'
import type { TransactionError } from '../rpc/chain-errors.js'
import type { RpcNode } from '../rpc/node.js'
import { callAll, inGroups } from '../rpc/nodes.js'
import type { RpcCall } from '../rpc/rpc-schemas.js'
import { blockhashOf } from '../rpc/wire.js'

/** What one node reports about the signature of an attempt. */
export type SignatureReport = {
  /** Null: the node does not know the signature. */
  status: SignatureStatus | null
  /** The slot at which the node answered. */
  slot: bigint
  /** Whether it searched its whole history, not only the last minutes. */
  isHistorySearched: boolean
  /** Whether a block after the finalized one may still include the attempt. */
  isBlockhashValid: boolean
}

type SignatureStatus = {
  slot: bigint
  isFinalized: boolean
  error: TransactionError | null
}

/** One node's view of the chain. The height is read first, the signatures after it. */
export type NodeView = {
  host: string
  /** Finalized block height and its slot. */
  height: bigint
  slot: bigint
  /** Older blocks are pruned. */
  firstAvailableSlot: bigint
  reports: Map<string, SignatureReport>
}

export type ChainContext = { isEmbedded: boolean }

type SignatureStatuses = {
  context: { slot: number }
  value: ({
    slot: number
    confirmationStatus?: string | null
    err: TransactionError | null
  } | null)[]
}

/** Throws when the node leaves a call unanswered. */
export async function checkAttempts(
  node: RpcNode,
  attempts: PreparedAttempt[],
  { isEmbedded }: ChainContext,
): Promise<NodeView> {
  const { height, slot } = await readFinalized(node)
  const isPastValidity = ({ validUntil }: PreparedAttempt) => height > validUntil!
  const old = attempts.filter(isPastValidity)
  const recent = attempts.filter((attempt) => !isPastValidity(attempt))
  const validBlockhashes = await findValidBlockhashes(node, old, slot)
  const mayBePruned = old.length > 0 && !isEmbedded
  const firstAvailableSlot = mayBePruned ? await readFirstAvailableSlot(node) : 0n
  const reports = new Map([
    ...(await readReports(node, recent, { isHistorySearched: false, validBlockhashes })),
    ...(await readReports(node, old, { isHistorySearched: true, validBlockhashes })),
  ])
  return { host: node.host, height, slot, firstAvailableSlot, reports }
}

async function readFinalized(node: RpcNode) {
  const info = await node.call<{ blockHeight: number; absoluteSlot: number }>('getEpochInfo', {
    commitment: 'finalized',
  })
  return { height: BigInt(info.blockHeight), slot: BigInt(info.absoluteSlot) }
}

/**
 * The blockhashes that blocks after the finalized one still accept. `validUntil` came from the
 * node that supplied the blockhash and may be wrong; this check does not depend on it.
 */
async function findValidBlockhashes(node: RpcNode, attempts: PreparedAttempt[], slot: bigint) {
  const hashes = [...new Set(attempts.map(({ wire }) => blockhashOf(wire)))]
  const calls: RpcCall[] = hashes.map((hash) => {
    return { method: 'isBlockhashValid', params: [hash, { commitment: 'finalized' }] }
  })
  const results = await callAll(node, calls)
  // An answer from before the finalized slot proves nothing: the blockhash counts as valid.
  const isValid = (result: unknown) => {
    const { context, value } = result as { context: { slot: number }; value: boolean }
    return value || BigInt(context.slot) < slot
  }
  return new Set(hashes.filter((_, index) => isValid(results[index])))
}

async function readFirstAvailableSlot(node: RpcNode): Promise<bigint> {
  return BigInt(await node.call<number>('getFirstAvailableBlock'))
}

async function readReports(
  node: RpcNode,
  attempts: PreparedAttempt[],
  search: { isHistorySearched: boolean; validBlockhashes: Set<string> },
): Promise<[string, SignatureReport][]> {
  const { isHistorySearched, validBlockhashes } = search
  const reports: [string, SignatureReport][] = []
  for (const group of inGroups(attempts, limits.solana.statusesPerCall)) {
    const { context, value } = await node.call<SignatureStatuses>(
      'getSignatureStatuses',
      group.map(({ token }) => token),
      { searchTransactionHistory: isHistorySearched },
    )
    for (const [index, { token, wire }] of group.entries())
      reports.push([
        token,
        {
          status: toStatus(value[index]!),
          slot: BigInt(context.slot),
          isHistorySearched,
          isBlockhashValid: !isHistorySearched || validBlockhashes.has(blockhashOf(wire)),
        },
      ])
  }
  return reports
}

function toStatus(value: SignatureStatuses['value'][number]): SignatureStatus | null {
  if (value === null) return null
  const { slot, confirmationStatus, err } = value
  return { slot: BigInt(slot), isFinalized: confirmationStatus === 'finalized', error: err }
}
