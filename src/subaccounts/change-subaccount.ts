import type { RealTime } from '../base/clock.js'
import type { Environment } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { toJson } from '../base/json-text.js'
import { Refusal } from '../base/refusal.js'
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
import { type Subaccount, type SubaccountStatus, subaccountReference } from './subaccount.js'
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
    eventSequence: 1,
    createdAt: now,
    closedAt: null,
  }
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
  const changed = { ...before!, ...change }
  await updateSubaccount(tx, changed)
  if (changed.settlementSchedule !== before!.settlementSchedule)
    await schedule(tx, realNow, environment, changed)
  const [shown] = await withBalances(tx, [changed])
  return shown!
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

/** Closes a sub-account for good. What it has goes to the merchant; it must not owe anything. */
export async function closeSubaccount(
  tx: Tx,
  { now, realNow }: { now: Date; realNow: RealTime },
  request: {
    environment: Environment
    reference: string
    createdByKey: string | null
    createdByUser: string | null
  },
): Promise<ShownSubaccount> {
  const { environment, reference, createdByKey, createdByUser } = request
  const environmentId = environment.id
  // Workers that settle lock in this order.
  await lockEnvironment(tx, environmentId)
  const [before] = await lockSubaccounts(tx, environmentId, [reference])
  if (before!.status === 'CLOSED') return (await withBalances(tx, [before!]))[0]!
  const { id } = before!
  // Splits read the status of a sub-account after they have locked one of these ledger accounts.
  const book = await lockWhole(tx, before!)
  const balances = (await findSubaccountBalances(tx, [before!])).get(id)!
  for (const { asset, held, pending, owed } of balances) {
    if (held > 0n) throw notEmpty(`${formatMoney(held, asset)} is reserved for open payouts.`)
    if (pending > 0n) throw notEmpty(`${formatMoney(pending, asset)} is released to it later.`)
    if (owed > 0n) throw notEmpty(`It owes you ${formatMoney(owed, asset)}.`)
  }
  const transfers = balances
    .filter(({ available }) => available > 0n)
    .map(({ asset, available }) => ({
      environmentId,
      id: newId(now),
      fromSubaccountId: id,
      toSubaccountId: null,
      asset,
      amount: available,
      note: `${subaccountReference({ id })} closed`,
      createdByKey,
      createdByUser,
      createdAt: now,
    }))
  transferWith(tx, realNow, book, transfers)
  const closed: Subaccount = {
    ...before!,
    status: 'CLOSED',
    closedAt: now,
    settlementSchedule: 'off',
  }
  await updateSubaccount(tx, closed)
  if (before!.settlementSchedule !== 'off') await schedule(tx, realNow, environment, closed)
  const [shown] = await withBalances(tx, [closed])
  return shown!
}

/** All ledger accounts through which the sub-account can get money, also those not used yet. */
function lockWhole(tx: Tx, { environmentId, id }: Subaccount): Promise<Book> {
  const keysOf = (...names: LedgerAccountName[]) =>
    assetNames.flatMap((asset) => names.map((name) => ({ environmentId, asset, name })))
  return lockLedgerAccounts(
    tx,
    keysOf('available', subaccountName(id)),
    keysOf(pendingName(id), owedName(id)),
  )
}

function notEmpty(why: string): Refusal {
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
