import { limits } from '../../../base/limits.js'
import type { TransactionError } from '../rpc/chain-errors.js'

/** One transaction in an account's history, as `getSignaturesForAddress` lists it. */
export type SignatureInfo = {
  signature: string
  slot: number
  err: TransactionError | null
  memo: string | null
  /** Seconds; not every node knows it. */
  blockTime?: number | null
}

type ListPage = (address: string, options: object) => Promise<SignatureInfo[]>

type HistoryWalk = { listPage: ListPage; address: string; since: bigint }

/**
 * Walks an account's history backwards to a slot, page by page. Returns whether it reached the slot
 * or the beginning of the history within the page limit.
 */
export async function* walkHistory(walk: HistoryWalk): AsyncGenerator<SignatureInfo[], boolean> {
  const { listPage, address, since } = walk
  const limit = limits.solana.signaturesPerCall
  let before: string | undefined
  for (let pages = 0; pages < limits.solana.historyPagesMax; pages++) {
    const page = await listPage(address, {
      commitment: 'confirmed',
      limit,
      ...(before && { before }),
    })
    const inRange = page.filter(({ slot }) => BigInt(slot) >= since)
    yield inRange
    if (page.length < limit || inRange.length < page.length) return true
    before = page.at(-1)!.signature
  }
  return false
}

/** Nodes join the memos of a transaction with "; " and prefix each with its length. */
export function readMemos({ memo }: SignatureInfo): string[] {
  if (memo === null) return []
  return memo.split('; ').map((part) => part.replace(/^\[\d+\] /, ''))
}
