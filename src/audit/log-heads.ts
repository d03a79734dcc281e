import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import { chainName } from './chain.js'
import type { KnownHead } from './verify-chain.js'

/**
 * Writes the head of every chain that grew to the log, once a day. A log that is kept elsewhere
 * proves later that a chain was not rewritten: `manilla verify-audit --head`.
 */
export async function logAuditHeads(
  { db, logger }: { db: Database; logger: Logger },
  now: Date,
): Promise<number> {
  const { headsLoggedEveryMs, headsLoggedPerBatchMax } = limits.audit
  const before = new Date(now.getTime() - headsLoggedEveryMs)
  return db.transaction(async (tx) => {
    const heads = await tx.rows(sql<KnownHead>`
      insert into audit_logged_heads as logged (chain, number, hash, logged_at)
      select h.chain, h.number, h.hash, ${now}
      from audit_heads h left join audit_logged_heads l on l.chain = h.chain
      where h.number > coalesce(l.number, 0) and (l.chain is null or l.logged_at <= ${before})
      order by h.chain limit ${headsLoggedPerBatchMax}
      on conflict (chain) do update
        set number = excluded.number, hash = excluded.hash, logged_at = excluded.logged_at
        where logged.logged_at <= ${before}
      returning chain, number, hash`)
    // Before the commit: a head that is logged twice does no harm, one that is not logged does.
    for (const { chain, number, hash } of heads)
      logger.info({ head: `${chainName(chain)}=${number}:${hash.toString('hex')}` }, 'audit head')
    return heads.length
  })
}
