import { type EnvironmentTime, second } from '../../base/clock.js'
import type { Environment, Mode } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { toJson } from '../../base/json-text.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import {
  type BankAccount,
  findPrimary,
  needsConfirmation,
} from '../../merchants/settings/bank-accounts.js'
import { getFeeSchedule } from '../../merchants/settings/fee-schedules.js'
import { getSettings } from '../../merchants/settings/settings.js'
import { hasLimits } from '../../merchants/settings/settings-document.js'
import { computeFee } from '../../money/fees.js'
import { levyOn } from '../levies/levy.js'
import { totalDebitOf } from '../payout.js'
import type { PayoutRequest } from '../requests/prepare-payouts.js'
import { unconfirmed } from './destination.js'
import { largestTransfer } from './largest-transfer.js'
import { prepareWalletSettlement } from './prepare-wallet-settlement.js'
import {
  notSettled,
  type PreparedSettlement,
  readStatement,
  type SettlementDependencies,
  type SettlementRequest,
} from './prepared-settlement.js'
import { settlementReference } from './settlement.js'

/**
 * Chooses the amount and prepares its payout, like any bank transfer. A settlement on request does
 * not wait for the merchant's minimum. Nothing leaves.
 */
export async function prepareSettlement(
  dependencies: SettlementDependencies,
  environmentNow: EnvironmentTime,
  request: SettlementRequest,
): Promise<Outcome<PreparedSettlement>> {
  const { db, preparation, naira } = dependencies
  const { environment, scheduledFor, requestedAmount, hasMinimum } = request
  const { id: environmentId, mode } = environment
  const all = await getSettings(db, environment)
  const { settlement: settings } = all
  if (settings.payTo === 'wallet')
    return prepareWalletSettlement(dependencies, environmentNow, request, all)
  const account = await findPrimary(db, environmentId)
  if (!account) return noBankAccount(mode)
  if (account.usableFrom && account.usableFrom > environmentNow)
    return notUsableYet(environmentNow, account.usableFrom)
  const scope = { mode, hasRule: hasLimits(all.approvals) }
  if (needsConfirmation(account, scope)) return unconfirmed('bank')
  const statement = await readStatement(db, environmentId)
  const fee = await getFeeSchedule(db, { environmentId, operation: 'bank_payout' })
  const id = newId(environmentNow)
  const levy = await preparation.findLevyTerms(
    toPayoutRequest({ id, environment, account, amount: 0n }),
  )
  const reserve = BigInt(settings.reserve)
  const minimum = BigInt(settings.minimum)
  const { min, max } = naira[mode]
  const choose = (budget: bigint, smallest: bigint) => {
    const chosen = largestTransfer({ budget, min, max, fee, levy })
    return chosen && chosen.amount >= smallest ? chosen : undefined
  }
  const budget = statement.available - reserve
  const amount = requestedAmount ?? choose(budget, hasMinimum ? minimum : 0n)?.amount
  const costOf = (sum: bigint) => sum + computeFee(fee, sum) + levyOn(levy, sum)
  if (amount === undefined || budget < costOf(amount))
    return notSettled({ requestedAmount, available: statement.available, reserve })

  const early = await statement.sumUp()
  // Last, because nothing after it may fail: the caller has to finish it.
  const payout = await preparation.prepare(
    environmentNow,
    toPayoutRequest({ id, environment, account, amount }),
  )
  if (payout instanceof Refusal) return payout
  const rest = budget - totalDebitOf(payout.payout)
  return {
    id,
    payout,
    bankAccountId: account.id,
    conversion: null,
    scheduledFor,
    requestedAmount,
    reserve,
    hasRest: requestedAmount === null && choose(rest, minimum) !== undefined,
    early,
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
    metadata: toJson({ settlement: reference }),
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
