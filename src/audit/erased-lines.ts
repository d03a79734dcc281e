import type { RealTime } from '../base/clock.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { installationChain } from './chain.js'
import { type ChainedLine, hashLine } from './hash-line.js'
import { type AuditActor, writeAuditLine } from './write-line.js'

const action = 'audit.erase'

/** The columns of a line, as it is hashed. */
export const lineColumns: Sql = sql.raw(`chain, number, id, actor, action, merchant_id,
  environment_id, details::text as details,
  (extract(epoch from created_at) * 1000000)::bigint as created_at_us, user_id, session_id, address,
  request_id, previous_hash, hash`)

/**
 * Records, in the same chain, which lines a person was erased from, with the hash of what remains.
 * So every edit of a line is in the log. Call it in the transaction that edited the lines.
 */
export async function recordErasedLines(
  tx: Tx,
  now: RealTime,
  { actor, ids }: { actor: AuditActor; ids: string[] },
): Promise<void> {
  const lines = await readLines(tx, ids)
  for (const chain of new Set(lines.map((line) => line.chain))) {
    const erased = lines
      .filter((line) => line.chain === chain)
      .map((line) => ({ number: `${line.number}`, hash: hashLine(line).toString('hex') }))
    const details = { lines: erased }
    const isOfInstallation = chain === installationChain
    writeAuditLine(tx, now, {
      actor,
      action,
      merchantId: isOfInstallation ? undefined : chain,
      details,
      log: isOfInstallation ? 'installation' : 'merchant',
    })
  }
}

function readLines(db: Queryable, ids: string[]): Promise<ChainedLine[]> {
  return db.rows(sql<ChainedLine>`
    select ${lineColumns} from audit_lines where id = any (${ids}::uuid[]) order by chain, number`)
}

/** What `recordErasedLines` wrote; empty for any other line. */
export function readErasedLines({
  action: done,
  details,
}: Pick<ChainedLine, 'action' | 'details'>): { number: bigint; hash: string }[] {
  if (done !== action) return []
  const { lines } = JSON.parse(details) as { lines: { number: string; hash: string }[] }
  return lines.map(({ number, hash }) => ({ number: BigInt(number), hash }))
}
