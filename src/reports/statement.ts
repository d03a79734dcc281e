import {
  findStatementPart,
  placeOf,
  type StatementKey,
  type StatementPart,
} from '../ledger/statement.js'
import { findVatRates } from '../ledger/vat-rates.js'
import type { PayoutKind } from '../payouts/payout.js'
import { listLimits } from '../postgres/limits.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { Period } from './calendar.js'
import { type EntrySum, entryLines } from './entries.js'
import { sumFees } from './fees.js'
import { sumReceived } from './money.js'
import { readSent } from './sent.js'

export type StatementSummary = StatementPart & {
  /** From payments; of a sub-account, its shares. */
  received: bigint
  /** Test money and credits of the operator. */
  added: bigint
  /** Converted into this asset, less what was converted out of it. */
  converted: bigint
  refunded: bigint
  /** Moved to sub-accounts, less what came from them; of a sub-account, moved to the merchant. */
  moved: bigint
  paidOut: bigint
  fees: bigint
  /** Charged with bank transfers, less what was given back. */
  levies: bigint
  /** The part of `fees` that is VAT. */
  feeVat: bigint
  /** Held for payouts and refunds that did not leave in the period, less what was held before. */
  setAside: bigint
}

const always: Period = { from: new Date(0), to: new Date('9999-12-31T00:00:00Z') }

/**
 * What changed a balance in a period:
 * opening + received + added + converted − moved − refunded − paidOut − fees − levies − setAside
 * = closing.
 * Undefined if it has more entries than are added up at once.
 */
export async function summarizeStatement(
  db: Queryable,
  key: StatementKey,
  times: { from?: Date | undefined; to?: Date | undefined },
): Promise<StatementSummary | undefined> {
  const part = await findStatementPart(db, key, times)
  if (part.count > BigInt(listLimits.entriesSummedMax)) return undefined
  const entries = await sumPart(db, key, part)
  const kinds: PayoutKind[] =
    key.asset === 'NGN' ? ['bank_transfer', 'bank_return'] : ['crypto_transfer', 'crypto_return']
  const { from = always.from, to = always.to } = times
  const sent = await readSent(db, key, { from, to, bucket: 'day', kinds })
  const refunded = sent.reduce((sum, day) => sum + day.refunded, 0n)
  const paidOut = sent.reduce((sum, day) => sum + day.paidOut, 0n)
  const of = (...names: string[]) =>
    entries
      .filter(({ purpose, effect }) => names.includes(`${purpose} ${effect}`))
      .reduce((sum, { amount }) => sum + amount, 0n)
  const fees = sumFees(entries)
  const isOwn = key.subaccountId === undefined
  const held = of('bank_payout hold', 'crypto_payout hold', 'payment_refund hold')
  const givenBack = of('bank_payout release', 'crypto_payout release', 'payment_refund release')
  const leviesGivenBack = of('bank_payout_levy release', 'bank_payout_levy_reversal post')
  const cameBack = of('bank_payout_reversal post', 'payment_refund_reversal post')
  return {
    ...part,
    received: sumReceived(entries) + (isOwn ? 0n : of(...fromPayments)),
    added: of('test_funding post', 'operator_credit post'),
    converted: of('conversion_credit post') - of('conversion post'),
    moved: isOwn
      ? of(...fromPayments, ...toSubaccounts) - of(...toMerchant)
      : of(...toMerchant) - of(...toSubaccounts),
    refunded,
    paidOut,
    fees: fees.kept,
    feeVat: fees.vat,
    levies: of('bank_payout_levy hold') - leviesGivenBack,
    setAside: held - givenBack - cameBack - refunded - paidOut,
  }
}

/** Shares of payments, at once or when they are released. */
const fromPayments = ['split post', 'split_release post']
const toSubaccounts = [
  'subaccount_transfer post',
  'split_refund_reversal post',
  'split_refund_pending_reversal post',
]
const toMerchant = [
  'subaccount_transfer_back post',
  'split_refund post',
  'split_refund_pending post',
  'split_recovered post',
  'transfer_recovered post',
  'take_back_recovered post',
  'payout_recovered post',
]

async function sumPart(
  db: Queryable,
  key: StatementKey,
  { firstNumber, lastNumber }: StatementPart,
): Promise<Omit<EntrySum, 'start'>[]> {
  const rates = await findVatRates(db, key.environmentId)
  const { own: statement, entryNumber } = placeOf(key)
  const own = sql`${statement} and ${entryNumber} >= ${firstNumber ?? 1n}
    and ${entryNumber} <= ${lastNumber ?? 0n}`
  return db.rows(sql<Omit<EntrySum, 'start'>>`
    select purpose, effect, sum(amount)::bigint as amount, sum(vat)::bigint as vat
    from (${entryLines(own, rates)}) lines
    group by purpose, effect`)
}
