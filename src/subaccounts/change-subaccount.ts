import type { RealTime } from '../base/clock.js'
import type { Environment } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { toJson } from '../base/json-text.js'
import { invalidField, Refusal } from '../base/refusal.js'
import { emitAll } from '../events/emit.js'
import {
  type LedgerAccountName,
  owedName,
  pendingName,
  subaccountName,
} from '../ledger/accounts.js'
import type { Book } from '../ledger/book.js'
import { lockLedgerAccounts } from '../ledger/lock-accounts.js'
import { lockEnvironment } from '../merchants/environments.js'
import { getSettings } from '../merchants/settings/settings.js'
import { scheduleSettlement } from '../merchants/settings/settlement-schedule.js'
import { formatMoney } from '../money/amounts.js'
import { assetNames } from '../money/assets.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { showSubaccount } from './resource.js'
import {
  insertSubaccount,
  lockSubaccounts,
  type ShownSubaccount,
  updateSubaccount,
  withBalances,
} from './store-subaccounts.js'
import {
  type Subaccount,
  type SubaccountBalance,
  type SubaccountStatus,
  subaccountReference,
} from './subaccount.js'
import { findSubaccountBalances } from './subaccount-balances.js'
import { transferWith } from './transfer-money.js'

export type NewSubaccount = Pick<
  Subaccount,
  | 'environmentId'
  | 'name'
  | 'email'
  | 'externalReference'
  | 'bankCode'
  | 'accountNumber'
  | 'accountName'
  | 'walletAddress'
  | 'settlementSchedule'
  | 'settlementReserve'
  | 'settlementMinimum'
  | 'chosenByKey'
  | 'chosenByUser'
>

export async function createSubaccount(
  tx: Tx,
  { now, realNow, environment }: { now: Date; realNow: RealTime; environment: Environment },
  wanted: NewSubaccount,
): Promise<ShownSubaccount> {
  const created: Subaccount = {
    ...wanted,
    id: newId(now),
    status: 'ACTIVE',
    closingPayoutId: null,
    eventSequence: 1,
    createdAt: now,
    closedAt: null,
  }
  refuseNowhere(created)
  await insertSubaccount(tx, created)
  if (created.settlementSchedule !== 'off') await schedule(tx, realNow, environment, created)
  const [shown] = await withBalances(tx, [created])
  const { environmentId, id } = created
  const type = 'subaccount.created'
  const data = toJson(showSubaccount(shown!))
  emitAll(tx, realNow, [{ environmentId, type, resourceId: id, causeId: id, sequence: 1, data }])
  return shown!
}

export type SubaccountChange = Partial<Omit<NewSubaccount, 'environmentId'>> & {
  status?: Exclude<SubaccountStatus, 'CLOSED'>
}

export async function changeSubaccount(
  tx: Tx,
  {
    realNow,
    environment,
    reference,
  }: { realNow: RealTime; environment: Environment; reference: string },
  change: SubaccountChange,
): Promise<ShownSubaccount> {
  // Workers that settle lock in this order.
  if (change.settlementSchedule !== undefined) await lockEnvironment(tx, environment.id)
  const [before] = await lockSubaccounts(tx, environment.id, [reference])
  refuseClosed(before!)
  refuseClosing(before!)
  const changed = { ...before!, ...change }
  if (change.settlementSchedule !== undefined || change.accountNumber !== undefined)
    refuseNowhere(changed)
  await updateSubaccount(tx, changed)
  if (changed.settlementSchedule !== before!.settlementSchedule)
    await schedule(tx, realNow, environment, changed)
  const [shown] = await withBalances(tx, [changed])
  return shown!
}

/** A schedule would be refused every time, and nobody would look for it. */
function refuseNowhere({ settlementSchedule, accountNumber }: NewSubaccount): void {
  if (settlementSchedule === 'off' || accountNumber !== null) return
  throw invalidField(
    'settlement.schedule',
    `must be off without a bank account: there is nowhere to settle to; send \`bankAccount\`, too`,
  )
}

/** At the weekday and time of the merchant's own settlements. */
async function schedule(
  tx: Tx,
  now: RealTime,
  environment: Environment,
  { id: subaccountId, settlementSchedule }: Subaccount,
): Promise<void> {
  const { settlement } = await getSettings(tx, environment)
  const settings = { ...settlement, schedule: settlementSchedule }
  await scheduleSettlement(tx, now, { environment, settings, subaccountId })
}

type Creator = { createdByKey: string | null; createdByUser: string | null }

/** Closes a sub-account for good. What it has goes to the merchant, and pays what it owes. */
export async function closeSubaccount(
  tx: Tx,
  times: { now: Date; realNow: RealTime },
  request: Creator & { environment: Environment; reference: string },
): Promise<ShownSubaccount> {
  const { environment, reference, createdByKey, createdByUser } = request
  // Workers that settle lock in this order.
  await lockEnvironment(tx, environment.id)
  const [before] = await lockSubaccounts(tx, environment.id, [reference])
  if (before!.status === 'CLOSED') return (await withBalances(tx, [before!]))[0]!
  refuseClosing(before!)
  return closeLocked(tx, times, environment, before!, { createdByKey, createdByUser })
}

/** The same for a sub-account that is locked, and the environment before it. */
export async function closeLocked(
  tx: Tx,
  { now, realNow }: { now: Date; realNow: RealTime },
  environment: Environment,
  before: Subaccount,
  creator: Creator,
): Promise<ShownSubaccount> {
  const { id } = before
  // Splits read the status of a sub-account after they have locked one of these ledger accounts.
  const book = await lockWhole(tx, before)
  const balances = await findMovable(tx, before)
  const transfers = balances
    .filter(({ available }) => available > 0n)
    .map(({ asset, available }) => ({
      environmentId: environment.id,
      id: newId(now),
      fromSubaccountId: id,
      toSubaccountId: null,
      asset,
      amount: available,
      note: `${subaccountReference({ id })} closed`,
      ...creator,
      createdAt: now,
    }))
  transferWith(tx, realNow, book, transfers)
  const sequence = before.eventSequence + 1
  const closed: Subaccount = {
    ...before,
    status: 'CLOSED',
    closedAt: now,
    settlementSchedule: 'off',
    closingPayoutId: null,
    eventSequence: sequence,
  }
  await updateSubaccount(tx, closed)
  if (before.settlementSchedule !== 'off') await schedule(tx, realNow, environment, closed)
  // The sums of the ledger accounts are written with the commit.
  const emptied = balances.map((balance) => ({ ...balance, available: 0n }))
  const shown = { ...closed, balances: emptied, planned: undefined }
  const { environmentId } = closed
  const type = 'subaccount.closed'
  const data = toJson(showSubaccount(shown))
  emitAll(tx, realNow, [{ environmentId, type, resourceId: id, causeId: id, sequence, data }])
  return shown
}

/** All ledger accounts through which the sub-account can get money, also those not used yet. */
function lockWhole(tx: Tx, { environmentId, id }: Subaccount): Promise<Book> {
  const keysOf = (...names: LedgerAccountName[]) =>
    assetNames.flatMap((asset) => names.map((name) => ({ environmentId, asset, name })))
  return lockLedgerAccounts(
    tx,
    keysOf('available', subaccountName(id)),
    keysOf('receivables', pendingName(id), owedName(id)),
  )
}

/**
 * The balances of a sub-account that can be emptied; throws a refusal otherwise. Its row is locked,
 * and whatever credits it or pays from it reads the row under a lock.
 */
export async function findMovable(tx: Tx, subaccount: Subaccount): Promise<SubaccountBalance[]> {
  const balances = (await findSubaccountBalances(tx, [subaccount])).get(subaccount.id)!
  for (const { asset, available, held, pending, owed } of balances) {
    if (held > 0n) throw notEmpty(`${formatMoney(held, asset)} is reserved for open payouts.`)
    if (pending > 0n) throw notEmpty(`${formatMoney(pending, asset)} is released to it later.`)
    if (owed > available)
      throw notEmpty(`It owes you ${formatMoney(owed - available, asset)} more than it has.`)
  }
  return balances
}

/**
 * The last payout of the sub-account is under way: it is closed, or paused, when that ends. Its
 * schedule settles nothing while it is paused, and stays in case it is not closed.
 */
export async function startClosing(
  tx: Tx,
  before: Subaccount,
  closingPayoutId: string,
): Promise<ShownSubaccount> {
  const closing: Subaccount = { ...before, status: 'PAUSED', closingPayoutId }
  await updateSubaccount(tx, closing)
  const [shown] = await withBalances(tx, [closing])
  return shown!
}

/** The payout did not arrive, or money came meanwhile that cannot be moved. It stays paused. */
export async function stopClosing(tx: Tx, now: RealTime, before: Subaccount): Promise<void> {
  const { environmentId, id } = before
  const causeId = before.closingPayoutId!
  const sequence = before.eventSequence + 1
  const paused: Subaccount = { ...before, closingPayoutId: null, eventSequence: sequence }
  await updateSubaccount(tx, paused)
  const [shown] = await withBalances(tx, [paused])
  const type = 'subaccount.closing_failed'
  const data = toJson(showSubaccount(shown!))
  emitAll(tx, now, [{ environmentId, type, resourceId: id, causeId, sequence, data }])
}

export function refuseClosing(subaccount: Subaccount): void {
  if (subaccount.closingPayoutId === null) return
  throw new Refusal('subaccount_failed', {
    reason: 'invalid_state',
    message: `${subaccountReference(subaccount)} is being closed. Wait until its last payout has ended.`,
  })
}

export function notEmpty(why: string): Refusal {
  return new Refusal('subaccount_failed', {
    reason: 'invalid_state',
    message: `The sub-account cannot be closed yet. ${why}`,
  })
}

export function refuseClosed(subaccount: Subaccount): void {
  if (subaccount.status !== 'CLOSED') return
  throw new Refusal('subaccount_failed', {
    reason: 'invalid_state',
    message: `${subaccountReference(subaccount)} is closed.`,
  })
}
