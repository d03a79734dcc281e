import type { Logger } from '../base/log.js'
import type { Seal } from '../base/sealed.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import { chainName } from './chain.js'
import { auditLimits } from './limits.js'
import { signHead } from './signed-heads.js'
import { findLostHeads, type KnownHead } from './verify-chain.js'

/**
 * Writes the signed head of every chain to the log, minutes after it grew and at least every hour.
 * A log that is kept elsewhere proves later that a chain was neither cut nor rewritten: `manilla
 * verify-audit --since`. Logs an error for each chain that lost a line which was logged before.
 */
export async function logAuditHeads(
  { db, seal, logger }: { db: Database; seal: Seal; logger: Logger },
  now: Date,
): Promise<number> {
  const { headsLoggedEveryMs, headsRepeatedEveryMs, headsLoggedPerBatchMax } = auditLimits
  const grewBefore = new Date(now.getTime() - headsLoggedEveryMs)
  const loggedBefore = new Date(now.getTime() - headsRepeatedEveryMs)
  const logged = await db.transaction(async (tx) => {
    // A chain that lost the line logged last keeps that entry: it is the evidence.
    const heads = await tx.rows(sql<KnownHead>`
      insert into audit_logged_heads as logged (chain, number, hash, logged_at)
      select h.chain, h.number, h.hash, ${now}
      from audit_heads h
      left join audit_logged_heads l on l.chain = h.chain
      left join audit_lines line
        on line.chain = l.chain and line.number = l.number and line.hash = l.hash
      where h.number > 0 and (l.chain is null or line.id is not null and (
        l.logged_at <= ${loggedBefore} or h.number > l.number and l.logged_at <= ${grewBefore}))
      order by h.chain limit ${headsLoggedPerBatchMax}
      on conflict (chain) do update
        set number = excluded.number, hash = excluded.hash, logged_at = excluded.logged_at
        where logged.logged_at <= ${grewBefore} and excluded.number >= logged.number
      returning chain, number, hash`)
    // Before the commit: a head that is logged twice does no harm, one that is not logged does.
    for (const head of heads) logger.info({ head: signHead(seal, now, head) }, 'audit head')
    return heads.length
  })
  if (logged < headsLoggedPerBatchMax)
    for (const { chain, number } of await findLostHeads(db))
      logger.error(
        { chain: chainName(chain), number },
        'the audit log was changed: a line whose head was logged is gone; run `manilla verify-audit`',
      )
  return logged
}
