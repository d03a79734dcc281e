import type { EnvironmentId, Mode } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import type { Logger } from '../base/log.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { logFactLimits } from './limits.js'

/** Loggers that add a merchant to each line. */
type Known = Map<EnvironmentId, Logger>

/** A process has one logger and one database, and an environment never changes its merchant. */
const knownMerchants = new WeakMap<Logger, Known>()

/**
 * Logs one line per payment, payout or delivery, with its merchant. Call it after the commit. The
 * fields hold references and amounts, never data of customers. Costs nothing unless `info` is
 * logged; the first line of a merchant needs a query.
 */
export function logFacts<Fact extends { environmentId: EnvironmentId }>(
  { db, logger }: { db: Queryable; logger: Logger },
  facts: readonly Fact[],
  describe: (fact: Fact) => { message: string; fields: object },
): void {
  if (facts.length === 0 || !logger.isLevelEnabled('info')) return
  const merchants: Known = knownMerchants.get(logger) ?? new Map()
  knownMerchants.set(logger, merchants)
  const write = () => {
    for (const fact of facts) {
      const { message, fields } = describe(fact)
      const own = merchants.get(fact.environmentId) ?? logger
      own.info(fields, message)
    }
  }
  const missing = facts.map((fact) => fact.environmentId).filter((id) => !merchants.has(id))
  if (missing.length === 0) write()
  // Without the database, lines lack the merchant.
  else learn({ db, logger }, merchants, missing).then(write, write)
}

async function learn(
  { db, logger }: { db: Queryable; logger: Logger },
  known: Known,
  ids: EnvironmentId[],
): Promise<void> {
  const rows = await db.rows(sql<{ id: EnvironmentId; merchantId: string; mode: Mode }>`
    select id, merchant_id, mode from environments
    where id = any(${[...new Set(ids)]})`)
  if (known.size >= logFactLimits.merchantsCachedMax) known.clear()
  for (const { id, merchantId, mode } of rows)
    known.set(id, logger.child({ merchant: toReference(prefixes.merchant, merchantId), mode }))
}
