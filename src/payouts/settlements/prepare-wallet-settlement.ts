import { type EnvironmentTime, second } from '../../base/clock.js'
import { newId } from '../../base/ids.js'
import { toJson } from '../../base/json-text.js'
import { type Outcome, Refusal, returnRefusal } from '../../base/refusal.js'
import { toConversion } from '../../conversions/create-conversion.js'
import { quoteConversion } from '../../conversions/quote-conversion.js'
import { getFeeSchedule } from '../../merchants/settings/fee-schedules.js'
import { hasRule, type Settings } from '../../merchants/settings/settings-document.js'
import { findSettlementWallet, isChosen } from '../../merchants/settings/settlement-wallets.js'
import { formatDecimal, formatMoney } from '../../money/amounts.js'
import type { QuoteRequest } from '../requests/prepare-payouts.js'
import { isUnconfirmed, unconfirmed } from './destination.js'
import { largestTransfer } from './largest-transfer.js'
import {
  notSettled,
  type PreparedSettlement,
  readStatement,
  type SettlementDependencies,
  type SettlementRequest,
} from './prepared-settlement.js'
import { settlementReference } from './settlement.js'

/**
 * Converts the naira above the reserve, or the requested amount, at the current rate, and prepares
 * a crypto transfer of the coins less its fee. Nothing is committed or sent.
 */
export async function prepareWalletSettlement(
  dependencies: SettlementDependencies,
  environmentNow: EnvironmentTime,
  request: SettlementRequest,
  settings: Settings,
): Promise<Outcome<PreparedSettlement>> {
  return prepare(dependencies, environmentNow, request, settings).catch(returnRefusal)
}

/** Throws refusals, or returns them. */
async function prepare(
  { db, preparation, naira, exchange }: SettlementDependencies,
  environmentNow: EnvironmentTime,
  { environment, scheduledFor, requestedAmount, hasMinimum }: SettlementRequest,
  { settlement: settings, approvals }: Settings,
): Promise<Outcome<PreparedSettlement>> {
  const { id: environmentId, mode, clockOffsetMs } = environment
  const { asset, walletAddress } = settings
  if (walletAddress === null) return noWallet()
  if (mode === 'live' || hasRule(approvals)) {
    const chosen = await findSettlementWallet(db, environmentId)
    if (!isChosen(settings, chosen)) return noWallet()
    if (chosen.usableFrom > environmentNow) return notUsableYet(environmentNow, chosen.usableFrom)
  }
  if (await isUnconfirmed(db, environmentId, 'wallet')) return unconfirmed('wallet')
  const statement = await readStatement(db, { environmentId, subaccountId: null })
  const reserve = BigInt(settings.reserve)
  const { min } = naira[mode]
  const wanted = hasMinimum ? BigInt(settings.minimum) : min
  const smallest = wanted > min ? wanted : min
  const budget = statement.available - reserve
  const sourceAmount = requestedAmount ?? budget
  const shortage = { requestedAmount, available: statement.available, reserve }
  if (sourceAmount < smallest || budget < sourceAmount)
    return notSettled(shortage, 'crypto_transfer_failed')

  const quote = await quoteConversion({ db, rates: exchange.rates, naira }, environmentNow, {
    environment,
    direction: { source: 'NGN', target: asset },
    wanted: { sourceAmount },
  })
  const coins = quote.targetAmount
  const realNow = new Date(environmentNow.getTime() - clockOffsetMs)
  await exchange.provideCoins(realNow, { environment, asset, amount: coins })
  const transfer: QuoteRequest = {
    environment,
    kind: 'crypto_transfer',
    asset,
    amount: coins,
    requestedAmount: formatDecimal(coins, asset),
    destination: { kind: 'wallet', address: walletAddress },
  }
  const quoted = await preparation.quote(transfer)
  if (quoted instanceof Refusal) return quoted
  const extra = quoted.lines
    .filter(({ operation }) => operation !== 'crypto_payout')
    .reduce((sum, line) => sum + line.amount, 0n)
  const fee = await getFeeSchedule(db, { environmentId, operation: 'crypto_payout' })
  const paid = largestTransfer({
    budget: coins - extra,
    min: 1n,
    max: coins,
    fee,
    levy: null,
    step: 1n,
  })
  const tooLittle = new Refusal('crypto_transfer_failed', {
    reason: 'nothing_to_settle',
    message: `${formatMoney(sourceAmount, 'NGN')} converts to ${formatMoney(coins, asset)}, which does not cover the fee of the transfer.`,
  })
  if (!paid) return tooLittle

  const id = newId(environmentNow)
  const reference = settlementReference({ id })
  const early = await statement.sumUp()
  // Last, because nothing after it may fail: the caller has to finish it.
  const payout = await preparation.prepare(environmentNow, {
    ...transfer,
    amount: paid.amount,
    requestedAmount: formatDecimal(paid.amount, asset),
    merchantReference: reference,
    metadata: toJson({ settlement: reference }),
    createdByKey: null,
    createdByUser: null,
    isFundedInCommit: true,
  })
  if (payout instanceof Refusal) return payout
  if (payout.payout.amount + payout.payout.fee > coins) {
    payout.finish()
    return tooLittle
  }
  const made = toConversion(quote, environmentNow, {
    quoteId: null,
    payoutId: payout.payout.id,
    createdByKey: null,
    createdByUser: null,
  })
  return {
    id,
    payout,
    bankAccountId: null,
    conversion: { made, environment, backCoins: exchange.backCoins },
    scheduledFor,
    requestedAmount,
    reserve,
    hasRest: false,
    early,
  }
}

function noWallet(): Refusal {
  return new Refusal('crypto_transfer_failed', {
    reason: 'no_wallet',
    message: 'No wallet for settlements is configured. Choose one in the console.',
  })
}

function notUsableYet(now: Date, usableFrom: Date): Refusal {
  return new Refusal('crypto_transfer_failed', {
    reason: 'wallet_waiting',
    message: `The wallet for settlements was changed. Settlements to it begin at ${usableFrom.toISOString()}.`,
    retryAfterSeconds: Math.ceil((usableFrom.getTime() - now.getTime()) / second),
  })
}
