import type { NairaLimits } from '../../base/config.js'
import type { Environment, Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import type { Conversion } from '../../conversions/conversion.js'
import type { Exchange } from '../../conversions/exchange.js'
import { findStatementEnd, type StatementSum, sumStatement } from '../../ledger/statement.js'
import { formatMoney } from '../../money/amounts.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { type Subaccount, subaccountReference } from '../../subaccounts/subaccount.js'
import type { PayoutCreator } from '../requests/creators.js'
import type { PayoutPreparation, PreparedPayout } from '../requests/prepare-payouts.js'
import { findLastSettlement, type SettlementOwner } from './store-settlements.js'

export type SettlementDependencies = {
  db: Queryable
  preparation: PayoutPreparation
  naira: Record<Mode, NairaLimits>
  exchange: Exchange
}

/** A settlement to commit. Call `payout.finish` when it is committed or refused. */
export type PreparedSettlement = {
  id: string
  payout: PreparedPayout
  /** The bank account of the merchant that it goes to; null: a wallet, or of a sub-account. */
  bankAccountId: string | null
  /** The conversion of a settlement to a wallet, and what is needed to make it. */
  conversion: {
    made: Conversion
    environment: Environment
    backCoins: Exchange['backCoins']
  } | null
  scheduledFor: Date | null
  /** Null: as much as possible. */
  requestedAmount: bigint | null
  reserve: bigint
  /** Whether the balance covers another settlement, of the minimum, right after this one. */
  hasRest: boolean
  /** The sums of the statement so far, so that few entries are read while it is locked. */
  early: EarlySums
}

type EarlySums = { firstEntry: bigint; lastEntry: bigint; lines: StatementSum[] }

export type SettlementRequest = {
  environment: Environment
  /** The sub-account that is settled; null: the merchant. */
  subaccount: Subaccount | null
  /** Who requested it; without both ids if it is scheduled. */
  requestedBy: PayoutCreator
  /** Null: requested by the merchant. */
  scheduledFor: Date | null
  /** Null: as much as possible. */
  requestedAmount: bigint | null
  /** Whether the merchant's minimum applies, as it does to what workers settle. */
  hasMinimum: boolean
}

/** The available naira now, and a function that sums up how they came about. */
export async function readStatement(
  db: Queryable,
  owner: SettlementOwner,
): Promise<{ available: bigint; sumUp(): Promise<EarlySums> }> {
  const { environmentId, subaccountId } = owner
  const statement = {
    environmentId,
    asset: 'NGN',
    subaccountId: subaccountId ?? undefined,
  } as const
  // Before the end of the statement: a settlement committed in between must not count as the
  // previous one, because its entries would be after that end.
  const previous = await findLastSettlement(db, owner)
  const { available, entryNumber: lastEntry } = await findStatementEnd(db, statement)
  const firstEntry = (previous?.lastEntry ?? 0n) + 1n
  return {
    available,
    async sumUp() {
      const lines = await sumStatement(db, { ...statement, first: firstEntry, last: lastEntry })
      return { firstEntry, lastEntry, lines }
    },
  }
}

type Shortage = Pick<PreparedSettlement, 'requestedAmount' | 'reserve'> & {
  available: bigint
  subaccountId?: string | null
  /** By a sub-account. */
  owed?: bigint
}

/** The money above the reserve does not cover the settlement. */
export function notSettled(
  { requestedAmount, available, reserve, subaccountId = null, owed = 0n }: Shortage,
  code: 'bank_transfer_failed' | 'crypto_transfer_failed' = 'bank_transfer_failed',
): Refusal {
  const parts = [
    ...(reserve > 0n ? [`the reserve of ${formatMoney(reserve, 'NGN')}`] : []),
    ...(owed > 0n ? [`the ${formatMoney(owed, 'NGN')} that it owes you`] : []),
  ]
  const kept = parts.length > 0 ? ` after ${parts.join(' and ')}` : ''
  const found = `${formatMoney(available, 'NGN')} is available, which is too little`
  if (requestedAmount !== null)
    return new Refusal('insufficient_balance', {
      message: `${found} to settle ${formatMoney(requestedAmount, 'NGN')} with its fee${kept}.`,
    })
  return new Refusal(code, {
    reason: 'nothing_to_settle',
    message: `${found} for a settlement${kept}.`,
    ...(subaccountId !== null && { nextStep: sayHowToCover(subaccountId, { reserve, owed }) }),
  })
}

/** The next step of `nothing_to_settle` is about the merchant's own settlements. */
function sayHowToCover(
  subaccountId: string,
  { reserve, owed }: { reserve: bigint; owed: bigint },
): string {
  if (reserve > 0n)
    return `Lower its \`settlement.reserve\` with \`${patchOf(subaccountId)}\`, or wait for payments.`
  if (owed > 0n) return 'Wait for payments: its next shares pay what it owes you first.'
  return 'Wait for payments to the sub-account.'
}

/** The request that changes a sub-account. */
export function patchOf(id: string): string {
  return `PATCH /v1/subaccounts/${subaccountReference({ id })}`
}
