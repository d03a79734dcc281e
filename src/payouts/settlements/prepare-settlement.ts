import { second } from '../../base/clock.js'
import type { NairaLimits } from '../../base/config.js'
import type { Environment, Mode } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { findStatementEnd, type StatementLine, sumStatement } from '../../ledger/statement.js'
import { type BankAccount, findPrimary } from '../../merchants/bank-accounts.js'
import { getFeeSchedule } from '../../merchants/fee-schedules.js'
import { getSettings } from '../../merchants/settings.js'
import { formatMoney } from '../../money/amounts.js'
import { computeFee } from '../../money/fees.js'
import type { Queryable } from '../../postgres/tx.js'
import type { PayoutPreparation, PayoutRequest, PreparedPayout } from '../prepare-payouts.js'
import { largestTransfer } from './largest-transfer.js'
import { settlementReference } from './settlement.js'
import { findLastSettlement } from './store-settlements.js'

export type SettlementTools = {
  db: Queryable
  preparation: PayoutPreparation
  naira: Record<Mode, NairaLimits>
}

/** A settlement to commit. Call `payout.finish` when it is committed or refused. */
export type PreparedSettlement = {
  id: string
  payout: PreparedPayout
  scheduledFor: Date | null
  /** Null: as much as possible. */
  requestedAmount: bigint | null
  reserve: bigint
  /** Whether the balance covers another settlement right after this one. */
  hasRest: boolean
  /** The sums of the statement so far, so that few entries are read while it is locked. */
  early: { firstEntry: bigint; lastEntry: bigint; lines: StatementLine[] }
}

export type SettlementRequest = {
  environment: Environment
  /** Null: requested by the merchant. */
  scheduledFor: Date | null
  /** Null: as much as possible. */
  requestedAmount: bigint | null
}

/**
 * Chooses the amount and prepares its payout, like any bank transfer. Only a scheduled settlement
 * waits for the merchant's minimum. Nothing leaves.
 */
export async function prepareSettlement(
  { db, preparation, naira }: SettlementTools,
  environmentNow: Date,
  { environment, scheduledFor, requestedAmount }: SettlementRequest,
): Promise<Outcome<PreparedSettlement>> {
  const { id: environmentId, mode } = environment
  const { settlement: settings } = await getSettings(db, environment)
  const account = await findPrimary(db, environmentId)
  if (!account) return noBankAccount(mode)
  if (account.usableFrom && account.usableFrom > environmentNow)
    return notUsableYet(environmentNow, account.usableFrom)
  const statement = { environmentId, asset: 'NGN' } as const
  // Before the end of the statement: a settlement committed in between must not count as the
  // previous one, because its entries would be after that end.
  const previous = await findLastSettlement(db, environmentId)
  const end = await findStatementEnd(db, statement)
  const fee = await getFeeSchedule(db, { environmentId, operation: 'bank_payout' })
  const reserve = BigInt(settings.reserve)
  const smallest = scheduledFor ? BigInt(settings.minimum) : 0n
  const { min, max } = naira[mode]
  const choose = (budget: bigint) => {
    const chosen = largestTransfer({ budget, min, max, fee })
    return chosen && chosen.amount >= smallest ? chosen : undefined
  }
  const amount = requestedAmount ?? choose(end.available - reserve)?.amount
  const refusal = { requestedAmount, available: end.available, reserve }
  if (amount === undefined || end.available - reserve < amount + computeFee(fee, amount))
    return notSettled(refusal)

  const id = newId(environmentNow)
  const request = toPayoutRequest({ id, environment, account, amount })
  const firstEntry = (previous?.lastEntry ?? 0n) + 1n
  const lastEntry = end.entryNumber
  const lines = await sumStatement(db, { ...statement, first: firstEntry, last: lastEntry })
  // Last, because nothing after it may fail: the caller has to finish it.
  const payout = await preparation.prepare(environmentNow, request)
  if (payout instanceof Refusal) return payout
  const rest = end.available - reserve - amount - payout.payout.fee
  return {
    id,
    payout,
    scheduledFor,
    requestedAmount,
    reserve,
    hasRest: choose(rest) !== undefined,
    early: { firstEntry, lastEntry, lines },
  }
}

function toPayoutRequest({
  id,
  environment,
  account,
  amount,
}: {
  id: string
  environment: Environment
  account: BankAccount
  amount: bigint
}): PayoutRequest {
  const reference = settlementReference({ id })
  return {
    environment,
    kind: 'bank_transfer',
    asset: 'NGN',
    amount,
    requestedAmount: String(amount),
    destination: {
      kind: 'bank_account',
      bankCode: account.bankCode,
      accountNumber: account.accountNumber,
      bankName: '',
      // Not compared: its name was resolved when it was added.
      accountName: '',
      narration: 'Settlement',
    },
    merchantReference: reference,
    metadata: JSON.stringify({ settlement: reference }),
    createdByKey: null,
    createdByUser: null,
  }
}

function noBankAccount(mode: Mode): Refusal {
  return new Refusal('bank_transfer_failed', {
    reason: 'no_bank_account',
    message: `No primary bank account exists in ${mode} mode. Add one in the console, or ask the operator.`,
  })
}

function notUsableYet(now: Date, usableFrom: Date): Refusal {
  return new Refusal('bank_transfer_failed', {
    reason: 'bank_account_waiting',
    message: `The primary bank account was changed. Settlements to it begin at ${usableFrom.toISOString()}.`,
    retryAfterSeconds: Math.ceil((usableFrom.getTime() - now.getTime()) / second),
  })
}

/** The money above the reserve does not cover the settlement. */
export function notSettled({
  requestedAmount,
  available,
  reserve,
}: Pick<PreparedSettlement, 'requestedAmount' | 'reserve'> & { available: bigint }): Refusal {
  const kept = reserve > 0n ? ` after the reserve of ${formatMoney(reserve, 'NGN')}` : ''
  const found = `${formatMoney(available, 'NGN')} is available, which is too little`
  if (requestedAmount !== null)
    return new Refusal('insufficient_balance', {
      message: `${found} to settle ${formatMoney(requestedAmount, 'NGN')} with its fee${kept}.`,
    })
  return new Refusal('bank_transfer_failed', {
    reason: 'nothing_to_settle',
    message: `${found} for a settlement${kept}.`,
  })
}
