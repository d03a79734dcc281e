import { limits } from '../../base/limits.js'
import type { TransactionError } from './chain-errors.js'

/** One transaction that touched an account. */
export type SignatureLine = {
  signature: string
  slot: number
  err: TransactionError | null
  memo: string | null
  /** In seconds, where the node knows. */
  blockTime?: number | null
}

type ListPage = (address: string, options: object) => Promise<SignatureLine[]>

export type Walk = { listPage: ListPage; address: string; since: bigint }

/**
 * Walks an account's history backwards to a slot, page by page. Returns whether it came that far
 * within the pages that are allowed; the end of the history counts as far enough.
 */
export async function* walkHistory(walk: Walk): AsyncGenerator<SignatureLine[], boolean> {
  const { listPage, address, since } = walk
  const limit = limits.solana.signaturesPerCall
  let before: string | undefined
  for (let pages = 0; pages < limits.solana.historyPages; pages++) {
    const page = await listPage(address, {
      commitment: 'confirmed',
      limit,
      ...(before && { before }),
    })
    const wanted = page.filter(({ slot }) => BigInt(slot) >= since)
    yield wanted
    if (page.length < limit || wanted.length < page.length) return true
    before = page.at(-1)!.signature
  }
  return false
}

/** Nodes show the memos of a transaction with their lengths, one after the other. */
export function readMemos({ memo }: SignatureLine): string[] {
  if (memo === null) return []
  return memo.split('; ').map((part) => part.replace(/^\[\d+\] /, ''))
}
