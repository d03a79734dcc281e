import type { Clock } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import type { BankRail } from '../../collections/ports.js'
import { formatMoney } from '../../money/amounts.js'
import type { Database } from '../../postgres/database.js'
import { alertOnceADay } from '../alert-operators.js'
import type { FundFigures } from './fund-figures.js'

export type WatchedFloat = { bank: BankRail; floatMin: bigint }

/** Logs an error if a bank holds less for payouts than configured. Returns 1 then, else 0. */
export async function watchFloat(
  {
    db,
    clock,
    logger,
    figures,
  }: { db: Database; clock: Clock; logger: Logger; figures: FundFigures },
  { bank, floatMin }: WatchedFloat,
): Promise<number> {
  const float = await bank.readFloat()
  if (float === null) return 0
  figures.noteFloat(bank.name, { float, floatMin })
  if (float >= floatMin) return 0
  logger.error(
    { bank: bank.name, float: formatMoney(float, 'NGN'), min: formatMoney(floatMin, 'NGN') },
    'too little money for payouts at the bank: top it up',
  )
  await alertOnceADay(db, clock.now(), {
    name: `float/${bank.name}`,
    subject: `Too little money for payouts at ${bank.name}`,
    blocks: [
      { type: 'amount', label: 'Balance for payouts', amount: formatMoney(float, 'NGN') },
      { type: 'facts', facts: [['Minimum', formatMoney(floatMin, 'NGN')]] },
      { type: 'paragraph', text: 'Top it up. The bank refuses payouts that it does not cover.' },
    ],
    path: '/operator/rails',
  })
  return 1
}

/** Logs problems with the setup at each bank. Never throws, so that it cannot stop the start. */
export async function logBankFindings(logger: Logger, banks: BankRail[]): Promise<void> {
  for (const bank of banks) {
    const findings = await bank.examine().catch(() => [])
    for (const { level, message, fix } of findings)
      if (level !== 'ok') logger.warn({ bank: bank.name, fix }, `bank setup: ${message}`)
  }
}
