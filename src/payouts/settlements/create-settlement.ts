import { strict as assert } from 'node:assert'
import type { RealTime } from '../../base/clock.js'
import { type Outcome, Refusal, returnRefusal } from '../../base/refusal.js'
import {
  decideConversion,
  recordConversion,
  takeInventory,
  toMovements,
} from '../../conversions/create-conversion.js'
import { emitAll } from '../../events/emit.js'
import { type SubaccountName, subaccountIdOf } from '../../ledger/accounts.js'
import type { StatementEnd } from '../../ledger/book.js'
import { accountsOf, insertMoved } from '../../ledger/move.js'
import { type StatementSum, sumStatement } from '../../ledger/statement.js'
import { lockPrimary } from '../../merchants/settings/bank-accounts.js'
import { getSettings } from '../../merchants/settings/settings.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { getSubaccountById } from '../../subaccounts/store-subaccounts.js'
import { findFrozen } from '../freezes/find-frozen.js'
import { type Payout, totalDebitOf } from '../payout.js'
import { readForPayouts } from '../requests/create-payouts.js'
import { createOwnPayout } from '../requests/create-under-rule.js'
import { isUnconfirmed, unconfirmed } from './destination.js'
import { notSettled, type PreparedSettlement } from './prepared-settlement.js'
import { findRuleProblem } from './rule-of-subaccounts.js'
import type { Settlement } from './settlement.js'
import { toSettlementEvent } from './settlement-events.js'
import {
  countParts,
  findLastSettlement,
  insertSettlement,
  type SettlementWithPayout,
} from './store-settlements.js'

/**
 * Holds the money of a settlement and records it with its payout. Refuses if other payouts have
 * spent the money above the reserve meanwhile. The lock on the ledger account makes the settlements
 * of an environment take turns, so each begins where the one before ends.
 */
export async function createSettlement(
  tx: Tx,
  now: RealTime,
  prepared: PreparedSettlement,
): Promise<Outcome<SettlementWithPayout>> {
  if (prepared.conversion) return convertAndSettle(tx, now, prepared).catch(returnRefusal)
  const { payout } = prepared.payout
  const reads = await readForPayouts(tx, [prepared.payout])
  const refused = await findProblem(tx, prepared)
  if (refused) return refused
  const before = reads.book.endOfStatement(payout, payerName(payout))
  const closing = before.available - totalDebitOf(payout)
  if (closing < prepared.reserve) {
    const { requestedAmount, reserve } = prepared
    const subaccountId = subaccountIdOf(payout.takesFrom) ?? null
    return notSettled({ requestedAmount, reserve, available: before.available, subaccountId })
  }

  // The payout holds its amount, its fee and its levy in one entry each.
  const entries = 1n + (payout.fee > 0n ? 1n : 0n) + (payout.levy > 0n ? 1n : 0n)
  const settlement = await report(tx, prepared, { before, closing, entries })
  const created = await createOwnPayout(tx, now, prepared.payout, reads)
  if (created instanceof Refusal) return created
  insertSettlement(tx, settlement)
  emitAll(tx, now, [toSettlementEvent({ settlement, payout: created })])
  return { settlement, payout: created }
}

/**
 * The same for a settlement to a wallet: conversion, hold and settlement commit together. Nothing
 * is written before all of it is decided, so that a refusal leaves nothing behind.
 */
async function convertAndSettle(
  tx: Tx,
  now: RealTime,
  prepared: PreparedSettlement,
): Promise<Outcome<SettlementWithPayout>> {
  const { made: conversion, environment, backCoins } = prepared.conversion!
  const { environmentId, source: asset, sourceAmount, fee } = conversion
  const inventory = await takeInventory(tx, now, conversion, { environment, backCoins })
  const movements = toMovements(conversion)
  const reads = await readForPayouts(tx, [prepared.payout], movements.flatMap(accountsOf))
  const refused = await findProblem(tx, prepared)
  if (refused) return refused
  const before = reads.book.endOfStatement({ environmentId, asset })
  const closing = before.available - sourceAmount
  if (closing < prepared.reserve) {
    const { requestedAmount, reserve } = prepared
    const { available } = before
    return notSettled({ requestedAmount, reserve, available }, 'crypto_transfer_failed')
  }

  // The conversion takes its amount and its fee in one entry each.
  const entries = fee > 0n ? 2n : 1n
  const settlement = await report(tx, prepared, { before, closing, entries })
  const outcomes = decideConversion(reads.book, conversion, inventory)
  insertMoved(tx, now, { movements, outcomes })
  const created = await createOwnPayout(tx, now, prepared.payout, reads)
  assert(!(created instanceof Refusal), 'the coins of the conversion cover the payout')
  recordConversion(tx, now, conversion)
  inventory.write()
  insertSettlement(tx, settlement)
  emitAll(tx, now, [toSettlementEvent({ settlement, payout: created })])
  return { settlement, payout: created }
}

/** A freeze, or a change of the destination, since it was prepared. */
async function findProblem(tx: Tx, prepared: PreparedSettlement): Promise<Refusal | undefined> {
  const [frozen] = await findFrozen(tx, [prepared.payout.payout])
  return frozen ?? findDestinationChange(tx, prepared)
}

/**
 * Again, before the money is held: a rule, or another destination, may have come since. What was
 * prepared for the old one must not pass because the new one may be paid.
 */
async function findDestinationChange(
  tx: Tx,
  { payout: { payout }, bankAccountId, conversion }: PreparedSettlement,
): Promise<Refusal | undefined> {
  const { environmentId, destination } = payout
  const subaccountId = subaccountIdOf(payout.takesFrom)
  if (subaccountId !== undefined) {
    // Locked with the ledger accounts.
    const subaccount = await getSubaccountById(tx, { environmentId, id: subaccountId })
    const isSame =
      destination.kind === 'bank_account' &&
      destination.bankCode === subaccount.bankCode &&
      destination.accountNumber === subaccount.accountNumber
    if (!isSame) return destinationChanged('bank_transfer_failed')
    const { amount, createdAt, createdByKey, createdByUser } = payout
    const requestedBy = { createdByKey, createdByUser }
    return findRuleProblem(tx, createdAt, subaccount, { amount, requestedBy, destination })
  }
  if (bankAccountId !== null) {
    const primary = await lockPrimary(tx, environmentId)
    if (primary?.id !== bankAccountId) return destinationChanged('bank_transfer_failed')
    return (await isUnconfirmed(tx, environmentId, 'bank')) ? unconfirmed('bank') : undefined
  }
  const { payTo, walletAddress } = (await getSettings(tx, conversion!.environment)).settlement
  const isSame = destination.kind === 'wallet' && destination.address === walletAddress
  if (payTo !== 'wallet' || !isSame) return destinationChanged('crypto_transfer_failed')
  return (await isUnconfirmed(tx, environmentId, 'wallet')) ? unconfirmed('wallet') : undefined
}

function destinationChanged(code: 'bank_transfer_failed' | 'crypto_transfer_failed'): Refusal {
  return new Refusal(code, {
    reason: 'invalid_state',
    message: 'The destination of settlements was changed meanwhile. Request the settlement again.',
  })
}

function payerName({ takesFrom }: Payout): 'available' | SubaccountName {
  assert(takesFrom !== 'suspense', 'settlements pay what is available')
  return takesFrom
}

type Ending = {
  before: StatementEnd
  closing: bigint
  /** How many entries the settlement itself adds. */
  entries: bigint
}

async function report(
  tx: Tx,
  { id, payout: { payout }, conversion, scheduledFor, reserve, early }: PreparedSettlement,
  { before, closing, entries }: Ending,
): Promise<Settlement> {
  const { environmentId } = payout
  const subaccountId = subaccountIdOf(payout.takesFrom) ?? null
  const owner = { environmentId, subaccountId }
  const made = conversion?.made
  const previous = await findLastSettlement(tx, owner)
  const firstEntry = (previous?.lastEntry ?? 0n) + 1n
  // Another settlement was made meanwhile: nothing of the early sums is part of this one.
  const isCurrent = firstEntry === early.firstEntry
  const later = await sumStatement(tx, {
    environmentId,
    asset: 'NGN',
    subaccountId: subaccountId ?? undefined,
    first: isCurrent ? early.lastEntry + 1n : firstEntry,
    last: before.entryNumber,
  })
  const part = (await countParts(tx, { ...owner, scheduledFor })) + 1
  return {
    environmentId,
    id,
    payoutId: payout.id,
    subaccountId,
    conversionId: made?.id ?? null,
    convertedAmount: made?.sourceAmount ?? null,
    conversionFee: made?.fee ?? null,
    scheduledFor,
    part,
    reserve,
    firstEntry,
    lastEntry: before.entryNumber + entries,
    opening: previous?.closing ?? 0n,
    closing,
    lines: isCurrent ? addLines(early.lines, later) : later,
    previousAt: previous?.createdAt ?? null,
    createdAt: payout.createdAt,
  }
}

function addLines(early: StatementSum[], later: StatementSum[]): StatementSum[] {
  const sums = new Map(early.map((line) => [`${line.purpose}/${line.kind}`, line]))
  for (const line of later) {
    const name = `${line.purpose}/${line.kind}`
    const sum = sums.get(name)
    const count = line.count + (sum?.count ?? 0)
    sums.set(name, {
      ...line,
      count,
      change: line.change + (sum?.change ?? 0n),
      vat: line.vat + (sum?.vat ?? 0n),
    })
  }
  return [...sums.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, line]) => line)
}
