import type { RealTime } from '../base/clock.js'
import { sql } from '../postgres/sql.js'
import { upsert } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { noHash } from './hash-line.js'
import type { ChainVerdict } from './verify-chain.js'

export type ChainState = {
  number: bigint
  hash: Buffer
  /** When the chain was last verified on request; null: never. */
  verifiedAt: Date | null
  /** What was wrong then; null: nothing. */
  fault: string | null
}

export async function getChainState(db: Queryable, chain: string): Promise<ChainState> {
  const [row] = await db.rows(sql<ChainState>`
    select coalesce(h.number, 0) as number, coalesce(h.hash, ${noHash}) as hash,
      v.verified_at, v.fault
    from (select) one
    left join audit_heads h on h.chain = ${chain}::uuid
    left join audit_verifications v on v.chain = ${chain}::uuid`)
  return row!
}

export function storeVerification(
  tx: Tx,
  now: RealTime,
  { chain, lines, faults }: ChainVerdict,
): void {
  const fault = faults[0]?.message ?? null
  tx.write(upsert('audit_verifications', { chain }, { verifiedAt: now, lines, fault }))
}
