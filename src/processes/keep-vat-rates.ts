import type { Logger } from '../base/log.js'
import { createVatReader, vatReadIntervalMs } from '../ledger/vat-rates.js'
import type { Queryable } from '../postgres/transactions/tx.js'

/** Reads the rates of VAT now, before the first answer or event shows a fee, and then regularly. */
export async function keepVatRates({
  db,
  logger,
}: {
  db: Queryable
  logger: Logger
}): Promise<NodeJS.Timeout> {
  const read = createVatReader(db)
  await read()
  return setInterval(() => {
    read().catch((error) => logger.warn({ err: error }, 'could not read the rates of VAT'))
  }, vatReadIntervalMs)
}
