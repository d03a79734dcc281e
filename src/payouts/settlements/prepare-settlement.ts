import { type EnvironmentTime, second } from '../../base/clock.js'
import type { Environment, Mode } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { toJson } from '../../base/json-text.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { subaccountName } from '../../ledger/accounts.js'
import {
  type BankAccount,
  findPrimary,
  needsConfirmation,
} from '../../merchants/settings/bank-accounts.js'
import { getFeeSchedule } from '../../merchants/settings/fee-schedules.js'
import { getSettings } from '../../merchants/settings/settings.js'
import { hasRule, type Settings } from '../../merchants/settings/settings-document.js'
import { computeFee } from '../../money/fees.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { judgePaying } from '../../subaccounts/lock-paying-subaccounts.js'
import { type Subaccount, subaccountReference } from '../../subaccounts/subaccount.js'
import { findSubaccountBalances } from '../../subaccounts/subaccount-balances.js'
import { levyOn } from '../levies/levy.js'
import { totalDebitOf } from '../payout.js'
import type { BankDestination } from '../ports.js'
import type { PayoutRequest } from '../requests/prepare-payouts.js'
import { unconfirmed } from './destination.js'
import { largestTransfer } from './largest-transfer.js'
import { prepareWalletSettlement } from './prepare-wallet-settlement.js'
import {
  notSettled,
  type PreparedSettlement,
  patchOf,
  readStatement,
  type SettlementDependencies,
  type SettlementRequest,
} from './prepared-settlement.js'
import { findRuleProblem } from './rule-of-subaccounts.js'
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
  const { environment, subaccount, scheduledFor, requestedAmount, hasMinimum } = request
  const { id: environmentId, mode } = environment
  const all = await getSettings(db, environment)
  if (!subaccount && all.settlement.payTo === 'wallet')
    return prepareWalletSettlement(dependencies, environmentNow, request, all)
  const payee = subaccount
    ? toPayee(subaccount, request, await findOwed(db, subaccount))
    : await findMerchant(db, environmentNow, environment, all)
  if (payee instanceof Refusal) return payee
  const owner = { environmentId, subaccountId: subaccount?.id ?? null }
  const statement = await readStatement(db, owner)
  const fee = await getFeeSchedule(db, { environmentId, operation: 'bank_payout' })
  const id = newId(environmentNow)
  const levy = await preparation.findLevyTerms(
    toPayoutRequest({ id, environment, payee, amount: 0n }),
  )
  const { reserve, owed, minimum } = payee
  const { min, max } = naira[mode]
  const choose = (budget: bigint, smallest: bigint) => {
    const chosen = largestTransfer({ budget, min, max, fee, levy })
    return chosen && chosen.amount >= smallest ? chosen : undefined
  }
  const budget = statement.available - reserve - owed
  const amount = requestedAmount ?? choose(budget, hasMinimum ? minimum : 0n)?.amount
  const costOf = (sum: bigint) => sum + computeFee(fee, sum) + levyOn(levy, sum)
  if (amount === undefined || budget < costOf(amount))
    return notSettled({
      requestedAmount,
      available: statement.available,
      reserve,
      subaccountId: owner.subaccountId,
      owed,
    })

  if (subaccount) {
    const refused = await findRuleProblem(db, environmentNow, subaccount, {
      amount,
      requestedBy: request.requestedBy,
      destination: toDestination(payee),
    })
    if (refused) return refused
  }

  const early = await statement.sumUp()
  // Last, because nothing after it may fail: the caller has to finish it.
  const payout = await preparation.prepare(
    environmentNow,
    toPayoutRequest({ id, environment, payee, amount }),
  )
  if (payout instanceof Refusal) return payout
  const rest = budget - totalDebitOf(payout.payout)
  return {
    id,
    payout,
    bankAccountId: payee.bankAccountId,
    conversion: null,
    scheduledFor,
    requestedAmount,
    reserve,
    hasRest: requestedAmount === null && choose(rest, minimum) !== undefined,
    early,
  }
}

/** The bank account that is paid, and what stays behind. */
type Payee = Pick<BankAccount, 'bankCode' | 'accountNumber'> &
  Pick<PayoutRequest, 'createdByKey' | 'createdByUser' | 'takesFrom'> & {
    /** Null: of a sub-account. */
    bankAccountId: string | null
    reserve: bigint
    /** What a sub-account owes the merchant stays behind, too. */
    owed: bigint
    minimum: bigint
  }

async function findMerchant(
  db: Queryable,
  environmentNow: EnvironmentTime,
  { id: environmentId, mode }: Environment,
  { settlement: { reserve, minimum }, approvals }: Settings,
): Promise<Outcome<Payee>> {
  const account = await findPrimary(db, environmentId)
  if (!account) return noBankAccount(mode)
  if (account.usableFrom && account.usableFrom > environmentNow)
    return notUsableYet(environmentNow, account.usableFrom)
  if (needsConfirmation(account, { mode, hasRule: hasRule(approvals) })) return unconfirmed('bank')
  return {
    bankCode: account.bankCode,
    accountNumber: account.accountNumber,
    bankAccountId: account.id,
    reserve: BigInt(reserve),
    owed: 0n,
    minimum: BigInt(minimum),
    createdByKey: null,
    createdByUser: null,
  }
}

async function findOwed(db: Queryable, subaccount: Subaccount): Promise<bigint> {
  const balances = (await findSubaccountBalances(db, [subaccount])).get(subaccount.id)!
  return balances.find(({ asset }) => asset === 'NGN')!.owed
}

/** A scheduled settlement counts as a payout of the one who chose the bank account. */
function toPayee(
  subaccount: Subaccount,
  { requestedBy, scheduledFor }: SettlementRequest,
  owed: bigint,
): Outcome<Payee> {
  const { id, bankCode, accountNumber, chosenByKey, chosenByUser } = subaccount
  const problem = judgePaying(subaccount)
  if (problem) return problem
  if (bankCode === null || accountNumber === null)
    return new Refusal('bank_transfer_failed', {
      reason: 'no_bank_account',
      message: `${subaccountReference(subaccount)} has no bank account.`,
      nextStep: `Add one with \`${patchOf(id)}\`.`,
    })
  const isRequested = requestedBy.createdByKey !== null || requestedBy.createdByUser !== null
  const chooser = { createdByKey: chosenByKey, createdByUser: chosenByUser }
  const { createdByKey, createdByUser } =
    scheduledFor === null && isRequested ? requestedBy : chooser
  return {
    bankCode,
    accountNumber,
    bankAccountId: null,
    takesFrom: subaccountName(id),
    reserve: subaccount.settlementReserve,
    owed,
    minimum: subaccount.settlementMinimum,
    createdByKey,
    createdByUser,
  }
}

function toPayoutRequest({
  id,
  environment,
  payee,
  amount,
}: {
  id: string
  environment: Environment
  payee: Payee
  amount: bigint
}): PayoutRequest {
  const reference = settlementReference({ id })
  return {
    environment,
    kind: 'bank_transfer',
    asset: 'NGN',
    amount,
    requestedAmount: String(amount),
    destination: toDestination(payee),
    merchantReference: reference,
    metadata: toJson({ settlement: reference }),
    createdByKey: payee.createdByKey,
    createdByUser: payee.createdByUser,
    takesFrom: payee.takesFrom,
  }
}

function toDestination({ bankCode, accountNumber }: Payee): BankDestination {
  return {
    kind: 'bank_account',
    bankCode,
    accountNumber,
    bankName: '',
    // Not compared: its name was resolved when it was added.
    accountName: '',
    narration: 'Settlement',
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
