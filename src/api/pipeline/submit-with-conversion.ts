import type { RealTime } from '../../base/clock.js'
import { newId } from '../../base/ids.js'
import { Refusal, returnRefusal } from '../../base/refusal.js'
import type { Conversion } from '../../conversions/conversion.js'
import {
  decideConversion,
  notConvertible,
  recordConversion,
  takeInventory,
  takeQuote,
  toConversion,
  toMovements,
} from '../../conversions/create-conversion.js'
import { createExchange } from '../../conversions/exchange.js'
import { quoteConversion } from '../../conversions/quote-conversion.js'
import { lockQuote } from '../../conversions/store-conversions.js'
import type { KeyedAnswer } from '../../idempotency/answer.js'
import { listBalancesOf } from '../../ledger/balances.js'
import { accountsOf, insertMoved } from '../../ledger/move.js'
import { type Asset, isCoin } from '../../money/assets.js'
import { formatRate } from '../../money/rates.js'
import { findWait } from '../../payouts/controls/find-wait.js'
import { type Payout, totalDebitOf } from '../../payouts/payout.js'
import { notCovered, readForPayouts } from '../../payouts/requests/create-payouts.js'
import { type CreatedUnderRule, createUnderRule } from '../../payouts/requests/create-under-rule.js'
import type { PayoutRequest } from '../../payouts/requests/prepare-payouts.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { FundFrom } from '../parse/fund-from.js'
import type { KeyedRequest } from '../server/keyed-lane.js'
import type { ApiParts } from './api-parts.js'
import { commitAndSend } from './commit-and-send.js'
import { commitRefusal } from './create-resource.js'
import { answerUnderRule, mayWait, toRuleRequest } from './submit-under-rule.js'

/** Rolls the whole transaction back: the refusal came after the conversion. */
class Undone extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message)
  }
}

/**
 * Creates a payout that another balance pays for: conversion and hold commit together, or neither
 * does. It has a transaction of its own, not the lane of other payouts. A payout that has to wait
 * for approval is converted at once, too, at the current rate.
 */
export async function submitWithConversion(
  api: ApiParts,
  keyedRequest: KeyedRequest,
  request: PayoutRequest,
  { fundFrom, what }: { fundFrom: FundFrom; what: string },
): Promise<KeyedAnswer> {
  const { environment, asset, amount } = request
  const rule = toRuleRequest(keyedRequest, request)
  const waits = mayWait(request) ? await findWait(api.db, rule).catch(returnRefusal) : null
  if (waits instanceof Refusal) return commitRefusal(api, keyedRequest, waits)
  const refused = await findUncovered(api, keyedRequest, request, fundFrom).catch(returnRefusal)
  if (refused) return commitRefusal(api, keyedRequest, refused)
  await createExchange(api).provideCoins(api.clock.now(), { environment, asset, amount })
  const funded = { ...request, isFundedInCommit: true }
  const prepared = waits
    ? await api.payoutPreparation.prepareUnsigned(keyedRequest.now, funded)
    : await api.payoutPreparation.prepare(keyedRequest.now, funded)
  if (prepared instanceof Refusal) return commitRefusal(api, keyedRequest, prepared)
  const signed = 'attempt' in prepared ? prepared : null
  const payout = 'attempt' in prepared ? prepared.payout : prepared

  async function create(tx: Tx, now: RealTime): Promise<CreatedUnderRule> {
    const conversion = await chooseConversion(api, tx, keyedRequest, { request, payout, fundFrom })
    const inventory = await takeInventory(tx, now, conversion, {
      environment,
      backCoins: api.backCoins,
    })
    const movements = toMovements(conversion)
    const reads = await readForPayouts(tx, [{ payout }], movements.flatMap(accountsOf))
    const outcomes = decideConversion(reads.book, conversion, inventory)
    insertMoved(tx, now, { movements, outcomes })
    const created = await createUnderRule(tx, now, { payout, signed }, rule, reads)
    recordConversion(tx, now, conversion)
    inventory.write()
    return created
  }

  try {
    return await commitAndSend(api, keyedRequest, {
      commit: (tx, now) =>
        create(tx, now).catch((error: unknown) => {
          throw error instanceof Refusal ? new Undone(error) : error
        }),
      ...answerUnderRule(what, signed),
    })
  } catch (error) {
    if (error instanceof Undone) return await commitRefusal(api, keyedRequest, error.refusal)
    throw error
  } finally {
    signed?.finish()
  }
}

/**
 * A refusal if the balances do not cover conversion and transfer. Found before the treasury is
 * checked: a transfer that the merchant cannot pay for must not reveal what the hot wallet has.
 */
async function findUncovered(
  api: ApiParts,
  keyedRequest: KeyedRequest,
  request: PayoutRequest,
  fundFrom: FundFrom,
): Promise<Refusal | undefined> {
  if (!isCoin(request.asset)) return undefined
  const quoted = await api.payoutPreparation.quote(request)
  if (quoted instanceof Refusal) return quoted
  const { environment, asset, amount } = request
  const { fee, levy } = quoted
  const payout = { id: newId(keyedRequest.now), asset, amount, fee, levy }
  const { source, sourceAmount, targetAmount } = await api.db.transaction((tx) =>
    chooseConversion(api, tx, keyedRequest, { request, payout, fundFrom }),
  )
  const balances = await listBalancesOf(api.db, [environment.id])
  const availableOf = (wanted: Asset) =>
    balances.find((balance) => balance.asset === wanted)?.available ?? 0n
  if (availableOf(source) < sourceAmount)
    return notConvertible({ source, sourceAmount }, availableOf(source))
  const available = availableOf(asset) + targetAmount
  return available < totalDebitOf(payout)
    ? notCovered({ ...payout, takesFrom: 'available' }, { available })
    : undefined
}

type Funding = {
  request: PayoutRequest
  payout: Pick<Payout, 'id' | 'asset' | 'amount' | 'fee' | 'levy'>
  fundFrom: FundFrom
}

/** Uses the quote that was sent, or converts exactly what the payout needs at the current rate. */
async function chooseConversion(
  api: ApiParts,
  tx: Tx,
  { environment, now }: KeyedRequest,
  { request, payout, fundFrom: { asset, price } }: Funding,
): Promise<Conversion> {
  const { createdByKey, createdByUser } = request
  const creator = { createdByKey, createdByUser, payoutId: payout.id }
  if ('quote' in price) {
    const quote = await lockQuote(tx, { environmentId: environment.id, reference: price.quote })
    if (quote.source !== asset || quote.target !== payout.asset)
      throw new Refusal('conversion_failed', {
        reason: 'quote_mismatch',
        message: `The quote converts ${quote.source} to ${quote.target}; the transfer needs ${asset} to ${payout.asset}.`,
      })
    return takeQuote(quote, now, creator)
  }
  const direction = { source: asset, target: payout.asset }
  const wanted = { targetAmount: totalDebitOf(payout) }
  const quote = await quoteConversion(api, now, { environment, direction, wanted })
  const isWorse = asset === 'NGN' ? quote.rate > price.limit : quote.rate < price.limit
  if (isWorse)
    throw new Refusal('conversion_failed', {
      reason: 'rate_exceeded',
      message: `The rate is ${formatRate(quote.rate)}, which is worse than your maxRate of ${formatRate(price.limit)}.`,
    })
  return toConversion(quote, now, { ...creator, quoteId: null })
}
